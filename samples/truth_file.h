/* truth_file.h - what the planted defects of a trace really cost.
 *
 * For kernels that is their time less what would have been enough. For an idle device
 * and for exposed communication it is found by running the same plan without the
 * defect. The latter is given for every defect, as end_to_end_saving_us: one that hides
 * behind the host saves less than its kernels take. */
#ifndef SAMPLE_TRUTH_FILE_H
#define SAMPLE_TRUTH_FILE_H

#include "workload.h"

MUST_CHECK bool truth_write(const char *path, const struct sample_plan *p,
                            const struct run_result *r, struct err *e);

#endif
