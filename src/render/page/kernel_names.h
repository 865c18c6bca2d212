/* kernel_names.h - what pages call each kernel: its short name, and where several would
 * be called the same, what differs in their full names. */
#ifndef RENDER_PAGE_KERNEL_NAMES_H
#define RENDER_PAGE_KERNEL_NAMES_H

#include "report/report.h"

enum { KERNEL_NAME_CHARS = 90 };

/* By report.kernels, in `perm`: clean text. Equal for equal names only. */
const struct str *kernel_names(struct arena *perm, struct arena tmp,
                               const struct report *r);

#endif
