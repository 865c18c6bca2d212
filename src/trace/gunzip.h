/* gunzip.h - decompresses gzip members, one after the other.
 *
 * Knows RFC 1952 but not files: a callback supplies the compressed bytes. ISA-L
 * inflates and verifies the checksum in a third of zlib's time; with zlib, reading had
 * to wait. */
#ifndef TRACE_GUNZIP_H
#define TRACE_GUNZIP_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inflate_state; /* of ISA-L */

struct gunzip {
    const unsigned char *in, *in_end; /* compressed bytes not used yet */
    bool (*more)(void *context);      /* sets in and in_end; false: there are none */
    void *context;

    struct inflate_state *inflate;
    uint32_t crc; /* of the header so far */
    bool started, open, ended;
    bool by_member;     /* gunzip_fill stops where a member ends */
    const char *broken; /* what is wrong, or NULL */
};

/* Whether a file begins as gzip does. */
static inline bool gunzip_is(struct str head)
{
    return str_starts(head, S("\x1f\x8b"));
}

/* Starts at the first member. */
void gunzip_start(struct gunzip *g, bool (*more)(void *context), void *context);
void gunzip_stop(struct gunzip *g);

/* Whether a member begins with the next byte of the input. */
bool gunzip_at_member(struct gunzip *g);

/* Fills `room` bytes; fewer after the last member or if the data is broken. */
ptrdiff_t gunzip_fill(struct gunzip *g, unsigned char *to, ptrdiff_t room);

#endif
