/* perfetto_intern.h - texts that packets name by number.
 *
 * Each sequence of packets numbers its own texts, of each kind from 1. What a number
 * means may come again after a loss; the last meaning counts. */
#ifndef FORMATS_PERFETTO_INTERN_H
#define FORMATS_PERFETTO_INTERN_H

#include "base/name_pool.h"

enum intern_kind {
    INTERN_EVENT_NAME,
    INTERN_CATEGORY,
    INTERN_ARG_NAME,
    INTERN_ARG_TEXT,
    INTERN_GPU_SPEC, /* a stage or a queue */
    INTERN_KERNEL,
    INTERN_COMPUTE_ARG,
    INTERN_COUNTER,     /* of a descriptor */
    INTERN_COUNTER_GPU, /* the process of the counters of a descriptor */
    INTERN_KINDS
};

enum { INTERN_RECENT = 1 << 10 };

struct intern_key {
    uint64_t iid;
    uint32_t sequence, kind;
};

struct perfetto_intern {
    struct name_pool *texts; /* the caller's */
    struct name_pool keys;
    name_id *text; /* by key */
    int32_t max;
    struct {
        struct intern_key key;
        name_id text;
    } recent[INTERN_RECENT];
};

void intern_open(struct perfetto_intern *in, struct name_pool *texts);
void intern_close(struct perfetto_intern *in);
void intern_set(struct perfetto_intern *in, struct intern_key key, struct str text);

/* The text, or -1. */
name_id intern_get(struct perfetto_intern *in, struct intern_key key);

#endif
