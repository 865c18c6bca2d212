/* fusion_candidates.h - groups of kernels that one kernel might replace.
 *
 * A candidate is everything a module, a function or an operator launches, a run of
 * neighbours in one that launch one kernel each, or, without frames, a chain
 * (fusion_chains.h). Two instances are the same if the
 * place's name and what each kernel does agree. Ignores time and savings; judges by
 * structure alone whether a group could be fused (analysis.md 4.3). */
#ifndef ANALYSIS_SYSTEM_FUSION_CANDIDATES_H
#define ANALYSIS_SYSTEM_FUSION_CANDIDATES_H

#include "analysis/stack/tree_index.h"
#include "kernels/kernel_name.h"

enum { FUSION_KERNELS_MAX = 15 };

struct kernel_group {
    struct str place; /* "Qwen2RMSNorm", "modeling.py(61): rotate_half", "pow to mul" */
    event_id container; /* of the first instance: module, frame or operator */
    bool is_run;        /* neighbours, not all of the container */
    bool in_optimizer;  /* its step launches them */
    bool is_chain; /* what only shapes connect; the container is the first operator */
    int n_kernels; /* of one instance */
    event_id *kernels; /* n_instances times n_kernels, by start within an instance */
    int32_t n_instances;
    enum kernel_label *labels; /* of the first instance, by position */
    struct str *ops;   /* operator that launched each, without namespace; or empty */
    struct str reason; /* why it cannot be fused; empty: it could */
};

struct kernel_groups {
    struct kernel_group *rows; /* in the order of their first instance */
    int32_t n;
};

struct kernel_groups kernel_groups_find(struct arena *perm, struct arena tmp,
                                        const struct tree_index *t);

/* First and last kernel of product, softmax, product around a softmax, with only light
 * ones between, or false. */
bool attention_around(const enum kernel_label *labels, int n, int softmax, int *first,
                      int *last);

/* The same for the first softmax that has them. */
bool attention_span(const enum kernel_label *labels, int n, int *first, int *last);

#endif
