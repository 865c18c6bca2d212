/* replay_choice.h - which operations get a replay package, and what the report says
 * about them.
 *
 * By rule: operations of compute findings with more than 10 % of the computation and
 * less than 30 % of the peak that binds, in the order of the findings. By request:
 * those the user names. */
#ifndef REPORT_REPLAY_REPLAY_CHOICE_H
#define REPORT_REPLAY_REPLAY_CHOICE_H

#include "analysis/model/finding.h"
#include "report/replay/replay_set.h"
#include "report/report.h"

/* `mode`: "auto", "all", "none", or operators separated by commas. */
struct replay_request *replay_choose(struct arena *perm, struct arena tmp,
                                     const struct analysis *a, const char *mode,
                                     int32_t *n);

/* Name the packages, or the reason for having none, in the report's operations, rows
 * and findings: a part of report_build. */
void replay_mark_report(struct arena *perm, struct report *r,
                        const struct replay_set *s);

#endif
