/* markdown_context.h - a report as the templates of templates/md/ read it: one tree
 * for all markdown files, most of it structs that are lent to it.
 *
 * The templates say at their top what the keys hold. Texts of a finding are cut into
 * sentences here; nothing is worded. */
#ifndef RENDER_MARKDOWN_MARKDOWN_CONTEXT_H
#define RENDER_MARKDOWN_MARKDOWN_CONTEXT_H

#include "base/arena.h"
#include "render/markdown/markdown_style.h"
#include "report/report.h"

struct cJSON;

/* Whoever takes it deletes it with cJSON_Delete; until then, what is in the arena and
 * in the report stays. */
struct cJSON *markdown_context(struct arena *tmp, const struct report *r,
                               const struct report_charts *charts,
                               const struct markdown_style *style);

#endif
