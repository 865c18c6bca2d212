/* op_names.h - the operators that have a model, or only a category.
 *
 * Constant data, made from models.def. */
#ifndef PERF_OP_NAMES_H
#define PERF_OP_NAMES_H

#include "base/str.h"

enum { OP_NAMES_MAX = 24 };

struct op_names {
    int model;            /* enum model_key, or -1 */
    const char *category; /* if there is no model */
    const char *names[OP_NAMES_MAX];
};

/* The row with this name; NULL if unknown. */
const struct op_names *op_names_find(struct str name);

#endif
