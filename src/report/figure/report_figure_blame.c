/* Idle time by who is to blame for it: class, what covers it, what has most of it. */
#include "report/figure/report_figures.h"

#include "analysis/model/number_text.h"
#include "base/abilities.h"
#include "base/arena.h"
#include "base/utf8.h"
#include "report/report_detail.h"

#include <math.h>

enum { BLAMES_MAX = 60, LABEL_BYTES = 120 };

enum figure_slot figure_idle_slot(enum idle_class c)
{
    switch (c) {
    case IDLE_PYTHON:
        return SLOT_PYTHON;
    case IDLE_DISPATCH:
    case IDLE_CPU_WORK:
        return SLOT_DISPATCH;
    case IDLE_SYNC:
        return SLOT_WAITING;
    case IDLE_MEMORY:
    case IDLE_LOAD:
    case IDLE_GRAPH:
    case IDLE_RUNTIME:
    case IDLE_LAUNCH:
    case IDLE_FIRST_LAUNCH:
        return SLOT_RUNTIME;
    default:
        return SLOT_OTHER;
    }
}

/* Of the classes that one slot shows, the one that takes half of its time or more;
 * IDLE_CLASSES: none. all_ns: that time. */
static enum idle_class most_of_slot(const struct idle_result *idle, int n_bins,
                                    enum figure_slot slot, double *all_ns)
{
    double all = 0, most_ns = 0;
    enum idle_class most = IDLE_CLASSES;
    for (int c = 0; c < IDLE_CLASSES; c++) {
        if (!idle->class_bins[c] || figure_idle_slot((enum idle_class)c) != slot)
            continue;
        double ns = 0;
        for (int k = 0; k < n_bins; k++)
            ns += (double)idle->class_bins[c][k];
        all += ns;
        most = ns > most_ns ? (enum idle_class)c : most;
        most_ns = fmax(most_ns, ns);
    }
    *all_ns = all;
    return 2 * most_ns >= all ? most : IDLE_CLASSES;
}

/* "loading or compiling", which is no runtime call where Python compiles, if nearly all
 * of it is. */
static struct str runtime_words(const struct idle_result *idle, int n_bins)
{
    double ns;
    enum idle_class c = most_of_slot(idle, n_bins, SLOT_RUNTIME, &ns);
    static const double ALL = 0.9;
    double load_ns = 0;
    for (int k = 0; c == IDLE_LOAD && k < n_bins; k++)
        load_ns += (double)idle->class_bins[c][k];
    if (c == IDLE_LOAD) /* its label is too long for a legend */
        return load_ns >= ALL * ns ? S("loading or compiling")
                                   : S("compiling and runtime calls");
    return c == IDLE_MEMORY || c == IDLE_GRAPH ? idle_class_label(c)
                                               : S("runtime calls");
}

/* What no slot of the host's work shows: waiting for input, where that is nearly all of
 * it, or the class that takes half of it or more. */
static struct str other_words(const struct idle_result *idle, int n_bins)
{
    static const double MOST = 0.9;
    double ns;
    enum idle_class c = most_of_slot(idle, n_bins, SLOT_OTHER, &ns);
    double input_ns = (double)idle->pool_ns[POOL_INPUT];
    bool input = ns > 0 && input_ns >= MOST * ns && ns >= MOST * input_ns;
    return input              ? S("waits for data")
           : c == IDLE_QUEUED ? S("gaps in queued work") /* in legends, without comma */
           : c < IDLE_CLASSES ? idle_class_label(c)
                              : S("other causes");
}

/* What the device waited for, on top of what it does. */
const struct figure_idle_part figure_idle_parts[FIGURE_IDLE_PARTS] = {
    {S_INIT("idle: Python"), SLOT_PYTHON},
    {S_INIT("idle: operators"), SLOT_DISPATCH},
    {S_INIT("idle: runtime calls"), SLOT_RUNTIME},
    {S_INIT("idle: synchronising"), SLOT_WAITING},
    {S_INIT("idle: other causes"), SLOT_OTHER}};

struct str figure_idle_label(struct arena *a, const struct idle_result *idle,
                             int n_bins, int part)
{
    enum figure_slot slot = figure_idle_parts[part].slot;
    return slot == SLOT_RUNTIME ? say(a, "idle: {}", said(runtime_words(idle, n_bins)))
           : slot == SLOT_OTHER ? say(a, "idle: {}", said(other_words(idle, n_bins)))
                                : figure_idle_parts[part].label;
}

struct blame {
    struct arena *a;
    const struct idle_result *idle;
    struct report_figure *f;
    int64_t whole_ns;
};

static void add_cell(struct blame *b, int row, struct str label, int64_t from_ns,
                     int64_t ns, enum figure_slot slot, bool folded)
{
    struct str name = utf8_head(label, LABEL_BYTES);
    double ms = (double)ns / 1e6, pct = 100.0 * (double)ns / (double)b->whole_ns;
    b->f->marks[b->f->n_marks++] = (struct figure_mark){
        .label = name.n < label.n ? str_printf(b->a, "%.*s…", STRF(name)) : name,
        .value_text = number_ms_and_pct(b->a, ms, pct),
        .slot = slot,
        .letter = S(" "), /* of categories only */
        .folded = folded,
        .value = ms,
        .low = (double)from_ns / 1e6,
        .high = (double)(from_ns + ns) / 1e6,
        .x = row,
        .href = S("#t-groups")};
}

/* What many short gaps consist of, the largest class first. */
static void add_parts(struct blame *b, const struct idle_group *g, int64_t from_ns)
{
    bool done[IDLE_CLASSES] = {false};
    for (;;) {
        int best = -1;
        for (int c = 0; c < IDLE_CLASSES; c++)
            if (!done[c] && g->class_us[c] > (best < 0 ? 0 : g->class_us[best]))
                best = c;
        if (best < 0)
            return;
        enum idle_class c = (enum idle_class)best;
        int64_t ns = llround(g->class_us[c] * 1e3);
        add_cell(b, 2, idle_class_label(c), from_ns, ns, figure_idle_slot(c), false);
        from_ns += ns;
        done[best] = true;
    }
}

/* Groups of one class from `from_ns` on, the small ones as one. */
static void add_groups(struct blame *b, enum idle_class c, int64_t from_ns)
{
    const double least_frac = 0.004;
    enum figure_slot slot = figure_idle_slot(c);
    int64_t small_ns = 0, small = 0;
    for (int32_t k = 0; k < b->idle->n_groups; k++) {
        const struct idle_group *g = &b->idle->groups[k];
        if (g->class != c)
            continue;
        if (b->f->n_marks > 2 * BLAMES_MAX - 2 * IDLE_CLASSES ||
            (double)g->total_ns < least_frac * (double)b->whole_ns) {
            small_ns += g->total_ns;
            small++;
            continue;
        }
        if (c == IDLE_HOST_BOUND) {
            add_parts(b, g, from_ns);
            from_ns += g->total_ns;
            continue;
        }
        int64_t leaf_ns = llround(fmin(g->leaf_us * 1e3, (double)g->total_ns));
        add_cell(b, 2, g->blame.n ? g->blame : idle_class_label(c), from_ns,
                 g->total_ns, slot, false);
        if (g->leaf.n && leaf_ns > 0)
            add_cell(b, 3, g->leaf, from_ns, leaf_ns, slot, false);
        from_ns += g->total_ns;
    }
    if (small_ns)
        add_cell(b, 2, str_printf(b->a, "%lld more", (long long)small), from_ns,
                 small_ns, slot, true);
}

static int64_t class_ns(const struct idle_result *idle, enum idle_class c)
{
    int64_t ns = 0;
    for (int32_t k = 0; k < idle->n_groups; k++)
        ns += idle->groups[k].class == c ? idle->groups[k].total_ns : 0;
    return ns;
}

/* The classes, longest first, each with its groups below it. */
static void add_classes(struct blame *b)
{
    bool done[IDLE_CLASSES] = {false};
    int64_t from_ns = 0;
    for (;;) {
        int best = -1;
        for (int c = 0; c < IDLE_CLASSES; c++) {
            int64_t ns = done[c] ? 0 : class_ns(b->idle, (enum idle_class)c);
            if (ns > (best < 0 ? 0 : class_ns(b->idle, (enum idle_class)best)))
                best = c;
        }
        if (best < 0)
            return;
        enum idle_class c = (enum idle_class)best;
        add_cell(b, 1, idle_class_label(c), from_ns, class_ns(b->idle, c),
                 figure_idle_slot(c), false);
        add_groups(b, c, from_ns);
        from_ns += class_ns(b->idle, c);
        done[best] = true;
    }
}

struct report_figure figure_idle_blame(struct arena *a, const struct report *r)
{
    struct report_figure f = figure_titled(
        FIGURE_ICICLE, "c18", "Idle time by class, place and leaf", "idle time, ms",
        "what it is on top", "What", "Time and share of idle time");
    const struct idle_result *idle =
        r->analysis && r->analysis->system ? report_idle(r) : NULL;
    struct blame b = {.a = a, .idle = idle, .f = &f};
    for (int32_t k = 0; idle && k < idle->n_groups; k++)
        b.whole_ns += idle->groups[k].total_ns;
    if (b.whole_ns <= 0)
        return figure_without_data(
            f, say(a,
                   "Without launch calls the causes of idle time are unknown: record "
                   "the host too, with {}.",
                   said(abilities_of(r->meta.how)->host)));
    f.whole = (double)b.whole_ns / 1e6;
    f.marks = arena_new(a, struct figure_mark, 2 * BLAMES_MAX);
    add_cell(&b, 0, S("idle time"), 0, b.whole_ns, SLOT_IDLE, false);
    add_classes(&b);
    const struct idle_group *first = &idle->groups[0];
    bool plain = first->class == IDLE_HOST_BOUND || first->class == IDLE_PEER;
    struct str in = plain ? S("") : first->blame;
    f.caption = str_printf(
        a, "Most idle time: %.*s%s%.*s, %.*s%%", STRF(idle_class_label(first->class)),
        !in.n                          ? ""
        : str_starts(in, S("behind ")) ? " "
                                       : " in ",
        STRF(utf8_head(in, LABEL_BYTES)),
        STRF(number_pct(a, 100.0 * (double)first->total_ns / (double)b.whole_ns)));
    f.description = str_printf(
        a,
        "%d cells, as wide as the idle time: its class, below what covers it, below "
        "that what has most of it. %.*s.",
        f.n_marks, STRF(f.caption));
    return f;
}

struct report_figure figure_idle_causes(struct arena *a, const struct report *r)
{
    struct report_figure f =
        figure_titled(FIGURE_BARS, "c10", "Idle time by cause", "time, ms", "cause",
                      "Cause", "Time and share of idle time");
    bool of_one = r->gpus.n && r->gpus.decides >= 0;
    f.whole = of_one ? idle_result_ms(report_idle(r)) : r->timeline.idle_ms;
    struct report_idle_cause causes[IDLE_CLASSES];
    int n = report_idle_causes(r->analysis, causes);
    if (!n)
        return figure_without_data(
            f, say(a,
                   "Without launch calls the causes of idle time are unknown: record "
                   "the host too, with {}.",
                   said(abilities_of(r->meta.how)->host)));
    f.marks = arena_new(a, struct figure_mark, n);
    for (const struct report_idle_cause *c = causes; c < causes + n; c++)
        f.marks[f.n_marks++] = (struct figure_mark){
            .label = c->label,
            .value_text = number_ms_and_pct(a, c->total_ms, c->idle_pct),
            .letter = S(" "),
            .slot = figure_idle_slot(c->class),
            .value = c->total_ms};
    struct str whose =
        of_one ? say(a, " of GPU {}", said(r->gpus.list[r->gpus.decides].name)) : S("");
    f.caption =
        say(a, "{}% of idle time{}: {}", said(number_pct(a, causes[0].idle_pct)),
            said(whose), said(causes[0].label));
    f.description = str_printf(a, "%d bars. %.*s.", f.n_marks, STRF(f.caption));
    return f;
}
