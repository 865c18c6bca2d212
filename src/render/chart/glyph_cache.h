/* glyph_cache.h - the glyphs of the embedded font, each rasterised once.
 *
 * Unhinted, at whole pixels, ignoring the machine's fonts, so the same text gives the
 * same pixels. Owns the glyphs; the cache affects only speed, never pixels. Cairo has
 * such a cache too, but draws each line of text through its own mask: with it a small
 * trace took 47 % more instructions as a whole. */
#ifndef RENDER_CHART_GLYPH_CACHE_H
#define RENDER_CHART_GLYPH_CACHE_H

#include "base/arena.h"
#include "base/err.h"

#include <stdint.h>

enum { GLYPH_SLOTS = 1024 };

struct glyph {
    int32_t code;
    int size_px; /* 0: a free slot */
    double advance_px;
    int left, top, w, h; /* from the pen; y downwards */
    ptrdiff_t stride;
    const uint8_t *parts; /* for image_stamp; NULL: no ink */
};

struct glyph_cache {
    void *library, *face; /* FreeType's */
    struct arena memory;
    char *start;
    struct glyph slot[GLYPH_SLOTS];
    int n;
};

MUST_CHECK bool glyph_cache_open(struct glyph_cache *c, struct err *e);
void glyph_cache_close(struct glyph_cache *c);

/* The glyph of a code point at a size; the font's "missing" glyph if it has none. Lent
 * until the next call. */
const struct glyph *glyph_find(struct glyph_cache *c, int32_t code, int size_px);

#endif
