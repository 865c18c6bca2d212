/* png_palette.h - the colours of a drawn chart, as a table of at most 256.
 *
 * A chart has some flat colours and hundreds of blends at the edges of letters and
 * bars. With a table a pixel is one byte in place of three: a third as much to compress
 * and to keep. Flat colours stay as they are; blends are rounded, to steps that nobody
 * sees on an edge. The same pixels give the same table. */
#ifndef RENDER_PNG_PALETTE_H
#define RENDER_PNG_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

enum { PALETTE_COLOURS = 256, PALETTE_SLOTS = 8192 };

struct png_palette {
    uint32_t colour[PALETTE_COLOURS]; /* 0xrrggbb */
    int n;
    /* Colours of the picture, by hash. */
    uint32_t key[PALETTE_SLOTS];  /* colour + 1; 0: free */
    int32_t count[PALETTE_SLOTS]; /* pixels */
    uint8_t index[PALETTE_SLOTS];
    int n_keys;
};

/* Count the colours of `times` equal rows of 0x??rrggbb words. False: more than a table
 * could serve. */
bool palette_count(struct png_palette *p, const uint32_t *pixels, int width, int times);

/* Choose the table when all rows are counted. False: too many flat colours. */
bool palette_choose(struct png_palette *p);

/* A counted row as indices. */
void palette_map(const struct png_palette *p, const uint32_t *pixels, uint8_t *to,
                 int width);

#endif
