/* first_calls.h - runtime calls that set something up, once in the life of a process.
 *
 * A library takes memory, gives it back and asks what the device can do when it is
 * called for the first time; a convolution tries its algorithms at the first call of
 * each shape. Such a call is long, lies inside the first call of its operator (by name
 * and shapes), and no later call of that operator has one a quarter as long. What
 * recurs, or is inside an operator that is called once, may be part of every step. */
#ifndef ANALYSIS_SYSTEM_FIRST_CALLS_H
#define ANALYSIS_SYSTEM_FIRST_CALLS_H

#include "analysis/model/system_results.h"
#include "analysis/stack/tree_index.h"

enum { SET_UP_NS = 300000 }; /* shorter calls are usual */

struct first_calls {
    event_id *at; /* the calls */
    int32_t n;
    int64_t given_back, taken; /* other calls that return device memory to the driver,
                                  or take it from there */
};

struct first_calls first_calls_find(struct arena *perm, struct arena tmp,
                                    const struct tree_index *t);

/* Whether `i` is the first call of its operator, of several with its shapes, and takes
 * four times as long as each of the others. Of threads that call it at the same time,
 * each has its own first call. */
bool first_call_alone(const struct event_store *s, event_id i);

#endif
