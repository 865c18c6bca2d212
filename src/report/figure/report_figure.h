/* report_figure.h - a chart in no format at all: what is shown, with all its words.
 *
 * Built once, lent to the writers (inline SVG, PNG, the table twin), never changed.
 * Every number shown beside a mark is also given as text, so that it agrees with the
 * tables; writers format only the numbers of axes. Labels may come from the trace and
 * are hostile. */
#ifndef REPORT_FIGURE_REPORT_FIGURE_H
#define REPORT_FIGURE_REPORT_FIGURE_H

#include "base/str.h"

#include <stdint.h>

/* What gives a mark its colour, hatching and letter: a category, a part of the wall
 * time, or what the host does. A slot belongs to a category, not to a rank. */
#define FIGURE_SLOT_LIST(X)                                                            \
    X(OTHER, "other", "O")                                                             \
    X(GEMM, "gemm", "G")                                                               \
    X(ATTENTION, "attention", "A")                                                     \
    X(BACKWARD, "backward", "B")                                                       \
    X(ELEMENTWISE, "elementwise", "E")                                                 \
    X(MOE, "moe", "M")                                                                 \
    X(NORM, "norm", "N")                                                               \
    X(REDUCE, "reduce", "R")                                                           \
    X(GENERATED, "generated", "T")                                                     \
    X(CONVOLUTION, "convolution", "C")                                                 \
    X(COMPUTE, "compute", "")                                                          \
    X(COMMUNICATION, "communication", "X")                                             \
    X(COPY, "copy", "Y")                                                               \
    X(IDLE, "idle", "")                                                                \
    X(PYTHON, "python", "")                                                            \
    X(DISPATCH, "dispatch", "")                                                        \
    X(RUNTIME, "runtime", "")                                                          \
    X(WAITING, "waiting", "")

enum figure_slot {
#define X(id, name, letter) SLOT_##id,
    FIGURE_SLOT_LIST(X)
#undef X
        FIGURE_SLOTS
};

enum figure_kind {
    FIGURE_STACK,     /* C1: one bar, the parts sum to `whole` */
    FIGURE_BARS,      /* C2, C10: bars from zero, sorted by the caller */
    FIGURE_PARETO,    /* C4: bars and their running sum, on one scale up to `whole` */
    FIGURE_HISTOGRAM, /* C5, C9: bins low to high on a log axis; value: launches */
    FIGURE_RANGES,    /* C3: low to high with mid; second scale in % of `whole` */
    FIGURE_ROOFLINE, /* C13: points (x FLOP/byte, value TFLOP/s) under roofs, log-log */
    FIGURE_BINS,     /* C7: series stacked over time, 0 to 100 % of each bin */
    FIGURE_STRIPS,   /* C8: a row for each series, filled to its share of each bin */
    FIGURE_LINES,    /* C17: series as steps on one scale from zero */
    FIGURE_ICICLE,  /* the call tree: marks from low to high in row x, callers on top */
    FIGURE_SLOPE,   /* C15: low joined with high; folded: within the noise */
    FIGURE_SCATTER, /* points (x, value) beside lines of a ratio, log-log */
    FIGURE_SHARES,  /* C6: marks from low to high %, value % of roof high; NaN: unknown
                     */
    FIGURE_ROWS, /* marks from low to high in row x, which series x names; the table has
                    a row for each series */
    FIGURE_KINDS
};

/* A series over time: a value for each of `n_bins` equal parts of 0 to x_high. Such a
 * figure's marks are not drawn: they are the rows of its table. */
struct figure_series {
    struct str label, value_text;
    enum figure_slot slot;
    const double *values; /* NaN: unknown */
    bool idle;            /* hatched by its slot, or white: nothing runs */
};

struct figure_mark {
    struct str label;
    struct str letter;     /* empty: the slot's own */
    struct str value_text; /* "12.2 ms, 41.0 %"; histograms: empty */
    enum figure_slot slot;
    bool folded;      /* "other, 41 operations": drawn as an outline */
    double value;     /* length, count, mid, or TFLOP/s */
    double low, high; /* ranges: the ends; histogram: the edges of the bin, > 0 */
    double x;         /* roofline: FLOP/byte, > 0; icicle: the row, from 0 */
    double
        weight; /* roofline: share of kernel time, 0 to 1: size and who is labelled */
    double second;   /* histogram: total time in the bin, in ms; for the second panel;
                      * icicle: of high - low, on one side only */
    int32_t node;    /* icicle: of the view that is shown; roofline: of report.ops */
    struct str href; /* where the cell or point leads, on a page; or empty */
};

/* A part of the time with a name: from and to in the unit of x_title. */
struct figure_span {
    double from, to;
    struct str label;
};

struct figure_roof {
    struct str label;   /* "matrix bf16: 708 TFLOP/s" */
    double tflop_per_s; /* > 0; scatter: the ratio of a line, value to x */
    struct str brief;   /* "matrix bf16: 708", where there is less room; or empty */
};

/* x / (start + x / rate): the rate of what takes so long whatever its size. */
struct figure_curve {
    struct str label;
    double start, rate; /* rate > 0 */
};

struct report_figure {
    enum figure_kind kind;
    bool mean; /* lines: bins that are drawn as one are their mean, not the largest */
    bool low;  /* bins: without the upright axis, a band */
    bool half; /* may share a row with another; else as wide as the page */
    struct str id;          /* [a-z0-9-], unique on a page: "c1" */
    struct str title;       /* what it shows: "Where wall time goes" */
    struct str caption;     /* the finding: "The GPU is busy for 89.8 % of the time" */
    struct str description; /* a description for readers who cannot see it, with the
                               main numbers */
    struct str empty;       /* why there is nothing to draw; n > 0: nothing is drawn */
    struct str x_title;     /* "time, ms" */
    struct str y_title;     /* "launches"; bars: what a bar is, "category" */
    struct str
        second_title; /* pareto, ranges: "of kernel time, %"; histogram: "total, ms" */
    struct str label_title; /* head of the twin's first column: "Operation" */
    struct str value_title; /* head of its values: "Time and share of kernel time" */
    double whole;           /* 100 %, in the unit of x; 0: unknown */
    struct figure_mark *marks;
    int n_marks;
    struct figure_roof *roofs; /* roofline: the compute peaks */
    int n_roofs;
    const struct figure_curve *curves; /* roofline: dashed */
    int n_curves;
    double memory_tb_per_s;  /* roofline: the slope; 0: unknown */
    struct str memory_label; /* "memory: 5.3 TB/s" */
    const struct str
        *slot_labels; /* what the slots are called, FIGURE_SLOTS; NULL: as the theme */
    const struct figure_series *series;
    int n_series, n_bins;
    int bins_per_step; /* that bins are drawn together in parts or multiples of; 0 */
    double x_high;     /* where the bins end, in the unit of x_title */
    bool numbered;     /* bins are things counted from 0, not time: a number is at the
                          middle of its bin */
    const double *borders;           /* of steps, in the same unit */
    const struct str *border_labels; /* NULL: they have none */
    int n_borders;
    const struct figure_span *spans; /* gaps, longest first */
    int n_spans;
    /* What the host does over the same bins, below the series; parts of 100 % too. */
    const struct figure_series *under;
    int n_under;
    struct str under_title;
    double shade_from, shade_to; /* hatched, in the same unit; equal: nothing is */
    struct str shade_label;
};

/* A figure before its data: its axes, and the two columns of its table. */
struct report_figure figure_titled(enum figure_kind kind, const char *id,
                                   const char *title, const char *x, const char *y,
                                   const char *label, const char *value);

/* The figure with nothing to draw, and why. */
struct report_figure figure_without_data(struct report_figure f, struct str why);

/* A slot's name in class names and themes ("gemm"), and its letter. */
struct str figure_slot_name(enum figure_slot slot);
struct str figure_slot_letter(enum figure_slot slot);

/* The slot of a category id as the analysis spells it: "gemm", "sdpa_fwd", "batchnorm",
 * "triton", "moe_fused" ... Unknown ones are SLOT_OTHER. */
enum figure_slot figure_slot_of(struct str category);

/* The letter code of a category: its slot's. Categories without a slot share the grey
 * of SLOT_OTHER and get one or two letters of their label that no slot uses. */
struct str figure_category_letter(struct str category, struct str label);

#endif
