#include "report/figure/report_figures.h"

#include "analysis/model/number_text.h"
#include "base/arena.h"
#include "base/duration.h"
#include "base/utf8.h"
#include "ops/timeline_data.h"
#include "report/report_detail.h"

#include <math.h>

enum {
    MAX_BARS = 14,
    MAX_PARETO = 24, /* their picture stays below 120 kB */
    MAX_GAINS = 20,
    MAX_SHARES = 60,
    MAX_POINTS = 200
};

struct str figure_comm_clause(struct arena *a, const struct report_timeline *l)
{
    if (l->exposed_comm_pct < 5.0)
        return S("");
    return say(a, " ({}% with communication alone)",
               said(number_pct(a, l->exposed_comm_pct)));
}

static struct str wall_caption(struct arena *a, const struct report_timeline *l,
                               bool several)
{
    return say(a, "{} busy for {}% of {}{} and {} for {}%",
               said(several ? "At least one GPU is" : "The GPU is"),
               said(number_pct(a, l->busy_pct)), said(number_time(a, l->total_ms)),
               said(figure_comm_clause(a, l)), said(several ? "all are idle" : "idle"),
               said(number_pct(a, l->idle_pct)));
}

enum { BUSY_MARKS = 3 };
static const double BUSY_SEEN_PCT = 0.05; /* "0.0%" says nothing */

/* "712 ms, 59.6%". */
static struct str part_text(struct arena *a, double ms, double pct)
{
    int64_t whole = llround(ms);
    struct str time = whole < 1000      ? number_rate(a, ms)
                      : whole < 1000000 ? str_printf(a, "%d,%03d", (int)(whole / 1000),
                                                     (int)(whole % 1000))
                                        : number_fixed(a, ms, 0);
    return say(a, "{} ms, {}%", said(time), said(number_pct(a, pct)));
}

/* Idle time by what the host does meanwhile, with what is too little to see as one. */
static void add_idle_marks(struct arena *a, const struct report *r,
                           struct report_figure *f)
{
    const double SEEN_PCT = 0.5, MOST = 0.9;
    const struct report_timeline *l = &r->timeline;
    double left_ms = l->idle_ms, by_ms[FIGURE_SLOTS] = {0};
    int busy = f->n_marks;
    for (int c = 0; c < IDLE_CLASSES && r->analysis; c++)
        by_ms[figure_idle_slot((enum idle_class)c)] +=
            ms_of(report_system(r)->idle.class_ns[c]);
    for (int p = 0; p < FIGURE_IDLE_PARTS; p++) {
        enum figure_slot slot = figure_idle_parts[p].slot;
        bool rest = slot == SLOT_OTHER;
        double ms = rest ? left_ms : fmin(by_ms[slot], left_ms);
        double pct = 100.0 * ms / l->total_ms;
        if (!(ms > 0) || (!rest && pct < SEEN_PCT))
            continue;
        left_ms -= ms;
        struct str label = figure_idle_parts[p].label;
        if (r->over_time && by_ms[slot] >= MOST * ms)
            label =
                figure_idle_label(a, &report_system(r)->idle, r->over_time->n_bins, p);
        f->marks[f->n_marks] =
            (struct figure_mark){.label = rest && f->n_marks == busy
                                              ? S("Idle")
                                              : say(a, "I{}", said(str_skip(label, 1))),
                                 .value_text = part_text(a, ms, pct),
                                 .slot = rest ? SLOT_IDLE : slot,
                                 .value = ms};
        f->n_marks++;
    }
}

struct report_figure figure_wall_time(struct arena *a, const struct report *r)
{
    const struct report_timeline *l = &r->timeline;
    const struct {
        struct str label;
        enum figure_slot slot;
        double ms, pct;
    } parts[] = {
        {S_INIT("Computation"), SLOT_COMPUTE, l->computation_ms, l->computation_pct},
        {S_INIT("Exposed communication"), SLOT_COMMUNICATION, l->exposed_comm_ms,
         l->exposed_comm_pct},
        {S_INIT("Exposed copies"), SLOT_COPY, l->exposed_memcpy_ms,
         l->exposed_memcpy_pct}};
    struct report_figure f =
        figure_titled(FIGURE_STACK, "c1", "Where wall time goes", "time, ms", "",
                      "Part", "Time and share of total time");
    f.whole = l->total_ms;
    if (!(l->total_ms > 0.0))
        return figure_without_data(f, S("There is no device time in this trace."));
    f.marks = arena_new(a, struct figure_mark, BUSY_MARKS + FIGURE_IDLE_PARTS);
    struct str told = S("");
    for (int k = 0; k < BUSY_MARKS; k++)
        if (parts[k].pct >= BUSY_SEEN_PCT)
            f.marks[f.n_marks++] = (struct figure_mark){
                .label = parts[k].label,
                .value_text = part_text(a, parts[k].ms, parts[k].pct),
                .slot = parts[k].slot,
                .value = parts[k].ms,
            };
    add_idle_marks(a, r, &f);
    for (int k = 0; k < f.n_marks; k++)
        told = say(a, "{}{} {}", said(told),
                   said(k ? say(a, "; {}", said(f.marks[k].label)) : f.marks[k].label),
                   said(f.marks[k].value_text));
    f.caption = wall_caption(a, l, r->gpus.n > 0);
    f.description =
        say(a, "One bar of {}: {}.", said(number_time(a, l->total_ms)), said(told));
    return f;
}

static struct str largest_categories(struct arena *a, const struct report *r)
{
    const struct report_category *c = r->categories;
    if (r->n_categories == 1)
        return str_printf(a, "All kernel time is %.*s", STRF(c[0].label));
    struct str both = number_pct(a, c[0].share_pct + c[1].share_pct);
    return str_printf(a, "%.*s and %.*s take %.*s%% of kernel time", STRF(c[0].label),
                      STRF(c[1].label), STRF(both));
}

struct report_figure figure_categories(struct arena *a, const struct report *r)
{
    struct report_figure f =
        figure_titled(FIGURE_BARS, "c2", "Kernel time by category", "time, ms",
                      "category", "Category", "Time and share of kernel time");
    f.half = true;
    for (int k = 0; k < r->n_categories; k++)
        f.whole += r->categories[k].time_ms;
    if (!r->n_categories)
        return figure_without_data(
            f, S("No device work is attributed to operations: the trace has no host "
                 "operations, or no device work."));
    int n = r->n_categories < MAX_BARS ? r->n_categories : MAX_BARS;
    f.marks = arena_new(a, struct figure_mark, n);
    for (int k = 0; k < n; k++) {
        const struct report_category *c = &r->categories[k];
        f.marks[f.n_marks++] = (struct figure_mark){
            .label = c->label,
            .letter = figure_category_letter(c->id, c->label),
            .value_text = number_ms_and_pct(a, c->time_ms, c->share_pct),
            .slot = c->slot,
            .value = c->time_ms,
        };
    }
    f.caption = largest_categories(a, r);
    f.description = str_printf(a, "Bars of %d %s; the longest, %.*s, is %.*s.", n,
                               str_plural(n, "category", "categories"),
                               STRF(f.marks[0].label), STRF(f.marks[0].value_text));
    return f;
}

/* Of total time: a smaller gain is not drawn. */
#define GAIN_DRAWN_PCT 0.1

struct report_figure figure_gains(struct arena *a, const struct report *r)
{
    struct report_figure f =
        figure_titled(FIGURE_RANGES, "c3", "What each finding could save, estimated",
                      "time saved, ms", "finding", "Finding",
                      "Estimated gain and share of total time");
    f.second_title = S("of total time, %");
    f.whole = r->timeline.total_ms;
    const struct report_finding *largest = NULL;
    struct impact_range largest_gain = {0};
    f.marks = arena_new(a, struct figure_mark, MAX_GAINS);
    for (int k = 0; k < r->n_findings && f.n_marks < MAX_GAINS; k++) {
        const struct report_finding *x = &r->findings[k];
        bool then = x->of->until >= 0; /* once the host keeps up */
        const struct impact_range *gain = then ? &x->of->impact_then : &x->of->impact;
        if (!(gain->low_ms >= 0) || x->of->informational ||
            gain->high_pct < GAIN_DRAWN_PCT)
            continue;
        if (!largest || gain->high_ms > largest_gain.high_ms) {
            largest = x;
            largest_gain = *gain;
        }
        struct str ms = number_span_ms(a, gain->low_ms, gain->high_ms);
        struct str pct = number_span_pct(a, gain->low_pct, gain->high_pct);
        f.marks[f.n_marks++] = (struct figure_mark){
            .label = str_printf(a, "%.*s %.*s", STRF(x->rank), STRF(x->of->title)),
            .letter = figure_category_letter(work_category_name(x->of->category),
                                             work_category_display(x->of->category)),
            .value_text = str_printf(a, "%.*s ms, %.*s%%%s", STRF(ms), STRF(pct),
                                     then ? ", once the host keeps up" : ""),
            .slot = x->slot,
            .low = gain->low_ms,
            .high = gain->high_ms,
            .value = (gain->low_ms + gain->high_ms) / 2.0,
        };
    }
    if (!largest)
        return figure_without_data(
            f, S("No finding would save 0.1% of total time."));
    struct str pct = number_pct(a, largest_gain.high_pct);
    f.caption = str_printf(a,
                           "The largest single gain is up to %.*s%% of total time "
                           "(%.*s%s); gains are not additive",
                           STRF(pct), STRF(largest->rank),
                           largest->of->until < 0 ? "" : ", once the host keeps up");
    f.description = str_printf(a,
                               "Ranges from low to high estimate for %d %s, in the "
                               "order of the list.",
                               f.n_marks, str_plural(f.n_marks, "finding", "findings"));
    return f;
}

/* Of "cudaGraphLaunch->kernel (Synthetic Op)", what device work without an operator is
 * called, the kernel: the rest is the same in every row. */
static struct str distinct_name(struct str name)
{
    const struct str suffix = S(" (Synthetic Op)");
    ptrdiff_t arrow = str_find(name, S("->"));
    if (!str_ends(name, suffix) || arrow < 0)
        return name;
    return str_head(str_skip(name, arrow + 2), name.n - arrow - 2 - suffix.n);
}

/* Name and as much of the arguments as helps to distinguish rows. */
static struct str op_label(struct arena *a, const struct report_op *op)
{
    enum { ARGS_BYTES = 48 };
    struct str name = distinct_name(op->row->name);
    if (!op->row->args.n)
        return name;
    struct str args = utf8_head(op->row->args, ARGS_BYTES);
    return str_printf(a, "%.*s %.*s%s", STRF(name), STRF(args),
                      args.n < op->row->args.n ? "…" : "");
}

/* Operations in scope, by time: index k of n. */
struct scope {
    const struct report *r;
    const struct report_category *category; /* NULL: all */
    int n;
    double whole_ms;
};

static struct scope scope_of(const struct report *r, int category)
{
    struct scope s = {.r = r, .n = r->n_ops};
    if (category >= 0) {
        s.category = &r->categories[category];
        s.n = s.category->n_ops;
    }
    for (int k = 0; k < s.n; k++)
        s.whole_ms += r->ops[s.category ? s.category->ops[k] : k].row->time_ms;
    return s;
}

static const struct report_op *scope_op(const struct scope *s, int k)
{
    return &s->r->ops[s->category ? s->category->ops[k] : k];
}

static enum figure_slot op_slot(const struct report_op *op)
{
    return figure_slot_of(work_category_name(op->row->category));
}

/* How many operations have a bar of their own: those that make up 99 % of the time, and
 * the rest as one; all, if the rest would be a single one. */
static int pareto_bars(const struct scope *s)
{
    double sum = 0.0;
    int n = 0;
    while (n < s->n && n < MAX_PARETO - 1 && sum < 0.99 * s->whole_ms)
        sum += scope_op(s, n++)->row->time_ms;
    return s->n - n == 1 ? s->n : n;
}

static void add_pareto_marks(struct arena *a, const struct scope *s,
                             struct report_figure *f)
{
    int n = pareto_bars(s);
    double shown = 0.0;
    f->marks = arena_new(a, struct figure_mark, n + 1);
    for (int k = 0; k < n; k++) {
        const struct report_op *op = scope_op(s, k);
        shown += op->row->time_ms;
        f->marks[f->n_marks++] = (struct figure_mark){
            .label = op_label(a, op),
            .value_text = number_ms_and_pct(a, op->row->time_ms,
                                            100.0 * op->row->time_ms / s->whole_ms),
            .slot = op_slot(op),
            .value = op->row->time_ms,
        };
    }
    if (n == s->n)
        return;
    double rest = s->whole_ms > shown ? s->whole_ms - shown : 0.0;
    f->marks[f->n_marks++] = (struct figure_mark){
        .label = str_printf(a, "other, %d %s", s->n - n,
                            str_plural(s->n - n, "operation", "operations")),
        .value_text = number_ms_and_pct(a, rest, 100.0 * rest / s->whole_ms),
        .slot = SLOT_OTHER,
        .folded = true,
        .value = rest,
    };
}

struct report_figure figure_pareto(struct arena *a, const struct report *r,
                                   int category)
{
    struct scope s = scope_of(r, category);
    const char *of = s.category ? "of the category" : "of kernel time";
    struct report_figure f = figure_titled(FIGURE_PARETO, "c4", "Operations by time",
                                           "time, ms", "operation", "Operation", "");
    f.second_title = str_printf(a, "%s, %%", of);
    f.value_title = s.category ? S("Time and share of the category")
                               : S("Time and share of kernel time");
    f.whole = s.whole_ms;
    if (!(s.whole_ms > 0.0))
        return figure_without_data(
            f, S("No device work is attributed to operations here."));
    add_pareto_marks(a, &s, &f);
    double half = 0.0;
    int n = 0, shapes = 0;
    for (; n < s.n && half < 0.8 * s.whole_ms; n++) {
        half += scope_op(&s, n)->row->time_ms;
        shapes += work_row_shapes(scope_op(&s, n)->row);
    }
    struct str pct = number_pct(a, 100.0 * half / s.whole_ms);
    f.caption =
        shapes > n ? str_printf(a, "%d operations are %.*s%% %s", shapes, STRF(pct), of)
        : n == 1
            ? str_printf(a, "One operation is %.*s%% %s", STRF(pct), of)
            : str_printf(a, "%d of %d operations are %.*s%% %s", n, s.n, STRF(pct), of);
    f.description =
        str_printf(a, "Bars and their running sum; the first is %.*s with %.*s.",
                   STRF(f.marks[0].label), STRF(f.marks[0].value_text));
    return f;
}

static struct figure_mark share_mark(struct arena *a, const struct scope *s,
                                     const struct report_op *op, double from_pct)
{
    double share = 100.0 * op->row->time_ms / s->whole_ms;
    bool known = !isnan(op->row->efficiency.percent);
    struct str reached =
        known ? number_pct(a, op->row->efficiency.percent) : S("unknown");
    return (struct figure_mark){
        .label = op_label(a, op),
        .value_text = str_printf(a, "%.*s%s, %.*s%%", STRF(reached), known ? "%" : "",
                                 STRF(number_pct(a, share))),
        .slot = op_slot(op),
        .value = known ? op->row->efficiency.percent : (double)NAN,
        .low = from_pct,
        .high = from_pct + share,
    };
}

/* By time, each beside the one before; returns the share below half of its roof. */
static double add_share_marks(struct arena *a, const struct scope *s,
                              struct report_figure *f)
{
    int n = 0;
    double pct = 0.0, below_pct = 0.0;
    f->marks = arena_new(a, struct figure_mark, MAX_SHARES);
    while (n < s->n && n < MAX_SHARES - 1) {
        const struct report_op *op = scope_op(s, n++);
        struct figure_mark m = share_mark(a, s, op, pct);
        f->marks[f->n_marks++] = m;
        below_pct += m.value < 50.0 ? m.high - m.low : 0.0;
        pct = m.high;
    }
    if (n < s->n)
        f->marks[f->n_marks++] = (struct figure_mark){
            .label = str_printf(a, "other, %d %s", s->n - n,
                                str_plural(s->n - n, "operation", "operations")),
            .value_text = str_printf(a, "several, %.*s%%",
                                     STRF(number_pct(a, fmax(0.0, 100.0 - pct)))),
            .slot = SLOT_OTHER,
            .folded = true,
            .value = (double)NAN,
            .low = pct,
            .high = 100.0,
        };
    return below_pct;
}

struct report_figure figure_efficiency(struct arena *a, const struct report *r,
                                       int category)
{
    struct scope s = scope_of(r, category);
    const char *of = s.category ? "of the category" : "of kernel time";
    struct report_figure f =
        figure_titled(FIGURE_SHARES, "c6", "Efficiency against share", "", "% of roof",
                      "Operation", "");
    f.half = true;
    f.x_title = str_printf(a, "%s, %%", of);
    f.value_title = str_printf(a, "%% of roof, and %s", of);
    int known = 0;
    for (int k = 0; k < s.n; k++)
        known += !isnan(scope_op(&s, k)->row->efficiency.percent);
    if (!known || !(s.whole_ms > 0.0))
        return figure_without_data(
            f,
            r->device.known
                ? S("No operation here has a performance model and a peak to compare "
                    "it with, so efficiency is unknown.")
                : str_printf(a, "%.*s So efficiency is unknown.",
                             STRF(r->device.missing)));
    double below_pct = add_share_marks(a, &s, &f);
    f.caption = str_printf(a, "%.*s%% %s is spent below half of the roof",
                           STRF(number_pct(a, below_pct)), of);
    f.description = str_printf(
        a,
        "A bar for each operation, as wide as its share and as high as its efficiency, "
        "by time; outlined where that is unknown. The first is %.*s with %.*s.",
        STRF(f.marks[0].label), STRF(f.marks[0].value_text));
    return f;
}

struct report_figure figure_durations(struct arena *a, const struct report *r,
                                      int category)
{
    const struct duration_bins *d =
        category < 0 ? &r->durations : &r->categories[category].durations;
    struct report_figure f = figure_titled(
        FIGURE_HISTOGRAM, "c5", "How long kernels run",
        "kernel duration, µs (log scale)", "launches", "Duration", "Launches");
    f.half = true;
    f.second_title = S("total, ms");
    int first = 0, last = DURATION_BINS - 1;
    int64_t n = 0, n_short = 0;
    while (first <= last && !d->count[first])
        first++;
    while (last >= first && !d->count[last])
        last--;
    if (first > last)
        return figure_without_data(f, S("No kernel ran here."));
    f.marks = arena_new(a, struct figure_mark, last - first + 1);
    for (int k = first; k <= last; k++) {
        double low = duration_edge_us(k), high = duration_edge_us(k + 1);
        n += d->count[k];
        n_short += high <= 10.0 ? d->count[k] : 0;
        f.marks[f.n_marks++] = (struct figure_mark){
            .label = str_printf(a, "%.*s to %.*s µs", STRF(number_rate(a, low)),
                                STRF(number_rate(a, high))),
            .slot = category < 0 ? SLOT_COMPUTE : r->categories[category].slot,
            .value = (double)d->count[k],
            .low = low,
            .high = high,
            .second = (double)d->total_ns[k] / 1e6,
        };
    }
    struct str pct = number_pct(a, 100.0 * (double)n_short / (double)n);
    f.caption =
        n == 1 ? str_printf(a, "The one kernel launch runs for %s 10 µs",
                            n_short ? "less than" : "at least")
               : str_printf(a, "%.*s%% of %lld kernel launches run for less than 10 µs",
                            STRF(pct), (long long)n);
    f.description =
        str_printf(a,
                   "Histogram of %lld %s from %.*s µs to %.*s µs, with the total time "
                   "of each bin.",
                   (long long)n, str_plural(n, "launch", "launches"),
                   STRF(number_rate(a, duration_edge_us(first))),
                   STRF(number_rate(a, duration_edge_us(last + 1))));
    return f;
}

static bool is_point(const struct report_op *op)
{
    return op->group->flop_per_byte > 0.0 && op->group->tflop_per_s > 0.0;
}

static void add_roofs(struct arena *a, const struct report *r, const struct scope *s,
                      struct report_figure *f)
{
    f->memory_tb_per_s = r->device.memory_tb_per_s;
    if (f->memory_tb_per_s > 0.0)
        f->memory_label = str_printf(a, "memory: %.*s TB/s",
                                     STRF(number_rate(a, f->memory_tb_per_s)));
    f->roofs = arena_new(a, struct figure_roof, r->device.n_peaks);
    for (int p = 0; p < r->device.n_peaks; p++) {
        bool used = false;
        for (int k = 0; k < s->n && !used; k++)
            used = is_point(scope_op(s, k)) &&
                   str_eq(scope_op(s, k)->group->compute_spec, r->device.peaks[p].spec);
        if (!used || !(r->device.peaks[p].tflop_per_s > 0.0))
            continue;
        char *words = str_c(a, r->device.peaks[p].spec);
        for (char *c = words; *c; c++)
            *c = *c == '_' ? ' ' : *c;
        struct str rate = number_rate(a, r->device.peaks[p].tflop_per_s);
        f->roofs[f->n_roofs++] = (struct figure_roof){
            .label = str_printf(a, "%s: %.*s TFLOP/s", words, STRF(rate)),
            .brief = str_printf(a, "%s: %.*s", words, STRF(rate)),
            .tflop_per_s = r->device.peaks[p].tflop_per_s};
    }
}

/* As the pages call the categories; a slot shared by several has its own name. */
static const struct str *slot_labels(struct arena *a, const struct report *r)
{
    struct str *labels = arena_new(a, struct str, FIGURE_SLOTS);
    for (int k = 0; k < r->n_categories; k++) {
        const struct report_category *c = &r->categories[k];
        labels[c->slot] = labels[c->slot].n ? figure_slot_name(c->slot) : c->label;
    }
    return labels;
}

/* What takes less than a thousandth of the time does not stretch the axes. */
static bool is_slight(const struct scope *s, const struct report_op *op)
{
    return op->row->time_ms < s->whole_ms / 1000.0;
}

static void add_points(struct arena *a, const struct scope *s, struct report_figure *f)
{
    f->marks = arena_new(a, struct figure_mark, MAX_POINTS);
    for (int k = 0; k < s->n && f->n_marks < MAX_POINTS; k++) {
        const struct report_op *op = scope_op(s, k); /* the longest first */
        if (!is_point(op) || (f->n_marks && is_slight(s, op)))
            continue;
        struct str x = number_rate(a, op->group->flop_per_byte);
        struct str y = number_rate(a, op->group->tflop_per_s);
        struct str e = number_pct(a, op->row->efficiency.percent);
        struct str text =
            str_printf(a, "%.*s FLOP/byte, %.*s TFLOP/s", STRF(x), STRF(y));
        if (!isnan(op->row->efficiency.percent))
            text = str_printf(a, "%.*s, %.*s%% of roof", STRF(text), STRF(e));
        f->marks[f->n_marks++] = (struct figure_mark){
            .label = op_label(a, op),
            .value_text = text,
            .slot = op_slot(op),
            .value = op->group->tflop_per_s,
            .x = op->group->flop_per_byte,
            .weight = op->row->time_ms / s->whole_ms,
            .node = (int32_t)(op - s->r->ops),
        };
    }
}

struct report_figure figure_roofline(struct arena *a, const struct report *r,
                                     int category)
{
    struct scope s = scope_of(r, category);
    struct report_figure f =
        figure_titled(FIGURE_ROOFLINE, "c13", "Roofline: achieved against possible",
                      "FLOP/byte (log scale)", "TFLOP/s (log scale)", "Operation",
                      "Intensity, rate and share of the roof");
    f.half = category >= 0;
    if (s.whole_ms > 0.0)
        add_points(a, &s, &f);
    if (!f.n_marks)
        return figure_without_data(f, S("No operation here has a performance model, so "
                                        "none can be placed under the roof."));
    add_roofs(a, r, &s, &f);
    f.slot_labels = slot_labels(a, r);
    double modelled = 0.0;
    int below = 0, n = 0, known = 0;
    for (int k = 0; k < s.n; k++) {
        const struct report_op *op = scope_op(&s, k);
        if (!is_point(op))
            continue;
        n++;
        modelled += op->row->time_ms;
        known += !isnan(op->row->efficiency.percent);
        below += op->row->efficiency.percent < 40.0;
    }
    struct str share = number_pct(a, 100.0 * modelled / s.whole_ms);
    const char *of = s.category ? "of the category" : "of kernel time";
    f.caption =
        known == 1 ? str_printf(a,
                                "The one operation with a model reaches %s 40%% of the "
                                "roof; it is %.*s%% %s",
                                below ? "less than" : "at least", STRF(share), of)
        : known
            ? str_printf(a,
                         "%d of %d operations with a model reach less than 40%% "
                         "of the roof; together the %d are %.*s%% %s",
                         below, known, known, STRF(share), of)
            : str_printf(a, "%d %s %.*s%% %s; no device is known to compare %s with", n,
                         str_plural(n, "operation with a model is",
                                    "operations with a model are"),
                         STRF(share), of, n == 1 ? "it" : "them");
    f.description = str_printf(
        a, "%d points by arithmetic intensity and achieved rate%s.", f.n_marks,
        n > f.n_marks ? ", those with the most time and 0.1% of it at least; the "
                        "operations table has them all"
                      : "");
    return f;
}
