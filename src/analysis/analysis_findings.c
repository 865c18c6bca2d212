/* From rows to findings: who claims what, how much it matters, and in what order. */
#include "analysis/analysis_run.h"

#include "analysis/data_quality.h"
#include "analysis/facts/row_facts.h"
#include "analysis/finding_group.h"
#include "analysis/finding_order.h"
#include "analysis/finding_priority.h"
#include "analysis/finding_savings.h"
#include "analysis/finding_text.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "analysis/model/work_facts.h"
#include "analysis/search_waits.h"
#include "analysis/sum_kernels.h"
#include "analysis/system/fusion_facts.h"
#include "analysis/system/unfused_attention.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int best_rank(struct work_row *const *rows, int n)
{
    int best = 0;
    for (int i = 0; i < n; i++)
        if (rows[i]->top_rank > 0 && (best == 0 || rows[i]->top_rank < best))
            best = rows[i]->top_rank;
    return best;
}

static void set_shares(const struct analysis *a, struct finding *f)
{
    f->compute_pct = pct_of(f->time_ms, analysis_compute_ms(a));
    f->total_pct = pct_of(f->time_ms, a->total_ms);
}

static void say_basis(struct arena *perm, struct finding *f)
{
    struct str e = isnan(f->efficiency_pct)
                       ? S("efficiency unknown")
                       : say(perm, "{}% of peak", said_pct(f->efficiency_pct));
    f->priority_basis =
        say(perm, "{}; {}; category {}% of compute; itself {}%",
            said(f->top_rank > 0 ? "among the top operations"
                                 : "not among the top operations"),
            said(e), said_pct(f->category_pct), said_pct(f->compute_pct));
}

static void set_rows(struct arena *perm, struct finding *f,
                     struct work_row *const *rows, int n)
{
    f->rows = arena_new(perm, const struct work_row *, n);
    for (int i = 0; i < n; i++)
        f->rows[i] = rows[i];
    f->n_rows = n;
    f->top_rank = best_rank(rows, n);
}

/* Without a model, but where reading and writing the tensor once bounds the time: the
 * efficiency against that bound, used only for the saving. */
static double streaming_efficiency(const struct finding_group *g)
{
    double bound_ms = 0, ms = 0;
    for (int i = 0; i < g->n_rows; i++) {
        bound_ms += work_number(g->rows[i], "streaming_ms");
        ms += g->rows[i]->time_ms;
    }
    return ms > 0 ? 100 * bound_ms / ms : (double)NAN;
}

/* What products take above the best efficiency of the trace on their size class; NaN if
 * none of them has a peer. */
static double gap_ms(const struct finding_group *g)
{
    double ms = (double)NAN;
    for (int i = 0; g->category == WORK_GEMM && i < g->n_rows; i++) {
        double gap = work_number(g->rows[i], "gap_ms");
        ms = isnan(ms) ? gap : isnan(gap) ? ms : ms + gap;
    }
    return ms;
}

/* The least time that a kernel takes on this device, as far as the trace shows: the
 * mean of the row of kernels whose calls are shortest. us; 0: all have more work. */
static double least_kernel_us(const struct analysis *a)
{
    const double MOST_US = 5; /* a longer kernel is not all start and end */
    const struct kernel_tables *t = &a->tables->kernels;
    double least = 0;
    for (int32_t k = 0; k < t->n; k++) {
        double us = t->rows[k].us.mean;
        least = us > 0 && (least == 0 || us < least) ? us : least;
    }
    return least <= MOST_US ? least : 0;
}

/* From raising efficiency, but no call gets shorter than the shortest kernels. */
static struct impact_range raised_impact(struct arena *perm, const struct analysis *a,
                                         const struct finding *f, double efficiency_pct,
                                         struct expectation x)
{
    struct impact_range r =
        impact_of_efficiency(perm, f->time_ms, efficiency_pct, x, a->total_ms);
    double us = least_kernel_us(a);
    double most_ms = fmax(0, f->time_ms - us * (double)f->count / 1e3);
    if (!(r.high_ms > most_ms))
        return r;
    struct str basis = say(perm,
                           "{}; no call takes less than {} µs, as the shortest "
                           "kernels",
                           said(r.basis), said_fixed(us, 1));
    return impact_of_saving(fmin(r.low_ms, most_ms), most_ms, a->total_ms, basis);
}

static void set_impact(struct arena *perm, const struct analysis *a, struct finding *f,
                       const struct finding_group *g)
{
    struct expectation x = row_expectation(g->rows[0]);
    bool modelled = !isnan(f->efficiency_pct);
    if (modelled && !f->informational) {
        f->impact = raised_impact(perm, a, f, f->efficiency_pct, x);
        f->projection = projection_of(perm, f->time_ms, f->efficiency_pct, x,
                                      a->total_ms, &f->n_projection);
    } else if (!f->informational && streaming_efficiency(g) <= 100) {
        f->impact = raised_impact(perm, a, f, streaming_efficiency(g), x);
        f->impact.basis =
            say(perm, "reading and writing the tensor once: {}", said(f->impact.basis));
    } else if (!f->informational) {
        f->impact = impact_of_saving(
            0.15 * f->time_ms, 0.45 * f->time_ms, a->total_ms,
            isfinite(g->rows[0]->efficiency.tflop_per_s) ||
                    isfinite(g->rows[0]->efficiency.tb_per_s)
                ? S("estimated from time share, no peaks are known")
                : S("estimated from time share, no performance model"));
    } else {
        f->impact =
            impact_of_saving(0, 0, a->total_ms, S("a note, not a recommendation"));
    }
    if (modelled && !f->informational && gap_ms(g) > 0)
        f->impact = impact_of_saving(
            0.8 * gap_ms(g), gap_ms(g), a->total_ms,
            S("80% to all of the gap to the best matmuls of this size in the trace"));
    f->impact_kernel = f->impact;
    if (g->saving_high_ms == 0)
        f->impact =
            (struct impact_range){(double)NAN, (double)NAN, (double)NAN, (double)NAN,
                                  S("it depends on what the trace does not show")};
    else if (!isnan(g->saving_high_ms)) {
        f->merged_part = g->hit && g->hit->spared_calls_pct > 0
                             ? fmin(1, g->hit->spared_calls_pct / 100)
                             : 0;
        bool usual = isnan(g->saving_low_ms) ||
                     fabs(g->saving_low_ms - 0.8 * g->saving_high_ms) < 1e-9;
        f->impact = impact_of_saving(
            usual ? 0.8 * g->saving_high_ms : g->saving_low_ms, g->saving_high_ms,
            a->total_ms,
            usual ? S("80% to all of the time that the issue names")
                  : S("the pattern's estimate of what the issue costs"));
    }
    /* Conversions have no roofline of their own, and a kernel within its expected range
     * is not what the saving is about. */
    if (!isnan(g->saving_high_ms) && (g->part || f->efficiency_pct >= x.lo)) {
        f->impact_kernel = f->impact;
        f->projection = NULL;
        f->n_projection = 0;
    }
}

/* What these calls take longer because the device is slow from a moment on, or slows
 * down. */
static double slowed_ms(const struct analysis *a, const struct finding_group *g)
{
    const struct finding *pace = NULL;
    double ms = 0;
    for (int k = 0; k < a->n_findings; k++)
        pace = a->findings[k].slow_ratio > 1 ? &a->findings[k] : pace;
    if (!pace)
        return 0;
    const struct trace_view *v = a->tables->view;
    int64_t from_ns = v->timeline.start_ns + (int64_t)(pace->slow_from_ms * 1e6);
    for (int i = 0; i < g->n_rows; i++) {
        const struct op_group *of = g->rows[i]->group;
        for (int32_t k = 0; of->members && k < of->n; k++) {
            const struct op_call_row *c = &a->tables->judged.calls.rows[of->members[k]];
            if (c->n_kernels && v->s->start_ns[c->kernels[0]] >= from_ns)
                ms += (double)c->direct_ns / 1e6;
        }
    }
    return ms * (1 - 1 / pace->slow_ratio);
}

static struct impact_range without(struct arena *perm, const struct analysis *a,
                                   struct impact_range x, double slowed)
{
    return isnan(x.high_ms)
               ? x
               : impact_of_saving(fmax(0, x.low_ms - slowed),
                                  fmax(0, x.high_ms - slowed), a->total_ms,
                                  say(perm, "{}, without what the lower clock costs",
                                      said(x.basis)));
}

/* A lower clock is a finding of its own, and no fault of the kernels. */
static void leave_to_clock(struct arena *perm, const struct analysis *a,
                           struct finding *f, const struct finding_group *g)
{
    double slowed = slowed_ms(a, g);
    if (!(slowed > 0) || f->informational)
        return;
    f->impact = without(perm, a, f->impact, slowed);
    f->impact_kernel = without(perm, a, f->impact_kernel, slowed);
    f->projection = NULL;
    f->n_projection = 0;
}

/* "pointwise and large": the classes of a group's rows, the longest row's first. */
static struct str classes_of(struct arena *perm, const struct finding_group *g)
{
    enum { MOST = 4 };
    struct str seen[MOST];
    int n = 0;
    for (int i = 0; i < g->n_rows && n < MOST; i++) {
        struct str one = work_text(g->rows[i], "conv_class");
        bool known = one.n == 0;
        for (int k = 0; k < n && !known; k++)
            known = str_eq(seen[k], one);
        if (!known)
            seen[n++] = one;
    }
    struct str all = n ? seen[0] : S("");
    for (int k = 1; k < n; k++)
        all = say(perm, "{}{}{}", said(all), said(k + 1 == n ? " and " : ", "),
                  said(seen[k]));
    return all;
}

/* What is expected of any of the rows. */
static void widen_expectation(struct arena *perm, struct work_row *r,
                              const struct finding_group *g)
{
    double lo = work_number(r, "expected_lo_pct"),
           hi = work_number(r, "expected_hi_pct");
    for (int i = 1; i < g->n_rows; i++) {
        lo = fmin(lo, work_number(g->rows[i], "expected_lo_pct"));
        hi = fmax(hi, work_number(g->rows[i], "expected_hi_pct"));
    }
    work_set(perm, r, FACT("expected_lo_pct", lo), FACT("expected_hi_pct", hi));
}

/* The rows of a group as one, so that a pattern's figures are those of the finding. */
static struct work_row row_of_group(struct arena *perm, const struct analysis *a,
                                    const struct finding_group *g)
{
    struct work_row r = *g->rows[0];
    const struct work_efficiency *e = &g->rows[0]->efficiency;
    r.facts = NULL;
    r.n_facts = r.facts_room = 0;
    work_row_set_all_of(perm, &r, g->rows[0]);
    r.time_ms = g->time_ms;
    r.count = g->count;
    r.mean_us = g->count > 0 ? 1e3 * g->time_ms / (double)g->count : 0;
    r.compute_pct = g->compute_pct;
    r.total_pct = pct_of(g->time_ms, a->total_ms);
    r.efficiency.percent = g->efficiency_pct;
    r.efficiency.tb_per_s = g->bound == BOUND_MEMORY
                                ? g->efficiency_pct / 100 * e->peak_tb_per_s
                                : e->tb_per_s;
    r.efficiency.tflop_per_s = g->bound == BOUND_COMPUTE
                                   ? g->efficiency_pct / 100 * e->peak_tflop_per_s
                                   : e->tflop_per_s;
    if (!isnan(work_number(&r, "main_pct")))
        work_set(perm, &r, FACT("main_pct", g->efficiency_pct));
    work_set(perm, &r, FACT("roofline_ms", g->efficiency_pct / 100 * g->time_ms),
             FACT("group_rows", g->n_rows));
    if (work_text(&r, "conv_class").n > 0) {
        work_set(perm, &r, FACT("conv_class", classes_of(perm, g)));
        widen_expectation(perm, &r, g);
    }
    return r;
}

/* Ask a row's pattern again about the whole group; without a hit, keep the row's
 * answer. */
static void ask_again(struct arena *perm, struct analysis *a, struct finding_group *g)
{
    bool alone = g->n_rows == 1 && !g->part;
    if (!a->patterns || !g->hit || alone || g->hit->n_rows > 0)
        return;
    int n;
    struct work_row r = row_of_group(perm, a, g);
    const struct pattern_hit *hits = pattern_host_row(a->patterns, perm, a, &r, &n);
    for (int i = 0; i < n; i++)
        if (str_eq(hits[i].id, g->hit->id)) {
            g->hit = &hits[i];
            return;
        }
}

static double all_kernels_ms(const struct analysis *a)
{
    double ms = 0;
    for (int i = 0; i < a->n_by_time; i++)
        ms += a->categories[a->by_time[i]].time_ms;
    return ms;
}

static void add_group_finding(struct arena *perm, struct analysis *a,
                              struct finding_group *g)
{
    ask_again(perm, a, g);
    struct finding *f = analysis_add_finding(perm, a);
    f->tier = TIER_COMPUTE;
    f->kind = g->kind;
    f->category = g->category;
    f->pattern = g->pattern;
    f->about = g->about;
    f->op = g->op;
    f->bound = g->bound;
    f->count = g->count;
    f->time_ms = g->time_ms;
    f->efficiency_pct = g->efficiency_pct;
    f->informational = g->informational;
    f->confidence = isnan(g->efficiency_pct) ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH;
    set_shares(a, f);
    if (g->kind == FIND_UNMODELLED) /* kernels overlap, so not of computation */
        g->compute_pct = pct_of(f->time_ms, all_kernels_ms(a));
    f->category_pct = a->categories[g->category].compute_pct;
    set_rows(perm, f, g->rows, g->n_rows);
    say_basis(perm, f);
    finding_say_group(perm, f, g);
    set_impact(perm, a, f, g);
    leave_to_clock(perm, a, f, g);
    f->replay_recommended = !f->informational;
}

/* In a block of short sequences one tiny batched product may be most of the time: then
 * it is the finding, and the block is the rest. */
static void give_tiny_product_away(const struct claims *c, struct unfused_attention *u)
{
    const double SHORT = 64;
    if (fmax(u->n_q, u->n_kv) >= SHORT)
        return;
    for (int i = 1; i < u->n_rows; i++) {
        struct work_row *r = u->rows[i];
        if (r->time_ms < 0.5 * u->time_ms || !claims_hit(c, r, S("tiny_batched_gemm")))
            continue;
        u->time_ms = fmax(0, u->time_ms - r->time_ms);
        memmove(&u->rows[i], &u->rows[i + 1],
                (size_t)(u->n_rows - i - 1) * sizeof *u->rows);
        u->n_rows--;
        i--;
    }
    unfused_estimate(c->a->tables->device, u);
}

static const struct work_row *largest(const struct unfused_attention *u)
{
    const struct work_row *r = u->rows[0];
    for (int i = 1; i < u->n_rows; i++)
        if (u->rows[i]->time_ms > r->time_ms)
            r = u->rows[i];
    return r;
}

/* Placeholders for the library's text. */
static bool ask_advice(struct claims *c, struct pattern_host *host,
                       const struct unfused_attention *u, struct pattern_hit *hit)
{
    double fused = 0;
    for (int i = 0; i < u->n_rows; i++)
        fused = fmax(fused, work_number(u->rows[i], "fused_kernel")); /* not NaN */
    const struct work_fact values[] = {
        FACT("fused", fused),
        FACT("fp32", unfused_is_fp32(u)),
        FACT("biased", u->biased),
        FACT("speedup_low", unfused_speedup_low(u)),
        FACT("speedup_high", unfused_speedup_high(u)),
        FACT("lo", unfused_speedup_low(u)),
        FACT("hi", unfused_speedup_high(u)),
        FACT("speedup", finding_speedup(c->perm, u)),
        FACT("n_q", u->n_q),
        FACT("n_kv", u->n_kv),
        FACT("d", u->d),
        FACT("instances", (double)u->instances),
        FACT("time_ms", u->time_ms),
        FACT("roofline_ms", u->roofline_ms),
    };
    return host &&
           pattern_host_advice(host, c->perm, c->a, S("unfused_attention"), values,
                               (int)(sizeof values / sizeof *values), hit);
}

static void add_unfused_finding(struct claims *c, struct pattern_host *host,
                                struct unfused_attention *u)
{
    struct analysis *a = c->a;
    struct pattern_hit advice;
    give_tiny_product_away(c, u);
    if (!(u->time_ms > u->optimistic_ms)) /* the low end of the gain may be zero */
        return;
    bool advised = ask_advice(c, host, u, &advice);
    if (host && !advised)
        return; /* the trace is against it */
    struct finding *f = analysis_add_finding(c->perm, a);
    const struct work_row *r = largest(u);
    f->tier = TIER_COMPUTE;
    f->kind = FIND_PATTERN;
    f->category = r->category;
    f->pattern = S("unfused_attention");
    f->op = u->softmax->name;
    f->bound = u->softmax->efficiency.bound;
    f->count = u->instances;
    f->time_ms = u->time_ms;
    f->efficiency_pct = u->assumed ? (double)NAN : 100 * u->roofline_ms / u->time_ms;
    f->confidence = u->from_tree ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
    set_shares(a, f);
    f->category_pct = f->compute_pct;
    set_rows(c->perm, f, u->rows, u->n_rows);
    say_basis(c->perm, f);
    finding_say_unfused(c->perm, f, u, advised ? &advice : NULL);
    struct str basis =
        say(c->perm, "fused form at {}-{}% of its peak{}, at most 10 times faster",
            said_fixed(u->band_lo_pct, 0), said_fixed(u->band_hi_pct, 0),
            said(u->masked ? ", half the work if the mask is causal" : ""));
    f->impact = impact_of_saving(
        fmax(0, u->time_ms - u->conservative_ms), u->time_ms - u->optimistic_ms,
        a->total_ms,
        u->assumed
            ? S("half to all of the time between the matmuls, which stay: no peak "
                "is known for their type")
            : basis);
    f->impact_kernel =
        impact_of_saving(0.1 * u->time_ms, 0.3 * u->time_ms, a->total_ms,
                         S("10 to 30% of the block by tuning its kernels"));
    f->replay_recommended = true;
    for (int i = 0; i < u->n_rows; i++)
        u->rows[i]->claimed_by = (int32_t)(f - a->findings);
}

static void add_note(struct arena *perm, struct category_result *c, struct str note)
{
    enum { MOST = 20 };
    if (!c->notes)
        c->notes = arena_new(perm, struct str, MOST);
    for (int i = 0; i < c->n_notes; i++)
        if (str_eq(c->notes[i], note))
            return;
    if (c->n_notes < MOST)
        c->notes[c->n_notes++] = note;
}

/* The observation, then what to do; for a row, its operator first. */
static struct str remark(struct arena *perm, struct str op, const struct pattern_hit *h)
{
    struct str what = h->issue.n > 0    ? h->issue
                      : h->path_a.n > 0 ? h->path_a
                                        : h->path_b;
    struct str advice = h->issue.n > 0 ? h->path_a : S("");
    struct str quoted = op.n > 0 ? finding_quote(perm, op) : S("");
    bool named = op.n == 0 || str_has(what, quoted);
    return say(perm, "{}{}{}{}{}", said(named ? S("") : quoted),
               said(named ? "" : ": "), said(what), said(advice.n ? " " : ""),
               said(advice));
}

/* The rows that one of the library's remarks applies to. */
struct remark_rows {
    struct str id, op;
    const struct pattern_hit *hit; /* of the longest row */
    int n;
};

static void note_row_remarks(struct claims *c, enum work_category k)
{
    enum { MOST = 20 };
    struct category_result *r = &c->a->categories[k];
    struct remark_rows seen[MOST];
    int n = 0;
    for (int32_t i = 0; i < r->n_rows; i++)
        for (int h = 0; h < c->of_row[k][i].n; h++) {
            const struct pattern_hit *hit = &c->of_row[k][i].at[h];
            int at = 0;
            while (at < n && !str_eq(seen[at].id, hit->id))
                at++;
            if (!hit->informational || at == MOST)
                continue;
            if (at == n)
                seen[n++] = (struct remark_rows){hit->id, r->rows[i].name, hit, 0};
            seen[at].n++;
        }
    for (int i = 0; i < n; i++) {
        struct str text = remark(c->perm, seen[i].op, seen[i].hit);
        if (seen[i].n > 1)
            text = say(c->perm, "{} {} more {} alike.", said(text), said(seen[i].n - 1),
                       said(seen[i].n == 2 ? "row is" : "rows are"));
        add_note(c->perm, r, text);
    }
}

static void note_remarks(struct claims *c)
{
    for (int k = 0; k < WORK_COMMUNICATION; k++) {
        struct category_result *r = &c->a->categories[k];
        for (int i = 0; i < c->of_category[k].n; i++)
            if (c->of_category[k].at[i].informational)
                add_note(c->perm, r, remark(c->perm, S(""), &c->of_category[k].at[i]));
        note_row_remarks(c, (enum work_category)k);
    }
}

/* Findings keep their content and their place; only the saving is left out. */
static void forget_system_impact(struct analysis *a)
{
    for (int i = 0; i < a->n_findings; i++)
        if (a->findings[i].tier == TIER_SYSTEM)
            a->findings[i].impact = a->findings[i].impact_kernel =
                impact_of_ms(a, (double)NAN, (double)NAN, S(""));
}

void analysis_findings(struct arena *perm, struct arena tmp, struct analysis *a,
                       struct pattern_host *patterns, const struct schedule *o)
{
    struct claims c = {.perm = perm, .a = a};
    fusion_facts_set(perm, a);
    fusion_claim_rows(a);
    claims_ask(&c, patterns);
    for (int i = 0; i < a->n_unfused; i++)
        add_unfused_finding(&c, patterns, &a->unfused[i]);
    c.first_claim = a->n_findings;
    claims_patterns(&c);
    claims_slow(&c);
    claims_unmodelled(&c);
    claims_remarks(&c);
    for (int i = 0; i < c.groups.n; i++)
        add_group_finding(perm, a, &c.groups.at[i]);
    search_waits_join(perm, tmp, a);
    sum_kernels_join(perm, tmp, a);
    note_remarks(&c);
    data_quality_warn(perm, a);
    finding_savings(perm, tmp, a, o);
    finding_order(perm, tmp, a);
    finding_savings_together(perm, tmp, a, o);
    if (a->no_system_impact)
        forget_system_impact(a);
}
