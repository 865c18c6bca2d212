/* kernel_classes.h - device work by the class of the operation that counts it.
 *
 * A kernel belongs to the row of the unified table whose calls list it, not to the
 * operator that launched it, which is often an inner one without a row. So the device
 * work of a class is that of its rows, copies and memsets included, with nothing lost
 * or counted twice. */
#ifndef OPS_KERNEL_CLASSES_H
#define OPS_KERNEL_CLASSES_H

#include "ops/duration_bins.h"
#include "ops/op_tables.h"

/* The part of one row of kernel_tables that belongs to a class. */
struct kernel_part {
    int32_t row;   /* kernel_tables.rows; from kernel_tables.n on a copy or memset */
    int32_t first; /* counts up by the first event of a part, over all classes */
    int64_t n;
    double total_us, mean_us, p95_us;
};

struct kernel_class {
    struct kernel_part *parts; /* by time, longest first */
    int32_t n;
    struct duration_bins durations; /* of kernels alone */
};

/* The class of each device event by its place in launch.all; -1: no row counts it.
 * class_of: of each row of t->judged. */
int8_t *kernel_class_of_events(struct arena *a, const struct op_tables *t,
                               const int8_t *class_of);

/* The same for the row of t->judged itself. */
int32_t *kernel_op_of_events(struct arena *a, const struct op_tables *t);

/* class: of each event, 0 to n_classes - 1, or -1. */
struct kernel_class *kernel_classes_build(struct arena *perm, struct arena tmp,
                                          const struct op_tables *t,
                                          const int8_t *class, int n_classes);

#endif
