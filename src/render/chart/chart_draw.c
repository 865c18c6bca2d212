#include "render/chart/chart_draw.h"

#include "render/chart/chart_parts.h"

#include <assert.h>
#include <math.h>

enum { TITLE_LINES_MAX = 3, TITLE_LINE_PX = 20, TITLE_GAP_PX = 12 };

static const struct chart_kind *const kinds[FIGURE_KINDS] = {
    [FIGURE_STACK] = &chart_stack,     [FIGURE_BARS] = &chart_bars,
    [FIGURE_PARETO] = &chart_pareto,   [FIGURE_HISTOGRAM] = &chart_histogram,
    [FIGURE_RANGES] = &chart_ranges,   [FIGURE_ROOFLINE] = &chart_roofline,
    [FIGURE_BINS] = &chart_bins,       [FIGURE_STRIPS] = &chart_strips,
    [FIGURE_LINES] = &chart_lines,     [FIGURE_ICICLE] = &chart_icicle,
    [FIGURE_SHARES] = &chart_shares,   [FIGURE_SLOPE] = &chart_slope,
    [FIGURE_SCATTER] = &chart_scatter, [FIGURE_ROWS] = &chart_rows,
};

/* Takes the words off *s that fit one line of the title. */
static struct str title_line(struct str *s, double width)
{
    *s = str_trim(*s);
    struct str whole = *s;
    ptrdiff_t end = 0;
    for (ptrdiff_t i = 1; i <= whole.n; i++) {
        if (i < whole.n && whole.p[i] != ' ')
            continue;
        if (end > 0 && chart_text_px(str_head(whole, i), CHART_TITLE_PX) > width)
            break;
        end = i;
    }
    *s = str_skip(whole, end);
    return str_head(whole, end);
}

static int title_lines(const struct report_figure *f, double width)
{
    struct str s = f->caption;
    int n = 0;
    while (s.n > 0 && n < TITLE_LINES_MAX) {
        title_line(&s, width);
        n++;
    }
    return n;
}

static double title_height(const struct report_figure *f, double width)
{
    int n = title_lines(f, width);
    return n ? n * TITLE_LINE_PX + TITLE_GAP_PX : 0;
}

double chart_height(const struct report_figure *f, double width, bool titled)
{
    assert(f->n_marks <= CHART_MARKS_MAX);
    return (titled ? title_height(f, width) : 0) +
           ceil(kinds[f->kind]->height(f, width));
}

static void draw_title(struct chart_canvas *c, const struct report_figure *f,
                       double width)
{
    struct str s = f->caption;
    for (int i = 0; i < TITLE_LINES_MAX && s.n > 0; i++) {
        struct chart_label label;
        struct str line = i < TITLE_LINES_MAX - 1 ? title_line(&s, width) : s;
        chart_fit(&label, line, CHART_TITLE_PX, width);
        c->text(c, (struct chart_point){0, 15 + i * TITLE_LINE_PX}, ANCHOR_START,
                TEXT_TITLE, label.s);
        if (i == TITLE_LINES_MAX - 1)
            break;
    }
}

void chart_draw(struct chart_canvas *c, const struct report_figure *f, double width,
                bool titled)
{
    if (titled)
        draw_title(c, f, width);
    kinds[f->kind]->draw(c, f, width, titled ? title_height(f, width) : 0);
}
