/* kernel_types.h - the element type that a kernel is compiled for, by its name.
 *
 * For lists of tensors, whose type a trace does not record. */
#ifndef PERF_OWN_KERNEL_TYPES_H
#define PERF_OWN_KERNEL_TYPES_H

#include "base/str.h"

/* Bytes of the first type that opens a list of template arguments; NaN: there is none.
 */
double kernel_type_bytes(struct str kernel);

#endif
