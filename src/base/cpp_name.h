/* cpp_name.h - the function named by a mangled C++ symbol.
 *
 * Device code is often recorded under its mangled name. Only the names in it are read
 * (the Itanium ABI writes each with its length in front): enough to tell what a kernel
 * is called, without its types. */
#ifndef BASE_CPP_NAME_H
#define BASE_CPP_NAME_H

#include "base/str.h"

/* "scale" of "_ZN5mylib5scaleIfLi4EEvPT_", lent from `name`; empty if the name is not
 * mangled, or mangled in an unknown form. */
struct str cpp_function_name(struct str name);

/* A demangled name without the type that the function returns: "void ", or of cuBLAS
 * "std::enable_if<!(false), void>::type ". */
struct str cpp_without_return(struct str name);

/* CUTLASS calls all its kernels device_kernel, Kernel or Kernel2; which it is, their
 * argument says: "FlashAttnFwdSm90" of "void cutlass::device_kernel<flash::enable_sm90<
 * flash::FlashAttnFwdSm90<..". Empty for other names. */
struct str cpp_cutlass_kernel(struct str name);

#endif
