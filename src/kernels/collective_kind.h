/* collective_kind.h - what a collective does, from whatever a profiler calls it. */
#ifndef KERNELS_COLLECTIVE_KIND_H
#define KERNELS_COLLECTIVE_KIND_H

#include "base/str.h"

#include <stdint.h>

#define COLLECTIVE_KINDS_LIST(X)                                                       \
    X(UNKNOWN, "")                                                                     \
    X(ALL_REDUCE, "all-reduce")                                                        \
    X(ALL_GATHER, "all-gather")                                                        \
    X(REDUCE_SCATTER, "reduce-scatter")                                                \
    X(ALL_TO_ALL, "all-to-all")                                                        \
    X(ALL_TO_ALL_V, "all-to-all-v")                                                    \
    X(BROADCAST, "broadcast")                                                          \
    X(REDUCE, "reduce")                                                                \
    X(GATHER, "gather")                                                                \
    X(SCATTER, "scatter")                                                              \
    X(SEND, "send")                                                                    \
    X(RECV, "recv")                                                                    \
    X(BARRIER, "barrier")                                                              \
    X(COALESCED, "coalesced")

enum collective_kind {
#define X(id, word) COLLECTIVE_##id,
    COLLECTIVE_KINDS_LIST(X)
#undef X
        COLLECTIVE_KINDS
};

struct str collective_word(enum collective_kind k); /* "all-reduce" */

/* The kind of such a word; COLLECTIVE_UNKNOWN for any other. */
enum collective_kind collective_of_word(struct str word);

/* Of "allreduce_coalesced", "nccl:all_to_all", or the name of a kernel. */
enum collective_kind collective_kind_of(struct str name);

/* What the bus carries for each byte of the message of `ranks`, as the libraries'
 * benchmarks say. */
double collective_bus_factor(enum collective_kind k, int64_t ranks);

/* Bytes of an element as profilers name types ("BFloat16", "float", "c10::Half"); 0:
 * unknown. */
int collective_element_bytes(struct str dtype);

#endif
