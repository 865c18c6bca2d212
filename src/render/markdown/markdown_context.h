/* markdown_context.h - a report as the templates of templates/md/ read it: one tree of
 * numbers and names for all markdown files.
 *
 * The templates say at their top what the keys hold. Texts of a finding are cut into
 * sentences here; nothing is worded. */
#ifndef RENDER_MARKDOWN_MARKDOWN_CONTEXT_H
#define RENDER_MARKDOWN_MARKDOWN_CONTEXT_H

#include "base/arena.h"
#include "render/markdown/markdown_style.h"
#include "report/report.h"

struct cJSON;

/* Whoever takes it deletes it with cJSON_Delete. */
struct cJSON *markdown_context(struct arena tmp, const struct report *r,
                               const struct report_charts *charts,
                               const struct markdown_style *style);

#endif
