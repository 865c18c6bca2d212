/* site_context.h - what all pages' contexts have in common.
 *
 * A context is a cJSON tree that a template reads; keys are written in the comment on
 * top of each template. Texts of a trace go in through ctx_text, never through cJSON
 * itself. */
#ifndef RENDER_SITE_CONTEXT_H
#define RENDER_SITE_CONTEXT_H

#include "render/chart_files.h"
#include "render/page_shell.h"
#include "render/site.h"
#include "render/template.h"

#include <cjson/cJSON.h>

/* One site being written. */
struct site {
    const struct report *r;
    const struct site_options *o;
    const struct theme *theme;
    const struct publish *folder;
    struct template_set templates;
    struct arena *perm;         /* for the templates; texts of contexts are cJSON's */
    struct str css, js, search; /* relative paths of the assets */
    struct str logo;            /* likewise; empty: the theme has none */
    struct str op_rows, kernel_rows; /* likewise; empty: no table is continued */
    const struct chart_files *charts;
};

void ctx_text(cJSON *object, const char *key, struct str text);
void ctx_format(cJSON *object, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void ctx_bool(cJSON *object, const char *key, bool value);

/* A number for sorting, as data-v; empty for NaN. */
void ctx_sort_key(cJSON *object, const char *key, double v);

/* `text` for known numbers, else a dash. */
void ctx_fixed(cJSON *object, const char *key, double v, int decimals);
void ctx_ms(cJSON *object, const char *key, double ms, struct arena tmp);
void ctx_pct(cJSON *object, const char *key, double pct, struct arena tmp);

/* What templates/category.html reads, with a link where the category has a page. */
void ctx_category(cJSON *object, const char *key, const struct report *r,
                  struct str category, struct str label);

/* object[key] = a chart as templates/figure.html reads it. */
void ctx_chart(cJSON *object, const char *key, const struct site *s,
               enum chart_subject subject, int of, struct arena tmp);

/* One line of "On this page"; shown from the fourth on. */
void ctx_toc(cJSON *context, const char *href, const char *title);

/* A headline number, as templates/card.html reads it. NULL unit: `value` says why there
 * is none. */
void ctx_card(cJSON *cards, const char *label, struct str value, const char *unit,
              struct str about);

/* Whether the folder has this file: pages link what is written, and nothing else. */
bool site_offers(const struct site *s, const char *href);

/* The context of one page: page, report, assets and nav are filled in. */
cJSON *ctx_page(const struct site *s, const char *file, struct str title,
                const char *question, struct arena tmp);

/* Render a context into `file` and delete it. */
MUST_CHECK bool ctx_write(struct site *s, const char *file, const char *template_name,
                          cJSON *context, struct arena tmp, struct err *e);

/* The same for a page that the one-file form has no use for: rows in another order. */
MUST_CHECK bool ctx_write_folder(struct site *s, const char *file,
                                 const char *template_name, cJSON *context,
                                 struct arena tmp, struct err *e);

/* "COMPUTE", "memory" or an empty text. */
struct str bound_word(int bound);

/* Rows of one page of a long table: what keeps a page below 8,000 elements. */
enum { SITE_TABLE_ROWS = 200, SITE_CATEGORY_ROWS = 100 };

/* "operations.html", "operations-2.html". */
struct str site_part_name(struct arena *a, const char *stem, int part);

/* pager.* and fold of a table in parts. `left_pct`: share of the rows that follow. */
void ctx_pager(cJSON *context, const char *stem, int part, int n_rows, double left_pct,
               const char *whole, struct arena tmp);

/* The pages, one function a template. */
MUST_CHECK bool site_index(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_operations(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_kernels(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_recommendations(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_category(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_system(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_timeline(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_tree(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_roofline(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_replay(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_checks(struct site *s, struct arena tmp, struct err *e);
MUST_CHECK bool site_about(struct site *s, struct arena tmp, struct err *e);

#endif
