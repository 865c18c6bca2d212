/* unfused_attention.h - attention written as product, softmax, product
 * (analysis.md 3.5.1).
 *
 * With Python frames, found in the tree: kernels between two products around a softmax,
 * in launch order, under one parent. Otherwise in the table, by shapes that fit
 * together, and without shapes by the order of kernels on a stream. Each softmax row
 * gives at most one block, with its backward where that is recorded: a fused call
 * replaces both. */
#ifndef ANALYSIS_SYSTEM_UNFUSED_ATTENTION_H
#define ANALYSIS_SYSTEM_UNFUSED_ATTENTION_H

#include "analysis/model/finding.h"

struct tree_index;

struct unfused_attention {
    struct work_row *softmax;
    struct work_row *
        *rows; /* softmax first, then by time; at least half of each belongs */
    int n_rows;
    bool from_tree;
    int64_t instances, backwards;          /* of the forward; of its backward */
    double time_ms;                        /* members over all instances */
    double b, n_q, n_kv, d;                /* d NaN: the products' sizes are unknown */
    double roofline_ms;                    /* of the fused form, all instances; NaN */
    double conservative_ms, optimistic_ms; /* time the fused form would take */
    bool biased;  /* what is added to the scores differs by head: no mask */
    bool masked;  /* by a mask shared by heads: perhaps causal, which halves the work */
    bool assumed; /* those from the time of its products: no peak of their type is known
                   */
    double band_lo_pct, band_hi_pct;
};

struct kernel_rows;

/* Fills a->unfused and the related facts of rows and categories. `tree` may be NULL.
 * Rows must have their facts. */
void unfused_attention_find(struct arena *perm, struct arena tmp, struct analysis *a,
                            const struct kernel_rows *rows,
                            const struct tree_index *tree);

/* Its products are fp32, which a fused kernel keeps. */
bool unfused_is_fp32(const struct unfused_attention *u);

/* The speed-up, at least and at most: 1 to 10. */
double unfused_speedup_low(const struct unfused_attention *u);
double unfused_speedup_high(const struct unfused_attention *u);

/* Recompute the fused form's time after the block's size or time changed. */
void unfused_estimate(const struct device_spec *device, struct unfused_attention *u);

#endif
