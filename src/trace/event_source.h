/* event_source.h - where the events of a trace come from, in any format.
 *
 * All that the store needs from a format. Fields are decoded, except arguments: many
 * calls have the same ones, so they are passed as recorded, and each distinct one is
 * decoded once, when first needed. */
#ifndef TRACE_EVENT_SOURCE_H
#define TRACE_EVENT_SOURCE_H

#include "base/abilities.h"
#include "base/err.h"
#include "base/machine.h"
#include "base/sha256.h"
#include "base/value.h"
#include "trace/collective.h"

struct arena;

struct source_progress {
    int64_t bytes; /* uncompressed */
    double frac;   /* part of the whole, 0 to 1; less than 0 when not known */
};

/* What is known at the end. */
struct source_end {
    struct machine machine; /* in the arena of the caller */
    int32_t n_elements;     /* records, and elements that are none and were skipped */
    int32_t n_void;         /* the latter; each has a uid too */
    const struct source_abilities *abilities; /* NULL: those of the source */
    bool saw_nan;                             /* numbers that JSON does not have */
    bool unclosed; /* the end of a bare list is missing: legal, but reported */
    int64_t bytes;
    char sha256[SHA256_HEX_BYTES]; /* of the file */
};

struct event_source {
    void *state;

    /* The next event, lent until the next call, to whom it may change it. NULL at the
     * end and on an error, which sets e. Every element has a `uid`, counted from 0;
     * those that are not records are counted only. */
    struct event *(*next)(void *state, struct err *e);

    /* Decodes one argument. Never NULL. Called on any thread, one at a
     * time, while the store lives. The store keeps the bytes, so the value may point to
     * them. Takes at most 32 bytes of arena per recorded byte, plus 64. */
    const struct value *(*decode)(struct arena *perm, struct str recorded);

    struct source_progress (*progress)(void *state);
    struct source_end (*end)(void *state,
                             struct arena *perm); /* after `next` has returned NULL */
    void (*close)(void *state);
    const struct source_abilities *abilities;
    collective_read *collective; /* as `decode`; NULL: no collective is described */
};

#endif
