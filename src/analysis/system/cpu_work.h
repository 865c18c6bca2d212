/* cpu_work.h - operators that compute on the CPU while the device waits.
 *
 * A trace does not tell where tensors are. Dispatch takes some 10 us of an operator's
 * own; one that launches nothing, and takes several times that in none of its callees,
 * computes. */
#ifndef ANALYSIS_SYSTEM_CPU_WORK_H
#define ANALYSIS_SYSTEM_CPU_WORK_H

#include "analysis/stack/tree_index.h"

bool cpu_work_computes(const struct tree_index *t, event_id i);

#endif
