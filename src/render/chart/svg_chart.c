#include "render/chart/svg_chart.h"

#include "base/utf8.h"
#include "render/chart/chart_draw.h"
#include "render/text/html_text.h"
#include "render/text/theme.h"

#include <stdio.h>

enum { FILE_MARGIN_PX = 20, TITLE_BYTES = 80 };

struct svg_canvas {
    struct chart_canvas base; /* first: a canvas is cast to this */
    struct out *o;
    const struct theme *t;
    const struct report_figure *f;
    const char *width_name; /* ends the ids: "w", "m", "n" or "f" */
};

/* Attributes in one piece: a chart has a thousand marks. */
/* clang-format off */
#define LITERAL(text) { text, sizeof(text) - 1 }
#define STROKE(name, width) \
    LITERAL("\" class=\"k-" name "\" fill=\"none\" stroke-width=\"" width "\"")
#define STYLE(name, size) LITERAL(" class=\"t-" name "\" font-size=\"" size "\"")
/* clang-format on */

static const struct {
    enum theme_token colour;
    struct str before, after; /* the colour; before: ends the path, too */
} strokes[CHART_STROKES] = {
    [STROKE_AXIS] = {TOKEN_BORDER, STROKE("axis", "1"), LITERAL("")},
    [STROKE_GRID] = {TOKEN_HAIRLINE, STROKE("grid", "1"), LITERAL("")},
    [STROKE_LINE] = {TOKEN_TEXT, STROKE("line", "1.5"), LITERAL("")},
    [STROKE_ROOF] = {TOKEN_MUTED, STROKE("roof", "1.5"),
                     LITERAL(" stroke-dasharray=\"6 3\"")},
};

static const struct {
    enum theme_token colour;
    struct str words;
} styles[CHART_STYLES] = {
    [TEXT_LABEL] = {TOKEN_TEXT, STYLE("label", "12")},
    [TEXT_LETTER] = {TOKEN_TEXT, STYLE("letter", "12\" font-weight=\"700")},
    [TEXT_VALUE] = {TOKEN_TEXT, STYLE("value", "12")},
    [TEXT_MUTED] = {TOKEN_MUTED, STYLE("muted", "12")},
    [TEXT_TITLE] = {TOKEN_TEXT, STYLE("label", "15\" font-weight=\"600")},
};

static const char *const patterns[CHART_FILLS] = {
    [FILL_DIAGONAL] = "diagonal", [FILL_DOTTED] = "dotted"};

/* A coordinate, as an attribute that `begin` begins: " x=\"". printf took a third of
 * the drawing time: each mark has ten attributes. */
static void put_attr(struct out *o, struct str begin, double v)
{
    out_str(o, begin);
    out_tenths(o, v);
    out_char(o, '"');
}

static void put_rgb(struct out *o, struct str begin, uint32_t rgb)
{
    char text[8] = {'#'};
    for (int i = 6; i > 0; i--, rgb >>= 4)
        text[i] = "0123456789abcdef"[rgb & 15];
    text[7] = '"';
    out_str(o, begin);
    out_bytes(o, text, sizeof text);
}

/* Fill or outline of a mark: a class for the style sheet, an attribute to do without
 * it. */
static void put_paint(struct svg_canvas *s, enum figure_slot slot, enum chart_fill fill)
{
    struct str name = figure_slot_name(slot);
    uint32_t rgb = s->t->slot[THEME_LIGHT][slot];
    if (fill == FILL_SOLID) {
        out_lit(s->o, " class=\"s-");
        out_str(s->o, name);
        out_char(s->o, '"');
        put_rgb(s->o, S(" fill=\""), rgb);
        return;
    }
    if (fill == FILL_TINT) {
        out_printf(s->o, " class=\"s-%.*s o-%.*s\" fill-opacity=\".25\"", STRF(name),
                   STRF(name));
        put_rgb(s->o, S(" fill=\""), rgb);
        put_rgb(s->o, S(" stroke=\""), rgb);
        return;
    }
    if (fill == FILL_IDLE) {
        out_printf(s->o, " fill=\"url(#%.*s-%s-idle-%.*s)\"", STRF(s->f->id),
                   s->width_name, STRF(name));
        return;
    }
    out_printf(s->o, " class=\"o-%.*s\"", STRF(name));
    put_rgb(s->o, S(" stroke=\""), rgb);
    if (fill == FILL_OUTLINE)
        out_lit(s->o, " fill=\"none\"");
    else
        out_printf(s->o, " fill=\"url(#%.*s-%s-%s)\"", STRF(s->f->id), s->width_name,
                   patterns[fill]);
}

static void svg_rects(struct chart_canvas *c, const struct chart_rect *r, int n,
                      enum figure_slot slot, enum chart_fill fill)
{
    struct svg_canvas *s = (struct svg_canvas *)c;
    if (n == 1) {
        out_lit(s->o, "<rect");
        put_attr(s->o, S(" x=\""), r->x);
        put_attr(s->o, S(" y=\""), r->y);
        put_attr(s->o, S(" width=\""), r->w);
        put_attr(s->o, S(" height=\""), r->h);
    } else {
        out_lit(s->o, "<path d=\"");
        for (int i = 0; i < n; i++) {
            out_char(s->o, 'M');
            out_tenths(s->o, r[i].x);
            out_char(s->o, ' ');
            out_tenths(s->o, r[i].y);
            out_char(s->o, 'h');
            out_tenths(s->o, r[i].w);
            out_char(s->o, 'v');
            out_tenths(s->o, r[i].h);
            out_char(s->o, 'h');
            out_tenths(s->o, -r[i].w);
            out_char(s->o, 'z');
        }
        out_char(s->o, '"');
    }
    put_paint(s, slot, fill);
    out_lit(s->o, "/>\n");
}

static void put_points(struct out *o, const struct chart_point *p, int n)
{
    for (int i = 0; i < n; i++) {
        out_char(o, i ? 'L' : 'M');
        out_tenths(o, p[i].x);
        out_char(o, ' ');
        out_tenths(o, p[i].y);
    }
}

/* Steps run along the axes: H and V take half the bytes of L. */
static void put_steps(struct out *o, const struct chart_point *p, int n)
{
    out_char(o, 'M');
    out_tenths(o, p[0].x);
    out_char(o, ' ');
    out_tenths(o, p[0].y);
    for (int i = 1; i < n; i++) {
        bool level = p[i].y == p[i - 1].y, upright = p[i].x == p[i - 1].x;
        if (level && upright)
            continue;
        out_char(o, level ? 'H' : upright ? 'V' : 'L');
        if (!upright)
            out_tenths(o, p[i].x);
        if (!level && !upright)
            out_char(o, ' ');
        if (!level)
            out_tenths(o, p[i].y);
    }
}

static void svg_area(struct chart_canvas *c, const struct chart_point *p, int n,
                     enum figure_slot slot, enum chart_fill fill)
{
    struct svg_canvas *s = (struct svg_canvas *)c;
    out_lit(s->o, "<path d=\"");
    put_steps(s->o, p, n);
    out_lit(s->o, "z\"");
    put_paint(s, slot, fill);
    out_lit(s->o, "/>\n");
}

static void svg_polyline(struct chart_canvas *c, const struct chart_point *p, int n,
                         enum chart_stroke stroke)
{
    struct svg_canvas *s = (struct svg_canvas *)c;
    out_lit(s->o, "<path d=\"");
    put_steps(s->o, p, n);
    out_str(s->o, strokes[stroke].before);
    put_rgb(s->o, S(" stroke=\""), s->t->token[THEME_LIGHT][strokes[stroke].colour]);
    out_str(s->o, strokes[stroke].after);
    out_lit(s->o, "/>\n");
}

static void svg_shape(struct chart_canvas *c, enum chart_shape shape,
                      struct chart_point at, double radius, enum figure_slot slot)
{
    struct svg_canvas *s = (struct svg_canvas *)c;
    struct chart_point corner[12];
    int n = chart_shape_corners(shape, at, radius, corner);
    if (n == 0) {
        out_lit(s->o, "<circle");
        put_attr(s->o, S(" cx=\""), at.x);
        put_attr(s->o, S(" cy=\""), at.y);
        put_attr(s->o, S(" r=\""), radius);
    } else {
        out_lit(s->o, "<path d=\"");
        put_points(s->o, corner, n);
        out_lit(s->o, "z\"");
    }
    put_paint(s, slot, FILL_SOLID);
    out_lit(s->o, "/>\n");
}

static void svg_text(struct chart_canvas *c, struct chart_point at,
                     enum chart_anchor anchor, enum chart_style style, struct str text)
{
    static const struct str anchors[] = {LITERAL(">"),
                                         LITERAL(" text-anchor=\"middle\">"),
                                         LITERAL(" text-anchor=\"end\">")};
    struct svg_canvas *s = (struct svg_canvas *)c;
    out_lit(s->o, "<text");
    put_attr(s->o, S(" x=\""), at.x);
    put_attr(s->o, S(" y=\""), at.y);
    out_str(s->o, styles[style].words);
    put_rgb(s->o, S(" fill=\""), s->t->token[THEME_LIGHT][styles[style].colour]);
    out_str(s->o, anchors[anchor]);
    html_text(s->o, text);
    out_lit(s->o, "</text>\n");
}

static void begin_pattern(struct svg_canvas *s, struct str name)
{
    out_printf(s->o,
               "<pattern id=\"%.*s-%s-%.*s\" width=\"%d\" height=\"%d\" "
               "patternUnits=\"userSpaceOnUse\">",
               STRF(s->f->id), s->width_name, STRF(name), CHART_HATCH_PX,
               CHART_HATCH_PX);
}

/* A pattern for each series that is idle for a cause. */
static void put_idle_patterns(struct svg_canvas *s)
{
    for (int i = 0; i < s->f->n_series; i++) {
        enum figure_slot slot = s->f->series[i].slot;
        unsigned lines = s->f->series[i].idle ? chart_hatch(slot) : 0;
        char name[32];
        if (!lines)
            continue;
        int n = snprintf(name, sizeof name, "idle-%.*s", STRF(figure_slot_name(slot)));
        begin_pattern(s, (struct str){name, n});
        out_printf(s->o, "<path d=\"%s%s%s%s\" class=\"o-%.*s\"",
                   lines & HATCH_UP ? "M-1 1l2 -2M0 6l6 -6M5 7l2 -2" : "",
                   lines & HATCH_DOWN ? "M-1 5l2 2M0 0l6 6M5 -1l2 2" : "",
                   lines & HATCH_LEVEL ? "M0 3h6" : "",
                   lines & HATCH_UPRIGHT ? "M3 0v6" : "", STRF(figure_slot_name(slot)));
        put_rgb(s->o, S(" stroke=\""), s->t->slot[THEME_LIGHT][slot]);
        out_lit(s->o, "/></pattern>\n");
    }
}

/* Hatching, for the slots that have it. */
static void put_patterns(struct svg_canvas *s)
{
    bool needed[CHART_FILLS] = {false};
    for (int i = 0; i < s->f->n_marks; i++)
        needed[s->f->kind == FIGURE_STACK ? chart_stack_fill(&s->f->marks[i])
                                          : chart_slot_fill(s->f->marks[i].slot)] =
            true;
    bool idle = false;
    for (int i = 0; i < s->f->n_series; i++) {
        idle |= s->f->series[i].idle && chart_hatch(s->f->series[i].slot);
        if (!s->f->series[i].idle)
            needed[chart_slot_fill(s->f->series[i].slot)] = true;
    }
    for (int i = 0; i < s->f->n_under; i++)
        needed[chart_slot_fill(s->f->under[i].slot)] = true;
    if (!needed[FILL_DIAGONAL] && !needed[FILL_DOTTED] && !idle)
        return;
    out_lit(s->o, "<defs>");
    put_idle_patterns(s);
    for (int i = FILL_DIAGONAL; i <= FILL_DOTTED; i++) {
        enum figure_slot slot = i == FILL_DIAGONAL ? SLOT_COMMUNICATION : SLOT_COPY;
        if (!needed[i])
            continue;
        begin_pattern(s, str_of(patterns[i]));
        if (i == FILL_DIAGONAL) {
            out_lit(s->o,
                    "<path d=\"M-1 1l2 -2M0 6l6 -6M5 7l2 -2\" stroke-width=\"1.5\" "
                    "class=\"o-communication\"");
            put_rgb(s->o, S(" stroke=\""), s->t->slot[THEME_LIGHT][slot]);
        } else {
            out_lit(s->o, "<circle cx=\"3\" cy=\"3\" r=\"1.4\" class=\"s-copy\"");
            put_rgb(s->o, S(" fill=\""), s->t->slot[THEME_LIGHT][slot]);
        }
        out_lit(s->o, "/></pattern>");
    }
    out_lit(s->o, "</defs>\n");
}

static void svg_hint(struct chart_canvas *c, struct chart_rect r, struct str label,
                     struct str value)
{
    struct svg_canvas *s = (struct svg_canvas *)c;
    out_lit(s->o, "<rect class=\"hint\"");
    put_attr(s->o, S(" x=\""), r.x);
    put_attr(s->o, S(" y=\""), r.y);
    put_attr(s->o, S(" width=\""), r.w);
    put_attr(s->o, S(" height=\""), r.h);
    out_lit(s->o, " fill=\"#fff\" fill-opacity=\"0\"><title>");
    html_text(s->o, s->f->label_title);
    out_lit(s->o, ": ");
    html_text(s->o, label);
    out_lit(s->o, " - ");
    html_text(s->o, value);
    out_lit(s->o, "</title></rect>\n");
}

static void svg_link_begin(struct chart_canvas *c, const struct figure_mark *m,
                           bool tab)
{
    struct svg_canvas *s = (struct svg_canvas *)c;
    out_printf(s->o, "<a href=\"%.*s\"%s><title>", STRF(m->href),
               tab ? "" : " tabindex=\"-1\"");
    html_text(s->o, utf8_head(m->label, TITLE_BYTES));
    out_c(s->o, m->label.n > TITLE_BYTES ? "… - " : " - ");
    html_text(s->o, m->value_text);
    out_lit(s->o, "</title>");
}

static void svg_link_end(struct chart_canvas *c)
{
    out_lit(((struct svg_canvas *)c)->o, "</a>\n");
}

static struct svg_canvas canvas_of(struct out *o, const struct report_figure *f,
                                   const struct theme *t, const char *width_name)
{
    return (struct svg_canvas){{svg_rects, svg_area, svg_polyline, svg_shape, svg_text,
                                svg_hint, svg_link_begin, svg_link_end},
                               o,
                               t,
                               f,
                               width_name};
}

static void put_words(struct svg_canvas *s)
{
    out_printf(s->o, "<title id=\"%.*s-%s-t\">", STRF(s->f->id), s->width_name);
    html_text(s->o, s->f->title);
    out_printf(s->o, "</title><desc id=\"%.*s-%s-d\">", STRF(s->f->id), s->width_name);
    html_text(s->o, s->f->description);
    out_lit(s->o, "</desc>\n");
}

/* A chart is a picture, unless its parts are links. */
static void put_labelled_by(struct svg_canvas *s, bool links)
{
    out_printf(s->o, " role=\"%s\"", links ? "group" : "img");
    out_printf(s->o,
               " aria-labelledby=\"%.*s-%s-t\" "
               "aria-describedby=\"%.*s-%s-d\" font-family=\"sans-serif\"",
               STRF(s->f->id), s->width_name, STRF(s->f->id), s->width_name);
}

static bool has_links(const struct report_figure *f)
{
    bool linked = f->kind == FIGURE_ICICLE;
    for (int i = 0; i < f->n_marks && !linked; i++)
        linked = f->marks[i].href.n > 0;
    return linked;
}

static void put_inline(struct out *o, const struct report_figure *f,
                       const struct theme *t, double width, const char *class_name,
                       const char *width_name, bool shown)
{
    struct svg_canvas s = canvas_of(o, f, t, width_name);
    double height = chart_height(f, width, false);
    out_printf(o, "<svg class=\"chart-svg %s\"%s", class_name,
               shown ? "" : " display=\"none\"");
    put_attr(o, S(" width=\""), width);
    put_attr(o, S(" height=\""), height);
    out_printf(o, " viewBox=\"0 0 %.0f %.0f\"", width, height);
    put_labelled_by(&s, has_links(f));
    out_lit(o, ">\n");
    put_words(&s);
    put_patterns(&s);
    chart_draw(&s.base, f, width, false);
    out_lit(o, "</svg>\n");
}

void chart_svg_page(struct out *o, const struct report_figure *f, const struct theme *t)
{
    if (!f->half)
        put_inline(o, f, t, CHART_WIDE_PX, "chart-wide", "w", true);
    put_inline(o, f, t, CHART_MID_PX, "chart-mid", "m", f->half);
    put_inline(o, f, t, CHART_NARROW_PX, "chart-narrow", "n", false);
}

void chart_svg_part(struct out *o, const struct report_figure *f, const struct theme *t)
{
    put_inline(o, f, t, CHART_WIDE_PX, "chart-part", "w", true);
}

void chart_svg(struct out *o, const struct report_figure *f, const struct theme *t)
{
    struct svg_canvas s = canvas_of(o, f, t, "f");
    s.base.link_begin = NULL; /* it leads nowhere */
    double height = chart_height(f, CHART_FILE_PX, true);
    int w = CHART_FILE_PX + 2 * FILE_MARGIN_PX, h = (int)height + 2 * FILE_MARGIN_PX;
    out_printf(o,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
               "viewBox=\"%d %d %d %d\"",
               w, h, -FILE_MARGIN_PX, -FILE_MARGIN_PX, w, h);
    put_labelled_by(&s, false);
    out_lit(o, ">\n");
    put_words(&s);
    put_patterns(&s);
    out_printf(o, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"", -FILE_MARGIN_PX,
               -FILE_MARGIN_PX, w, h);
    put_rgb(o, S(" fill=\""), t->token[THEME_LIGHT][TOKEN_GROUND]);
    out_lit(o, "/>\n");
    chart_draw(&s.base, f, CHART_FILE_PX, true);
    out_lit(o, "</svg>\n");
}
