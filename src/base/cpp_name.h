/* cpp_name.h - the function in a C++ name as a linker spells it.
 *
 * Device code is often recorded under its mangled name. Only the names in it are read
 * (the Itanium ABI writes each with its length in front): enough to tell what a kernel
 * is called, without its types. */
#ifndef BASE_CPP_NAME_H
#define BASE_CPP_NAME_H

#include "base/str.h"

/* "scale" of "_ZN5mylib5scaleIfLi4EEvPT_", lent from `name`; empty for what is not
 * mangled, or not in a form that is known. */
struct str cpp_function_name(struct str name);

#endif
