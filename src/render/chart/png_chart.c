#include "render/chart/png_chart.h"

#include "base/arena.h"
#include "base/deflate.h"
#include "base/utf8.h"
#include "render/chart/chart_draw.h"
#include "render/chart/glyph_cache.h"
#include "render/chart/indexed_image.h"
#include "render/text/theme.h"

#include <cairo.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

enum {
    SCALE = 2,
    MARGIN_PX = 20,
    HEIGHT_MAX_PX = 4000,
    WIDTH = SCALE * (CHART_FILE_PX + 2 * MARGIN_PX),
    HEIGHT_MAX = SCALE * (HEIGHT_MAX_PX + 2 * MARGIN_PX),
    NARROW = 64,
    MITER = 5 /* a line's corner reaches out at most so many half widths */
};

/* Slots, then the inks of lines and texts. */
enum ink { INK_TEXT = FIGURE_SLOTS, INK_MUTED, INK_BORDER, INK_HAIRLINE, INKS };
_Static_assert((int)INKS <= IMAGE_INKS, "each has its colour");

/* What cairo draws one shape into. Its first rows are 0 except while drawing. */
struct mask {
    uint8_t *at;
    int width, rows;          /* a row's bytes; rows that are 0 */
    cairo_surface_t *surface; /* on it */
    cairo_t *cr;
};

struct png_painter {
    struct chart_canvas base; /* first: a canvas is cast to this */
    struct glyph_cache letters;
    struct indexed_image image;
    struct deflater *deflate;
    struct out pixels; /* deflated; kept, so that its pages are */
    /* One as wide as the picture, and a narrow one: an upright line takes few pages. */
    struct mask wide, narrow;
    struct mask *mask;    /* that is drawn into */
    cairo_t *cr;          /* of it */
    struct image_box box; /* what is drawn, in the picture */
};

static const struct {
    enum ink ink;
    double width;
    bool dashed;
} strokes[CHART_STROKES] = {
    [STROKE_AXIS] = {INK_BORDER, 1, false},
    [STROKE_GRID] = {INK_HAIRLINE, 1, false},
    [STROKE_LINE] = {INK_TEXT, 1.5, false},
    [STROKE_ROOF] = {INK_MUTED, 1.5, true},
};
static const double dashes[] = {6, 3};
#define TINT 0.25

static const struct {
    enum ink ink;
    double size;
} styles[CHART_STYLES] = {
    [TEXT_LABEL] = {INK_TEXT, CHART_TEXT_PX},
    [TEXT_LETTER] = {INK_TEXT, CHART_TEXT_PX},
    [TEXT_VALUE] = {INK_TEXT, CHART_TEXT_PX},
    [TEXT_MUTED] = {INK_MUTED, CHART_TEXT_PX},
    [TEXT_TITLE] = {INK_TEXT, CHART_TITLE_PX},
};

/* From a chart's pixels to those of the picture. */
static double px(double v)
{
    return SCALE * (v + MARGIN_PX);
}

/* The mask is as high as the highest shape so far: most are as high as a letter, and
 * untouched memory is never mapped. */
static void clear_mask(struct mask *m, int rows)
{
    if (rows <= m->rows)
        return;
    memset(m->at + (ptrdiff_t)m->width * m->rows, 0,
           (size_t)m->width * (size_t)(rows - m->rows));
    m->rows = rows;
}

/* Have cairo draw the shape within a box of the chart, with `pad` around it, into the
 * first rows of the mask, which are still cached from the previous shape. */
static void mask_begin(struct png_painter *p, struct chart_rect r, double pad)
{
    double left = fmax(0, floor(px(r.x - pad))), top = fmax(0, floor(px(r.y - pad)));
    double right = fmin(WIDTH, ceil(px(r.x + r.w + pad)));
    double bottom = fmin(p->image.height, ceil(px(r.y + r.h + pad)));
    p->box = (struct image_box){0};
    if (left < right && top < bottom)
        p->box = (struct image_box){(int)left, (int)top, (int)(right - left),
                                    (int)(bottom - top)};
    p->mask = p->box.w <= NARROW ? &p->narrow : &p->wide;
    p->cr = p->mask->cr;
    clear_mask(p->mask, p->box.h);
    cairo_identity_matrix(p->cr);
    cairo_translate(p->cr, SCALE * MARGIN_PX - p->box.x, SCALE * MARGIN_PX - p->box.y);
    cairo_scale(p->cr, SCALE, SCALE);
}

static void mask_end(struct png_painter *p, int ink)
{
    const struct mask *m = p->mask;
    cairo_surface_flush(m->surface);
    image_mask(&p->image, p->box, m->at, m->width, ink);
    for (int y = 0; y < p->box.h; y++)
        memset(m->at + (ptrdiff_t)m->width * y, 0, (size_t)p->box.w);
    cairo_surface_mark_dirty(m->surface);
}

static struct chart_rect bounds_of(const struct chart_point *at, int n)
{
    struct chart_point low = at[0], high = at[0];
    for (int i = 1; i < n; i++) {
        low = (struct chart_point){fmin(low.x, at[i].x), fmin(low.y, at[i].y)};
        high = (struct chart_point){fmax(high.x, at[i].x), fmax(high.y, at[i].y)};
    }
    return (struct chart_rect){low.x, low.y, high.x - low.x, high.y - low.y};
}

static void add_path(struct png_painter *p, const struct chart_point *at, int n)
{
    for (int i = 0; i < n; i++)
        cairo_line_to(p->cr, at[i].x, at[i].y);
}

static void stroke_path(struct png_painter *p, double width, bool dashed)
{
    cairo_set_line_width(p->cr, width);
    cairo_set_dash(p->cr, dashes, dashed ? 2 : 0, 0);
    cairo_stroke(p->cr);
}

/* Hatch the box, as far as the path reaches. */
static void hatch_path(struct png_painter *p, struct chart_rect r, enum chart_fill fill,
                       enum figure_slot slot)
{
    unsigned lines = fill == FILL_DIAGONAL ? HATCH_UP
                     : fill == FILL_IDLE   ? chart_hatch(slot)
                                           : 0;
    cairo_save(p->cr);
    cairo_clip(p->cr);
    for (double x = r.x - r.h; x < r.x + r.w; x += CHART_HATCH_PX) {
        if (lines & HATCH_UP) {
            cairo_move_to(p->cr, x, r.y + r.h);
            cairo_line_to(p->cr, x + r.h, r.y);
        }
        if (lines & HATCH_DOWN) {
            cairo_move_to(p->cr, x, r.y);
            cairo_line_to(p->cr, x + r.h, r.y + r.h);
        }
    }
    for (double x = r.x + 3; lines & HATCH_UPRIGHT && x < r.x + r.w;
         x += CHART_HATCH_PX) {
        cairo_move_to(p->cr, x, r.y);
        cairo_line_to(p->cr, x, r.y + r.h);
    }
    for (double y = r.y + 3; lines & HATCH_LEVEL && y < r.y + r.h;
         y += CHART_HATCH_PX) {
        cairo_move_to(p->cr, r.x, y);
        cairo_line_to(p->cr, r.x + r.w, y);
    }
    stroke_path(p, fill == FILL_IDLE ? 1 : 1.5, false);
    if (fill == FILL_DOTTED)
        for (double y = r.y + 3; y < r.y + r.h; y += 6)
            for (double x = r.x + 3; x < r.x + r.w; x += 6) {
                cairo_arc(p->cr, x, y, 1.4, 0, 2 * M_PI);
                cairo_fill(p->cr);
            }
    cairo_restore(p->cr);
}

static void draw_rect(struct png_painter *p, struct chart_rect r, enum chart_fill fill,
                      enum figure_slot slot)
{
    cairo_rectangle(p->cr, r.x, r.y, r.w, r.h);
    if (fill == FILL_SOLID) {
        cairo_fill(p->cr);
        return;
    }
    if (fill == FILL_TINT) {
        cairo_set_source_rgba(p->cr, 0, 0, 0, TINT);
        cairo_fill(p->cr);
        cairo_set_source_rgba(p->cr, 0, 0, 0, 1);
    } else if (fill != FILL_OUTLINE) {
        hatch_path(p, r, fill, slot);
    }
    if (fill == FILL_IDLE)
        return;
    cairo_rectangle(p->cr, r.x, r.y, r.w, r.h);
    stroke_path(p, 1, false);
}

/* The part inside the picture: cairo's coordinates end at 2^23. */
static struct chart_rect in_picture(struct chart_rect r)
{
    const double low = -MARGIN_PX - 1, right = CHART_FILE_PX + MARGIN_PX + 1,
                 bottom = HEIGHT_MAX_PX + MARGIN_PX + 1;
    double x = fmax(r.x, low), y = fmax(r.y, low);
    return (struct chart_rect){x, y, fmin(r.x + r.w, right) - x,
                               fmin(r.y + r.h, bottom) - y};
}

static void draw_rects(struct chart_canvas *c, const struct chart_rect *r, int n,
                       enum figure_slot slot, enum chart_fill fill)
{
    struct png_painter *p = (struct png_painter *)c;
    for (int i = 0; i < n; i++) {
        struct chart_rect in = in_picture(r[i]);
        if (!(r[i].w > 0 && r[i].h > 0 && in.w > 0 && in.h > 0))
            continue;
        mask_begin(p, in, fill == FILL_SOLID ? 0 : 0.5);
        draw_rect(p, in, fill, slot);
        mask_end(p, slot);
    }
}

static void draw_area(struct chart_canvas *c, const struct chart_point *at, int n,
                      enum figure_slot slot, enum chart_fill fill)
{
    struct png_painter *p = (struct png_painter *)c;
    struct chart_rect all = bounds_of(at, n);
    mask_begin(p, all, MITER);
    add_path(p, at, n);
    cairo_close_path(p->cr);
    if (fill == FILL_SOLID) {
        cairo_fill(p->cr);
    } else {
        if (fill == FILL_IDLE)
            cairo_new_path(p->cr);
        else
            stroke_path(p, 1, false);
        add_path(p, at, n);
        if (fill != FILL_OUTLINE)
            hatch_path(p, all, fill, slot);
        cairo_new_path(p->cr);
    }
    mask_end(p, slot);
}

static void draw_polyline(struct chart_canvas *c, const struct chart_point *at, int n,
                          enum chart_stroke stroke)
{
    struct png_painter *p = (struct png_painter *)c;
    mask_begin(p, bounds_of(at, n), (n == 2 ? 0.5 : MITER) * strokes[stroke].width);
    add_path(p, at, n);
    stroke_path(p, strokes[stroke].width, strokes[stroke].dashed);
    mask_end(p, (int)strokes[stroke].ink);
}

static void draw_shape(struct chart_canvas *c, enum chart_shape shape,
                       struct chart_point at, double radius, enum figure_slot slot)
{
    struct png_painter *p = (struct png_painter *)c;
    struct chart_point corner[12];
    int n = chart_shape_corners(shape, at, radius, corner);
    struct chart_rect round = {at.x - radius, at.y - radius, 2 * radius, 2 * radius};
    mask_begin(p, n ? bounds_of(corner, n) : round, 1);
    if (n == 0)
        cairo_arc(p->cr, at.x, at.y, radius, 0, 2 * M_PI);
    add_path(p, corner, n);
    cairo_close_path(p->cr);
    cairo_fill(p->cr);
    mask_end(p, slot);
}

static const struct glyph *next_glyph(struct png_painter *p, struct str *text,
                                      double size)
{
    int32_t code = utf8_next(text);
    return glyph_find(&p->letters, code == UTF8_BROKEN ? UTF8_REPLACEMENT : code,
                      (int)(SCALE * size));
}

/* Letter by letter: locale-dependent layout would differ between machines. */
static void draw_text(struct chart_canvas *c, struct chart_point at,
                      enum chart_anchor anchor, enum chart_style style, struct str text)
{
    struct png_painter *p = (struct png_painter *)c;
    double size = styles[style].size, x = px(at.x), width = 0;
    for (struct str s = text; s.n > 0 && anchor != ANCHOR_START;)
        width += next_glyph(p, &s, size)->advance_px;
    x -= anchor == ANCHOR_END ? width : anchor == ANCHOR_MIDDLE ? width / 2 : 0;
    int base = (int)lround(px(at.y));
    while (text.n > 0 && x < WIDTH) {
        const struct glyph *g = next_glyph(p, &text, size);
        struct image_box box = {(int)lround(x) + g->left, base + g->top, g->w, g->h};
        if (g->parts)
            image_stamp(&p->image, box, g->parts, g->stride, (int)styles[style].ink);
        x += g->advance_px;
    }
}

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

static void set_table(png_structp png, png_infop info, const struct indexed_image *m)
{
    png_color colours[IMAGE_COLOURS];
    for (int i = 0; i < m->n_colours; i++)
        colours[i] = (png_color){(png_byte)(m->colour[i] >> 16),
                                 (png_byte)(m->colour[i] >> 8), (png_byte)m->colour[i]};
    png_set_PLTE(png, info, colours, m->n_colours);
}

/* libpng writes the chunks; `pixels` is the content of the pixel chunk. */
static void write_chunks(png_structp png, png_infop info, const struct indexed_image *m,
                         struct str pixels)
{
    png_set_IHDR(png, info, (png_uint_32)m->width, (png_uint_32)m->height, 8,
                 PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    set_table(png, info, m);
    /* 144 dots per inch, so that it is placed at its drawn size: 144 / 0.0254 =
     * 5669. */
    png_set_pHYs(png, info, 5669, 5669, PNG_RESOLUTION_METER);
    png_write_info(png, info);
    png_write_chunk(png, (png_const_bytep) "IDAT", (png_const_bytep)pixels.p,
                    (size_t)pixels.n);
    png_write_chunk(png, (png_const_bytep) "IEND", NULL, 0);
}

static bool write_png(const struct report_figure *f, struct png_painter *p,
                      struct out *o, struct err *e)
{
    const struct indexed_image *m = &p->image;
    struct png_sink sink = {.o = o};
    p->pixels.n = 0;
    deflater_run(p->deflate, DEFLATE_ZLIB,
                 (struct str){(const char *)m->rows, m->stride * m->height},
                 &p->pixels);
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink, png_failed, png_warned);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    volatile bool ok = info;
    if (ok && setjmp(sink.jump) == 0) {
        png_set_write_fn(png, &sink, png_put, png_flushed);
        write_chunks(png, info, m, out_view(&p->pixels));
    } else if (ok) {
        ok = false;
    }
    png_destroy_write_struct(&png, &info);
    return ok || png_fails(e, f, sink.what[0] ? sink.what : "no memory");
}

bool chart_png(const struct report_figure *f, struct png_painter *p,
               const struct theme *t, struct out *o, struct err *e)
{
    const uint32_t *token = t->token[THEME_LIGHT];
    double height = fmin(chart_height(f, CHART_FILE_PX, true), HEIGHT_MAX_PX);
    uint32_t ink[IMAGE_INKS] = {[INK_TEXT] = token[TOKEN_TEXT],
                                [INK_MUTED] = token[TOKEN_MUTED],
                                [INK_BORDER] = token[TOKEN_BORDER],
                                [INK_HAIRLINE] = token[TOKEN_HAIRLINE]};
    memcpy(ink, t->slot[THEME_LIGHT], sizeof t->slot[THEME_LIGHT]);
    image_start(&p->image, SCALE * ((int)height + 2 * MARGIN_PX), token[TOKEN_GROUND],
                ink);
    chart_draw(&p->base, f, CHART_FILE_PX, true);
    cairo_status_t status = cairo_status(p->wide.cr);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_status(p->narrow.cr);
    return status == CAIRO_STATUS_SUCCESS
               ? write_png(f, p, o, e)
               : png_fails(e, f, cairo_status_to_string(status));
}

static struct mask mask_open(struct arena *a, int width)
{
    struct mask m = {.at = arena_take_raw(a, width, 16, HEIGHT_MAX), .width = width};
    m.surface = cairo_image_surface_create_for_data(m.at, CAIRO_FORMAT_A8, width,
                                                    HEIGHT_MAX, width);
    m.cr = cairo_create(m.surface);
    return m;
}

static void mask_close(struct mask *m)
{
    cairo_destroy(m->cr);
    cairo_surface_destroy(m->surface);
}

struct png_painter *png_painter_open(struct arena *a, struct err *e)
{
    struct png_painter *p = arena_new(a, struct png_painter, 1);
    if (!glyph_cache_open(&p->letters, e))
        return NULL;
    p->base = (struct chart_canvas){draw_rects, draw_area, draw_polyline, draw_shape,
                                    draw_text,  NULL,      NULL,          NULL};
    p->deflate = deflater_open();
    out_memory(&p->pixels);
    image_open(&p->image, a, WIDTH, HEIGHT_MAX);
    p->wide = mask_open(a, WIDTH);
    p->narrow = mask_open(a, NARROW);
    return p;
}

void png_painter_close(struct png_painter *p)
{
    mask_close(&p->wide);
    mask_close(&p->narrow);
    out_free(&p->pixels);
    deflater_close(p->deflate);
    glyph_cache_close(&p->letters);
}
