/* module_classes.h - the classes of modules that Python frames name.
 *
 * They identify the kind of model that ran. Names belong to the store and are hostile.
 *  */
#ifndef ANALYSIS_STACK_MODULE_CLASSES_H
#define ANALYSIS_STACK_MODULE_CLASSES_H

#include "base/str.h"

#include <stdint.h>

struct arena;
struct tree_index;

struct module_class {
    struct str name;      /* "ViTLayer" */
    int32_t instances;    /* "nn.Module: ViTLayer_11" is the twelfth */
    int64_t outermost_ns; /* device time below those not inside another module */
};

struct module_classes {
    struct module_class *rows; /* by first appearance */
    int32_t n;
};

/* `t` may be NULL or without frames: no classes then. */
struct module_classes module_classes_build(struct arena *perm, struct arena tmp,
                                           const struct tree_index *t);

/* A module that wraps the model, so not the model itself. */
bool module_is_wrapper(struct str name);

#endif
