#include "render/png_chart.h"

#include "base/utf8.h"
#include "render/bundle.h"
#include "render/chart_draw.h"
#include "render/png_palette.h"
#include "render/theme.h"

#include <cairo-ft.h>
#include <cairo.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE = 2, MARGIN_PX = 20, HEIGHT_MAX_PX = 8000 };

struct png_canvas {
    struct chart_canvas base; /* first: a canvas is cast to this */
    cairo_t *cr;
    const struct theme *t;
};

static const struct {
    enum theme_token colour;
    double width;
    bool dashed;
} strokes[CHART_STROKES] = {
    [STROKE_AXIS] = {TOKEN_BORDER, 1, false},
    [STROKE_GRID] = {TOKEN_HAIRLINE, 1, false},
    [STROKE_LINE] = {TOKEN_TEXT, 1.5, false},
    [STROKE_ROOF] = {TOKEN_MUTED, 1.5, true},
};

static const struct {
    enum theme_token colour;
    double size;
} styles[CHART_STYLES] = {
    [TEXT_LABEL] = {TOKEN_TEXT, CHART_TEXT_PX},
    [TEXT_LETTER] = {TOKEN_TEXT, CHART_TEXT_PX},
    [TEXT_VALUE] = {TOKEN_TEXT, CHART_TEXT_PX},
    [TEXT_MUTED] = {TOKEN_MUTED, CHART_TEXT_PX},
    [TEXT_TITLE] = {TOKEN_TEXT, CHART_TITLE_PX},
};

static void set_rgb(cairo_t *cr, uint32_t rgb)
{
    cairo_set_source_rgb(cr, (rgb >> 16 & 0xff) / 255.0, (rgb >> 8 & 0xff) / 255.0,
                         (rgb & 0xff) / 255.0);
}

static void hatch(cairo_t *cr, struct chart_rect r, enum chart_fill fill)
{
    cairo_save(cr);
    cairo_rectangle(cr, r.x, r.y, r.w, r.h);
    cairo_clip(cr);
    cairo_set_line_width(cr, 1.5);
    if (fill == FILL_DIAGONAL)
        for (double x = r.x - r.h; x < r.x + r.w; x += 6) {
            cairo_move_to(cr, x, r.y + r.h);
            cairo_line_to(cr, x + r.h, r.y);
        }
    cairo_stroke(cr);
    if (fill == FILL_DOTTED)
        for (double y = r.y + 3; y < r.y + r.h; y += 6)
            for (double x = r.x + 3; x < r.x + r.w; x += 6) {
                cairo_arc(cr, x, y, 1.4, 0, 2 * M_PI);
                cairo_fill(cr);
            }
    cairo_restore(cr);
}

static void draw_rects(struct chart_canvas *c, const struct chart_rect *r, int n,
                       enum figure_slot slot, enum chart_fill fill)
{
    struct png_canvas *p = (struct png_canvas *)c;
    set_rgb(p->cr, p->t->slot[THEME_LIGHT][slot]);
    for (int i = 0; i < n; i++) {
        if (fill == FILL_DIAGONAL || fill == FILL_DOTTED)
            hatch(p->cr, r[i], fill);
        cairo_rectangle(p->cr, r[i].x, r[i].y, r[i].w, r[i].h);
        cairo_set_line_width(p->cr, 1);
        if (fill == FILL_SOLID)
            cairo_fill(p->cr);
        else
            cairo_stroke(p->cr);
    }
}

static void draw_area(struct chart_canvas *c, const struct chart_point *at, int n,
                      enum figure_slot slot, enum chart_fill fill)
{
    struct png_canvas *p = (struct png_canvas *)c;
    set_rgb(p->cr, p->t->slot[THEME_LIGHT][slot]);
    for (int i = 0; i < n; i++)
        cairo_line_to(p->cr, at[i].x, at[i].y);
    cairo_close_path(p->cr);
    if (fill == FILL_SOLID) {
        cairo_fill(p->cr);
        return;
    }
    cairo_set_line_width(p->cr, 1);
    cairo_stroke_preserve(p->cr);
    double x1, y1, x2, y2;
    cairo_save(p->cr);
    cairo_clip(p->cr);
    cairo_clip_extents(p->cr, &x1, &y1, &x2, &y2);
    if (fill != FILL_OUTLINE)
        hatch(p->cr, (struct chart_rect){x1, y1, x2 - x1, y2 - y1}, fill);
    cairo_restore(p->cr);
}

static void draw_polyline(struct chart_canvas *c, const struct chart_point *at, int n,
                          enum chart_stroke stroke)
{
    static const double dashes[] = {6, 3};
    struct png_canvas *p = (struct png_canvas *)c;
    set_rgb(p->cr, p->t->token[THEME_LIGHT][strokes[stroke].colour]);
    cairo_set_line_width(p->cr, strokes[stroke].width);
    cairo_set_dash(p->cr, dashes, strokes[stroke].dashed ? 2 : 0, 0);
    for (int i = 0; i < n; i++)
        cairo_line_to(p->cr, at[i].x, at[i].y);
    cairo_stroke(p->cr);
    cairo_set_dash(p->cr, dashes, 0, 0);
}

static void draw_shape(struct chart_canvas *c, enum chart_shape shape,
                       struct chart_point at, double radius, enum figure_slot slot)
{
    struct png_canvas *p = (struct png_canvas *)c;
    struct chart_point corner[12];
    int n = chart_shape_corners(shape, at, radius, corner);
    set_rgb(p->cr, p->t->slot[THEME_LIGHT][slot]);
    if (n == 0)
        cairo_arc(p->cr, at.x, at.y, radius, 0, 2 * M_PI);
    for (int i = 0; i < n; i++)
        cairo_line_to(p->cr, corner[i].x, corner[i].y);
    cairo_close_path(p->cr);
    cairo_fill(p->cr);
}

/* Glyph by glyph: cairo's own text functions would lay out by locale and by other
 * fonts. */
static void draw_text(struct chart_canvas *c, struct chart_point at,
                      enum chart_anchor anchor, enum chart_style style, struct str text)
{
    struct png_canvas *p = (struct png_canvas *)c;
    cairo_set_font_size(p->cr, styles[style].size);
    cairo_scaled_font_t *font = cairo_get_scaled_font(p->cr);
    FT_Face face = cairo_ft_scaled_font_lock_face(font);
    if (!face)
        return;
    cairo_glyph_t glyphs[512];
    int n = 0;
    double x = 0, em = face->units_per_EM;
    while (text.n > 0 && n < 512) {
        int32_t code = utf8_next(&text);
        FT_UInt glyph = FT_Get_Char_Index(
            face, (FT_ULong)(code == UTF8_BROKEN ? UTF8_REPLACEMENT : code));
        glyphs[n++] = (cairo_glyph_t){glyph, x, 0};
        if (FT_Load_Glyph(face, glyph, FT_LOAD_NO_SCALE) == 0)
            x += (double)face->glyph->metrics.horiAdvance / em * styles[style].size;
    }
    cairo_ft_scaled_font_unlock_face(font);
    double shift = anchor == ANCHOR_END ? -x : anchor == ANCHOR_MIDDLE ? -x / 2 : 0;
    for (int i = 0; i < n; i++) {
        glyphs[i].x += at.x + shift;
        glyphs[i].y = at.y;
    }
    set_rgb(p->cr, p->t->token[THEME_LIGHT][styles[style].colour]);
    cairo_show_glyphs(p->cr, glyphs, n);
}

/* ---- libpng ---- */

struct png_sink {
    struct out *o;
    char what[120];
    jmp_buf jump;
};

static void png_put(png_structp png, png_bytep p, size_t n)
{
    struct png_sink *s = png_get_io_ptr(png);
    out_bytes(s->o, p, (ptrdiff_t)n);
}

static void png_flushed(png_structp png)
{
    (void)png;
}

static void png_failed(png_structp png, png_const_charp what)
{
    struct png_sink *s = png_get_error_ptr(png);
    snprintf(s->what, sizeof s->what, "%s", what);
    longjmp(s->jump, 1);
}

static void png_warned(png_structp png, png_const_charp what)
{
    (void)png;
    (void)what;
}

static bool png_fails(struct err *e, const struct report_figure *f, const char *what)
{
    return err_set(e, ERR_INTERNAL, NULL, -1, "chart \"%.*s\" cannot be drawn: %s",
                   STRF(str_head(f->id, 40)), what);
}

/* cairo's words of 0xffrrggbb, in the machine's order, as bytes r g b. */
static void rgb_row(const unsigned char *from, unsigned char *to, int width)
{
    for (int i = 0; i < width; i++) {
        uint32_t v;
        memcpy(&v, from + 4 * i, 4);
        to[3 * i] = (unsigned char)(v >> 16);
        to[3 * i + 1] = (unsigned char)(v >> 8);
        to[3 * i + 2] = (unsigned char)v;
    }
}

static const uint32_t *pixel_row(cairo_surface_t *surface, int y)
{
    /* cairo aligns its rows to words. */
    return (
        const uint32_t *)(const void *)(cairo_image_surface_get_data(surface) +
                                        (ptrdiff_t)y *
                                            cairo_image_surface_get_stride(surface));
}

static bool same_rows(cairo_surface_t *surface, int a, int b)
{
    size_t bytes = 4 * (size_t)cairo_image_surface_get_width(surface);
    return memcmp(pixel_row(surface, a), pixel_row(surface, b), bytes) == 0;
}

/* All pixels as indices of a table, or NULL: too many colours for one. */
static unsigned char *indexed(cairo_surface_t *surface, struct png_palette *palette)
{
    int width = cairo_image_surface_get_width(surface);
    int height = cairo_image_surface_get_height(surface);
    size_t row_bytes = (size_t)width;
    /* Most rows of a chart are the one above them again. */
    for (int y = 0, end; y < height; y = end) {
        for (end = y + 1; end < height && same_rows(surface, y, end);)
            end++;
        if (!palette_count(palette, pixel_row(surface, y), width, end - y))
            return NULL;
    }
    unsigned char *all =
        palette_choose(palette) ? malloc(row_bytes * (size_t)height) : NULL;
    for (int y = 0; all && y < height; y++) {
        unsigned char *to = all + row_bytes * (size_t)y;
        if (y > 0 && same_rows(surface, y - 1, y))
            memcpy(to, to - row_bytes, row_bytes);
        else
            palette_map(palette, pixel_row(surface, y), to, width);
    }
    return all;
}

static void set_table(png_structp png, png_infop info,
                      const struct png_palette *palette)
{
    png_color colours[PALETTE_COLOURS];
    for (int i = 0; i < palette->n; i++)
        colours[i] = (png_color){(png_byte)(palette->colour[i] >> 16),
                                 (png_byte)(palette->colour[i] >> 8),
                                 (png_byte)palette->colour[i]};
    png_set_PLTE(png, info, colours, palette->n);
}

/* Unfiltered rows of a chart are runs of few bytes: deflate's quickest search finds
 * them, in a tenth of the time of its usual one and little larger. */
static void write_rows(png_structp png, png_infop info, cairo_surface_t *surface,
                       unsigned char *row, const unsigned char *all,
                       const struct png_palette *palette)
{
    int width = cairo_image_surface_get_width(surface);
    int height = cairo_image_surface_get_height(surface);
    png_set_compression_level(png, 1);
    png_set_filter(png, 0, PNG_FILTER_NONE);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8,
                 all ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (all)
        set_table(png, info, palette);
    /* 144 dots an inch, so that it is placed at its drawn size: 144 / 0.0254 = 5669. */
    png_set_pHYs(png, info, 5669, 5669, PNG_RESOLUTION_METER);
    png_write_info(png, info);
    for (int y = 0; y < height; y++) {
        if (!all)
            rgb_row((const unsigned char *)pixel_row(surface, y), row, width);
        png_write_row(png, all ? all + (size_t)width * (size_t)y : row);
    }
    png_write_end(png, info);
}

static bool write_png(const struct report_figure *f, cairo_surface_t *surface,
                      struct out *o, struct err *e)
{
    struct png_sink sink = {.o = o};
    struct png_palette *palette = calloc(1, sizeof *palette);
    unsigned char *const row =
        malloc(3 * (size_t)cairo_image_surface_get_width(surface));
    unsigned char *const all = palette ? indexed(surface, palette) : NULL;
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink, png_failed, png_warned);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    volatile bool ok = row && info;
    if (ok && setjmp(sink.jump) == 0) {
        png_set_write_fn(png, &sink, png_put, png_flushed);
        write_rows(png, info, surface, row, all, palette);
    } else if (ok) {
        ok = false;
    }
    png_destroy_write_struct(&png, &info);
    free(all);
    free(row);
    free(palette);
    return ok || png_fails(e, f, sink.what[0] ? sink.what : "no memory");
}

/* ---- drawing ---- */

static void draw(cairo_t *cr, cairo_font_face_t *font, const struct report_figure *f,
                 const struct theme *t)
{
    struct png_canvas p = {
        {draw_rects, draw_area, draw_polyline, draw_shape, draw_text}, cr, t};
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cr, options);
    cairo_font_options_destroy(options);
    cairo_set_font_face(cr, font);
    set_rgb(cr, t->token[THEME_LIGHT][TOKEN_GROUND]);
    cairo_paint(cr);
    cairo_scale(cr, SCALE, SCALE);
    cairo_translate(cr, MARGIN_PX, MARGIN_PX);
    chart_draw(&p.base, f, CHART_FILE_PX, true);
}

bool chart_png(const struct report_figure *f, const struct png_font *font,
               const struct theme *t, struct out *o, struct err *e)
{
    int w = SCALE * (CHART_FILE_PX + 2 * MARGIN_PX);
    double height = fmin(chart_height(f, CHART_FILE_PX, true), HEIGHT_MAX_PX);
    int h = SCALE * ((int)height + 2 * MARGIN_PX);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, w, h);
    cairo_t *cr = cairo_create(surface);
    draw(cr, font->cairo_face, f, t);
    cairo_surface_flush(surface);
    cairo_status_t status = cairo_status(cr);
    bool ok = status == CAIRO_STATUS_SUCCESS
                  ? write_png(f, surface, o, e)
                  : png_fails(e, f, cairo_status_to_string(status));
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    return ok;
}

bool png_font_open(struct png_font *font, struct err *e)
{
    struct str bytes = bundle_file(S("fonts/DejaVuSans.ttf"));
    FT_Library library;
    FT_Face face;
    *font = (struct png_font){0};
    if (FT_Init_FreeType(&library) != 0)
        return err_set(e, ERR_INTERNAL, NULL, -1, "the font library does not start");
    if (FT_New_Memory_Face(library, (const FT_Byte *)bytes.p, (FT_Long)bytes.n, 0,
                           &face) != 0) {
        FT_Done_FreeType(library);
        return err_set(e, ERR_INTERNAL, NULL, -1, "the embedded font cannot be read");
    }
    font->library = library;
    font->face = face;
    font->cairo_face = cairo_ft_font_face_create_for_ft_face(
        face, FT_LOAD_NO_HINTING | FT_LOAD_NO_AUTOHINT);
    return true;
}

void png_font_close(struct png_font *font)
{
    cairo_font_face_destroy(font->cairo_face);
    cairo_debug_reset_static_data();
    FT_Done_Face(font->face);
    FT_Done_FreeType(font->library);
    *font = (struct png_font){0};
}
