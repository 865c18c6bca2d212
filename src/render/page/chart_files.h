/* chart_files.h - every chart of the site, also as files in charts/.
 *
 * The list is made once from the report, in the order of the pages; a page looks its
 * charts up by what they show. Charts without data are listed, so that a page can say
 * why, but have no file. Both kinds of files may be written on another thread: only
 * constant data is shared. */
#ifndef RENDER_PAGE_CHART_FILES_H
#define RENDER_PAGE_CHART_FILES_H

#include "base/err.h"
#include "report/report.h"

#include <stdatomic.h>

struct arena;
struct cJSON;
struct publish;
struct theme;

enum chart_subject {
    CHART_WALL_TIME,    /* C1 */
    CHART_CATEGORIES,   /* C2 */
    CHART_GAINS,        /* C3 */
    CHART_OPERATIONS,   /* C4; a category's, or -1 */
    CHART_DURATIONS,    /* C5; of a category, or -1 */
    CHART_EFFICIENCY,   /* C6; of a category */
    CHART_ROOFLINE,     /* C13; of a category */
    CHART_PRECISION,    /* C13 of one compute peak: `of` counts report.device.peaks */
    CHART_STRIP,        /* C7, low; no file */
    CHART_UTILISATION,  /* C7 */
    CHART_STREAMS,      /* C8 */
    CHART_LAUNCHES,     /* C9 */
    CHART_IDLE,         /* C10 */
    CHART_BLAME,        /* C18: the same as an icicle */
    CHART_MEMORY,       /* C17 */
    CHART_MEMORY_KINDS, /* C20 */
    CHART_COUNTERS,     /* C19; `of` counts COUNTER_FIGURES */
    CHART_TREE,         /* the call tree; `of` counts report.tree->views */
    CHART_SUBJECTS
};

struct chart_file {
    enum chart_subject subject;
    int of;
    struct report_figure figure;
    struct str svg, png; /* "charts/gemm-operations.svg"; empty: no such file */
};

struct chart_files {
    struct chart_file *charts;
    int n;
    bool all_pictures;
    struct str vendor; /* report.h */
};

/* Every chart with data is an SVG file. PNG files too are those that the markdown
 * reports show, wall time and categories; with `all_pictures` all. The script of the
 * pages makes a PNG of any other. */
struct chart_files chart_files_list(struct arena *a, struct arena tmp,
                                    const struct report *r, bool all_pictures);

/* NULL: no such chart. */
const struct chart_file *chart_find(const struct chart_files *c,
                                    enum chart_subject subject, int of);

/* The charts that the markdown reports show, as PNG files. */
struct report_charts chart_files_main(struct arena *a, const struct chart_files *c);

MUST_CHECK bool chart_files_svg(const struct chart_files *c, const struct theme *t,
                                const struct publish *folder, struct arena tmp,
                                struct err *e);
/* `next` counts the charts that threads have started, initially 0: threads that share
 * it divide the charts among them. The last chart is the first, as it takes longest.
 * Each has its own arena. */
MUST_CHECK bool chart_files_png(const struct chart_files *c, atomic_int *next,
                                const struct theme *t, const struct publish *folder,
                                struct arena tmp, struct err *e);

/* Sets object[key] to the chart as templates/figure.html reads it, with links to its
 * files. A chart that is not listed leaves the object unchanged. */
void chart_figure(struct cJSON *object, const char *key, const struct chart_file *c,
                  bool with_png, const struct theme *t, struct arena tmp);

#endif
