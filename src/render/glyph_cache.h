/* glyph_cache.h - the letters of the embedded font, each drawn once.
 *
 * Unhinted, at whole pixels, in the parts of indexed_image.h. A letter that is asked
 * for again, by the same chart or the next, is a stamp. Without a look at what fonts
 * the machine has, so the same text is the same pixels. Owns the letters; what it holds
 * changes no pixel, only how soon it is there. */
#ifndef RENDER_GLYPH_CACHE_H
#define RENDER_GLYPH_CACHE_H

#include "base/arena.h"
#include "base/err.h"

#include <stdint.h>

enum { GLYPH_SLOTS = 1024 };

struct glyph {
    int32_t code;
    int size_px; /* 0: a free slot */
    double advance_px;
    int left, top, w, h; /* of the stamp, from the pen; y downwards */
    ptrdiff_t stride;
    const uint8_t *parts;
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

/* The letter of a code point at a size; the font's sign for none where it has none.
 * Lent until the next call. */
const struct glyph *glyph_find(struct glyph_cache *c, int32_t code, int size_px);

#endif
