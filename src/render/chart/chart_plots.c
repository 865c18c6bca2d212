/* Charts with two number axes: histogram, roofline and scatter. */
#include "render/chart/chart_parts.h"

#include <math.h>

enum {
    PANEL_PX = 120,
    PANEL_TOP_PX = 30,
    AXIS_LEFT_PX = 52,
    LABELLED_WIDE = 12,
    LABELLED_NARROW = 4,
    BRIEF_BELOW_PX = 380,
    PLACES = 8,
    RINGS = 4, /* a label may stand so many times RING_PX from its point */
    RING_PX = 14,
    LED = 3, /* the heaviest, from which a line may lead to a label further away */
    TARGET_PX = 24, /* a point that Tab stops at has no other within this */
    ROOFS_MAX = 8,
    LEGEND_ROW_PX = 22,
    LEGEND_COLUMN_PX = 130
};

static bool has_second(const struct report_figure *f)
{
    for (int i = 0; i < chart_marks(f); i++)
        if (f->marks[i].second > 0)
            return true;
    return false;
}

static double histogram_height(const struct report_figure *f, double width)
{
    (void)width;
    int panels = has_second(f) ? 2 : 1;
    return panels * (PANEL_TOP_PX + PANEL_PX) + CHART_AXIS_PX;
}

static void histogram_panel(struct chart_canvas *c, const struct report_figure *f,
                            const struct chart_scale *x, struct chart_area area,
                            bool second)
{
    double most = 0;
    int n = chart_marks(f), drawn = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, second ? f->marks[i].second : f->marks[i].value);
    struct chart_scale y = chart_linear(most, false, 4, area.y + area.h, area.y);
    chart_axis_y(c, &y, area, second ? f->second_title : f->y_title);
    struct chart_rect bins[CHART_MARKS_MAX];
    for (int i = 0; i < n; i++) {
        const struct figure_mark *m = &f->marks[i];
        double value = second ? m->second : m->value;
        double left = chart_px(x, m->low), right = chart_px(x, m->high);
        double height = area.y + area.h - chart_px(&y, value);
        if (!(value > 0))
            continue;
        height = fmax(height, 1);
        bins[drawn++] = (struct chart_rect){left + 0.5, area.y + area.h - height,
                                            fmax(1, right - left - 1), height};
    }
    if (drawn > 0)
        c->rects(c, bins, drawn, second ? SLOT_OTHER : SLOT_COMPUTE, FILL_SOLID);
}

static void histogram_draw(struct chart_canvas *c, const struct report_figure *f,
                           double width, double top)
{
    double low = HUGE_VAL, high = 0;
    for (int i = 0; i < chart_marks(f); i++) {
        low = fmin(low, f->marks[i].low);
        high = fmax(high, f->marks[i].high);
    }
    struct chart_area area = {AXIS_LEFT_PX, top + PANEL_TOP_PX,
                              width - AXIS_LEFT_PX - 8, PANEL_PX};
    struct chart_scale x =
        chart_log(low, high, chart_ticks_for(area.w), area.x, area.x + area.w);
    bool second = has_second(f);
    histogram_panel(c, f, &x, area, false);
    if (second) {
        chart_line(c, area.x, area.y + area.h, area.x + area.w, area.y + area.h,
                   STROKE_AXIS);
        area.y += PANEL_TOP_PX + PANEL_PX;
        histogram_panel(c, f, &x, area, true);
    }
    chart_axis_x(c, &x, area, f->x_title, false, false);
}

const struct chart_kind chart_histogram = {histogram_height, histogram_draw};

static enum chart_shape slot_shape(enum figure_slot slot)
{
    return (enum chart_shape)(slot % CHART_SHAPES);
}

static double plot_height(double width)
{
    return width < 400 ? 240 : width < 700 ? 320 : 400;
}

static double roofline_height(const struct report_figure *f, double width)
{
    enum figure_slot used[FIGURE_SLOTS];
    int columns = (int)fmax(1, floor(width / LEGEND_COLUMN_PX));
    int rows = (chart_slots_used(f, used) + columns - 1) / columns;
    return PANEL_TOP_PX + plot_height(width) + CHART_AXIS_PX + 12 +
           rows * LEGEND_ROW_PX;
}

static double highest_roof(const struct report_figure *f)
{
    double most = 0;
    for (int i = 0; i < f->n_roofs; i++)
        most = fmax(most, f->roofs[i].tflop_per_s);
    return most;
}

static struct str roof_words(const struct figure_roof *r, struct chart_area area)
{
    return area.w < BRIEF_BELOW_PX && r->brief.n ? r->brief : r->label;
}

/* The next higher roof after `from` in the order of rates; of equal ones that of the
 * list; -1: none. */
static int next_roof(const struct report_figure *f, int from)
{
    int best = -1;
    for (int i = 0; i < f->n_roofs && i < ROOFS_MAX; i++) {
        double rate = f->roofs[i].tflop_per_s;
        bool after = from < 0 || rate > f->roofs[from].tflop_per_s ||
                     (rate == f->roofs[from].tflop_per_s && i > from);
        if (after && (best < 0 || rate < f->roofs[best].tflop_per_s))
            best = i;
    }
    return best;
}

/* Where the labels of the roofs go: above the slope and left of their ridge, where no
 * operation can be; higher than the labels of lower roofs. */
static void place_roof_words(const struct report_figure *f, const struct chart_scale *x,
                             const struct chart_scale *y, struct chart_area area,
                             struct chart_rect at[ROOFS_MAX])
{
    enum { LINE_PX = 14, ABOVE_PX = 5 };
    int lower = -1;
    for (int i; (i = next_roof(f, lower)) >= 0; lower = i) {
        const struct figure_roof *roof = &f->roofs[i];
        double w = 1.1 * chart_text_px(roof_words(roof, area), CHART_TEXT_PX);
        double ridge =
            f->memory_tb_per_s > 0
                ? chart_px(x, fmax(roof->tflop_per_s / f->memory_tb_per_s, x->low))
                : area.x;
        double y_px = chart_px(y, roof->tflop_per_s) - ABOVE_PX - LINE_PX;
        if (lower >= 0)
            y_px = fmin(y_px, at[lower].y - LINE_PX);
        double title_px = chart_text_px(f->y_title, CHART_TEXT_PX);
        double left = fmax(area.x, y_px < area.y ? title_px : 0);
        at[i] = (struct chart_rect){fmax(ridge - w, left), y_px, w, LINE_PX};
    }
}

static bool overlaps(struct chart_rect a, struct chart_rect b)
{
    return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/* The label of memory is above its line, where it has room and meets no other. Its box,
 * empty if there is none. */
static struct chart_rect
label_slope(struct chart_canvas *c, const struct report_figure *f,
            const struct chart_scale *x, const struct chart_scale *y,
            struct chart_area area, const struct chart_rect words[ROOFS_MAX],
            double from, double end)
{
    static const double places[] = {1.0 / 3, 0.5, 0.2, 2.0 / 3, 0.1};
    double w = 1.1 * chart_text_px(f->memory_label, CHART_TEXT_PX);
    double least = x->low * pow(x->high / x->low, (w + 12) / area.w);
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        double at = fmax(exp(log(from) + (log(end) - log(from)) * places[k]), least);
        double right = chart_px(x, at) - 8,
               base = chart_px(y, at * f->memory_tb_per_s) - 6;
        struct chart_rect box = {right - w, base - 13, w, 17};
        bool free = at < end && box.y >= area.y;
        for (int i = 0; i < f->n_roofs && i < ROOFS_MAX; i++)
            free &= !overlaps(box, words[i]);
        if (!free)
            continue;
        chart_words(c, right, base, w + 4, ANCHOR_END, TEXT_MUTED, f->memory_label);
        return box;
    }
    return (struct chart_rect){0};
}

/* Memory slope from the left edge to the highest ridge, then a flat line for each peak
 * from its own ridge on. The box of what is said of memory. */
static struct chart_rect draw_roofs(struct chart_canvas *c,
                                    const struct report_figure *f,
                                    const struct chart_scale *x,
                                    const struct chart_scale *y, struct chart_area area,
                                    const struct chart_rect words[ROOFS_MAX])
{
    double top = highest_roof(f), slope = f->memory_tb_per_s;
    double right = area.x + area.w;
    struct chart_rect said = {0};
    if (slope > 0) {
        double end = top > 0 ? fmin(top / slope, x->high) : x->high;
        double from = fmax(x->low, y->low / slope);
        chart_line(c, chart_px(x, from), chart_px(y, from * slope), chart_px(x, end),
                   chart_px(y, end * slope), STROKE_ROOF);
        said = label_slope(c, f, x, y, area, words, from, end);
    }
    for (int i = 0; i < f->n_roofs && i < ROOFS_MAX; i++) {
        double peak = f->roofs[i].tflop_per_s;
        double ridge = slope > 0 ? fmax(peak / slope, x->low) : x->low;
        double at = chart_px(y, peak), from = chart_px(x, ridge);
        chart_line(c, from, at, right, at, STROKE_ROOF);
        chart_words(c, words[i].x + words[i].w, words[i].y + words[i].h, area.w,
                    ANCHOR_END, TEXT_MUTED, roof_words(&f->roofs[i], area));
    }
    return said;
}

/* The heaviest points by weight; equal ones in their order. */
static int heaviest(const struct report_figure *f, int most, int pick[LABELLED_WIDE])
{
    int n = 0;
    for (int i = 0; i < chart_marks(f); i++) {
        int at = n < most ? n : most;
        while (at > 0 && f->marks[pick[at - 1]].weight < f->marks[i].weight)
            at--;
        if (at == most)
            continue;
        n = n < most ? n + 1 : most;
        for (int k = n - 1; k > at; k--)
            pick[k] = pick[k - 1];
        pick[at] = i;
    }
    return n;
}

static double point_radius(const struct figure_mark *m)
{
    double w = fmin(1, fmax(0, m->weight));
    return 3.5 + 5 * sqrt(w);
}

/* Places for a label, best first: right, left, above, below; above and below, ending or
 * beginning at the point. */
static struct chart_rect label_box(int place, double px, double py, double r, double w)
{
    switch (place) {
    case 0:
        return (struct chart_rect){px + r, py - 7, w, 14};
    case 1:
        return (struct chart_rect){px - r - w, py - 7, w, 14};
    case 2:
        return (struct chart_rect){px - w / 2, py - r - 13, w, 14};
    case 3:
        return (struct chart_rect){px - w / 2, py + r - 1, w, 14};
    default:
        return (struct chart_rect){px + (place % 2 ? -r : r - w),
                                   place < 6 ? py - r - 13 : py + r - 1, w, 14};
    }
}

/* Height of the roof of memory, or of the highest peak, at `px` from the left, in px.
 */
static double roof_px(const struct report_figure *f, const struct chart_scale *x,
                      const struct chart_scale *y, struct chart_area area, double px)
{
    double intensity = x->low * pow(x->high / x->low, (px - area.x) / area.w);
    double rate = intensity * f->memory_tb_per_s, top = highest_roof(f);
    return chart_px(y, fmax(y->low, top > 0 ? fmin(rate, top) : rate));
}

static bool box_is_free(const struct report_figure *f, const struct chart_scale *x,
                        const struct chart_scale *y, struct chart_area area,
                        const struct chart_rect *point, const struct chart_rect *taken,
                        int n_taken, struct chart_rect box)
{
    if (box.x < area.x || box.x + box.w > area.x + area.w || box.y < area.y ||
        box.y + box.h > area.y + area.h)
        return false;
    for (int i = 0; i < n_taken; i++)
        if (overlaps(box, taken[i]))
            return false;
    for (int i = 0; i < chart_marks(f); i++)
        if (overlaps(box, point[i]))
            return false;
    /* Under the roof from its left end on, or over it up to its right end. */
    return f->memory_tb_per_s <= 0 || box.y >= roof_px(f, x, y, area, box.x) ||
           box.y + box.h <= roof_px(f, x, y, area, box.x + box.w);
}

/* The name of a point without its arguments, which the hint and the table have; with
 * the first of them, if there is room, where another that is labelled has the same
 * name. */
static struct str point_words(const struct report_figure *f, const int *pick, int n,
                              int k, double room_px)
{
    struct str all = f->marks[pick[k]].label;
    ptrdiff_t args = str_find(all, S(" (")), first = str_find(all, S(")"));
    if (args <= 0)
        return all;
    struct str name = str_head(all, args), more = str_head(all, first + 1);
    if (first < args || chart_text_px(more, CHART_TEXT_PX) > room_px)
        return name;
    for (int i = 0; i < n; i++) {
        struct str other = f->marks[pick[i]].label;
        if (i != k && str_starts(other, str_head(all, args + 2)))
            return more;
    }
    return name;
}

/* The line from a point to its label, `box`, that has no room beside it. */
static struct chart_rect lead_of(struct chart_rect box, double px, double py)
{
    double x = fmax(box.x, fmin(box.x + box.w, px));
    double y = fmax(box.y, fmin(box.y + box.h, py));
    return (struct chart_rect){fmin(x, px), fmin(y, py), fabs(x - px), fabs(y - py)};
}

static bool lead_is_free(const struct chart_rect *taken, int n_taken,
                         struct chart_rect lead)
{
    bool straight = lead.w == 0 || lead.h == 0;
    struct chart_rect broad = {lead.x - 1, lead.y - 1, lead.w + 2, lead.h + 2};
    for (int i = 0; i < n_taken; i++)
        if (overlaps(broad, taken[i]))
            return false;
    return straight;
}

static void label_points(struct chart_canvas *c, const struct report_figure *f,
                         const struct chart_scale *x, const struct chart_scale *y,
                         struct chart_area area, const struct chart_rect *point,
                         const struct chart_rect words[ROOFS_MAX],
                         struct chart_rect memory)
{
    int pick[LABELLED_WIDE], placed = 0;
    struct chart_rect taken[LABELLED_WIDE + LED + ROOFS_MAX + 1];
    taken[placed++] = memory;
    for (int i = 0; i < f->n_roofs && i < ROOFS_MAX; i++)
        taken[placed++] = words[i];
    int n =
        heaviest(f, area.w < BRIEF_BELOW_PX ? LABELLED_NARROW : LABELLED_WIDE, pick);
    for (int k = 0; k < n; k++) {
        const struct figure_mark *m = &f->marks[pick[k]];
        struct chart_label label;
        chart_fit(&label, point_words(f, pick, n, k, fmin(200, area.w * 0.5)),
                  CHART_TEXT_PX, fmin(200, area.w * 0.5));
        double w = chart_text_px(label.s, CHART_TEXT_PX), r = point_radius(m);
        double px = chart_px(x, m->x), py = chart_px(y, m->value);
        for (int place = 0; place < RINGS * PLACES; place++) {
            double away = place / PLACES * RING_PX;
            struct chart_rect box = label_box(place % PLACES, px, py, r + 4 + away, w);
            struct chart_rect lead = lead_of(box, px, py);
            if (!box_is_free(f, x, y, area, point, taken, placed, box) ||
                (away > 0 && (k >= LED || !lead_is_free(taken, placed, lead))))
                continue;
            taken[placed++] = box;
            if (away > 0) {
                taken[placed++] = lead;
                chart_line(c, lead.x, lead.y, lead.x + lead.w, lead.y + lead.h,
                           STROKE_AXIS);
            }
            c->text(c, (struct chart_point){box.x, box.y + 11}, ANCHOR_START,
                    TEXT_LABEL, label.s);
            break;
        }
    }
}

/* Whether no earlier point with a link lies within a finger's breadth. */
static bool stands_apart(const struct report_figure *f, const struct chart_rect *point,
                         int i)
{
    for (int k = 0; k < i; k++)
        if (f->marks[k].href.n &&
            hypot(point[k].x + point[k].w / 2 - point[i].x - point[i].w / 2,
                  point[k].y + point[k].h / 2 - point[i].y - point[i].h / 2) <
                TARGET_PX)
            return false;
    return true;
}

/* Points with a link lie above the others, the heaviest below. */
static void draw_points(struct chart_canvas *c, const struct report_figure *f,
                        const struct chart_scale *x, const struct chart_scale *y,
                        struct chart_rect *point)
{
    int n = chart_marks(f);
    for (int i = 0; i < n; i++) {
        const struct figure_mark *m = &f->marks[i];
        double r = point_radius(m);
        point[i] = (struct chart_rect){chart_px(x, m->x) - r, chart_px(y, m->value) - r,
                                       2 * r, 2 * r};
    }
    for (int k = 0; k < 2 * n; k++) {
        const struct figure_mark *m = &f->marks[k % n];
        struct chart_rect *p = &point[k % n];
        bool linked = c->link_begin && m->href.n;
        if (linked != (k >= n))
            continue;
        if (linked)
            c->link_begin(c, m, stands_apart(f, point, k % n));
        c->shape(c, slot_shape(m->slot),
                 (struct chart_point){p->x + p->w / 2, p->y + p->h / 2}, p->w / 2,
                 m->slot);
        if (linked)
            c->link_end(c);
    }
}

static void draw_legend(struct chart_canvas *c, const struct report_figure *f,
                        double width, double top)
{
    enum figure_slot used[FIGURE_SLOTS];
    int columns = (int)fmax(1, floor(width / LEGEND_COLUMN_PX));
    int n = chart_slots_used(f, used);
    for (int i = 0; i < n; i++) {
        enum figure_slot slot = used[i];
        double x = (i % columns) * LEGEND_COLUMN_PX,
               y = top + (i / columns) * LEGEND_ROW_PX;
        c->shape(c, slot_shape(slot), (struct chart_point){x + 7, y + 7}, 5, slot);
        chart_words(c, x + 20, y + 11, 16, ANCHOR_START, TEXT_LETTER,
                    figure_slot_letter(slot));
        chart_words(c, x + 36, y + 11, LEGEND_COLUMN_PX - 40, ANCHOR_START, TEXT_LABEL,
                    chart_slot_label(f, slot));
    }
}

static double curve_at(const struct figure_curve *curve, double x)
{
    return x / (curve->start + x / curve->rate);
}

/* As far as they lie in the area; what they are in its lower corner, in their order. */
static void draw_curves(struct chart_canvas *c, const struct report_figure *f,
                        const struct chart_scale *x, const struct chart_scale *y,
                        struct chart_area area)
{
    enum { POINTS = 48, LINE_PX = 16 };
    for (int i = 0; i < f->n_curves; i++) {
        struct chart_point p[POINTS];
        int n = 0;
        for (int k = 0; k < POINTS; k++) {
            double at = x->low * pow(x->high / x->low, (double)k / (POINTS - 1));
            double v = curve_at(&f->curves[i], at);
            if (v >= y->low && v <= y->high)
                p[n++] = (struct chart_point){chart_px(x, at), chart_px(y, v)};
        }
        if (n > 1)
            c->polyline(c, p, n, STROKE_ROOF);
        double base = area.y + area.h - 8 - (f->n_curves - 1 - i) * LINE_PX;
        chart_words(c, area.x + area.w - 6, base, area.w - 12, ANCHOR_END, TEXT_MUTED,
                    f->curves[i].label);
    }
}

static void roofline_draw(struct chart_canvas *c, const struct report_figure *f,
                          double width, double top)
{
    double x_low = HUGE_VAL, x_high = 0, y_low = HUGE_VAL, y_high = highest_roof(f);
    for (int i = 0; i < chart_marks(f); i++) {
        x_low = fmin(x_low, f->marks[i].x);
        x_high = fmax(x_high, f->marks[i].x);
        y_low = fmin(y_low, f->marks[i].value);
        y_high = fmax(y_high, f->marks[i].value);
    }
    if (f->memory_tb_per_s > 0)
        x_high = fmax(x_high, 2 * highest_roof(f) / f->memory_tb_per_s);
    struct chart_area area = {AXIS_LEFT_PX, top + PANEL_TOP_PX,
                              width - AXIS_LEFT_PX - 8, plot_height(width)};
    struct chart_scale x = chart_log(isfinite(x_low) ? x_low : 0.1, x_high,
                                     chart_ticks_for(area.w), area.x, area.x + area.w);
    double bottom = isfinite(y_low) ? y_low : 0.1;
    struct chart_scale y = chart_log(bottom, y_high * 1.3, 6, area.y + area.h, area.y);
    /* The roofs leave room above for their labels, a line each for the first five. */
    double room = 10 + 14 * fmin(5, f->n_roofs);
    if (chart_px(&y, y_high) < area.y + room) {
        double above = room / area.h;
        double head = fmax(1.3, pow(y_high / bottom, above / (1 - above)));
        y = chart_log(bottom, y_high * head, 6, area.y + area.h, area.y);
    }
    chart_axis_y(c, &y, area, f->y_title);
    chart_axis_x(c, &x, area, f->x_title, false, true);
    struct chart_rect words[ROOFS_MAX];
    place_roof_words(f, &x, &y, area, words);
    struct chart_rect memory = draw_roofs(c, f, &x, &y, area, words);
    draw_curves(c, f, &x, &y, area);
    struct chart_rect point[CHART_MARKS_MAX];
    draw_points(c, f, &x, &y, point);
    label_points(c, f, &x, &y, area, point, words, memory);
    draw_legend(c, f, width, area.y + area.h + CHART_AXIS_PX + 12);
}

const struct chart_kind chart_roofline = {roofline_height, roofline_draw};

/* Where value = ratio x runs through the area; false: nowhere. */
static bool ratio_line(const struct chart_scale *x, const struct chart_scale *y,
                       double ratio, double *from, double *to)
{
    *from = fmax(x->low, y->low / ratio);
    *to = fmin(x->high, y->high / ratio);
    return ratio > 0 && isfinite(ratio) && *from < *to;
}

/* The lines, and what they are in the corner below them, in the same order. */
static void draw_ratios(struct chart_canvas *c, const struct report_figure *f,
                        const struct chart_scale *x, const struct chart_scale *y,
                        struct chart_area area, struct chart_rect words[ROOFS_MAX])
{
    enum { LINE_PX = 16 };
    int n = f->n_roofs < ROOFS_MAX ? f->n_roofs : ROOFS_MAX;
    for (int i = 0; i < n; i++) {
        double ratio = f->roofs[i].tflop_per_s, from, to;
        double w = chart_text_px(f->roofs[i].label, CHART_TEXT_PX);
        double right = area.x + area.w - 6;
        double at = area.y + area.h - 8 - (n - 1 - i) * LINE_PX;
        words[i] = (struct chart_rect){right - w, at - 12, w, 14};
        chart_words(c, right, at, w + 4, ANCHOR_END, TEXT_MUTED, f->roofs[i].label);
        if (ratio_line(x, y, ratio, &from, &to))
            chart_line(c, chart_px(x, from), chart_px(y, from * ratio), chart_px(x, to),
                       chart_px(y, to * ratio), STROKE_ROOF);
    }
}

static void scatter_draw(struct chart_canvas *c, const struct report_figure *f,
                         double width, double top)
{
    double low = HUGE_VAL, high = 0;
    for (int i = 0; i < chart_marks(f); i++) {
        const struct figure_mark *m = &f->marks[i];
        low = fmin(low, fmin(m->x, m->value));
        high = fmax(high, fmax(m->x, m->value));
    }
    low = low > 0 && isfinite(low) ? low : 0.1;
    high = isfinite(high) ? fmax(high, low) * 1.3 : low * 10;
    struct chart_area area = {AXIS_LEFT_PX, top + PANEL_TOP_PX,
                              width - AXIS_LEFT_PX - 8, plot_height(width)};
    struct chart_scale x =
        chart_log(low, high, chart_ticks_for(area.w), area.x, area.x + area.w);
    struct chart_scale y = chart_log(low, high, 6, area.y + area.h, area.y);
    struct chart_rect words[ROOFS_MAX], point[CHART_MARKS_MAX];
    chart_axis_y(c, &y, area, f->y_title);
    chart_axis_x(c, &x, area, f->x_title, false, true);
    draw_ratios(c, f, &x, &y, area, words);
    draw_points(c, f, &x, &y, point);
    label_points(c, f, &x, &y, area, point, words, (struct chart_rect){0});
    draw_legend(c, f, width, area.y + area.h + CHART_AXIS_PX + 12);
}

const struct chart_kind chart_scatter = {roofline_height, scatter_draw};
