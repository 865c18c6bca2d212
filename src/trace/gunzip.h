/* gunzip.h - gzip members, one after the other, to the bytes they hold.
 *
 * Knows RFC 1952, nothing of files: compressed bytes are asked for. zlib inflates; the
 * check sum is libdeflate's, which folds sixteen bytes at a time and takes a quarter of
 * the time zlib's takes, a fifth of all inflating. */
#ifndef TRACE_GUNZIP_H
#define TRACE_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

struct gunzip {
    const unsigned char *in, *in_end; /* compressed bytes not used yet */
    bool (*more)(void *context);      /* sets in and in_end; false: there are none */
    void *context;

    z_stream z;
    uint32_t crc, bytes; /* of the open member so far; of its header at first */
    bool started, open, ended;
    const char *broken; /* what is wrong, or NULL */
};

/* Starts at the first member. */
void gunzip_start(struct gunzip *g, bool (*more)(void *context), void *context);
void gunzip_stop(struct gunzip *g);

/* Fill `room` bytes; less when the last member has ended or something is broken. */
ptrdiff_t gunzip_fill(struct gunzip *g, unsigned char *to, ptrdiff_t room);

#endif
