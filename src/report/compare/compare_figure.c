#include "report/compare/compare_figure.h"
#include "report/compare/compare_side.h"

#include "report/compare/compare_report.h"

#include <math.h>

enum { BARS = 14 };

static enum figure_slot slot_of(const struct compared_bar *b)
{
    switch (b->kind) {
    case BAR_COMM:
        return SLOT_COMMUNICATION;
    case BAR_COPY:
        return SLOT_COPY;
    case BAR_IDLE: /* whose own colour is that of the page */
        return SLOT_OTHER;
    default:
        return b->category == WORK_CATEGORIES
                   ? SLOT_COMPUTE
                   : figure_slot_of(work_category_name(b->category));
    }
}

static struct figure_mark mark_of(struct arena *perm, const struct comparison *c,
                                  struct str name, enum figure_slot slot,
                                  const char *letter, int64_t ns)
{
    double ms = compare_ms(c, ns);
    return (struct figure_mark){.label = name,
                                .value_text = fabs(ms) < 0.0005
                                                  ? S("0.000 ms")
                                                  : str_printf(perm, "%+.3f ms", ms),
                                .letter = str_of(letter),
                                .slot = slot,
                                .folded = ns < 0,
                                .value = ms};
}

struct report_figure compare_figure(struct arena *perm, const struct comparison *c)
{
    struct report_figure f =
        figure_titled(FIGURE_BARS, "differences", "Where the difference comes from",
                      "difference, ms", "part", "Part", "");
    f.value_title = compare_minus(perm, c);
    int64_t rest_ns = 0, all_ns = c->window_ns[1] - c->window_ns[0];
    f.marks = arena_new(perm, struct figure_mark, BARS + 1);
    for (int i = 0; i < c->n_bars; i++) {
        const struct compared_bar *b = &c->bars[i];
        int64_t ns = b->ns[1] - b->ns[0];
        if (f.n_marks == BARS - 1 && c->n_bars > BARS)
            rest_ns += ns;
        else if (ns)
            f.marks[f.n_marks++] = mark_of(perm, c, b->name, slot_of(b),
                                           b->kind == BAR_IDLE ? "I" : "", ns);
    }
    if (rest_ns)
        f.marks[f.n_marks++] = mark_of(perm, c, S("all else"), SLOT_OTHER, "", rest_ns);
    if (!f.n_marks)
        return figure_without_data(f,
                                   S("Both sides take the same time in every part."));
    f.caption =
        str_printf(perm,
                   "%.*s takes %.3f ms %s: bars to the right took longer, those to the "
                   "left less",
                   STRF(compare_side_plain(c, 1)), fabs(compare_ms(c, all_ns)),
                   all_ns < 0 ? "less" : "more");
    f.description =
        str_printf(perm, "%.*s. The longest is %.*s, %.*s.", STRF(f.caption),
                   STRF(f.marks[0].label), STRF(f.marks[0].value_text));
    return f;
}
