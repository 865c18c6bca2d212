/* kernel_names.h - --names: which kernels communicate, where their names do not say it.
 */
#ifndef KERNEL_NAMES_H
#define KERNEL_NAMES_H

#include "base/arena.h"
#include "base/err.h"

/* `list`: a file with KIND=EXPRESSION a line, # begins a remark; or the same in the
 * argument, separated by commas. KIND is a collective ("all-reduce") or "none". NULL:
 * nothing is told. */
MUST_CHECK bool kernel_names_read(struct arena *perm, const char *list, struct err *e);

#endif
