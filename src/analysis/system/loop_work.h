/* loop_work.h - what a loop costs that one call could replace: on the host all turns
 * but the first, forward and backward, and of the device's work what is beyond its
 * roofline.
 *
 * One call reads and computes as much as all turns together, at the rate that a kernel
 * of its kind is expected to reach (efficiency.h). Where a turn needs the result of the
 * one before (chained, as in a recurrent network), one of the matmuls of a turn has to
 * wait for it and stays: as long as it is, or half as long where its weights stay on
 * chip. The others, of which the weights' gradients are one, become one of all turns;
 * of cells, which have the same weights in each, it is bound by what it computes. */
#ifndef ANALYSIS_SYSTEM_LOOP_WORK_H
#define ANALYSIS_SYSTEM_LOOP_WORK_H

#include "analysis/model/finding.h"
#include "analysis/stack/tree_index.h"

/* On one thread, from its first turn to its last result. */
struct loop_span {
    int32_t lane, turns;
    int64_t start_ns, end_ns;
    int64_t second_ns; /* start of its second turn; 0: not known, all take as long */
};

struct idle_group; /* system_results.h */

struct loop_work {
    struct host_span *gone; /* by thread and start */
    event_id *gpu;          /* launched in the loops and in their backward pass */
    int32_t n_gone, n_gpu;
    double host_ms;   /* of all turns, the first without its wait for earlier work */
    double device_ms; /* of all turns */
    double saved_least_ms, saved_most_ms; /* of device_ms */
};

/* What a turn takes from others: nothing, the result of the one before, or that and the
 * weights. */
enum loop_turns { TURNS_APART, TURNS_CHAINED, TURNS_OF_CELLS };

/* `spans`: by thread and start, apart. */
struct loop_work loop_work_of(struct arena *perm, struct arena tmp,
                              const struct analysis *a, const struct tree_index *t,
                              const struct loop_span *spans, int32_t n,
                              enum loop_turns turns);

/* The finding takes this away, whatever it took away before. */
void finding_ends_loops(struct finding *f, const struct analysis *a,
                        const struct loop_work *w, struct str basis);

/* How many of the waits are in what goes. */
int32_t loop_work_waits(const struct loop_work *w, const struct idle_group *g);

#endif
