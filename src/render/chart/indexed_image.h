/* indexed_image.h - a picture with one byte per pixel, laid out as PNG and deflate need
 * it.
 *
 * A pixel is the index of one of 256 colours; 0 is the ground. Drawing uses a few inks;
 * where an ink covers part of a pixel, the blend is looked up in steps of a fifteenth,
 * invisible at an edge. So no colours need counting and reducing afterwards, and only a
 * quarter of the memory is touched: compressing a full-colour picture would take longer
 * than everything else about it.
 *
 * Independent of charts, fonts and files. The pixels live in an arena and serve any
 * number of pictures in turn; only as much memory is touched as the tallest needs. */
#ifndef RENDER_CHART_INDEXED_IMAGE_H
#define RENDER_CHART_INDEXED_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum {
    IMAGE_COLOURS = 256,
    IMAGE_INKS = 22,
    IMAGE_FULL = 15, /* parts of a pixel that make it whole */
    IMAGE_PAD = 16   /* bytes behind the last row that may be read and rewritten */
};

struct indexed_image {
    int width, height, height_max;
    ptrdiff_t stride; /* bytes of a row: PNG's filter, always 0, and the pixels */
    uint8_t *rows;
    uint32_t colour[IMAGE_COLOURS]; /* 0xrrggbb */
    int n_colours;
    uint32_t ink[IMAGE_INKS];
    /* Index of an ink's first colour over the ground, one colour per part; 0: none
     * yet. */
    uint8_t ramp[IMAGE_INKS];
    uint8_t
        whole[IMAGE_INKS]; /* of an ink without a ramp: its own colour; 0: none yet */
    int n_kept;            /* colours that are kept for inks that have neither */
    /* The colour that results from so much ink over a colour; 0: not computed yet. */
    uint8_t blend[IMAGE_INKS][IMAGE_FULL + 1][IMAGE_COLOURS];
};

/* Reserve room in `a` for pictures of this width and at most this height. */
void image_open(struct indexed_image *m, struct arena *a, int width, int height_max);

/* A new picture, all ground. */
void image_start(struct indexed_image *m, int height, uint32_t ground,
                 const uint32_t ink[IMAGE_INKS]);

/* Coordinates are pixels; anything outside is clipped. */
struct image_box {
    int x, y, w, h;
};

/* Cover 0 to 255 for each pixel of the box, rows `stride` bytes apart. */
void image_mask(struct indexed_image *m, struct image_box at, const uint8_t *cover,
                ptrdiff_t stride, int ink);

/* The same with cover 0 to IMAGE_FULL, and rows of a multiple of eight bytes, of which
 * those behind the box are 0: letters, drawn again and again. Letters through
 * image_mask took 4 % of the instructions of a whole run of a 34 MB trace. */
void image_stamp(struct indexed_image *m, struct image_box at, const uint8_t *parts,
                 ptrdiff_t stride, int ink);

/* 0 to 255 as parts. */
int image_parts(int cover);

#endif
