/* compare_words.h - clauses that the causes of a difference and of a late rank share;
 * nobody else's. */
#ifndef REPORT_COMPARE_COMPARE_WORDS_H
#define REPORT_COMPARE_COMPARE_WORDS_H

#include "compare/comparison.h"

/* Of a difference: what accounts for it. */
#define COMPARE_MOST 0.6

/* Most of a difference, and not far more, which something else would have to take back.
 */
bool compare_accounts(int64_t ns, int64_t diff);

/* Of the windows. */
int64_t compare_diff_ns(const struct comparison *c);

/* The first name of the trace in a sentence: "`forward` (model.py:12)". */
struct str compare_name_in(struct str sentence);

/* The finding about idle time that one side has, and the other not or less of; of at
 * least `least_ms` more. NULL: none. */
const struct finding *compare_idle_finding(const struct comparison *c, int side,
                                           double least_ms);

/* Of a finding's id: "host_loader". */
struct str compare_pattern_of(const struct finding *f);

/* How much longer the host takes for a call, by the median of all operations, each
 * weighing what it takes; 1: unknown. Calls are of the whole recording: where the rank
 * is late in some steps only, it is so much longer in these alone. */
double compare_host_pace(struct arena tmp, const struct comparison *c);

/* From which pace on a host is slower. */
#define COMPARE_SLOWER 1.05

/* What the GPU of that side waits for: " for its input (`__next__`)". */
struct str compare_waits_for(struct arena *perm, const struct comparison *c, int side,
                             const struct finding *f);

/* Where the host reads a value of the GPU more often on that side: it waits until the
 * queue is empty, so that nothing hides what it does next. NULL: nowhere. */
/* Whether a finding leaves a part of what the GPU waits more or less to reads that this
 * side has more of. */
bool compare_reads_beside(const struct comparison *c, int side,
                          const struct finding *f);

/* Whether both sides read values of the GPU, and as often. */
bool compare_reads_alike(const struct comparison *c);

const struct match *compare_more_reads(const struct comparison *c, int side);

/* That read: "`item()` (train_step, train.py:70)", where a finding knows its place. */
struct str compare_read_name(struct arena *perm, const struct comparison *c, int side,
                             const struct match *m);

/* "`aten::addmm` on ((8192,), (2048, 2048))" */
struct str compare_row_name(struct arena *perm, const struct comparison *c,
                            const struct compared_row *row);

/* "all kernels take 15.0% longer: clock ..."; empty: each has its own pace. */
struct str compare_pace_text(struct arena *perm, const struct comparison *c);

#endif
