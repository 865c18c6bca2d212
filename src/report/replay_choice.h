/* replay_choice.h - which operations get a replay package, and what the report says of
 * them.
 *
 * By rule: operations of compute findings with more than 10 % of the computation and
 * less than 30 % of the peak that binds, in the order of the findings. By request: what
 * the user names. */
#ifndef REPORT_REPLAY_CHOICE_H
#define REPORT_REPLAY_CHOICE_H

#include "analysis/finding.h"
#include "report/replay_set.h"
#include "report/report.h"

/* `mode`: "auto", "all", "none", or operators with commas between. */
struct replay_request *replay_choose(struct arena *perm, struct arena tmp,
                                     const struct analysis *a, const char *mode,
                                     int32_t *n);

/* Name the packages where the report speaks of their operations, rows and findings, or
 * say why there is none; and the device in the packages. */
void replay_mark_report(struct arena *perm, struct report *r, struct replay_set *s);

#endif
