#include "analysis/system/pace.h"

#include "analysis/lua/pattern_host.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/like_work.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"
#include "analysis/system/time_slices.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>

enum {
    BINS = 48,
    QUARTERS = 4,
    PARTS_EACH = 4, /* of a quarter */
    PARTS = PARTS_EACH * QUARTERS,
    FEWEST_EACH = 3, /* calls on each side of a moment */
    FEWEST_ROWS = 3
};

static const double SLOW = 1.15;          /* of a call, to its row's median */
static const double SLOW_STRETCH = 1.25;  /* of all calls in it together */
static const double SLOWER_AT_END = 1.12; /* last quarter to the first */
static const double MOST = 0.7;           /* of the work, to be work of every kind */
static const double HALF = 0.5, ALL = 0.95;
static const double LEAST_PCT = 5; /* of the run */

enum pace_form { PACE_STRETCH, PACE_SLOWS_DOWN, PACE_STAYS_SLOW };

/* Wall time from then on in which any device computes, with what is not compared. */
struct busy {
    double computing_ms, working_ms; /* working: or communicates */
    double starting_ms; /* between such work, while the next one starts: short gaps */
};

struct pace {
    enum pace_form form;
    double ratio;       /* to what is usual, or to the beginning; 0: the pace is even */
    double least, most; /* of PACE_STAYS_SLOW: between parts after and before */
    double mean;        /* of PACE_SLOWS_DOWN: of all calls, to the beginning */
    double from_ms, to_ms; /* of the stretch, after the start of the timeline */
    double excess_ms;      /* device time beyond that of the usual pace */
    struct busy busy;      /* of PACE_STAYS_SLOW */
    int n_rows, n_all;     /* kinds of calls that are slow, of those compared */
    bool by_launch;        /* told apart by their launches, mostly, and not by shapes */
};

struct bin { /* times in us */
    double took, usual, slow;
};

/* To what is usual, or to all before a moment; `none` of an empty part. */
static double pace_in(const struct bin *b, double none)
{
    return b->usual > 0 ? b->took / b->usual : none;
}

static int part_at(const struct analysis *a, double at_ms, int parts)
{
    double k = at_ms / a->total_ms * parts;
    return !(k > 0) ? 0 : k < parts ? (int)k : parts - 1;
}

static void add_to_bins(struct bin *bins, const struct analysis *a,
                        const struct like_kind *g)
{
    double usual = g->median_us;
    for (int32_t i = 0; i < g->n; i++) {
        struct like_call c = g->calls[i];
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
    int n_rows, n_all;
};

static void look_inside(struct stretch *s, const struct like_kind *g)
{
    double took = 0, usual = 0;
    for (int32_t i = 0; i < g->n; i++) {
        struct like_call c = g->calls[i];
        if (c.at_ms < s->from_ms || c.at_ms >= s->to_ms || !(c.us > 0))
            continue;
        took += c.us;
        usual += g->median_us;
        if (c.us <= SLOW * g->median_us)
            continue;
        s->first_ms = fmin(s->first_ms, c.at_ms);
        s->last_ms = fmax(s->last_ms, c.at_ms + c.us / 1e3);
    }
    s->n_rows += took > SLOW * usual && usual > 0;
    s->n_all += usual > 0;
}

static struct pace find_stretch(struct arena tmp, const struct analysis *a,
                                const struct like_work *w)
{
    struct bin *bins = arena_new(&tmp, struct bin, BINS);
    for (int32_t k = 0; k < w->n; k++)
        add_to_bins(bins, a, &w->kinds[k]);
    int from = 0, to = 0;
    double all_usual = 0, bin_ms = a->total_ms / BINS;
    struct bin sum = slow_stretch(bins, &from, &to);
    for (int k = 0; k < BINS; k++)
        all_usual += bins[k].usual;
    struct stretch s = {from * bin_ms, to * bin_ms, (double)INFINITY, 0, 0, 0};
    for (int32_t k = 0; k < w->n; k++)
        look_inside(&s, &w->kinds[k]);
    if (!(sum.usual > 0) || sum.usual > 0.5 * all_usual || s.n_rows < FEWEST_ROWS)
        return (struct pace){.ratio = 0};
    return (struct pace){.form = PACE_STRETCH,
                         .ratio = sum.took / sum.usual,
                         .from_ms = s.first_ms,
                         .to_ms = s.last_ms,
                         .excess_ms = (sum.took - sum.usual) / 1e3,
                         .n_rows = s.n_rows,
                         .n_all = s.n_all};
}

struct course { /* of rows with calls in the first and in the last quarter */
    struct bin of[PARTS];
    double slower, all; /* work of such rows that are slower in the last, in us */
    int n_rows, n_all;
};

static struct bin quarter_of(const struct bin *parts, int quarter)
{
    struct bin sum = {0, 0, 0};
    for (int k = 0; k < PARTS_EACH; k++) {
        sum.took += parts[PARTS_EACH * quarter + k].took;
        sum.usual += parts[PARTS_EACH * quarter + k].usual;
    }
    return sum;
}

static void add_to_course(struct course *c, const struct analysis *a,
                          const struct like_kind *g)
{
    struct bin own[PARTS] = {{0, 0, 0}};
    for (int32_t i = 0; i < g->n; i++) {
        struct like_call of = g->calls[i];
        struct bin *b = &own[part_at(a, of.at_ms, PARTS)];
        b->took += of.us;
        b->usual += of.us > 0 ? g->median_us : 0;
    }
    struct bin first = quarter_of(own, 0), last = quarter_of(own, QUARTERS - 1);
    if (!(first.usual > 0) || !(last.usual > 0))
        return;
    for (int k = 0; k < PARTS; k++) {
        c->of[k].took += own[k].took;
        c->of[k].usual += own[k].usual;
    }
    bool slower =
        last.took / last.usual > (1 + SLOWER_AT_END) / 2 * first.took / first.usual;
    c->all += g->sum_us;
    c->slower += slower ? g->sum_us : 0;
    c->n_rows += slower;
    c->n_all++;
}

/* What the pace was at the very beginning: that of a part is that of its middle. */
static double pace_at_start(const struct bin *parts)
{
    double first = pace_in(&parts[0], 0), second = pace_in(&parts[1], 0);
    return first > 0 && second > first ? first - (second - first) / 2
           : first > 0                 ? first
                                       : second;
}

/* Slower from quarter to quarter; a clock that is at its lowest stays there. */
static struct pace find_slowing(const struct analysis *a, const struct like_work *w)
{
    const double RISES = 1.01, STAYS = 0.99;
    struct course c = {.n_rows = 0};
    for (int32_t k = 0; k < w->n; k++)
        add_to_course(&c, a, &w->kinds[k]);
    if (c.n_rows < FEWEST_ROWS || c.slower < MOST * c.all)
        return (struct pace){.ratio = 0};
    double rate[QUARTERS], took = 0, usual = 0;
    int rises = 0;
    for (int k = 0; k < QUARTERS; k++) {
        struct bin b = quarter_of(c.of, k);
        rate[k] = pace_in(&b, 0);
        took += b.took;
        usual += b.usual;
        if (k && rate[k] < STAYS * rate[k - 1])
            return (struct pace){.ratio = 0};
        rises += k && rate[k] >= RISES * rate[k - 1];
    }
    double ratio = rate[QUARTERS - 1] / rate[0];
    double at_first_pace = usual * pace_at_start(c.of);
    bool slows = ratio >= SLOWER_AT_END && rises >= QUARTERS - 2;
    return (struct pace){.form = PACE_SLOWS_DOWN,
                         .ratio = slows ? ratio : 0,
                         .to_ms = a->total_ms,
                         .mean = took / at_first_pace,
                         .excess_ms = (took - at_first_pace) / 1e3,
                         .n_rows = c.n_rows,
                         .n_all = c.n_all};
}

/* The run cut in two at each bin: calls of rows that have some on both sides. */
struct cuts {
    double took_us[BINS], expected_us[BINS]; /* after it, and at the pace before it */
    double work_us[BINS], slower_us[BINS];   /* on both sides; of slower rows */
    int n_rows[BINS], n_all[BINS];           /* slower ones; with calls on both sides */
    double all_us;
};

/* One kind alone may have had other data. Two are enough where there are no more. */
static bool are_enough(int n_slower, int n_all)
{
    return n_slower >= FEWEST_ROWS || (n_slower >= 2 && n_slower == n_all);
}

static void add_to_cuts(struct cuts *x, const struct analysis *a,
                        const struct like_kind *g)
{
    double us[BINS] = {0}, n[BINS] = {0}, before_us = 0, before = 0, calls = 0;
    for (int32_t i = 0; i < g->n; i++) {
        struct like_call c = g->calls[i];
        int k = part_at(a, c.at_ms, BINS);
        us[k] += c.us;
        n[k] += c.us > 0;
        calls += c.us > 0;
    }
    x->all_us += g->sum_us;
    for (int k = 0; k < BINS; k++) {
        double after = calls - before, after_us = g->sum_us - before_us;
        if (before >= FEWEST_EACH && after >= FEWEST_EACH) {
            double expected_us = before_us / before * after;
            bool slower = after_us > SLOW * expected_us;
            x->took_us[k] += after_us;
            x->expected_us[k] += expected_us;
            x->work_us[k] += g->sum_us;
            x->slower_us[k] += slower ? g->sum_us : 0;
            x->n_rows[k] += slower;
            x->n_all[k]++;
        }
        before_us += us[k];
        before += n[k];
    }
}

/* Work of most kinds: or of half of it, if all of that is slower. Other kinds may only
 * run behind the moment. */
static bool is_most_work(const struct cuts *x, int k)
{
    return (x->work_us[k] >= MOST * x->all_us &&
            x->slower_us[k] >= MOST * x->work_us[k]) ||
           (x->work_us[k] >= HALF * x->all_us &&
            x->slower_us[k] >= ALL * x->work_us[k]);
}

/* The cut before which everything is fastest against what follows; 0: none. */
static int slow_from(const struct cuts *x)
{
    int best = 0;
    double most = SLOW;
    for (int k = 1; k < BINS; k++) {
        double ratio = x->expected_us[k] > 0 ? x->took_us[k] / x->expected_us[k] : 0;
        if (ratio > most && are_enough(x->n_rows[k], x->n_all[k]) &&
            is_most_work(x, k)) {
            most = ratio;
            best = k;
        }
    }
    return best;
}

/* Quarters of the time after a cut, and the halves before it, against all before it. */
struct evenness {
    int cut;
    struct bin after[QUARTERS], before[2];
    double first_ms; /* of the slow calls */
};

static void add_to_evenness(struct evenness *e, const struct analysis *a,
                            const struct like_kind *g)
{
    double cut_ms = a->total_ms * e->cut / BINS, us = 0, n = 0;
    for (int32_t i = 0; i < g->n; i++) {
        struct like_call c = g->calls[i];
        us += c.at_ms < cut_ms ? c.us : 0;
        n += c.at_ms < cut_ms && c.us > 0;
    }
    for (int32_t i = 0; n >= FEWEST_EACH && i < g->n; i++) {
        struct like_call c = g->calls[i];
        double part = c.at_ms < cut_ms ? c.at_ms / cut_ms
                                       : (c.at_ms - cut_ms) / (a->total_ms - cut_ms);
        int k = part > 0 ? (int)(part * (c.at_ms < cut_ms ? 2 : QUARTERS)) : 0;
        struct bin *b = c.at_ms < cut_ms ? &e->before[k < 1 ? 0 : 1]
                                         : &e->after[k < QUARTERS ? k : QUARTERS - 1];
        b->took += c.us;
        b->usual += c.us > 0 ? us / n : 0;
        if (c.at_ms >= cut_ms && c.us > SLOW * us / n)
            e->first_ms = fmin(e->first_ms, c.at_ms);
    }
}

static bool is_paced(const struct bin *b, double low, double high)
{
    return !(b->usual > 0) || (b->took >= low * b->usual && b->took <= high * b->usual);
}

/* From one moment on calls of every kind take longer, and it stays so: power or
 * temperature. What is slower all along, or comes back, is not that. */
static struct pace find_step(struct arena tmp, const struct analysis *a,
                             const struct like_work *w)
{
    struct cuts *x = arena_new(&tmp, struct cuts, 1);
    for (int32_t k = 0; k < w->n; k++)
        add_to_cuts(x, a, &w->kinds[k]);
    struct evenness e = {.cut = slow_from(x), .first_ms = a->total_ms};
    if (!e.cut)
        return (struct pace){.ratio = 0};
    for (int32_t k = 0; k < w->n; k++)
        add_to_evenness(&e, a, &w->kinds[k]);
    double ratio = x->took_us[e.cut] / x->expected_us[e.cut], more = ratio - 1;
    bool even = true;
    for (int k = 0; k < QUARTERS; k++)
        even &= is_paced(&e.after[k], 1 + 0.7 * more, 1 + 1.3 * more);
    for (int k = 0; k < 2; k++)
        even &= is_paced(&e.before[k], 1 - 0.3 * more, 1 + 0.3 * more);
    if (!even)
        return (struct pace){.ratio = 0};
    /* The first quarter may begin before the moment does. */
    struct bin rest = {0, 0, 0};
    double slowest = 0, slow = (double)INFINITY;
    for (int k = 1; k < QUARTERS; k++) {
        slowest = fmax(slowest, pace_in(&e.after[k], 0));
        slow = fmin(slow, pace_in(&e.after[k], (double)INFINITY));
        rest.took += e.after[k].took;
        rest.usual += e.after[k].usual;
    }
    ratio = pace_in(&rest, ratio);
    double before[] = {pace_in(&e.before[0], 1), pace_in(&e.before[1], 1)};
    return (struct pace){.form = PACE_STAYS_SLOW,
                         .ratio = ratio,
                         .least = fmin(ratio, slow / fmax(before[0], before[1])),
                         .most = fmax(ratio, slowest / fmin(before[0], before[1])),
                         .from_ms = e.first_ms,
                         .to_ms = a->total_ms,
                         .n_rows = x->n_rows[e.cut],
                         .n_all = x->n_all[e.cut]};
}

static struct pace measure(struct arena tmp, const struct analysis *a,
                           const struct like_work *w)
{
    struct pace p = find_step(tmp, a, w);
    if (!(p.ratio > 0))
        p = find_slowing(a, w);
    if (!(p.ratio > 0))
        p = find_stretch(tmp, a, w);
    p.by_launch = w->grids_us > w->shapes_us;
    return p;
}

static struct interval_set worked(struct arena *tmp, const struct analysis *a,
                                  double from_ms, bool communicating)
{
    const struct trace_view *v = a->tables->view;
    int64_t from_ns = v->timeline.start_ns + (int64_t)(from_ms * 1e6);
    struct span *spans = arena_take_raw(tmp, sizeof *spans, 8, v->n_counted);
    int32_t n = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k];
        enum gpu_class c = view_class(v, gpu);
        if (v->s->start_ns[gpu] >= from_ns &&
            (c == GPU_COMPUTE || (c == GPU_COMMUNICATION && communicating)))
            spans[n++] = (struct span){v->s->start_ns[gpu], store_end_ns(v->s, gpu)};
    }
    return interval_union(*tmp, spans, n);
}

static struct busy busy_from(struct arena tmp, const struct analysis *a, double from_ms)
{
    const int64_t LATENCY_NS = 20000; /* behind other work: 1 to 3 us, or 9 to 19 */
    struct arena scratch = tmp;
    double computing_ms =
        (double)interval_length_ns(worked(&scratch, a, from_ms, false)) / 1e6;
    struct interval_set x = worked(&tmp, a, from_ms, true);
    int64_t gaps_ns = 0;
    for (ptrdiff_t k = 1; k < x.n; k++) {
        int64_t ns = x.spans[k].start_ns - x.spans[k - 1].end_ns;
        gaps_ns += ns <= LATENCY_NS ? ns : 0;
    }
    return (struct busy){computing_ms, (double)interval_length_ns(x) / 1e6,
                         (double)gaps_ns / 1e6};
}

/* Devices that are slow at once are slow for one time: no stretch ends sooner than its
 * work does at the usual pace. */
static void bound_excess(struct arena tmp, const struct analysis *a, struct pace *p)
{
    double gone = 1 - 1 / p->ratio;
    if (p->form == PACE_STAYS_SLOW) {
        p->busy = busy_from(tmp, a, p->from_ms);
        p->excess_ms = gone * p->busy.computing_ms;
    }
    p->excess_ms = fmin(p->excess_ms, gone * (p->to_ms - p->from_ms));
}

/* At most all that runs then, and starts, would do so at the fastest pace before. Why a
 * stretch is slow is not known. */
static struct impact_range pace_impact(const struct analysis *a, const struct pace *p)
{
    if (p->form == PACE_STAYS_SLOW)
        return impact_of_ms(
            a, fmin(p->excess_ms, p->busy.computing_ms * (1 - 1 / p->least)),
            (p->busy.working_ms + p->busy.starting_ms) * (1 - 1 / p->most),
            S("from the computing time beyond the pace before "
              "to all, with communication and starts"));
    return impact_of_ms(a, 0.8 * p->excess_ms, p->excess_ms,
                        S("80% to all of the time beyond the usual pace"));
}

/* Launches of a kind of which many are interrupted seem to be of many sizes: then they
 * are compared behind the same kernel, and another process hits most of the work. It
 * always hits short kernels and long ones, by the same. */
static struct time_slices find_slices(struct arena tmp, const struct analysis *a,
                                      const struct like_work *w)
{
    const double SPREAD = 2;
    struct time_slices s = time_slices_find(tmp, w);
    if (s.calls && s.spread >= SPREAD)
        return s;
    struct like_work all = like_work_in_sequence(&tmp, a);
    s = time_slices_find(tmp, &all);
    return s.share >= MOST && s.spread >= SPREAD ? s : (struct time_slices){.calls = 0};
}

/* Another process takes its turns: what kernels take for that can all be had back. */
static bool slices_finding(struct arena *perm, struct arena tmp, struct analysis *a,
                           const struct like_work *w)
{
    struct time_slices s = find_slices(tmp, a, w);
    const struct work_fact facts[] = {
        FACT("slice_ms", s.slice_ms), FACT("calls", (double)s.calls),
        FACT("kinds", (double)s.kinds), FACT("excess_ms", s.excess_ms)};
    int n = 0;
    const struct pattern_hit *hits =
        s.calls && pct_of(s.excess_ms, a->total_ms) >= LEAST_PCT
            ? pattern_host_about(a->patterns, perm, a, S("slices"), facts,
                                 (int)(sizeof facts / sizeof *facts), &n)
            : NULL;
    if (n == 0)
        return false;
    struct finding *f = advised_finding(perm, a, hits, n, S("device"), s.excess_ms);
    f->count = s.calls;
    f->impact = f->impact_kernel =
        impact_of_ms(a, 0.9 * s.excess_ms, s.excess_ms,
                     S("90% to all of what calls take beyond the fastest of their "
                       "kind, by a slice or more"));
    return true;
}

void pace_finding(struct arena *perm, struct arena tmp, struct analysis *a)
{
    if (!(a->total_ms > 0) || !a->tables->view || !a->patterns)
        return;
    struct like_work w = like_work_find(&tmp, a);
    if (slices_finding(perm, tmp, a, &w)) {
        work_set(perm, a, FACT("slow_device", 1), FACT("time_sliced", 1));
        return;
    }
    struct pace p = measure(tmp, a, &w);
    if (p.ratio > 0)
        bound_excess(tmp, a, &p);
    double pct = pct_of(p.excess_ms, a->total_ms);
    if (!(p.ratio > 0) || pct < LEAST_PCT)
        return;
    const struct work_fact facts[] = {FACT("slows_down", p.form == PACE_SLOWS_DOWN),
                                      FACT("stays_slow", p.form == PACE_STAYS_SLOW),
                                      FACT("ratio", p.ratio),
                                      FACT("from_ms", p.from_ms),
                                      FACT("to_ms", p.to_ms),
                                      FACT("excess_ms", p.excess_ms),
                                      FACT("by_launch", p.by_launch),
                                      FACT("kinds", p.n_rows),
                                      FACT("kinds_compared", p.n_all)};
    int n;
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("pace"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    if (n == 0)
        return;
    struct finding *f = advised_finding(perm, a, hits, n, S("device"), p.excess_ms);
    f->count = p.n_rows;
    f->slow_from_ms = p.form == PACE_STAYS_SLOW ? p.from_ms : 0;
    f->slow_ratio = p.form == PACE_STAYS_SLOW ? p.ratio : p.mean;
    f->whole_ms = p.busy.working_ms;
    f->impact = f->impact_kernel = pace_impact(a, &p);
    evidence(perm, f, "{} of {} kinds of calls are slow at once, by {} ms in all.",
             said(p.n_rows), said(p.n_all), said_ms(p.excess_ms));
    work_set(perm, a, FACT("slow_device", 1));
}
