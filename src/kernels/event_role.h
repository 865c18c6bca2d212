/* event_role.h - what a runtime call or a copy does: bits that a source sets, or that
 * its name says.
 *
 * The one place that knows how calls and copies are named. A source whose format
 * records the kind as a number sets the role itself; where the name is the record, as
 * in Kineto's files, it is asked once for each name. All who judge events read bits,
 * never names. */
#ifndef KERNELS_EVENT_ROLE_H
#define KERNELS_EVENT_ROLE_H

#include "base/str.h"

#include <stdint.h>

enum wait_kind { /* whether a call waits for the device */
                 WAITS_NOT,
                 WAITS_POLL, /* asks, and returns at once */
                 WAITS_SOME, /* for a stream or an event */
                 WAITS_COPY, /* for its stream, then for its own copy */
                 WAITS_ALL,  /* for all streams */
                 WAITS_FREE  /* the same, and has work of its own */
};

enum copy_direction { COPY_D2H, COPY_H2D, COPY_D2D, COPY_OTHER, COPY_DIRECTIONS };

enum memory_place { /* where a copy is from, and to */
                    PLACE_UNKNOWN,
                    PLACE_HOST, /* of some kind */
                    PLACE_PAGEABLE,
                    PLACE_PINNED,
                    PLACE_DEVICE,
                    PLACE_PEER /* another device */
};

typedef uint32_t event_role; /* ROLE_ bits; 0: nothing is known */

enum {
    ROLE_KNOWN = 1, /* whatever else is said */
    ROLE_WAIT_SHIFT = 1,
    ROLE_WAIT_MASK = 7, /* enum wait_kind */
    ROLE_WAY_SHIFT = 4,
    ROLE_WAY_MASK = 3, /* enum copy_direction of a copy */
    ROLE_PAGEABLE = 1 << 6,
    ROLE_PINNED = 1 << 7,
    ROLE_PEER = 1 << 8,

    ROLE_LAUNCHES = 1 << 9, /* a kernel, a graph or a host function */
    ROLE_LAUNCHES_KERNEL = 1 << 10,
    ROLE_LAUNCHES_GRAPH = 1 << 11,
    ROLE_COPIES = 1 << 12,
    ROLE_FILLS = 1 << 13,
    ROLE_ASYNC = 1 << 14,       /* by its name */
    ROLE_STREAM_WAIT = 1 << 15, /* a stream is told to wait for an event */
    ROLE_TAKES = 1 << 16,       /* memory */
    ROLE_FREES = 1 << 17,
    ROLE_GIVES = 1 << 18,  /* memory back: frees, unmaps or releases it */
    ROLE_HOST = 1 << 19,   /* is about memory of the host */
    ROLE_MEMORY = 1 << 20, /* manages memory, or asks about it */
    ROLE_LOADS = 1 << 21,  /* code of the device */
    ROLE_GRAPH = 1 << 22,  /* builds, changes or destroys a graph */
    ROLE_CAPTURE_BEGINS = 1 << 23,
    ROLE_CAPTURE_ENDS = 1 << 24
};

/* Of a runtime or driver call, or of a copy on the device: what its name says. */
event_role role_of_name(struct str name);

/* Of a copy on the device, from what the source records as enums. */
event_role role_of_copy(enum memory_place from, enum memory_place to);

/* Kineto's word for it: "Memcpy DtoH (Device -> Pageable)", "host to device". */
enum copy_direction copy_direction_of(struct str name);

static inline enum wait_kind role_wait(event_role r)
{
    return (enum wait_kind)(r >> ROLE_WAIT_SHIFT & ROLE_WAIT_MASK);
}

/* COPY_OTHER for what is no copy. */
static inline enum copy_direction role_way(event_role r)
{
    return r ? (enum copy_direction)(r >> ROLE_WAY_SHIFT & ROLE_WAY_MASK) : COPY_OTHER;
}

/* A copy of pageable memory from the device: its call returns with it, even if it is
 * named Async. */
static inline bool role_copies_pageable(event_role r)
{
    return role_way(r) == COPY_D2H && (r & ROLE_PAGEABLE);
}

/* Whether a launch call is given its grid in work items, as OpenCL counts, and not in
 * blocks: two of HIP are. */
bool call_counts_items(struct str name);

/* Of so many work items in blocks of `each`, 1 or more: the last may be cut off. */
static inline int64_t blocks_of_items(int64_t items, int64_t each)
{
    return items > 0 ? (items - 1) / each + 1 : items;
}

#endif
