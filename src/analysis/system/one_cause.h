/* one_cause.h - idle time of the host and copies that have one cause, as their patterns
 * say (an optimizer on the CPU, a checkpoint that is written in the step): one finding,
 * as one change ends both. */
#ifndef ANALYSIS_SYSTEM_ONE_CAUSE_H
#define ANALYSIS_SYSTEM_ONE_CAUSE_H

#include "analysis/model/finding.h"

/* The last finding is about copies, which nothing hides for `exposed_ms`: a finding of
 * idle time that has its cause takes it. */
void one_cause_join(struct arena *perm, struct analysis *a, double exposed_ms);

/* The first of idle time that has it, or NULL. */
struct finding *one_cause_of(const struct analysis *a, struct str cause);

/* The finding of idle time takes the one of copies behind it. */
void one_cause_take(struct arena *perm, struct analysis *a, struct finding *f, int at,
                    double exposed_ms);

/* The last finding is about copies of weights: short gaps that mostly end with a copy
 * to the device wait for these, and go with them. */
void one_cause_add_late(struct arena *perm, struct analysis *a);

#endif
