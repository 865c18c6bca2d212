/* gunzip.h - gzip members, one after the other, to the bytes they hold.
 *
 * Knows RFC 1952, nothing of files: compressed bytes are asked for. ISA-L inflates and
 * checks the sum, in a third of the time zlib takes, which made reading wait. */
#ifndef TRACE_GUNZIP_H
#define TRACE_GUNZIP_H

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
    const char *broken; /* what is wrong, or NULL */
};

/* Starts at the first member. */
void gunzip_start(struct gunzip *g, bool (*more)(void *context), void *context);
void gunzip_stop(struct gunzip *g);

/* Fill `room` bytes; less when the last member has ended or something is broken. */
ptrdiff_t gunzip_fill(struct gunzip *g, unsigned char *to, ptrdiff_t room);

#endif
