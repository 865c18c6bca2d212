/* compare_renamed.h - kernels that run in the place of others without a difference. */
#ifndef COMPARE_RENAMED_H
#define COMPARE_RENAMED_H

#include "compare/comparison.h"

/* "; kernels have other names: `B` in the candidate in place of `A`": of the kernel
 * with most time. Empty: no kernel with a hundredth of the time has another name. */
struct str compare_renamed(struct arena *perm, const struct comparison *c);

#endif
