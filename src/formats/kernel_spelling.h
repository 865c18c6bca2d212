/* kernel_spelling.h - names of kernels as c++filt spells them.
 *
 * NVIDIA's tools spell the same name in another way: "(int)4" for 4, "<unnamed>" for
 * "(anonymous namespace)", "[lambda(float) (instance 1)]" for "{lambda(float)#1}",
 * "const T1 *" with the number of a template's argument for "float const*". PyTorch's
 * profiler writes the form of c++filt, so that captures of both compare. */
#ifndef FORMATS_KERNEL_SPELLING_H
#define FORMATS_KERNEL_SPELLING_H

#include "base/out.h"

/* Writes the name to `o`; one that is nested too deep, or in no such form, as it is. */
void kernel_spell(struct out *o, struct str name);

#endif
