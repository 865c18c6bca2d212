/* collective_kinds.h - what the collectives of a trace do, and how much of each kind is
 * exposed. */
#ifndef ANALYSIS_SYSTEM_COLLECTIVE_KINDS_H
#define ANALYSIS_SYSTEM_COLLECTIVE_KINDS_H

#include "analysis/model/system_results.h"
#include "analysis/model/work_facts.h"
#include "kernels/collective_kind.h"

struct work_traits;

/* Fills `comm`, `batches` and `sync_norm` of the result from the communication kernels
 * of the timeline. */
void collective_kinds_measure(struct arena *perm, struct arena tmp,
                              const struct trace_view *v, const struct work_traits *w,
                              struct multi_kernel_result *r);

enum comm_kind_id comm_kind_of(enum collective_kind kind);

/* The kind with most exposed time; COMM_OTHER if there is none. */
enum comm_kind_id collective_most_exposed(const struct comm_kind kinds[COMM_KINDS]);

/* Of calls of one size, where these take most of the time of a kind: what the fastest
 * does not need, so that it is waiting for another rank. %; 0: not known. */
double collective_waits_pct(const struct comm_kind *c);

/* Most of its time: sizes and the network are not what to change. */
bool collective_is_waiting(const struct comm_kind *c);

/* Append the facts of every kind: all_reduce_count, all_reduce_ms,
 * all_reduce_exposed_ms, all_reduce_median_us, all_reduce_mib, and all_reduce_backward
 * and all_reduce_per_step, both of the backward pass. Returns the new length. */
enum { COMM_FACTS = 7 * COMM_KINDS };
int collective_kinds_facts(const struct comm_kind kinds[COMM_KINDS], int64_t steps,
                           struct work_fact *facts, int n);

#endif
