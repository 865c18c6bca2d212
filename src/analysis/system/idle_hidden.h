/* idle_hidden.h - gaps in which the device most likely worked, though nothing is
 * recorded.
 *
 * Work of a stream runs in the order of its launches. A graph launch of which no kernel
 * is recorded, made between the launches of the two device events around a gap, ran in
 * that gap. Kernels that start faster than a stream can start them, long after their
 * launches, have the time of a later moment. And a host that waits for the device,
 * while nothing is recorded on it, waits for something. Such time is neither idle nor
 * work: nobody can tell. */
#ifndef ANALYSIS_SYSTEM_IDLE_HIDDEN_H
#define ANALYSIS_SYSTEM_IDLE_HIDDEN_H

#include "analysis/model/system_results.h"
#include "ops/trace_view.h"

/* A wait returns some 10 us after what it waits for, some 100 us if its thread slept.
 */
enum { HIDDEN_WAIT_NS = 500000 };

struct str hidden_words(enum hidden_reason r); /* "behind graph launches ..." */

struct burst {
    int64_t start_ns, launched_ns; /* of its first kernel */
    int32_t n;
};

struct hidden {
    event_id *graphs; /* graph launches without kernels, by start */
    int32_t n_graphs, n_graph_launches;
    struct burst *bursts; /* by start */
    int32_t n_bursts;
};

/* by_start: the n device events that count. */
struct hidden hidden_find(struct arena *perm, struct arena tmp,
                          const struct trace_view *v, const event_id *by_start,
                          int32_t n);

/* Whether the end of the gap [a, b) between two device events is hidden, from when on,
 * and what tells. */
enum hidden_reason hidden_from(const struct hidden *h, const struct trace_view *v,
                               event_id before, event_id after, int64_t a, int64_t b,
                               int64_t *from_ns, event_id *by);

/* Whether a part of a gap, of a call that waits, is so long that what the host waited
 * for ran on the device; also in a loop of questions. A gap begins at gap_ns. */
bool hidden_is_wait(const struct host_waits *w, int32_t lane, int64_t from_ns,
                    int64_t to_ns, int64_t gap_ns);

#endif
