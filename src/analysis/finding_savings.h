/* finding_savings.h - what each finding would save: two replays of the schedule, with
 * and without it.
 *
 * A finding comes with the part of its own time that it would take away, low and high.
 * Here that becomes a change of the recorded run, and the saving is by how much the run
 * gets shorter:
 *
 * - kernels and fusion: every kernel of its rows is shorter by that part; where one
 *   kernel stands for several, so are the operators that launched them;
 * - copies: each is shorter by that part, and so is the call that starts it;
 * - communication: at best gone, so that the rest of the run no longer waits for it;
 * - host: what its thread does while the device waits is shorter by that part.
 *
 * Remarks change nothing. If the schedule is of no use (schedule_facts.h), savings stay
 * shares of time, and say so. */
#ifndef ANALYSIS_FINDING_SAVINGS_H
#define ANALYSIS_FINDING_SAVINGS_H

#include "analysis/model/finding.h"

struct arena;
struct schedule;

/* Of all findings, in any order. */
void finding_savings(struct arena *perm, struct arena tmp, struct analysis *a,
                     const struct schedule *o);

/* Of the first, the first two and so on to the first five at once, in their final
 * order, and of any set of these where the schedule is small enough; and one sentence
 * for each finding that has to wait for another one. */
void finding_savings_together(struct arena *perm, struct arena tmp, struct analysis *a,
                              const struct schedule *o);

struct what_if;

/* What a finding that was replayed takes away, low in a lane and high in the next; the
 * number of device events that get shorter. 0 events of idle time, and of a finding
 * without a saving, which changes nothing. */
int64_t finding_change(struct what_if *w, int lane, struct arena tmp,
                       const struct analysis *a, int finding);

#endif
