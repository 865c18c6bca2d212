/* told_kernels.h - what the user says kernels of his own do: an expression for their
 * names, and a word for what they are.
 *
 * Set before anything is read, by one thread; then only asked. The first expression
 * that matches counts. */
#ifndef BASE_TOLD_KERNELS_H
#define BASE_TOLD_KERNELS_H

#include "base/err.h"
#include "base/str.h"

enum { TOLD_KERNELS_MAX = 64 };

/* `expression`: extended, as of grep -E; `word` is lent for the run. */
MUST_CHECK bool told_kernels_add(const char *expression, struct str word,
                                 struct err *e);

/* The word for a kernel; empty: nothing is said of it. */
struct str told_kernel(struct str name);

/* Forgets all of them. */
void told_kernels_clear(void);

#endif
