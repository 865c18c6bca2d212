#include "ops/op_groups.h"

#include "base/out.h"
#include "ops/op_cost.h"
#include "perf/dtype.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_total_then_name(const void *a, const void *b)
{
    const struct kernel_detail *x = a, *y = b;
    if (x->total_us != y->total_us)
        return x->total_us < y->total_us ? -1 : 1;
    return str_cmp(x->name, y->name);
}

/* Kernel statistics by position over lists of device events. Skips lists whose length
 * differs from the first non-empty one. */
static struct kernel_detail *kernel_details(struct arena *perm, struct arena tmp,
                                            const struct event_store *s,
                                            const event_id *const *lists,
                                            const int32_t *lengths, int32_t n,
                                            int32_t *n_details)
{
    int32_t template = 0;
    while (template <n &&lengths[template] == 0)
        template ++;
    *n_details = template <n ? lengths[template] : 0;
    struct kernel_detail *d = arena_new(perm, struct kernel_detail, *n_details);
    double *us = arena_take_raw(&tmp, sizeof *us, 8, n);
    for (int32_t pos = 0; pos < *n_details; pos++) {
        int64_t count = 0;
        for (int32_t k = template; k < n; k++)
            if (lengths[k] == *n_details)
                us[count++] = (double)store_dur_ns(s, lists[k][pos]) / 1e3;
        double total_us = stats_sum_by_halves(us, count);
        struct sample_stats st = stats_of(us, count);
        event_id first = lists[template][pos];
        d[pos] = (struct kernel_detail){.name = store_name(s, first),
                                        .stream = view_stream(s, first),
                                        .n = st.n,
                                        .total_us = total_us,
                                        .mean_us = total_us / (double)st.n,
                                        .median_us = st.median,
                                        .std_us = stats_population_std(&st),
                                        .min_us = st.min,
                                        .max_us = st.max};
    }
    qsort(d, (size_t)*n_details, sizeof *d, by_total_then_name);
    return d;
}

struct call_rates call_rates_of(const struct perf_cost *cost, int64_t busy_ns,
                                const struct roofline *roof)
{
    struct call_rates r = {(double)NAN, (double)NAN, (double)NAN};
    double t_us = (double)busy_ns / 1e3;
    if (!cost || busy_ns <= 0)
        return r;
    r.tflop_per_s = cost->flop / 1e9 / 1e3 / (t_us / 1e6);
    r.tb_per_s = cost->byte / 1e12 / (t_us / 1e6);
    if (roof->bound != BOUND_NONE)
        r.roofline_pct = roof->time_us / t_us * 100.0;
    return r;
}

struct group_key {
    name_id name, category, process_name, process_label, thread_name;
    name_id dims, types, strides, concrete;
    int32_t recompute;
};

static name_id add_arguments_key(struct name_pool *texts, struct name_pool *keys,
                                 const struct event_store *s,
                                 const struct op_call_row *c)
{
    if (c->unlinked) { /* by kernel, on whatever stream */
        struct group_key k = {
            pool_add(texts, c->name), -2, -2, -2, -2, -2, -2, -2, -2, c->recompute};
        return pool_add(keys, (struct str){(const char *)&k, sizeof k});
    }
    const struct op_texts *t = store_texts(s, c->event);
    const struct lane *lane = &s->lanes[s->lane[c->event]];
    struct group_key k = {pool_add(texts, c->name), pool_add(texts, c->category),
                          lane->process_name,       lane->process_label,
                          lane->thread_name,        t ? t->dims : -1,
                          t ? t->types : -1,        t ? t->strides : -1,
                          t ? t->concrete : -1,     c->recompute};
    return pool_add(keys, (struct str){(const char *)&k, sizeof k});
}

/* Name and every parameter with its text. */
static name_id add_parameters_key(struct name_pool *keys, struct out *scratch,
                                  const struct op_call_row *c)
{
    scratch->n = 0;
    out_str(scratch, c->name);
    out_char(scratch, c->recompute ? '\1' : '\2');
    for (int k = 0; k < c->cost->n_params; k++) {
        out_c(scratch, c->cost->params[k].key);
        out_char(scratch, '\1');
        out_str(scratch, c->cost->params[k].text);
        out_char(scratch, '\2');
    }
    return pool_add(keys, out_view(scratch));
}

/* First appearance counts up: group ids are rows. */
static int32_t *assign_groups(struct arena *tmp, const struct trace_view *v,
                              const struct op_calls *calls, enum group_by by,
                              int32_t *n_groups)
{
    struct name_pool texts, keys;
    struct out scratch;
    pool_open(&texts);
    pool_open(&keys);
    out_memory(&scratch);
    int32_t *group = arena_take_raw(tmp, sizeof *group, 4, calls->n);
    for (int32_t r = 0; r < calls->n; r++)
        group[r] = by == BY_ARGUMENTS
                       ? add_arguments_key(&texts, &keys, v->s, &calls->rows[r])
                       : add_parameters_key(&keys, &scratch, &calls->rows[r]);
    out_free(&scratch);
    *n_groups = keys.n;
    pool_close(&texts);
    pool_close(&keys);
    return group;
}

/* `p95` may be NULL. */
static struct sample_stats stats_of_ns(struct arena tmp, const struct op_group *g,
                                       const struct op_calls *calls, size_t member,
                                       double *p95)
{
    double *us = arena_take_raw(&tmp, sizeof *us, 8, g->n);
    for (int32_t k = 0; k < g->n; k++) {
        int64_t ns;
        memcpy(&ns, (const char *)&calls->rows[g->members[k]] + member, sizeof ns);
        us[k] = (double)ns / 1e3;
    }
    struct sample_stats st = stats_of(us, g->n);
    if (p95)
        *p95 = stats_p95(us, g->n);
    return st;
}

static void add_kernel_details(struct arena *perm, struct arena tmp,
                               const struct event_store *s,
                               const struct op_calls *calls, struct op_group *g)
{
    const event_id **lists = arena_take_raw(&tmp, sizeof *lists, 8, g->n);
    int32_t *lengths = arena_take_raw(&tmp, sizeof *lengths, 4, g->n);
    for (int32_t k = 0; k < g->n; k++) {
        const struct op_call_row *c = &calls->rows[g->members[k]];
        lists[k] = c->kernels;
        lengths[k] = c->n_kernels;
    }
    g->kernels = kernel_details(perm, tmp, s, lists, lengths, g->n, &g->n_kernels);
}

/* The reference has no roofline for work without arithmetic. */
static struct roofline roofline_of_cost(const struct device_spec *device,
                                        const struct perf_cost *cost)
{
    if (cost->flop == 0 && cost->origin != PERF_OF_REFERENCE)
        return roofline_of_bytes(device, cost->byte);
    return roofline_of(device, cost->flop, cost->byte, cost->compute_spec);
}

static void add_rates(struct arena tmp, const struct op_calls *calls,
                      const struct device_spec *device, struct op_group *g)
{
    double *tb = arena_take_raw(&tmp, sizeof *tb, 8, g->n);
    double *tflop = arena_take_raw(&tmp, sizeof *tflop, 8, g->n);
    double *pct = arena_take_raw(&tmp, sizeof *pct, 8, g->n);
    struct roofline roof = {BOUND_NONE, (double)NAN};
    if (g->cost && device)
        roof = roofline_of_cost(device, g->cost);
    for (int32_t k = 0; k < g->n; k++) {
        const struct op_call_row *c = &calls->rows[g->members[k]];
        bool same = c->cost && c->cost->origin == g->cost->origin;
        struct call_rates r = call_rates_of(same ? c->cost : NULL, c->direct_ns, &roof);
        tb[k] = r.tb_per_s;
        tflop[k] = r.tflop_per_s;
        pct[k] = r.roofline_pct;
    }
    g->tb_per_s = stats_of(tb, g->n);
    g->tflop_per_s = stats_of(tflop, g->n);
    g->roofline_pct = stats_of(pct, g->n);
    g->bound = roof.bound;
    g->roofline_us = roof.bound == BOUND_NONE ? (double)NAN : roof.time_us;
}

static struct str lane_name(const struct event_store *s, name_id id)
{
    return id < 0 ? S("Unknown") : pool_text(&s->names, id);
}

static const struct op_texts *texts_of(const struct event_store *s,
                                       const struct op_group *g)
{
    return g->first->unlinked ? NULL : store_texts(s, g->first->event);
}

void groups_keep_texts(struct arena *perm, const struct trace_view *v,
                       struct op_groups *gs)
{
    const struct event_store *s = v->s;
    struct args_text *to = arena_new(perm, struct args_text, gs->n);
    for (int32_t g = 0; g < gs->n; g++) {
        const struct op_texts *t = texts_of(s, &gs->rows[g]);
        gs->rows[g].recorded = &to[g];
        if (t)
            to[g] = (struct args_text){
                true, pool_text(&s->names, t->dims), pool_text(&s->names, t->types),
                pool_text(&s->names, t->strides), pool_text(&s->names, t->concrete)};
    }
}

/* Names of the last lane asked for, which is often the next, too. */
struct last_lane {
    int32_t row;
    const struct lane_names *names; /* NULL: none yet */
};

static const struct lane_names *lane_of(struct arena *perm, const struct event_store *s,
                                        event_id event, struct last_lane *last)
{
    int32_t row = s->lane[event];
    if (last->names && last->row == row)
        return last->names;
    struct lane_names *names = arena_new(perm, struct lane_names, 1);
    *names = (struct lane_names){lane_name(s, s->lanes[row].process_name),
                                 lane_name(s, s->lanes[row].process_label),
                                 lane_name(s, s->lanes[row].thread_name)};
    *last = (struct last_lane){row, names};
    return names;
}

static void fill_group(struct arena *perm, struct arena tmp, const struct trace_view *v,
                       const struct op_calls *calls, const struct device_spec *device,
                       struct op_group *g)
{
    const struct event_store *s = v->s;
    g->first = &calls->rows[g->members[0]];
    g->args = store_args(s, texts_of(s, g));
    g->has_model = g->first->has_model;
    g->direct_us = stats_of_ns(tmp, g, calls, offsetof(struct op_call_row, direct_ns),
                               &g->direct_p95_us);
    g->subtree_us =
        stats_of_ns(tmp, g, calls, offsetof(struct op_call_row, subtree_ns), NULL);
    double *host = arena_take_raw(&tmp, sizeof *host, 8, g->n);
    for (int32_t k = 0; k < g->n; k++) {
        const struct op_call_row *c = &calls->rows[g->members[k]];
        host[k] = c->unlinked ? (double)NAN : (double)store_dur_ns(s, c->event) / 1e3;
        if (c->cost && (!g->cost || c->cost->origin < g->cost->origin))
            g->cost = c->cost;
    }
    g->host_us = stats_of(host, g->n);
    g->gflop = g->byte = g->flop_per_byte = (double)NAN;
    if (g->cost) {
        g->gflop = g->cost->flop / 1e9;
        g->byte = g->cost->byte;
        g->flop_per_byte = g->byte > 0 ? g->gflop * 1e9 / g->byte : (double)NAN;
        g->compute_spec = dtype_spec(g->cost->compute_spec);
    }
    for (int32_t k = 0; k < g->first->n_kernels; k++)
        g->copies |= s->cat[g->first->kernels[k]] == CAT_MEMCPY;
    add_kernel_details(perm, tmp, s, calls, g);
    add_rates(tmp, calls, device, g);
}

static int by_time_then_uid(const void *a, const void *b)
{
    const struct op_group *x = a, *y = b;
    if (x->direct_us.sum != y->direct_us.sum)
        return x->direct_us.sum > y->direct_us.sum ? -1 : 1;
    return (x->first->uid > y->first->uid) - (x->first->uid < y->first->uid);
}

struct op_groups groups_build(struct arena *perm, struct arena tmp,
                              const struct trace_view *v, const struct op_calls *calls,
                              enum group_by by, const struct device_spec *device)
{
    struct op_groups gs = {.calls = *calls};
    int32_t *group = assign_groups(&tmp, v, calls, by, &gs.n);
    int32_t *members = arena_take_raw(perm, sizeof *members, 4, calls->n);
    int32_t *end = arena_new(&tmp, int32_t, gs.n + 1); /* of the members of a group */
    gs.rows = arena_new(perm, struct op_group, gs.n);
    for (int32_t r = 0; r < calls->n; r++)
        gs.rows[group[r]].n++;
    for (int32_t g = 0, at = 0; g < gs.n; at += gs.rows[g++].n) {
        gs.rows[g].members = members + at;
        end[g] = at;
    }
    for (int32_t r = 0; r < calls->n; r++)
        members[end[group[r]]++] = r;
    double total = 0.0, running = 0.0;
    struct last_lane lane = {0};
    for (int32_t g = 0; g < gs.n; g++) {
        fill_group(perm, tmp, v, calls, device, &gs.rows[g]);
        gs.rows[g].lane = lane_of(perm, v->s, gs.rows[g].first->event, &lane);
        total += gs.rows[g].direct_us.sum;
        gs.n_unlinked += gs.rows[g].first->unlinked;
        gs.unlinked_us += gs.rows[g].first->unlinked ? gs.rows[g].direct_us.sum : 0.0;
    }
    gs.linked_frac = total > 0 ? (total - gs.unlinked_us) / total : (double)NAN;
    qsort(gs.rows, (size_t)gs.n, sizeof *gs.rows, by_time_then_uid);
    for (int32_t g = 0; g < gs.n; g++) {
        double share =
            total > 0 ? 100.0 * gs.rows[g].direct_us.sum / total : (double)NAN;
        gs.rows[g].share_pct = share;
        gs.rows[g].cumulative_pct = running += share;
    }
    return gs;
}
