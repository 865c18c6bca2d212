#include "analysis/facts/row_facts.h"

#include "analysis/facts/kernel_grid.h"

#include "analysis/facts/matrix_facts.h"
#include "analysis/facts/outlier_facts.h"
#include "analysis/facts/sum_by_index.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "base/name_pool.h"
#include "base/utf8.h"
#include "ops/group_kernels.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    row_maker *row;
    category_maker *category;
} makers[WORK_CATEGORIES] = {
    [WORK_GEMM] = {facts_gemm_row, facts_gemm_category},
    [WORK_SDPA_FWD] = {facts_attention_row, facts_attention_category},
    [WORK_SDPA_BWD] = {facts_attention_row, facts_attention_category},
    [WORK_ELEMENTWISE] = {facts_elementwise_row, facts_elementwise_category},
    [WORK_REDUCE] = {facts_reduce_row, facts_reduce_category},
    [WORK_TRITON] = {facts_triton_row, facts_triton_category},
    [WORK_MOE_FUSED] = {facts_moe_row, facts_moe_category},
    [WORK_BATCHNORM] = {facts_norm_row, facts_norm_category},
    [WORK_NORM] = {facts_norm_row, facts_norm_category},
    [WORK_CONVOLUTION] = {facts_conv_row, facts_conv_category},
    [WORK_OTHER] = {facts_other_row, facts_other_category},
};

/* At most 75 bytes and whole characters. */
static struct str shortened(struct arena *perm, struct str name)
{
    const ptrdiff_t MOST = 75;
    if (name.n <= MOST)
        return name;
    return say(perm, "{}...", said(utf8_head(name, MOST)));
}

static bool copies_from_or_to_host(struct str name)
{
    return name_has(name, "memcpy") &&
           name_has(name, "dtoh|htod|device -> host|host -> "
                          "device|devicetohost|hosttodevice|device -> pinned|pinned "
                          "-> device|device -> pageable|pageable -> device");
}

static bool all_kernels_copy_to_host(const struct op_group *g)
{
    for (int32_t i = 0; i < g->n_kernels; i++)
        if (!copies_from_or_to_host(g->kernels[i].name))
            return false;
    return g->n_kernels > 0;
}

/* Of all device work of a call. */
static uint8_t traits_of(const struct op_tables *t, const struct op_call_row *call)
{
    uint8_t all = 0;
    for (int32_t k = 0; t->traits.of && k < call->n_kernels; k++)
        all |= t->traits.of[call->kernels[k]];
    return all;
}

/* The grid of a call's first kernel of a name; no blocks: none is recorded. */
static struct kernel_grid grid_in_call(const struct event_store *s,
                                       const struct op_call_row *call,
                                       struct str kernel)
{
    struct kernel_grid g = {.blocks = (double)NAN};
    for (int32_t k = 0; k < call->n_kernels && isnan(g.blocks); k++)
        if (store_name(s, call->kernels[k]).p == kernel.p)
            g = kernel_grid_of(s, call->kernels[k]);
    return g;
}

/* Of the longest kernel, if it is most of the row: the grid of the first call that
 * fills a quarter of the device, else the largest. Calls of one row launch different
 * grids where no shapes are recorded. */
static void add_grid(struct fact_maker *m, struct work_row *r,
                     const struct kernel_detail *longest)
{
    const double LEAST_PCT = 0.5; /* of compute: smaller rows are not looked at */
    const struct op_tables *t = m->a->tables;
    const struct op_group *group = r->group;
    struct kernel_grid most = {.blocks = (double)NAN};
    if (m->sms <= 0 || r->compute_pct < LEAST_PCT ||
        2 * longest->total_us < kernels_total_us(group))
        return;
    for (int32_t i = 0; i < group->n && !(4 * most.blocks >= m->sms); i++) {
        struct kernel_grid g = grid_in_call(
            t->view->s, &t->judged.calls.rows[group->members[i]], longest->name);
        if (!isnan(g.blocks) && !(g.blocks <= most.blocks))
            most = g;
    }
    if (!isnan(most.blocks))
        work_set(m->perm, r, FACT("blocks", most.blocks), FACT("sms", m->sms),
                 FACT("units", device_fill_units(&t->fill)),
                 FACT("grid", kernel_grid_text(m->perm, &most)));
}

static void add_kernel_facts(struct fact_maker *m, struct work_row *r)
{
    const struct op_group *g = r->group;
    const struct kernel_detail *k = group_longest_kernel(g);
    uint8_t traits = traits_of(m->a->tables, g->first);
    if (traits & TRAIT_REPLAYED)
        work_set(m->perm, r, FACT("replayed", 1));
    if (traits & TRAIT_COMPILED)
        work_set(m->perm, r, FACT("compiled", 1));
    if (traits & TRAIT_ATTENTION)
        work_set(m->perm, r, FACT("fused_kernel", 1));
    double all_us = kernels_total_us(g);
    if (!k)
        return;
    work_set(m->perm, r, FACT("kernel", k->name),
             FACT("kernel_short", shortened(m->perm, k->name)),
             FACT("memcpy_only", all_kernels_copy_to_host(g)));
    add_grid(m, r, k);
    if (name_has(r->name, "index_put"))
        work_set(m->perm, r,
                 FACT("sum_by_index", sum_by_index(m->a->tables->view, g->first)));
    struct kernel_sum sums[KERNEL_LABELS];
    kernels_by_label(g, sums);
    struct kernel_sum transposes = sums[KERNEL_TRANSPOSE];
    if (transposes.count > 0) {
        work_set(m->perm, r, FACT("transpose_ms", transposes.us / 1e3),
                 FACT("transpose_count", (double)transposes.count),
                 FACT("transpose_pct", 100 * transposes.us / all_us));
    }
    double best_us = 0;
    enum kernel_label best = KERNEL_UNKNOWN;
    for (int l = 0; l < KERNEL_LABELS; l++)
        if (sums[l].us > best_us) {
            best_us = sums[l].us;
            best = (enum kernel_label)l;
        }
    work_set(m->perm, r, FACT("kernel_label", kernel_label_word(best)),
             FACT("kernel_label_pct", 100 * best_us / all_us));
}

static struct str first_type(const struct row_args *args)
{
    for (int i = 0; i < args->n; i++)
        if (args->at[i].rank > 0)
            return args->at[i].type;
    return S("");
}

void facts_of_row(struct fact_maker *m, struct work_row *r)
{
    struct arena tmp = m->tmp;
    struct row_args args = row_args_of(&tmp, r->group->args);
    struct str shape = row_shapes_text(m->perm, &args);
    r->args = row_args_text(m->perm, &args, ", ");
    if (r->group->n_folded)
        shape = r->args = say(m->perm, "{} more shapes", said(r->group->n_folded));
    work_set(m->perm, r, FACT("shape", shape),
             FACT("dtype", row_type_word(first_type(&args))));
    if (r->n_modules > 0)
        work_set(m->perm, r, FACT("module", r->module_chain[r->n_modules - 1]));
    if (m->compute_units > 0)
        work_set(m->perm, r, FACT("compute_units", m->compute_units));
    add_kernel_facts(m, r);
    if (makers[r->category].row)
        makers[r->category].row(m, r, &args);
    outlier_facts_row(m, r);
    struct expectation x = row_expectation(r);
    work_set(m->perm, r, FACT("expected_lo_pct", x.lo), FACT("expected_hi_pct", x.hi),
             FACT("roofline_ms", r->efficiency.percent / 100 * r->time_ms));
}

static bool same_op(const struct work_row *x, const struct work_row *y)
{
    return str_eq(x->name, y->name);
}

/* Sums over the rows of one operator; the criteria of 3.1 over those of one bound. A
 * trace may have a hundred thousand rows, so this takes only two passes. */
struct op_sum {
    int64_t count, n_host; /* of these, copies from the host or to it */
    double ms, pct, host_ms;
    struct {
        double ms, roof_ms, enough_ms;
    } by_bound[3][2]; /* by enum roofline_bound, and whether modelled */
};

static void add_host_copies(struct op_sum *s, const struct op_group *g)
{
    for (int32_t i = 0; i < g->n_kernels; i++)
        if (copies_from_or_to_host(g->kernels[i].name)) {
            s->n_host += g->kernels[i].n;
            s->host_ms += g->kernels[i].total_us / 1e3;
        }
}

static void add_to_sum(struct op_sum *s, const struct work_row *r)
{
    bool modelled = !isnan(r->efficiency.percent);
    s->count += r->count;
    s->ms += r->time_ms;
    s->pct += r->compute_pct;
    if (str_has(r->name, S("copy")))
        add_host_copies(s, r->group);
    if (r->efficiency.anomaly)
        return;
    s->by_bound[r->efficiency.bound][modelled].ms += r->time_ms;
    if (modelled)
        s->by_bound[r->efficiency.bound][1].roof_ms +=
            r->time_ms * r->efficiency.percent / 100;
    s->by_bound[r->efficiency.bound][modelled].enough_ms +=
        r->time_ms * row_expectation(r).enough / 100;
}

static void set_sums(struct arena *perm, const struct category_result *c,
                     struct work_row *r, const struct op_sum *s)
{
    bool modelled = !isnan(r->efficiency.percent);
    double ms = s->by_bound[r->efficiency.bound][modelled].ms;
    bool enough_time = ms > bottleneck_ms(c->category) ||
                       (c->time_ms > 0 && 100 * ms / c->time_ms > 5);
    bool slow = modelled && s->by_bound[r->efficiency.bound][1].roof_ms <
                                s->by_bound[r->efficiency.bound][1].enough_ms;
    bool few = 2 * s->n_host < s->count; /* copies of input beside kernels */
    double count = (double)(s->count - (few ? s->n_host : 0)),
           op_ms = s->ms - (few ? s->host_ms : 0);
    work_set(perm, r, FACT("same_op_count", count),
             FACT("same_op_mean_us", 1e3 * op_ms / count), FACT("same_op_pct", s->pct),
             FACT("time_criterion", enough_time),
             FACT("bottleneck", enough_time && slow));
}

static void add_sums(struct fact_maker *m, struct category_result *c)
{
    struct name_pool ops;
    struct op_sum *sums = calloc((size_t)c->n_rows + 1, sizeof *sums);
    if (!sums)
        arena_full();
    pool_open(&ops);
    for (int32_t i = 0; i < c->n_rows; i++)
        add_to_sum(&sums[pool_add(&ops, c->rows[i].name)], &c->rows[i]);
    for (int32_t i = 0; i < c->n_rows; i++)
        set_sums(m->perm, c, &c->rows[i], &sums[pool_find(&ops, c->rows[i].name)]);
    pool_close(&ops);
    free(sums);
}

/* Text before the first digit or '<': kernels of one family differ only after it. */
static struct str base_name(struct str kernel)
{
    ptrdiff_t n = 0;
    while (n < kernel.n && kernel.p[n] != '<' &&
           !(kernel.p[n] >= '0' && kernel.p[n] <= '9'))
        n++;
    return str_head(kernel, n);
}

/* The same operator on the same types, done far faster by another kernel. */
static void add_lowering(struct fact_maker *m, struct category_result *c, int32_t at)
{
    struct work_row *r = &c->rows[at];
    const struct work_row *best = NULL;
    double e = r->efficiency.percent;
    if (r->compute_pct < 1 || isnan(e))
        return;
    for (int32_t k = 0; k < c->n_rows; k++) {
        const struct work_row *x = &c->rows[k];
        if (x == r || !same_op(x, r) || x->efficiency.anomaly ||
            !(x->efficiency.percent >= e + 20) ||
            !str_eq(work_text(x, "dtype"), work_text(r, "dtype")) ||
            str_eq(base_name(work_text(x, "kernel")),
                   base_name(work_text(r, "kernel"))))
            continue;
        struct arena tmp = m->tmp;
        struct row_args mine = row_args_of(&tmp, r->group->args);
        struct row_args other = row_args_of(&tmp, x->group->args);
        bool same_ranks = mine.n == other.n;
        for (int i = 0; same_ranks && i < mine.n; i++)
            same_ranks = mine.at[i].rank == other.at[i].rank &&
                         str_eq(mine.at[i].type, other.at[i].type);
        if (same_ranks && (!best || x->efficiency.percent > best->efficiency.percent))
            best = x;
    }
    if (!best)
        return;
    work_set(m->perm, r, FACT("lowering_kernel", work_text(best, "kernel_short")),
             FACT("lowering_pct", best->efficiency.percent),
             FACT("lowering_shape", work_text(best, "shape")));
}

static void add_counters(struct fact_maker *m, struct category_result *c)
{
    int missing = 0, anomalies = 0, varied = 0;
    const struct device_spec *d = m->a->tables->device;
    for (int32_t i = 0; i < c->n_rows; i++) {
        missing += isnan(c->rows[i].efficiency.percent);
        anomalies += c->rows[i].efficiency.anomaly;
        varied += c->rows[i].high_variance;
    }
    work_set(m->perm, c, FACT("missing_perf_model_count", missing),
             FACT("anomaly_count", anomalies), FACT("high_variance_count", varied));
    if (d) {
        work_set(m->perm, c, FACT("peak_maf_tflops", device_peak(d, S("matrix_bf16"))),
                 FACT("peak_hbm_bw_tbs", d->memory_gb_per_s / 1000));
    }
}

void facts_of_category(struct fact_maker *m, struct category_result *c)
{
    add_counters(m, c);
    if (c->category == WORK_GEMM)
        matrix_facts_rank(m, c); /* what a bottleneck is depends on it */
    add_sums(m, c);
    for (int32_t i = 0; i < c->n_rows; i++)
        add_lowering(m, c, i);
    if (makers[c->category].category)
        makers[c->category].category(m, c);
}
