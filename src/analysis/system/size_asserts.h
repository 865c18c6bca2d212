/* size_asserts.h - checks of size and stride that code of Inductor makes.
 *
 * Each takes less than a microsecond by itself; compiled code runs hundreds in a row
 * before its first launch. */
#ifndef ANALYSIS_SYSTEM_SIZE_ASSERTS_H
#define ANALYSIS_SYSTEM_SIZE_ASSERTS_H

#include "store/event_store.h"

struct idle_group;

struct size_asserts {
    int64_t calls, ns; /* in the group's gaps; from one call to the next */
};

struct size_asserts size_asserts_of(struct arena tmp, const struct event_store *s,
                                    const struct idle_group *g);

#endif
