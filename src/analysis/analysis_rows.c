/* Rows of the operator table, sorted into categories and described. */
#include "analysis/analysis_run.h"

#include "analysis/facts/adjoining_calls.h"
#include "analysis/facts/outlier_facts.h"
#include "analysis/facts/row_facts.h"
#include "analysis/facts/top_operations.h"
#include "analysis/facts/unknown_kernel.h"
#include "analysis/facts/work_category.h"
#include "analysis/lua/pattern_host.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/stack/tree_index.h"
#include "analysis/system/unfused_attention.h"
#include "ops/op_tables.h"

#include <math.h>
#include <stdlib.h>

static void add_variation(struct arena tmp, const struct analysis *a,
                          struct work_row *r)
{
    const struct sample_stats *t = &r->group->direct_us;
    r->cov = (double)NAN;
    if (t->n > 10 && !r->group->n_folded && r->total_pct >= 5 && t->mean > 0 &&
        a->total_ms > 0)
        r->cov = t->std / t->mean;
    r->high_variance = r->cov > 1 && calls_do_the_same(tmp, a->tables, r->group);
}

/* A call from where most are made, of a few evenly apart: the first, unless more than
 * half of these have one other caller. */
static event_id usual_call(const struct analysis *a, const struct tree_index *tree,
                           const struct work_row *r)
{
    enum { FEW = 9 };
    const struct op_group *g = r->group;
    struct str path[FEW];
    event_id first = g->first->event, at[FEW];
    if (g->n < FEW || !g->members || g->n_folded || r->total_pct < 0.5)
        return first;
    for (int k = 0; k < FEW; k++) {
        int32_t member = g->members[(int64_t)k * (g->n - 1) / (FEW - 1)];
        at[k] = a->tables->judged.calls.rows[member].event;
        path[k] = at[k] < 0 ? S("") : tree_launcher_path(tree, at[k]);
    }
    struct str of_first = tree_launcher_path(tree, first);
    for (int k = 0; k <= FEW / 2; k++) {
        int same = 0;
        for (int i = k; i < FEW; i++)
            same += str_eq(path[i], path[k]);
        if (2 * same > FEW)
            return path[k].n && !str_eq(path[k], of_first) ? at[k] : first;
    }
    return first;
}

static void add_stack(struct arena *perm, const struct analysis *a,
                      const struct tree_index *tree, struct work_row *r)
{
    if (!tree || r->group->first->event < 0)
        return;
    event_id call = usual_call(a, tree, r);
    r->module_chain = tree_modules(perm, tree, call, &r->n_modules);
    r->launcher_path = tree_launcher_path(tree, call);
}

static struct str library_of(const struct op_group *g)
{
    enum { MOST = 32 };
    struct str names[MOST];
    int n = 0;
    for (int32_t i = 0; i < g->n_kernels && n < MOST; i++)
        names[n++] = g->kernels[i].name;
    return work_library(g->first->name, names, n);
}

static const struct work_efficiency nothing_judged = {.percent = (double)NAN,
                                                      .tflop_per_s = (double)NAN,
                                                      .tb_per_s = (double)NAN,
                                                      .flop_per_byte = (double)NAN};

static struct work_row row_of(const struct analysis *a, const struct op_group *g,
                              enum work_category c)
{
    struct work_row r = {.group = g,
                         .name = g->first->name,
                         .category = c,
                         .time_ms = g->direct_us.sum / 1e3,
                         .mean_us = g->direct_us.mean,
                         .count = g->n,
                         .library = library_of(g),
                         .claimed_by = -1};
    r.total_pct = pct_of(r.time_ms, a->total_ms);
    r.efficiency = efficiency_of(g, c, a->tables->device);
    if (c != WORK_SDPA_FWD &&
        name_is(g->first->category, "SDPA_fwd|InferenceAttention"))
        r.efficiency = nothing_judged; /* a model of attention does not judge a fill */
    return r;
}

static int by_time_then_name(const void *x, const void *y)
{
    const struct work_row *a = x, *b = y;
    if (a->time_ms != b->time_ms)
        return a->time_ms > b->time_ms ? -1 : 1;
    int order = str_cmp(a->name, b->name);
    if (order)
        return order;
    return (a->group->first->uid > b->group->first->uid) -
           (a->group->first->uid < b->group->first->uid);
}

static void sort_into_categories(struct arena *perm, struct arena tmp,
                                 struct analysis *a)
{
    const struct op_groups *groups = &a->tables->judged;
    uint8_t *category = arena_new(&tmp, uint8_t, groups->n);
    for (int32_t i = 0; i < groups->n; i++) {
        enum work_category c = work_category_of_group(&groups->rows[i]);
        if (a->patterns)
            pattern_host_category_of(a->patterns, groups->rows[i].first->name, &c);
        category[i] = (uint8_t)(c > WORK_COPY ? WORK_OTHER : c);
        a->categories[category[i]].n_rows++;
    }
    for (int c = 0; c < WORK_CATEGORIES; c++) {
        struct category_result *r = &a->categories[c];
        r->category = (enum work_category)c;
        r->status = r->n_rows > 0 ? ANALYSER_OK : ANALYSER_NO_DATA;
        r->average_efficiency_pct = r->average_efficiency_unweighted_pct = (double)NAN;
        r->rows = arena_new(perm, struct work_row, r->n_rows);
        r->n_rows = 0;
    }
    for (int32_t i = 0; i < groups->n; i++) {
        struct category_result *r = &a->categories[category[i]];
        r->rows[r->n_rows++] = row_of(a, &groups->rows[i], r->category);
    }
    for (int c = 0; c < WORK_CATEGORIES; c++)
        qsort(a->categories[c].rows, (size_t)a->categories[c].n_rows,
              sizeof *a->categories[c].rows, by_time_then_name);
}

/* A framework that waits for the device shows as host time far above device time. */
static void add_sync(struct category_result *c, const struct work_row *r)
{
    double host_ms = r->group->host_us / 1e3;
    if (r->group->first->synthetic || !isfinite(host_ms))
        return;
    c->host_ms += host_ms;
    if (host_ms <= 5 * r->time_ms)
        return;
    c->sync_ms += host_ms - r->time_ms;
    c->sync_rows++;
}

static void sum_up(const struct analysis *a, struct category_result *c)
{
    for (int32_t i = 0; i < c->n_rows; i++) {
        c->time_ms += c->rows[i].time_ms;
        c->operation_count += c->rows[i].count;
        add_sync(c, &c->rows[i]);
    }
    c->sync_flagged = c->sync_ms > 0.1 * c->time_ms && c->sync_ms > 1;
    c->total_pct = pct_of(c->time_ms, a->total_ms);
    for (int32_t i = 0; i < c->n_rows; i++)
        c->rows[i].category_pct = pct_of(c->rows[i].time_ms, c->time_ms);
}

static void average(struct category_result *c)
{
    double weighted = 0, ms = 0, plain = 0;
    int n = 0;
    for (int32_t i = 0; i < c->n_rows; i++) {
        const struct work_efficiency *e = &c->rows[i].efficiency;
        if (isnan(e->percent))
            continue;
        plain += e->percent;
        n++;
        if (!e->anomaly) {
            weighted += e->percent * c->rows[i].time_ms;
            ms += c->rows[i].time_ms;
        }
    }
    if (n > 0)
        c->average_efficiency_unweighted_pct = plain / n;
    if (ms > 0)
        c->average_efficiency_pct = weighted / ms;
}

static bool is_system_tier(enum work_category c)
{
    return c >= WORK_COMMUNICATION;
}

static void order_by_time(struct analysis *a)
{
    for (int c = 0; c < WORK_CATEGORIES; c++) {
        if (is_system_tier((enum work_category)c) || a->categories[c].n_rows == 0)
            continue;
        int at = a->n_by_time++;
        for (; at > 0; at--) {
            const struct category_result *x = &a->categories[a->by_time[at - 1]];
            const struct category_result *y = &a->categories[c];
            if (x->time_ms > y->time_ms ||
                (x->time_ms == y->time_ms &&
                 str_cmp(work_category_name(x->category),
                         work_category_name(y->category)) < 0))
                break;
            a->by_time[at] = a->by_time[at - 1];
        }
        a->by_time[at] = (enum work_category)c;
    }
}

static void share_out(struct analysis *a)
{
    for (int i = 0; i < a->n_by_time; i++)
        a->rows_ms += a->categories[a->by_time[i]].time_ms;
    double all_ms = analysis_compute_ms(a);
    for (int k = 0; k < WORK_CATEGORIES; k++) {
        struct category_result *c = &a->categories[k];
        c->compute_pct = pct_of(c->time_ms, all_ms);
        for (int32_t i = 0; i < c->n_rows; i++)
            c->rows[i].compute_pct = pct_of(c->rows[i].time_ms, all_ms);
    }
}

/* Of the device that the trace is of, which -p may not be. */
static int multiprocessors(const struct op_tables *t)
{
    int recorded = trace_device(t->facts.machine).compute_units;
    return recorded > 0 ? recorded : t->device ? t->device->compute_units : 0;
}

void analysis_rows(struct arena *perm, struct arena tmp, struct analysis *a,
                   const struct tree_index *tree)
{
    struct fact_maker m = {.perm = perm,
                           .tmp = tmp,
                           .a = a,
                           .tree = tree,
                           .compute_units =
                               a->tables->device ? a->tables->device->compute_units : 0,
                           .generation = device_generation(&a->tables->facts),
                           .sms = multiprocessors(a->tables),
                           .units = matrix_units_of(a)};
    sort_into_categories(perm, tmp, a);
    for (int c = 0; c < WORK_CATEGORIES; c++)
        sum_up(a, &a->categories[c]);
    order_by_time(a);
    share_out(a);
    const struct kernel_rows kernels = kernel_rows_build(&tmp, a);
    top_operations_find(perm, tmp, a, &kernels);
    for (int c = 0; c < WORK_CATEGORIES; c++)
        for (int32_t i = 0; i < a->categories[c].n_rows; i++) {
            struct work_row *r = &a->categories[c].rows[i];
            m.tmp = tmp;
            add_variation(tmp, a, r);
            add_stack(perm, a, tree, r);
            work_row_begin(&m.tmp, r);
            facts_of_row(&m, r);
            work_row_keep(perm, r);
        }
    m.tmp = tmp;
    for (int c = 0; c < WORK_CATEGORIES; c++) {
        facts_of_category(&m, &a->categories[c]);
        average(&a->categories[c]);
    }
    adjoining_calls_find(perm, tmp, a, &kernels);
    facts_of_trace(perm, a);
    unknown_kernel_facts(perm, tmp, a);
    unfused_attention_find(perm, tmp, a, &kernels, tree);
}
