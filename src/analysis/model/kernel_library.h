/* kernel_library.h - which library a kernel comes from, judged by its name. */
#ifndef ANALYSIS_MODEL_KERNEL_LIBRARY_H
#define ANALYSIS_MODEL_KERNEL_LIBRARY_H

#include "base/str.h"

#include <stdbool.h>

/* "hipBLASLt", "cuDNN", "Inductor", "PyTorch"; empty: the name does not tell. `amd`:
 * the device is one, where collectives have the names of the other vendor's library. */
struct str kernel_library(struct str kernel, bool amd);

#endif
