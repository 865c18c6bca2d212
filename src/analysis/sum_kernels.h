/* sum_kernels.h - all kernels of operators that add rows by sorting their indices.
 *
 * Where algorithms have to be deterministic, a sum into indexed places is many kernels
 * (it scales, copies, sorts, adds), and an interpolation or padding many operators,
 * forward and backward. All of them go with the mode. */
#ifndef ANALYSIS_SUM_KERNELS_H
#define ANALYSIS_SUM_KERNELS_H

#include "analysis/model/finding.h"

/* Before savings: the finding about such sums takes in all these kernels, and findings
 * go that are about nearly nothing else. Its saving is of the rows that it names: what
 * that leaves of them is left of all. */
void sum_kernels_join(struct arena *perm, struct arena tmp, struct analysis *a);

#endif
