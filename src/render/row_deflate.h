/* row_deflate.h - deflate (RFC 1951, in the frame of RFC 1950) for the rows of a
 * drawing.
 *
 * zlib looks for each byte through the last 32 KB. A drawing knows where to look: most
 * of a row is the row above again, which the drawing tells, and of the rest nearly all
 * is ground, the row above, or a letter a little to the left. For the 39 charts of one
 * report zlib's quickest level takes 1.9 G instructions, this 0.2 G, and a quarter
 * fewer bytes. Owns nothing but itself, 400 KB; the same rows are the same bytes. */
#ifndef RENDER_ROW_DEFLATE_H
#define RENDER_ROW_DEFLATE_H

#include "base/out.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    DEFLATE_LITERALS = 286, /* and lengths of matches, as codes */
    DEFLATE_WORDS = 512,    /* the same, each length by itself */
    DEFLATE_DISTANCES = 30,
    DEFLATE_LIMIT = 15, /* bits of a code */
    DEFLATE_TOKENS = 1 << 16,
    DEFLATE_BYTES = 1 << 14,
    DEFLATE_RECENT_BITS = 12
};

struct deflate_bits {
    uint8_t *at;   /* where the next byte goes */
    uint64_t left; /* not yet a byte, the first one lowest */
    unsigned n_left;
};

struct row_deflate { /* starts as zeros */
    struct out *o;
    /* On their way there; of the longest header there is room behind them. */
    uint8_t byte[DEFLATE_BYTES + 2048];
    struct deflate_bits bits;
    /* The block that is being made, by tokens: a word is a literal or, from 256 on, a
     * length; and how often each occurs. */
    uint32_t token[DEFLATE_TOKENS];
    int n_tokens;
    int32_t words[DEFLATE_WORDS], distances[DEFLATE_DISTANCES];
    uint16_t symbol[DEFLATE_WORDS]; /* of each word */
    /* A match that may still grow. */
    ptrdiff_t length, distance;
    /* Where eight bytes were last seen, by their hash: position + 1, or 0. */
    int32_t recent[1 << DEFLATE_RECENT_BITS];
};

/* Bytes from..to of a row may differ from those above it, the others do not. */
struct row_change {
    int32_t from, to; /* equal: none does */
};

/* `height` rows of `stride` bytes, one behind the other, to be followed by eight bytes
 * that may be read; of `change`, that of the first row does not matter. The ground is
 * 0. A row is 3 bytes to 32 KB, all are 2 GB at most. */
void row_deflate(struct row_deflate *d, const uint8_t *rows, ptrdiff_t stride,
                 int height, const struct row_change *change, struct out *o);

#endif
