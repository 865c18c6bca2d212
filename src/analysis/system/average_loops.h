/* average_loops.h - moving averages that are updated tensor by tensor: of weights, as
 * models are evaluated with, or of a teacher.
 *
 * By operators alone, of a turn: `mul_` by a number and `add_` of another tensor of
 * that size with a small `alpha`; both tensors times a number, `add`, and `copy_` back;
 * or `lerp_` with a small weight. Many of them in a row, of several sizes, outside of
 * an optimizer, whose moments are averages, too.
 *
 * Without recorded shapes, by the names alone: then 64 turns or more, and nothing else
 * that launches work between; `mul_` and `add_`, which are momentum, too, only where a
 * Python frame says that it averages. The innermost frame that says so tells averages
 * from an optimizer. */
#ifndef ANALYSIS_SYSTEM_AVERAGE_LOOPS_H
#define ANALYSIS_SYSTEM_AVERAGE_LOOPS_H

#include "analysis/system/loop_work.h"

struct average_loops {
    struct loop_span *at; /* by thread and start */
    int32_t n;
    int64_t turns;    /* of all */
    event_id first;   /* the first operator; -1: none */
    struct str frame; /* the outermost that says that it averages; may be empty */
    bool sized;       /* shapes are recorded */
    double moved; /* bytes, by all turns; one call for all moves `least`; of tensors of
                     one byte if not sized */
    double least;
};

struct average_loops average_loops_find(struct arena *perm, struct arena tmp,
                                        const struct tree_index *t);

#endif
