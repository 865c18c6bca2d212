/* group_kernels.h - the kernels of a row: what its calls launch. */
#ifndef OPS_GROUP_KERNELS_H
#define OPS_GROUP_KERNELS_H

#include "ops/op_calls.h"

struct event_store;

/* Sets both lists of a group whose members, rows of `calls`, are set; in `a`. */
void group_kernels_add(struct arena *a, const struct event_store *s,
                       const struct op_calls *calls, struct op_group *g);

/* That with most time over all calls; NULL: its calls launch none. */
const struct kernel_detail *group_longest_kernel(const struct op_group *g);

#endif
