/* page_shell.h - a page: its own template inside the shell that all pages share.
 *
 * The caller builds the context; the comment on top of each template says every key it
 * reads. Page keys (page, report, assets, nav, toc) are those of templates/page.html.
 * Keep them for themselves: a key that is missing in an item is looked for outwards, so
 * lists and items should carry all keys their template asks for, or none of their
 * parents should. */
#ifndef RENDER_PAGE_SHELL_H
#define RENDER_PAGE_SHELL_H

#include "base/err.h"
#include "base/out.h"
#include "report/report_figure.h"

struct arena;
struct cJSON;
struct template_set;
struct theme;

/* "index.html" inside "page.html". `context` gets the page's body as main_html and is
 * else unchanged; the same context may be rendered again. */
MUST_CHECK bool page_render(struct out *o, struct template_set *set,
                            const char *template_name, struct cJSON *context,
                            struct err *e);

/* The page without the shell: for the one-file form. */
MUST_CHECK bool page_body(struct out *o, struct template_set *set,
                          const char *template_name, const struct cJSON *context,
                          struct err *e);

/* object[key] = what templates/figure.html reads: the chart, and the same data as a
 * table. Returns the object made, so that the caller can add .files[] and .has_files.
 */
struct cJSON *page_figure(struct cJSON *object, const char *key,
                          const struct report_figure *f, const struct theme *t,
                          struct arena tmp);

/* "gemm" of "category-gemm.html": a name of ours, fit for a file. */
struct report_category;
struct str category_slug(const struct report_category *c);

/* object[key] = what templates/category.html reads. `label` is what people call it. */
void page_category(struct cJSON *object, const char *key, struct str category,
                   struct str label);

/* object[key] = what templates/severity.html reads: the level, its shape and its word.
 * Levels: critical high medium low, failed warning note passed not-evaluated. */
void page_severity(struct cJSON *object, const char *key, struct str level);

/* object["name_html"] and the like: html_name, or html_name_folded where max_chars > 0.
 */
void page_name(struct cJSON *object, const char *key, struct str name, int max_chars,
               struct arena tmp);

/* object[key] = a bar of at most 96 px for `frac` of the width, 0 to 1, in a slot's
 * colour. Decoration: the number stands beside it. */
void page_bar(struct cJSON *object, const char *key, double frac, enum figure_slot slot,
              const struct theme *t);

#endif
