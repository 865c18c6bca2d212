/* site_context.h - what the contexts of all pages share.
 *
 * A context is a cJSON tree that a template reads; the comment at the top of each
 * template lists its keys. Texts from the trace enter through M and F, never through
 * cJSON itself. */
#ifndef RENDER_PAGE_SITE_CONTEXT_H
#define RENDER_PAGE_SITE_CONTEXT_H

#include "render/page/chart_files.h"
#include "render/page/kernel_rows.h"
#include "render/page/lanes_file.h"
#include "render/page/page_shell.h"
#include "render/page/row_links.h"
#include "render/page/site_options.h"
#include "render/text/system_context.h"
#include "render/text/template.h"

/* One site being written. */
struct site {
    const struct report *r;
    const struct site_options *o;
    const struct theme *theme;
    const struct publish *folder;
    struct template_set templates;
    struct arena *perm; /* for the templates; texts of contexts are cJSON's */
    struct str css, js, zoom, search, icon; /* relative paths of the assets */
    struct str logo;                 /* relative path; empty: the theme has none */
    struct str op_rows, kernel_rows; /* relative paths; empty: no table is continued */
    struct str lanes; /* relative path; empty: no device work, or one file */
    struct lanes_count lanes_count;
    const struct chart_files *charts;
    struct kernel_lines kernels;
    const struct op_lines *op_lines;
};

/* What templates/category.html reads, with a link where the category has a page. */
struct json_member ctx_category(const char *key, const struct report *r,
                                struct str category, struct str label);

/* Sets object[key] to a chart as templates/figure.html reads it. */
/* A strip for each of several devices, or the one that decides where there is no room
 * for all. */
void ctx_gpu_strips(cJSON *object, const struct site *s, int most, struct arena tmp);
void ctx_chart(cJSON *object, const char *key, const struct site *s,
               enum chart_subject subject, int of, struct arena tmp);

/* Bytes of a file beside the pages, NaN if that is unknown. */
double ctx_bytes(const struct site *s, struct arena tmp, struct str file);

/* Whether a table of the report has any: of a trace without operators some have none.
 */
bool ctx_has_rows(const struct site *s, struct str table);

/* How many checks passed, failed, warned, could not be evaluated. */
void ctx_checks(cJSON *context, const struct report *r);

/* The context of one page: report, assets and nav are filled in. */
cJSON *ctx_page(const struct site *s, const char *file);

/* Render a context into `file` and delete it. */
MUST_CHECK bool ctx_write(struct site *s, const char *file, const char *template_name,
                          cJSON *context, struct arena tmp, struct err *e);

/* The same for a page that the single file leaves out: rows in another order. */
MUST_CHECK bool ctx_write_folder(struct site *s, const char *file,
                                 const char *template_name, cJSON *context,
                                 struct arena tmp, struct err *e);

/* The pager of a table in parts, and whether it is complete: `unlisted` rows are on no
 * page. `left_pct`: share of the rows that follow. */
void ctx_pager(cJSON *context, const char *stem, int part, int listed, int unlisted,
               double left_pct, struct arena tmp);

/* The pages, one function a template. */
MUST_CHECK bool site_index(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_operations(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_kernels(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_recommendations(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_category(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_system(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_timeline(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_layers(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_counters(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_tree(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_roofline(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_replay(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_checks(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_about(struct site *s, struct arena tmp, struct err *e);

#endif
