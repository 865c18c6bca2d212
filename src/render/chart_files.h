/* chart_files.h - every chart of the site, and each as a file of its own in charts/.
 *
 * The list is made once from the report, in the order of the pages; a page looks its
 * charts up by what they show. Charts without data are in the list, so that a page can
 * say why, and have no file. Both kinds of files may be written on a thread of their
 * own: nothing here is shared but what nobody changes. */
#ifndef RENDER_CHART_FILES_H
#define RENDER_CHART_FILES_H

#include "base/err.h"
#include "report/report.h"

#include <stdatomic.h>

struct arena;
struct cJSON;
struct publish;
struct theme;

enum chart_subject {
    CHART_WALL_TIME,   /* C1 */
    CHART_CATEGORIES,  /* C2 */
    CHART_GAINS,       /* C3 */
    CHART_OPERATIONS,  /* C4; a category's, or -1 */
    CHART_DURATIONS,   /* C5; likewise */
    CHART_EFFICIENCY,  /* C6; of a category */
    CHART_ROOFLINE,    /* C13; likewise */
    CHART_PRECISION,   /* C13 of one compute peak: `of` counts report.device.peaks */
    CHART_UTILISATION, /* C7 */
    CHART_STREAMS,     /* C8 */
    CHART_LAUNCHES,    /* C9 */
    CHART_IDLE,        /* C10 */
    CHART_MEMORY,      /* C17 */
    CHART_TREE,        /* the call tree; `of` counts report.tree->views */
    CHART_SUBJECTS
};

struct chart_file {
    enum chart_subject subject;
    int of;
    struct report_figure figure;
    struct str svg, png; /* "charts/gemm-operations.svg"; empty without data */
};

struct chart_files {
    struct chart_file *charts;
    int n;
};

struct chart_files chart_files_list(struct arena *a, const struct report *r);

/* NULL: there is no such chart. */
const struct chart_file *chart_find(const struct chart_files *c,
                                    enum chart_subject subject, int of);

/* What the writers of text know of them: report.charts and report.n_charts. */
void chart_files_tell(struct arena *a, const struct chart_files *c, struct report *r);

MUST_CHECK bool chart_files_svg(const struct chart_files *c, const struct theme *t,
                                const struct publish *folder, struct arena tmp,
                                struct err *e);
/* `next` is the first that nobody has begun to draw, 0 to begin with: threads that
 * share it draw all of them together. Each has its own arena. */
MUST_CHECK bool chart_files_png(const struct chart_files *c, atomic_int *next,
                                const struct theme *t, const struct publish *folder,
                                struct arena tmp, struct err *e);

/* object[key] = the chart as templates/figure.html reads it, its files under it. A
 * chart that is not in the list leaves the object as it is. */
void chart_figure(struct cJSON *object, const char *key, const struct chart_file *c,
                  bool with_png, const struct theme *t, struct arena tmp);

#endif
