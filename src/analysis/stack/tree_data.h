/* tree_data.h - where the large rows of a category sit in the call tree.
 *
 * The structs of `<category>_tree_data.json` and of the rough report's tree section:
 * for each row its first call. Independent of any format. Everything lives in the
 * builder's arena. */
#ifndef ANALYSIS_STACK_TREE_DATA_H
#define ANALYSIS_STACK_TREE_DATA_H

#include "analysis/model/finding.h"

struct tree_index;

enum { TREE_DATA_NODES = 200, TREE_DATA_PARENTS = 200, TREE_DATA_SIBLINGS = 50 };

struct tree_parent {
    int32_t uid; /* -1: a line of a text stack */
    struct str name, cat;
    int depth; /* 1: direct parent */
};

struct tree_data_node {
    int32_t uid;
    struct str name, cat;
    int depth;
    bool is_gpu;
    double dur_us, gpu_us;                       /* gpu_us of host events */
    int64_t stream;                              /* of device events; -1 */
    const struct value *input_dims, *input_type; /* NULL: none */
};

struct tree_sibling {
    int32_t uid;
    struct str name;
    double gpu_us;
    struct str *kernels;
    int n_kernels;
};

struct tree_data {
    const struct work_row *row;
    int32_t event; /* -1: a row for device work without a call */
    int32_t ex_uid;
    struct str op_name;
    const struct value *input_dims, *input_type; /* NULL: none */
    struct tree_parent *parents;                 /* nearest first */
    int32_t n_parents;
    struct str *modules; /* outermost first */
    int n_modules;
    struct str launcher_path;
    struct tree_data_node *nodes; /* pre-order */
    int32_t n_nodes;
    bool truncated;
    struct tree_sibling *siblings; /* by start */
    int32_t n_siblings;
    int64_t instance_count;
    bool fusion_opportunity;
    struct str notes;
};

/* Rows above 10 % of their category, else the five longest. */
struct tree_data *tree_data_build(struct arena *perm, struct arena tmp,
                                  const struct analysis *a, const struct tree_index *t,
                                  enum work_category c, int *n);

#endif
