#include "analysis/system/pace.h"

#include "analysis/lua/pattern_host.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>

enum { BINS = 48, QUARTERS = 4, FEWEST_CALLS = 6, FEWEST_ROWS = 3 };

static const double LEAST_US = 5;         /* shorter calls are mostly noise */
static const double SLOW = 1.15;          /* of a call, to its row's median */
static const double SLOW_STRETCH = 1.25;  /* of all calls in it together */
static const double SLOWER_AT_END = 1.12; /* last quarter to the first */
static const double MOST = 0.7;           /* of the work, to be work of every kind */
static const double LEAST_PCT = 5;        /* of the run */

struct pace {
    bool slows_down; /* from the beginning to the end; else a stretch is slow */
    double ratio;    /* to what is usual, or to the beginning; 0: the pace is even */
    double from_ms, to_ms; /* of the stretch, after the start of the timeline */
    double excess_ms;      /* device time beyond that of the usual pace */
    int n_rows;            /* kinds of calls that are slow */
};

struct call {
    double at_ms, us;
};

struct bin { /* times in us */
    double took, usual, slow;
};

static struct call call_of(const struct analysis *a, const struct op_group *g,
                           int32_t member)
{
    const struct op_call_row *row = &a->tables->judged.calls.rows[g->members[member]];
    const struct trace_view *v = a->tables->view;
    int64_t start = row->n_kernels ? v->s->start_ns[row->kernels[0]] : 0;
    return (struct call){(double)(start - v->timeline.start_ns) / 1e6,
                         row->n_kernels ? (double)row->direct_ns / 1e3 : 0};
}

/* Calls that do the same: without shapes, nobody knows. */
static bool is_steady_work(const struct op_group *g)
{
    return g->n >= FEWEST_CALLS && g->members && g->args.dims && !g->first->synthetic &&
           g->direct_us.median >= LEAST_US;
}

typedef void on_row(void *context, const struct analysis *a, const struct op_group *g);

static void each_row(const struct analysis *a, on_row *tell, void *context)
{
    for (int k = 0; k < a->n_by_time; k++) {
        const struct category_result *c = &a->categories[a->by_time[k]];
        for (int32_t i = 0; i < c->n_rows; i++)
            if (is_steady_work(c->rows[i].group))
                tell(context, a, c->rows[i].group);
    }
}

static int part_at(const struct analysis *a, double at_ms, int parts)
{
    double k = at_ms / a->total_ms * parts;
    return !(k > 0) ? 0 : k < parts ? (int)k : parts - 1;
}

static void add_to_bins(void *context, const struct analysis *a,
                        const struct op_group *g)
{
    struct bin *bins = context;
    double usual = g->direct_us.median;
    for (int32_t i = 0; i < g->n; i++) {
        struct call c = call_of(a, g, i);
        struct bin *b = &bins[part_at(a, c.at_ms, BINS)];
        b->took += c.us;
        b->usual += c.us > 0 ? usual : 0;
        b->slow += c.us > SLOW * usual ? usual : 0;
    }
}

static bool is_slow(const struct bin *b)
{
    return b->took > SLOW_STRETCH * b->usual && b->slow >= MOST * b->usual;
}

/* The bins [from, to) of the slow stretch that costs most. Empty bins join. */
static struct bin slow_stretch(const struct bin *bins, int *from, int *to)
{
    struct bin best = {0, 0, 0};
    for (int k = 0; k < BINS; k++) {
        struct bin sum = {0, 0, 0};
        for (int end = k; end < BINS && (is_slow(&bins[end]) || !(bins[end].usual > 0));
             end++) {
            sum.took += bins[end].took;
            sum.usual += bins[end].usual;
            if (bins[end].usual > 0 && sum.took - sum.usual > best.took - best.usual) {
                best = sum;
                *from = k;
                *to = end + 1;
            }
        }
    }
    return best;
}

struct stretch {
    double from_ms, to_ms; /* bins of it */
    double first_ms, last_ms;
    int n_rows;
};

static void look_inside(void *context, const struct analysis *a,
                        const struct op_group *g)
{
    struct stretch *s = context;
    double took = 0, usual = 0;
    for (int32_t i = 0; i < g->n; i++) {
        struct call c = call_of(a, g, i);
        if (c.at_ms < s->from_ms || c.at_ms >= s->to_ms || !(c.us > 0))
            continue;
        took += c.us;
        usual += g->direct_us.median;
        if (c.us <= SLOW * g->direct_us.median)
            continue;
        s->first_ms = fmin(s->first_ms, c.at_ms);
        s->last_ms = fmax(s->last_ms, c.at_ms + c.us / 1e3);
    }
    s->n_rows += took > SLOW * usual && usual > 0;
}

static struct pace find_stretch(const struct analysis *a, const struct bin *bins)
{
    int from = 0, to = 0;
    double all_usual = 0, bin_ms = a->total_ms / BINS;
    struct bin sum = slow_stretch(bins, &from, &to);
    for (int k = 0; k < BINS; k++)
        all_usual += bins[k].usual;
    struct stretch s = {from * bin_ms, to * bin_ms, (double)INFINITY, 0, 0};
    each_row(a, look_inside, &s);
    if (!(sum.usual > 0) || sum.usual > 0.5 * all_usual || s.n_rows < FEWEST_ROWS)
        return (struct pace){.ratio = 0};
    return (struct pace){false,     sum.took / sum.usual,         s.first_ms,
                         s.last_ms, (sum.took - sum.usual) / 1e3, s.n_rows};
}

struct quarters {
    struct bin of[QUARTERS]; /* of rows with calls in the first and in the last */
    double slower, all;      /* work of such rows that are slower in the last, in us */
    int n_rows;
};

static void add_to_quarters(void *context, const struct analysis *a,
                            const struct op_group *g)
{
    struct quarters *q = context;
    struct bin own[QUARTERS] = {{0, 0, 0}};
    for (int32_t i = 0; i < g->n; i++) {
        struct call c = call_of(a, g, i);
        struct bin *b = &own[part_at(a, c.at_ms, QUARTERS)];
        b->took += c.us;
        b->usual += c.us > 0 ? g->direct_us.median : 0;
    }
    struct bin *first = &own[0], *last = &own[QUARTERS - 1];
    if (!(first->usual > 0) || !(last->usual > 0))
        return;
    for (int k = 0; k < QUARTERS; k++) {
        q->of[k].took += own[k].took;
        q->of[k].usual += own[k].usual;
    }
    bool slower =
        last->took / last->usual > (1 + SLOWER_AT_END) / 2 * first->took / first->usual;
    q->all += g->direct_us.sum;
    q->slower += slower ? g->direct_us.sum : 0;
    q->n_rows += slower;
}

static struct pace find_slowing(const struct analysis *a)
{
    struct quarters q = {.n_rows = 0};
    each_row(a, add_to_quarters, &q);
    if (q.n_rows < FEWEST_ROWS || q.slower < MOST * q.all)
        return (struct pace){.ratio = 0};
    double rate[QUARTERS], took = 0, usual = 0;
    for (int k = 0; k < QUARTERS; k++) {
        rate[k] = q.of[k].usual > 0 ? q.of[k].took / q.of[k].usual : 0;
        took += q.of[k].took;
        usual += q.of[k].usual;
        if (k && rate[k] < 1.01 * rate[k - 1])
            return (struct pace){.ratio = 0};
    }
    double ratio = rate[QUARTERS - 1] / rate[0];
    /* A quarter's rate is that of its middle: what it was at the very beginning. */
    double begin = rate[0] - (rate[QUARTERS - 1] - rate[0]) / (2 * (QUARTERS - 1));
    return (struct pace){true,        ratio >= SLOWER_AT_END ? ratio : 0, 0,
                         a->total_ms, (took - usual * begin) / 1e3,       q.n_rows};
}

static struct pace measure(struct arena tmp, const struct analysis *a)
{
    if (!(a->total_ms > 0) || !a->tables->view)
        return (struct pace){.ratio = 0};
    struct pace slowing = find_slowing(a);
    if (slowing.ratio > 0)
        return slowing;
    struct bin *bins = arena_new(&tmp, struct bin, BINS);
    each_row(a, add_to_bins, bins);
    return find_stretch(a, bins);
}

void pace_finding(struct arena *perm, struct arena tmp, struct analysis *a)
{
    struct pace p = measure(tmp, a);
    double pct = pct_of(p.excess_ms, a->total_ms);
    if (!(p.ratio > 0) || pct < LEAST_PCT || !a->patterns)
        return;
    const struct work_fact facts[] = {
        FACT("slows_down", p.slows_down), FACT("ratio", p.ratio),
        FACT("from_ms", p.from_ms),       FACT("to_ms", p.to_ms),
        FACT("excess_ms", p.excess_ms),   FACT("kinds", p.n_rows)};
    int n;
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("pace"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    if (n == 0)
        return;
    static const double bounds[4] = {30, 15, 5, 2};
    struct finding *f = add_system_finding(perm, a, WORK_MULTI_KERNEL, hits[0].id,
                                           S("device"), p.excess_ms);
    f->about = ABOUT_PACE;
    f->title = hits[0].title;
    f->issue = hits[0].issue;
    f->algorithmic = hits_text(perm, hits, n, false);
    f->kernel = hits_text(perm, hits, n, true);
    f->priority = severity_priority(severity_above(pct, bounds));
    f->priority_basis = say(perm, "{}% of total time", said_pct(pct));
    f->confidence = CONFIDENCE_MEDIUM;
    f->count = p.n_rows;
    f->impact = f->impact_kernel =
        impact_of_ms(a, 0.8 * p.excess_ms, p.excess_ms,
                     S("80% to all of the time beyond the usual pace"));
    evidence(perm, f, "{} kinds of calls are slow at once, by {} ms in all.",
             said(p.n_rows), said_ms(p.excess_ms));
    work_set(perm, a, FACT("slow_device", 1));
}
