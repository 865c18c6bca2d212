/* Rows of a comparison as a slope chart and as points, and its steps. */
#include "compare/sample.h"
#include "report/compare/compare_figure.h"
#include "report/compare/compare_report.h"
#include "report/compare/compare_side.h"
#include "report/compare/compare_tables.h"

#include <math.h>
#include <stdlib.h>

enum { SLOPES = 20, POINTS = 400, CAPTURES = 40 };

static int64_t diff_of(const struct match *m)
{
    return m->ns[1] - m->ns[0];
}

static struct str diff_text(struct arena *perm, const struct comparison *c,
                            const struct match *m)
{
    return str_printf(perm, "%+.3f ms", compare_ms(c, diff_of(m)));
}

static struct str label_of(struct arena *perm, const struct compared_row *r)
{
    struct str args = compared_args(r);
    return args.n ? str_printf(perm, "%.*s %.*s", STRF(compared_name(r)), STRF(args))
                  : compared_name(r);
}

struct report_figure compare_slopes(struct arena *perm, const struct comparison *c)
{
    struct report_figure f = figure_titled(
        FIGURE_SLOPE, "slopes", "The largest differences", "", "", "Operation", "");
    int n_noise = 0;
    f.y_title = str_printf(perm, "%.*s, ms", STRF(compare_side_plain(c, 0)));
    f.second_title = str_printf(perm, "%.*s, ms", STRF(compare_side_plain(c, 1)));
    f.value_title = compare_minus(perm, c);
    f.marks = arena_new(perm, struct figure_mark, SLOPES);
    for (int32_t i = 0; i < c->n_rows && f.n_marks < SLOPES; i++) {
        const struct compared_row *r = &c->rows[i];
        const struct match *m = r->match;
        if (m->ns[0] <= 0 || m->ns[1] <= 0 || !diff_of(m))
            continue;
        bool noise = !verdict_is_difference(r->judged.verdict);
        n_noise += noise;
        f.marks[f.n_marks++] =
            (struct figure_mark){.label = label_of(perm, r),
                                 .value_text = diff_text(perm, c, m),
                                 .slot = noise            ? SLOT_OTHER
                                         : diff_of(m) > 0 ? SLOT_RUNTIME
                                                          : SLOT_COMPUTE,
                                 .folded = noise,
                                 .low = compare_ms(c, m->ns[0]),
                                 .high = compare_ms(c, m->ns[1])};
    }
    if (!f.n_marks)
        return figure_without_data(f, S("All matched work takes the same time."));
    f.caption =
        f.n_marks == 1 ? str_printf(perm, "The one matched operation that differs%s",
                                    n_noise ? "; it is within the noise" : "")
        : n_noise
            ? str_printf(perm,
                         "The %d matched operations that differ most; %d of them, "
                         "dashed, are within the noise",
                         f.n_marks, n_noise)
            : str_printf(perm, "The %d matched operations that differ most", f.n_marks);
    f.description = str_printf(perm, "%.*s. The first is %.*s, %.*s.", STRF(f.caption),
                               STRF(f.marks[0].label), STRF(f.marks[0].value_text));
    return f;
}

static enum figure_slot bound_slot(const struct compared_row *r)
{
    static const enum figure_slot slots[] = {[BOUND_NONE] = SLOT_OTHER,
                                             [BOUND_COMPUTE] = SLOT_COMPUTE,
                                             [BOUND_MEMORY] = SLOT_RUNTIME};
    return slots[r->expected.bound[1]];
}

static void add_ratio(struct arena *perm, struct report_figure *f, double ratio,
                      const char *what)
{
    if (isnan(ratio) || !(ratio > 0))
        return;
    int at = f->n_roofs++; /* the steepest first */
    for (; at > 0 && f->roofs[at - 1].tflop_per_s < ratio; at--)
        f->roofs[at] = f->roofs[at - 1];
    f->roofs[at] = (struct figure_roof){
        .label = str_printf(perm, "%s: %.2f", what, ratio), .tflop_per_s = ratio};
}

static void add_points(struct arena *perm, const struct comparison *c,
                       struct report_figure *f)
{
    double most = 1;
    for (int32_t i = 0; i < c->n_rows && f->n_marks < POINTS; i++) {
        const struct match *m = c->rows[i].match;
        if (!m->n[0] || !m->n[1] || m->ns[0] <= 0 || m->ns[1] <= 0 ||
            match_is_recast(m))
            continue;
        most = fmax(most, (double)llabs(diff_of(m)));
        f->marks[f->n_marks++] =
            (struct figure_mark){.label = compared_name(&c->rows[i]),
                                 .value_text = diff_text(perm, c, m),
                                 .slot = bound_slot(&c->rows[i]),
                                 .weight = (double)llabs(diff_of(m)) / most,
                                 .x = (double)m->ns[0] / 1e3 / (double)m->n[0],
                                 .value = (double)m->ns[1] / 1e3 / (double)m->n[1]};
    }
}

struct report_figure compare_scatter(struct arena *perm, const struct comparison *c)
{
    const struct device_spec *devices[2] = {c->of[0]->device, c->of[1]->device};
    struct report_figure f =
        figure_titled(FIGURE_SCATTER, "scatter", "Time of a call on both sides", "", "",
                      "Operation", "");
    f.x_title = str_printf(perm, "%.*s, µs per call", STRF(compare_side_plain(c, 0)));
    f.y_title = str_printf(perm, "%.*s, µs per call", STRF(compare_side_plain(c, 1)));
    f.value_title = compare_minus(perm, c);
    struct str *labels = arena_new(perm, struct str, FIGURE_SLOTS);
    labels[SLOT_OTHER] = S("no model");
    labels[SLOT_COMPUTE] = S("compute");
    labels[SLOT_RUNTIME] = S("memory");
    f.slot_labels = labels;
    f.marks = arena_new(perm, struct figure_mark, POINTS);
    f.roofs = arena_new(perm, struct figure_roof, 3);
    add_points(perm, c, &f);
    if (!f.n_marks)
        return figure_without_data(f, S("No work is matched call by call."));
    add_ratio(perm, &f, 1, "equal time");
    if (devices[0] && devices[1] && !str_eq(devices[0]->name, devices[1]->name)) {
        add_ratio(perm, &f, expected_memory_ratio(devices), "by bandwidth");
        add_ratio(perm, &f, expected_compute_ratio(devices, S("matrix_bf16")),
                  "by bf16 peak");
    }
    int above = 0;
    for (int i = 0; i < f.n_marks; i++)
        above += f.marks[i].value > f.marks[i].x;
    f.caption =
        f.n_marks == 1
            ? str_printf(perm, "The one matched operation takes %s in %.*s",
                         above ? "longer" : "no longer", STRF(compare_side_plain(c, 1)))
            : str_printf(perm,
                         "%d of %d matched operations take longer in %.*s: those above "
                         "the line of equal time",
                         above, f.n_marks, STRF(compare_side_plain(c, 1)));
    f.description = f.caption;
    return f;
}

/* Least, median and greatest step of one capture. */
static bool step_mark(struct arena *perm, const struct comparison *c, int side, int i,
                      struct figure_mark *m)
{
    const struct capture *x = &c->captures[side][i];
    double *ms = arena_new(perm, double, x->n_steps);
    int n = 0;
    for (int k = 0; k < x->n_steps; k++)
        if (x->steps[k].steady)
            ms[n++] = (double)(x->steps[k].end_ns - x->steps[k].start_ns) / 1e6;
    if (!n)
        return false;
    double median = median_of(ms, n);
    *m = (struct figure_mark){
        .label =
            str_printf(perm, "%s%s%.*s", side ? "candidate" : "reference",
                       c->n_captures[side] > 1 ? " " : ": ",
                       STRF(c->n_captures[side] > 1
                                ? str_printf(perm, "%d: %.*s", i + 1, STRF(x->label))
                                : x->label)),
        .value_text = str_printf(perm, "%.3f ms, %d steps from %.3f to %.3f", median, n,
                                 ms[0], ms[n - 1]),
        .slot = side ? SLOT_RUNTIME : SLOT_COMPUTE,
        .value = median,
        .low = ms[0],
        .high = ms[n - 1]};
    return true;
}

struct report_figure compare_steps(struct arena *perm, const struct comparison *c)
{
    struct report_figure f =
        figure_titled(FIGURE_RANGES, "steps", "Steps of each capture", "step, ms",
                      "capture", "Capture", "Median, and all from least to greatest");
    f.marks = arena_new(perm, struct figure_mark, 2 * CAPTURES);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < c->n_captures[side] && i < CAPTURES; i++)
            f.n_marks += step_mark(perm, c, side, i, &f.marks[f.n_marks]);
    if (!f.n_marks)
        return figure_without_data(f, S("No steps are marked in the captures."));
    f.caption = S("Steps from the shortest to the longest, the median between them");
    f.description = str_printf(perm, "%.*s. %.*s: %.*s.", STRF(f.caption),
                               STRF(f.marks[0].label), STRF(f.marks[0].value_text));
    return f;
}
