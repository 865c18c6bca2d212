/* compare_context.h - a comparison as templates read it: one tree of numbers and names
 * for its markdown reports and its page. templates/md/compare_fair.md lists the keys.
 */
#ifndef RENDER_TEXT_COMPARE_CONTEXT_H
#define RENDER_TEXT_COMPARE_CONTEXT_H

#include "report/compare/compare_report.h"

struct cJSON;

/* Whoever takes it deletes it with cJSON_Delete. */
struct cJSON *compare_context(struct cJSON *root, struct arena *tmp,
                              const struct compare_report *r);

#endif
