/* indexed_image.h - a picture of one byte a pixel, drawn as PNG and deflate want it.
 *
 * A pixel is the index of one of 256 colours; 0 is the ground. What is drawn has an
 * ink, one of few; where it covers a pixel in part, the colour between is looked up in
 * fifteenths, of which nobody sees the steps at an edge. So nothing has to be counted
 * and reduced afterwards, and a quarter of the memory is touched.
 *
 * Knows no chart, no font and no file. Its pixels are an arena's, for any number of
 * pictures after each other; only as much is touched as the highest of them has. */
#ifndef RENDER_INDEXED_IMAGE_H
#define RENDER_INDEXED_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum {
    IMAGE_COLOURS = 256,
    IMAGE_INKS = 17,
    IMAGE_FULL = 15, /* parts of a pixel that make it whole */
    IMAGE_PAD = 16   /* bytes behind the last row that may be read */
};

struct indexed_image {
    int width, height, height_max;
    ptrdiff_t stride; /* bytes of a row: PNG's filter, always 0, and the pixels */
    uint8_t *rows;
    uint32_t colour[IMAGE_COLOURS]; /* 0xrrggbb */
    int n_colours;
    uint32_t ink[IMAGE_INKS];
    /* Where an ink over the ground begins, a colour for each part; 0: nowhere yet. */
    uint8_t ramp[IMAGE_INKS];
    /* What becomes of a colour under so much of an ink; 0: not known yet. */
    uint8_t blend[IMAGE_INKS][IMAGE_FULL + 1][IMAGE_COLOURS];
};

/* Room in `a` for pictures of this width and up to this height. */
void image_open(struct indexed_image *m, struct arena *a, int width, int height_max);

/* A new picture, all ground. */
void image_start(struct indexed_image *m, int height, uint32_t ground,
                 const uint32_t ink[IMAGE_INKS]);

/* All coordinates are pixels, and what lies outside is not drawn. */
struct image_box {
    int x, y, w, h;
};

/* From (left, top) to (right, bottom); edges between pixels cover them in part. */
void image_rect(struct indexed_image *m, double left, double top, double right,
                double bottom, int ink);

/* Cover 0 to 255 for each pixel of the box, rows `stride` bytes apart. */
void image_mask(struct indexed_image *m, struct image_box at, const uint8_t *cover,
                ptrdiff_t stride, int ink);

/* The same with cover 0 to IMAGE_FULL, and rows of a multiple of eight bytes, of which
 * those behind the box are 0: letters, drawn again and again. */
void image_stamp(struct indexed_image *m, struct image_box at, const uint8_t *parts,
                 ptrdiff_t stride, int ink);

/* 0 to 255 as parts. */
int image_parts(int cover);

#endif
