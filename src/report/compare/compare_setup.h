/* compare_setup.h - what two captures were set up to do differently, by name.
 *
 * A data type, a size, one block more, GPU graphs, attention: told from the rows of
 * both sides, as no trace records how a program was started. */
#ifndef COMPARE_SETUP_H
#define COMPARE_SETUP_H

#include "compare/comparison.h"

struct setup_cause {
    /* A clause: "`after` replays GPU graphs, `before` launches each kernel". Empty:
     * nothing that the captures tell. */
    struct str says;
    bool same_task; /* implemented differently, so that times can be compared */
};

struct setup_cause compare_setup_cause(struct arena *perm, const struct comparison *c);

/* The type that the reference computes in, where the candidate computes in one that is
 * wider; else NULL. */
const char *compare_narrower_type(const struct comparison *c);

#endif
