/* op_names.h - the operators that have a model, or a category only.
 *
 * Constant data, found by binary search. */
#ifndef PERF_OP_NAMES_H
#define PERF_OP_NAMES_H

#include "base/str.h"

struct op_name {
    const char *name;
    int model;            /* enum model_key, or -1 */
    const char *category; /* where there is no model */
};

/* NULL: not known. */
const struct op_name *op_name_find(struct str name);

#endif
