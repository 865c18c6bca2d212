/* chart_parts.h - parts shared by all kinds of charts: axes, the label column, one
 * area.
 *
 * Internal to chart_draw; nothing else includes it. */
#ifndef RENDER_CHART_CHART_PARTS_H
#define RENDER_CHART_CHART_PARTS_H

#include "render/chart/chart_canvas.h"
#include "render/chart/chart_scale.h"

struct chart_area {
    double x, y, w, h;
};

/* Each kind draws below `top` at `width`, and knows its height beforehand. */
struct chart_kind {
    double (*height)(const struct report_figure *f, double width);
    void (*draw)(struct chart_canvas *c, const struct report_figure *f, double width,
                 double top);
};

extern const struct chart_kind chart_stack, chart_bars, chart_pareto, chart_ranges,
    chart_histogram, chart_roofline, chart_bins, chart_strips, chart_lines,
    chart_icicle, chart_shares, chart_slope, chart_scatter, chart_rows;

int chart_marks(const struct report_figure *f); /* n_marks within CHART_MARKS_MAX */
struct str chart_letter(const struct figure_mark *m);

/* The slots that marks have, each once, in their order; returns how many. */
int chart_slots_used(const struct report_figure *f,
                     enum figure_slot used[FIGURE_SLOTS]);
/* What the legend calls a slot: the figure's own word for it, or else its name. */
struct str chart_slot_label(const struct report_figure *f, enum figure_slot slot);
enum chart_fill chart_mark_fill(const struct figure_mark *m);

void chart_line(struct chart_canvas *c, double x1, double y1, double x2, double y2,
                enum chart_stroke stroke);
void chart_words(struct chart_canvas *c, double x, double y, double width_px,
                 enum chart_anchor anchor, enum chart_style style, struct str s);

/* Ticks with grid lines across the area, numbers below (or, with `above`, on top), and
 * the title with its unit at the far end. */
void chart_axis_x(struct chart_canvas *c, const struct chart_scale *s,
                  struct chart_area area, struct str title, bool above, bool grid);
/* The same for a scale from bottom to top, numbers to the left, title over the area. */
void chart_axis_y(struct chart_canvas *c, const struct chart_scale *s,
                  struct chart_area area, struct str title);

/* From 0 to `high` across an area, with the ticks that fit its width. */
struct chart_scale chart_across(double high, struct chart_area area);
int chart_ticks_for(double width_px);

/* A square of 14 px in the colour of a legend's line. */
enum { CHART_SWATCH_PX = 14 };
void chart_swatch(struct chart_canvas *c, double x, double y, enum figure_slot slot,
                  enum chart_fill fill);

enum { CHART_AXIS_PX = 38 }; /* numbers and title below an area */

#endif
