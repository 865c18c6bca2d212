/* unfused_attention.h - attention written as product, softmax, product
 * (analysis.md 3.5.1).
 *
 * By the tree where there are Python frames: kernels between two products around a
 * softmax, in the order of their launch, under one parent. Else by the table: shapes
 * that fit together. A block is found once for each softmax row. */
#ifndef ANALYSIS_UNFUSED_ATTENTION_H
#define ANALYSIS_UNFUSED_ATTENTION_H

#include "analysis/finding.h"

struct tree_index;

struct unfused_attention {
    struct work_row *softmax;
    struct work_row *
        *rows; /* softmax first, then by time; at least half of each belongs */
    int n_rows;
    bool from_tree;
    int64_t instances;
    double time_ms;         /* members over all instances */
    double b, n_q, n_kv, d; /* d NaN: the products' sizes are not known */
    double roofline_ms;     /* of the fused form, all instances; NaN */
    double conservative_ms, optimistic_ms; /* what the fused form would take */
    bool masked;  /* by a mask shared by heads: perhaps causal, which halves the work */
    bool assumed; /* those from 3x and 10x, no FLOP known */
    double band_lo_pct, band_hi_pct;
};

/* Fills a->unfused, and the facts of rows and categories that say so. `tree` may be
 * NULL. Rows must have their facts. */
void unfused_attention_find(struct arena *perm, struct arena tmp, struct analysis *a,
                            const struct tree_index *tree);

/* How many times faster, at least and at most: 1 to 10. */
double unfused_speedup_low(const struct unfused_attention *u);
double unfused_speedup_high(const struct unfused_attention *u);

/* Work out the fused form's time again, for a block of another size or time. */
void unfused_estimate(const struct device_spec *device, struct unfused_attention *u);

#endif
