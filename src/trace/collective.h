/* collective.h - what a profiler says of one collective, in whatever words it does. */
#ifndef TRACE_COLLECTIVE_H
#define TRACE_COLLECTIVE_H

#include "kernels/collective_kind.h"
#include "trace/event.h"

struct arena;
struct value;

/* A text whose p is NULL, or a number that is NO_ID, is not recorded. */
struct collective {
    enum collective_kind kind;
    struct str name;                /* of the kind, as the profiler calls it */
    struct str dtype;               /* "bytes": sizes are, and the type is not known */
    struct str in_split, out_split; /* of an all-to-all: "[4, 4]" */
    struct str group_name, group_description, group_ranks; /* ranks: "[0, 1]" */
    int64_t in_elements, out_elements;
    int64_t group_size, first_rank, stride;
    int64_t root, source, target; /* ranks; the last two of a receive and of a send */
};

static const struct collective no_collective = {.in_elements = NO_ID,
                                                .out_elements = NO_ID,
                                                .group_size = NO_ID,
                                                .first_rank = NO_ID,
                                                .stride = NO_ID,
                                                .root = NO_ID,
                                                .source = NO_ID,
                                                .target = NO_ID};

/* Sets what the decoded `rest` of a call or a kernel says of its collective, which may
 * be nothing. Texts may be those of `rest`, or in `perm`: at most 32 bytes for each
 * recorded one. */
typedef void collective_read(struct arena *perm, const struct value *rest,
                             struct collective *c);

#endif
