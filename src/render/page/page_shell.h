/* page_shell.h - renders a page: its own template inside the shell that all pages
 * share.
 *
 * The caller builds the context; the comment at the top of each template lists every
 * key it reads. Page keys (report, assets, nav) are those of templates/page.html. Do
 * not reuse them: a key missing from an item is looked up in its parents, so either
 * every item has all keys its template reads, or none of its parents does. */
#ifndef RENDER_PAGE_PAGE_SHELL_H
#define RENDER_PAGE_PAGE_SHELL_H

#include "base/err.h"
#include "base/out.h"
#include "render/text/context.h"
#include "report/figure/report_figure.h"

struct arena;
struct template_set;
struct theme;

/* "index.html", a child of "page.html". */
MUST_CHECK bool page_render(struct out *o, struct template_set *set,
                            const char *template_name, const struct cJSON *context,
                            struct err *e);

/* The page without the shell: for the one-file form. */
MUST_CHECK bool page_body(struct out *o, struct template_set *set,
                          const char *template_name, const struct cJSON *context,
                          struct err *e);

/* Sets object[key] to what templates/figure.html reads: the chart, and the same data as
 * a table. Returns the new object, so that the caller can add .files[] and
 * .has_files. */
struct cJSON *page_figure(struct cJSON *object, const char *key,
                          const struct report_figure *f, const struct theme *t,
                          struct arena tmp);

/* "gemm" of "category-gemm.html": one of our names, safe in a file name. */
struct report_category;
struct str category_slug(const struct report_category *c);

/* What templates/category.html reads. `label` is the readable name; `page` is the
 * link's target, or empty. */
struct json_member page_category(const char *key, struct str category, struct str label,
                                 struct str page);

/* What templates/severity.html reads: the level, its shape and its word. Levels:
 * critical high medium low, failed warning note passed not-evaluated. */
struct json_member page_severity(const char *key, struct str level);

/* A bar of at most 96 px for `frac` of the width, 0 to 1, in a slot's colour.
 * Decorative: the number is next to it. */
struct json_member page_bar(const char *key, double frac, enum figure_slot slot,
                            const struct theme *t);

#endif
