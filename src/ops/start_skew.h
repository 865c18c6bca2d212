/* start_skew.h - how much the first collective of a recording waits for the other
 * ranks' recordings to begin.
 *
 * Profilers of a job do not start together: the first collective ends when the last
 * rank's has started. One that takes ten times the median of the others, or seconds, is
 * no communication; what nothing hides of it, beyond the median, is in no share. A
 * larger message may take longer in proportion, and where a later one takes as long, it
 * is none. */
#ifndef OPS_START_SKEW_H
#define OPS_START_SKEW_H

#include "store/event_store.h"

struct start_skew {
    event_id first;                /* collective */
    int32_t n;                     /* collectives */
    int64_t first_ns, expected_ns; /* how long it takes, and would by the median; 0: too
                                      few for one */
    int64_t ns;                    /* exposed, beyond that; 0: none */
    bool has_size;                 /* of both messages: it is by theirs, too */
};

/* names: what gpu_names_of says of the n events. */
struct start_skew start_skew_find(struct arena tmp, const struct event_store *s,
                                  const uint8_t *names, const event_id *counted,
                                  int32_t n);

#endif
