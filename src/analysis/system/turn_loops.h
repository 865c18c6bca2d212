/* turn_loops.h - loops whose turns do the same and whose results are joined behind them
 * (a call for each sample, camera, table or time step): one call could do all turns.
 *
 * By operators alone: `aten::stack` or `aten::cat` of n parts, and before it the same
 * operators n times; or, with Python frames, as many calls of one frame in the code
 * that joins, each behind an operator that cuts a part out or with one first. Where such
 * loops recur with the same operators between them and no layer among these, they are
 * turns of a loop around them (levels of each image), which counts in their place. Loops
 * over experts and cells of recurrent networks have findings of their own, and count as
 * none. */
#ifndef ANALYSIS_SYSTEM_TURN_LOOPS_H
#define ANALYSIS_SYSTEM_TURN_LOOPS_H

#include "analysis/system/loop_work.h"

enum { TURN_LOOPS_TOLD = 3 };

struct turn_loops {
    int32_t n, turns, ops;        /* loops; of the longest, and operators of a turn */
    int32_t inner;                /* turns of the loop in each of its turns; 0: none */
    struct loop_span *spans;      /* of each: by thread and start, apart */
    event_id of[TURN_LOOPS_TOLD]; /* of the longest: the first operators of a turn, or
                                     its frame */
    event_id joins;               /* and what joins the results */
};

struct turn_loops turn_loops_find(struct arena *perm, struct arena tmp,
                                  const struct tree_index *t);

/* "`stft`, `abs`": the first operators of a turn. */
struct str turn_ops_text(struct arena *perm, const struct tree_index *t,
                         const struct turn_loops *l);

#endif
