#include "render/chart/glyph_cache.h"

#include "render/chart/indexed_image.h"
#include "render/text/bundle.h"

#include <ft2build.h>

#include FT_FREETYPE_H
#include FT_ADVANCES_H

#include <string.h>

enum { MEMORY_BYTES = 1 << 24, KEPT_MAX = GLYPH_SLOTS * 3 / 4 };

bool glyph_cache_open(struct glyph_cache *c, struct err *e)
{
    struct str bytes = bundle_file(S("fonts/DejaVuSans.ttf"));
    FT_Library library;
    FT_Face face;
    memset(c, 0, sizeof *c);
    if (FT_Init_FreeType(&library) != 0)
        return err_set(e, ERR_INTERNAL, NULL, -1, "the font library does not start");
    if (FT_New_Memory_Face(library, (const FT_Byte *)bytes.p, (FT_Long)bytes.n, 0,
                           &face) != 0) {
        FT_Done_FreeType(library);
        return err_set(e, ERR_INTERNAL, NULL, -1, "the embedded font cannot be read");
    }
    c->library = library;
    c->face = face;
    c->memory = arena_reserve(MEMORY_BYTES);
    c->start = c->memory.at;
    return true;
}

void glyph_cache_close(struct glyph_cache *c)
{
    FT_Done_Face(c->face);
    FT_Done_FreeType(c->library);
    arena_release(c->start, &c->memory);
}

/* Larger than any glyph of the font could be. */
static void keep_pixels(struct glyph_cache *c, struct glyph *g, const FT_Bitmap *from)
{
    g->w = (int)from->width;
    g->h = (int)from->rows;
    g->stride = (g->w + 7) / 8 * 8;
    uint8_t *to = arena_take(&c->memory, 1, 8, g->stride * g->h);
    for (int y = 0; y < g->h; y++)
        for (int x = 0; x < g->w; x++)
            to[y * g->stride + x] =
                (uint8_t)image_parts(from->buffer[y * (ptrdiff_t)from->pitch + x]);
    g->parts = to;
}

static void draw(struct glyph_cache *c, struct glyph *g)
{
    FT_Face face = c->face;
    FT_Int32 unhinted = FT_LOAD_NO_HINTING | FT_LOAD_NO_AUTOHINT | FT_LOAD_NO_BITMAP;
    FT_UInt index = FT_Get_Char_Index(face, (FT_ULong)g->code);
    FT_Fixed units = 0;
    if (FT_Get_Advance(face, index, FT_LOAD_NO_SCALE, &units) == 0)
        g->advance_px = (double)units / face->units_per_EM * g->size_px;
    if (FT_Set_Pixel_Sizes(face, 0, (FT_UInt)g->size_px) != 0 ||
        FT_Load_Glyph(face, index, unhinted) != 0 ||
        FT_Render_Glyph(face->glyph, FT_RENDER_MODE_NORMAL) != 0)
        return;
    g->left = face->glyph->bitmap_left;
    g->top = -face->glyph->bitmap_top;
    keep_pixels(c, g, &face->glyph->bitmap);
}

const struct glyph *glyph_find(struct glyph_cache *c, int32_t code, int size_px)
{
    unsigned at = ((unsigned)code * 64 + (unsigned)size_px) * 2654435761u >> 22;
    struct glyph *g = &c->slot[at % GLYPH_SLOTS];
    while (g->size_px && (g->code != code || g->size_px != size_px))
        g = &c->slot[++at % GLYPH_SLOTS];
    if (g->size_px)
        return g;
    if (c->n == KEPT_MAX) { /* names in many scripts: start over */
        memset(c->slot, 0, sizeof c->slot);
        c->memory.at = c->start;
        c->n = 0;
        g = &c->slot[at % GLYPH_SLOTS];
    }
    *g = (struct glyph){.code = code, .size_px = size_px};
    draw(c, g);
    c->n++;
    return g;
}
