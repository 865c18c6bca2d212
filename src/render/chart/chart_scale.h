/* chart_scale.h - maps numbers to pixels, and chooses the round numbers on the axes.
 *
 * At most seven ticks, whatever the numbers: the type bounds them. */
#ifndef RENDER_CHART_CHART_SCALE_H
#define RENDER_CHART_CHART_SCALE_H

#include "base/str.h"

enum { CHART_TICKS_MAX = 7 };

struct chart_tick {
    double value;
    char text[32];
};

struct chart_scale {
    double low, high;      /* of the axis: at or outside the data */
    double from_px, to_px; /* where they lie */
    bool is_log;
    double low_log10, span_log10; /* of a logarithmic axis: where it begins, how far */
    int n_ticks;
    struct chart_tick ticks[CHART_TICKS_MAX];
};

/* From zero to at least `high`, ticks at 1, 2 or 5 times a power of ten; as many as
 * `ticks_max` allows (2 to 7). With `exact` the axis ends at `high` itself. */
struct chart_scale chart_linear(double high, bool exact, int ticks_max, double from_px,
                                double to_px);

/* Powers of ten around low to high, both > 0; within one or two decades also 2 and 5.
 */
struct chart_scale chart_log(double low, double high, int ticks_max, double from_px,
                             double to_px);

/* Where a value lies; values outside are drawn at the nearer end. */
double chart_px(const struct chart_scale *s, double value);

/* Estimated width of text in pixels, from the widths of the embedded font. */
double chart_text_px(struct str s, double size_px);

/* `s`, repaired (html_text.h) and cut in the middle if wider than `width_px`. */
struct chart_label {
    char text[512];
    struct str s; /* into text */
};
void chart_fit(struct chart_label *label, struct str s, double size_px,
               double width_px);

#endif
