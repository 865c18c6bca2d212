#include "ops/op_groups.h"

#include "base/out.h"
#include "ops/group_kernels.h"
#include "ops/op_cost.h"
#include "perf/dtype.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct op_call_row *call_of(const struct op_groups *gs,
                                         const struct op_group *g, int32_t k)
{
    return &gs->calls.rows[g->members[k]];
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
    if (c->unlinked || c->part) { /* by kernel, on whatever stream */
        int32_t of = c->unlinked ? -2 : -3;
        struct group_key k = {pool_add_lasting(texts, c->name),
                              of,
                              of,
                              of,
                              of,
                              of,
                              of,
                              of,
                              of,
                              c->recompute};
        return pool_add(keys, (struct str){(const char *)&k, sizeof k});
    }
    const struct op_texts *t = store_texts(s, c->event);
    const struct lane *lane = &s->lanes[s->lane[c->event]];
    struct group_key k = {pool_add_lasting(texts, c->name),
                          pool_add_lasting(texts, c->category),
                          lane->process_name,
                          lane->process_label,
                          lane->thread_name,
                          t ? t->dims : -1,
                          t ? t->types : -1,
                          t ? t->strides : -1,
                          t ? t->concrete : -1,
                          c->recompute};
    return pool_add(keys, (struct str){(const char *)&k, sizeof k});
}

/* Calls whose parameters were last made a key: many calls share a cost. */
enum { RECENT_BITS = 8 };
struct recent_call {
    const struct op_call_row *call;
    name_id key;
};

/* Name and every parameter with its text. */
static name_id add_parameters_key(struct name_pool *keys, struct out *scratch,
                                  struct recent_call *recent,
                                  const struct op_call_row *c)
{
    uint64_t mixed = (uint64_t)(uintptr_t)c->cost * 0x9e3779b97f4a7c15u;
    struct recent_call *like = &recent[mixed >> (64 - RECENT_BITS)];
    if (like->call && like->call->cost == c->cost &&
        like->call->recompute == c->recompute && str_eq(like->call->name, c->name))
        return like->key;
    scratch->n = 0;
    out_str(scratch, c->name);
    out_char(scratch, c->recompute ? '\1' : '\2');
    for (int k = 0; k < c->cost->n_params; k++) {
        out_c(scratch, c->cost->params[k].key);
        out_char(scratch, '\1');
        out_str(scratch, perf_param_str(&c->cost->params[k]));
        out_char(scratch, '\2');
    }
    *like = (struct recent_call){c, pool_add(keys, out_view(scratch))};
    return like->key;
}

/* First appearance counts up: group ids are rows. */
static int32_t *assign_groups(struct arena *tmp, const struct trace_view *v,
                              const struct op_calls *calls, enum group_by by,
                              int32_t *n_groups)
{
    struct name_pool texts, keys;
    struct out scratch;
    struct recent_call recent[1 << RECENT_BITS] = {{0}};
    pool_open(&texts);
    pool_open(&keys);
    out_memory(&scratch);
    int32_t *group = arena_take_raw(tmp, sizeof *group, 4, calls->n);
    for (int32_t r = 0; r < calls->n; r++)
        group[r] = by == BY_ARGUMENTS
                       ? add_arguments_key(&texts, &keys, v->s, &calls->rows[r])
                       : add_parameters_key(&keys, &scratch, recent, &calls->rows[r]);
    out_free(&scratch);
    *n_groups = keys.n;
    pool_close(&texts);
    pool_close(&keys);
    return group;
}

/* Of a time of each call, by its place in the row of the call; `p95` may be NULL. */
static struct sample_stats stats_of_ns(struct arena tmp, const struct op_groups *gs,
                                       const struct op_group *g, size_t member,
                                       double *p95)
{
    double *us = arena_take_raw(&tmp, sizeof *us, 8, g->n);
    for (int32_t k = 0; k < g->n; k++) {
        int64_t ns;
        memcpy(&ns, (const char *)call_of(gs, g, k) + member, sizeof ns);
        us[k] = (double)ns / 1e3;
    }
    struct sample_stats st = stats_of(us, g->n);
    if (p95)
        *p95 = stats_p95(us, g->n);
    return st;
}

/* The reference has no roofline for work without arithmetic. */
static struct roofline roofline_of_cost(const struct device_spec *device,
                                        const struct perf_cost *cost)
{
    if (!cost || !device)
        return (struct roofline){BOUND_NONE, (double)NAN};
    if (cost->flop == 0 && cost->origin != PERF_OF_REFERENCE)
        return roofline_of_bytes(device, cost->byte);
    return roofline_of(device, cost->flop, cost->byte, cost->compute_spec);
}

/* From those of n calls; the roof is that of the row's cost. */
static void set_rates(struct op_group_row *r, const struct roofline *roof, double *tb,
                      double *tflop, double *pct, int32_t n)
{
    struct op_group *g = &r->group;
    r->tb_per_s = stats_of(tb, n);
    r->tflop_per_s = stats_of(tflop, n);
    r->roofline_pct = stats_of(pct, n);
    g->tb_per_s = r->tb_per_s.mean;
    g->tflop_per_s = r->tflop_per_s.mean;
    g->roofline_pct = r->roofline_pct.mean;
    g->bound = roof->bound;
    g->roofline_us = roof->bound == BOUND_NONE ? (double)NAN : roof->time_us;
}

static void add_rates(struct arena tmp, const struct op_groups *gs,
                      struct op_group_row *r)
{
    struct op_group *g = &r->group;
    double *tb = arena_take_raw(&tmp, sizeof *tb, 8, g->n);
    double *tflop = arena_take_raw(&tmp, sizeof *tflop, 8, g->n);
    double *pct = arena_take_raw(&tmp, sizeof *pct, 8, g->n);
    struct roofline roof = roofline_of_cost(gs->device, g->cost);
    for (int32_t k = 0; k < g->n; k++) {
        const struct op_call_row *c = call_of(gs, g, k);
        bool same = c->cost && c->cost->origin == g->cost->origin;
        struct call_rates rates =
            call_rates_of(same ? c->cost : NULL, c->direct_ns, &roof);
        tb[k] = rates.tb_per_s;
        tflop[k] = rates.tflop_per_s;
        pct[k] = rates.roofline_pct;
    }
    set_rates(r, &roof, tb, tflop, pct, g->n);
}

static double share_pct(const struct op_groups *gs, const struct group_place *p)
{
    return gs->total_us > 0 ? 100.0 * p->us / gs->total_us : (double)NAN;
}

static const struct op_call_row *first_of(const struct op_groups *gs,
                                          const struct group_place *p)
{
    return &gs->calls.rows[gs->members[p->at]];
}

static const struct op_texts *texts_of(const struct op_groups *gs,
                                       const struct op_call_row *first)
{
    return first->unlinked || first->part ? NULL
                                          : store_texts(gs->view->s, first->event);
}

static const struct perf_cost *cost_of_calls(const struct op_groups *gs,
                                             const int32_t *members, int32_t n)
{
    const struct perf_cost *best = NULL;
    for (int32_t k = 0; k < n; k++) {
        const struct perf_cost *cost = gs->calls.rows[members[k]].cost;
        if (cost && (!best || cost->origin < best->origin))
            best = cost;
    }
    return best;
}

const struct op_call_row *groups_first(const struct op_groups *gs, int32_t row)
{
    return first_of(gs, &gs->places[row]);
}

double groups_share_pct(const struct op_groups *gs, int32_t row)
{
    return share_pct(gs, &gs->places[row]);
}

const struct perf_cost *groups_cost(const struct op_groups *gs, int32_t row)
{
    const struct group_place *p = &gs->places[row];
    return cost_of_calls(gs, gs->members + p->at, p->n);
}

struct args_text groups_texts(const struct op_groups *gs, int32_t row)
{
    const struct name_pool *names = &gs->view->s->names;
    const struct group_place *p = &gs->places[row];
    const struct op_texts *t = texts_of(gs, first_of(gs, p));
    if (!t || (p->made && p->made->group.n_folded))
        return (struct args_text){0};
    return (struct args_text){true, pool_text(names, t->dims),
                              pool_text(names, t->types), pool_text(names, t->strides),
                              pool_text(names, t->concrete)};
}

static void add_host_time(struct arena tmp, const struct op_groups *gs,
                          struct op_group_row *r)
{
    double *us = arena_take_raw(&tmp, sizeof *us, 8, r->group.n);
    for (int32_t k = 0; k < r->group.n; k++) {
        const struct op_call_row *c = call_of(gs, &r->group, k);
        us[k] = c->unlinked ? (double)NAN
                            : (double)store_dur_ns(gs->view->s, c->event) / 1e3;
    }
    r->host_us = stats_of(us, r->group.n);
    r->group.host_us = r->host_us.sum;
}

static void set_cost(struct op_group *g)
{
    g->gflop = g->byte = g->flop_per_byte = (double)NAN;
    if (!g->cost)
        return;
    g->gflop = g->cost->flop / 1e9;
    g->byte = g->cost->byte;
    g->flop_per_byte = g->byte > 0 ? g->gflop * 1e9 / g->byte : (double)NAN;
    g->compute_spec = dtype_spec(g->cost->compute_spec);
}

/* What a call costs on average; each rate is of a call with its own cost. */
static void average_cost(struct arena *a, const struct op_groups *gs,
                         struct op_group_row *r)
{
    struct op_group *g = &r->group;
    struct perf_cost *cost = arena_new(a, struct perf_cost, 1);
    struct arena tmp = *a;
    double *tb = arena_take_raw(&tmp, sizeof *tb, 8, g->n);
    double *tflop = arena_take_raw(&tmp, sizeof *tflop, 8, g->n);
    double *pct = arena_take_raw(&tmp, sizeof *pct, 8, g->n);
    struct perf_cost mean = {0};
    int32_t n = 0;
    for (int32_t k = 0; k < g->n; k++) {
        const struct op_call_row *c = call_of(gs, g, k);
        if (!c->cost || isnan(c->cost->byte))
            continue;
        struct roofline roof = roofline_of_cost(gs->device, c->cost);
        struct call_rates rates = call_rates_of(c->cost, c->direct_ns, &roof);
        tb[n] = rates.tb_per_s;
        tflop[n] = rates.tflop_per_s;
        pct[n] = rates.roofline_pct;
        if (n++ == 0) {
            mean = *c->cost;
            continue;
        }
        mean.flop += c->cost->flop;
        mean.byte += c->cost->byte;
    }
    g->cost = NULL;
    if (n > 0) {
        mean.flop /= n;
        mean.byte /= n;
        mean.n_params = 0;
        *cost = mean;
        g->cost = cost;
    }
    set_cost(g);
    struct roofline roof = roofline_of_cost(gs->device, g->cost);
    set_rates(r, &roof, tb, tflop, pct, n);
}

/* Whether the calls of a row differ in what they cost: a model of our own may read the
 * shapes of an operand that only the calling operator has. */
static bool costs_differ(const struct op_groups *gs, const struct op_group *g)
{
    if (!g->cost || g->cost->origin == PERF_OF_REFERENCE)
        return false;
    for (int32_t k = 0; k < g->n; k++) {
        const struct perf_cost *c = call_of(gs, g, k)->cost;
        if (c && (c->flop != g->cost->flop || c->byte != g->cost->byte))
            return true;
    }
    return false;
}

/* Without shapes an operator is one row, whose calls copy memory or run a kernel: of
 * "aten::copy_" the first call may do the one and the others the other. */
static bool mostly_computes(const struct op_groups *gs, const struct op_group *g)
{
    const struct event_store *s = gs->view->s;
    int64_t more_ns = 0; /* in kernels than in copies */
    for (int32_t i = 0; i < g->n; i++) {
        const struct op_call_row *c = call_of(gs, g, i);
        for (int32_t k = 0; k < c->n_kernels; k++) {
            int64_t ns = store_dur_ns(s, c->kernels[k]);
            more_ns += s->cat[c->kernels[k]] == CAT_KERNEL ? ns : -ns;
        }
    }
    return more_ns > 0;
}

/* Without its arguments. */
static void make_row(struct arena *a, const struct op_groups *gs,
                     const struct group_place *p, struct op_group_row *r)
{
    const struct trace_view *v = gs->view;
    const struct op_call_row *first = first_of(gs, p);
    struct op_group *g = &r->group;
    *r = (struct op_group_row){.group = {.first = first,
                                         .lane = &v->lanes[v->s->lane[first->event]],
                                         .members = gs->members + p->at,
                                         .n = p->n,
                                         .share_pct = share_pct(gs, p),
                                         .cumulative_pct = p->cumulative_pct,
                                         .has_model = first->has_model}};
    for (int32_t k = 0; k < first->n_kernels; k++)
        g->copies |= v->s->cat[first->kernels[k]] == CAT_MEMCPY;
    g->computes = g->copies && mostly_computes(gs, g);
    group_kernels_add(a, v->s, &gs->calls, g);
    g->direct_us = stats_of_ns(*a, gs, g, offsetof(struct op_call_row, direct_ns),
                               &g->direct_p95_us);
    r->subtree_us =
        stats_of_ns(*a, gs, g, offsetof(struct op_call_row, subtree_ns), NULL);
    add_host_time(*a, gs, r);
    g->cost = cost_of_calls(gs, g->members, g->n);
    if (costs_differ(gs, g)) {
        average_cost(a, gs, r);
        return;
    }
    set_cost(g);
    add_rates(*a, gs, r);
}

/* One that stays. */
static void make_kept_row(struct arena *a, const struct op_groups *gs,
                          const struct group_place *p, struct op_group_row *r)
{
    make_row(a, gs, p, r);
    r->group.args = store_args(gs->view->s, texts_of(gs, r->group.first));
}

const struct op_group_row *groups_row(struct arena *a, const struct op_groups *gs,
                                      int32_t row)
{
    const struct group_place *p = &gs->places[row];
    if (p->made)
        return p->made;
    struct op_group_row *r = arena_new(a, struct op_group_row, 1);
    make_row(a, gs, p, r);
    r->group.args = store_args_apart(gs->view->s, texts_of(gs, r->group.first), a);
    return r;
}

static void keep_rows(struct arena *perm, struct arena tmp, struct op_groups *gs)
{
    struct op_group_row *r = arena_new(&tmp, struct op_group_row, 1);
    gs->rows = arena_take_raw(perm, sizeof *gs->rows, 8, gs->n);
    for (int32_t g = 0; g < gs->n; g++) {
        const struct group_place *p = &gs->places[g];
        if (!p->made)
            make_kept_row(perm, gs, p, r);
        gs->rows[g] = p->made ? p->made->group : r->group;
    }
}

/* What groups are ordered by. */
struct group_key_time {
    double us;
    int32_t uid, group;
};

static int by_time_then_uid(const void *a, const void *b)
{
    const struct group_key_time *x = a, *y = b;
    if (x->us != y->us)
        return x->us > y->us ? -1 : 1;
    return (x->uid > y->uid) - (x->uid < y->uid);
}

/* The calls of each group, in their order; places in the order of first appearance. */
static struct group_place *place_calls(struct arena *tmp, struct op_groups *gs,
                                       const int32_t *group)
{
    struct group_place *places = arena_new(tmp, struct group_place, gs->n);
    int32_t *end = arena_new(tmp, int32_t, gs->n); /* of the members of a group */
    for (int32_t r = 0; r < gs->calls.n; r++)
        places[group[r]].n++;
    for (int32_t g = 0, at = 0; g < gs->n; at += places[g++].n)
        places[g].at = end[g] = at;
    for (int32_t r = 0; r < gs->calls.n; r++)
        gs->members[end[group[r]]++] = r;
    return places;
}

static void add_time(struct arena tmp, struct op_groups *gs, struct group_place *p)
{
    struct op_group g = {.members = gs->members + p->at, .n = p->n};
    size_t direct_ns = offsetof(struct op_call_row, direct_ns);
    p->us = stats_of_ns(tmp, gs, &g, direct_ns, NULL).sum;
    gs->total_us += p->us;
    gs->n_unlinked += first_of(gs, p)->unlinked;
    gs->unlinked_us += first_of(gs, p)->unlinked ? p->us : 0.0;
}

/* By time, with the share up to each. */
static void order_places(struct arena tmp, struct op_groups *gs,
                         const struct group_place *places)
{
    struct group_key_time *keys = arena_take_raw(&tmp, sizeof *keys, 8, gs->n);
    for (int32_t g = 0; g < gs->n; g++)
        keys[g] =
            (struct group_key_time){places[g].us, first_of(gs, &places[g])->uid, g};
    qsort(keys, (size_t)gs->n, sizeof *keys, by_time_then_uid);
    double running = 0.0;
    for (int32_t g = 0; g < gs->n; g++) {
        gs->places[g] = places[keys[g].group];
        gs->places[g].cumulative_pct = running += share_pct(gs, &gs->places[g]);
    }
}

/* Sorts the calls into rows, by the group of each; longest row first. */
static void place_groups(struct arena *perm, struct arena tmp, struct op_groups *gs,
                         const int32_t *group)
{
    gs->members = arena_take_raw(perm, sizeof *gs->members, 4, gs->calls.n);
    gs->places = arena_take_raw(perm, sizeof *gs->places, 8, gs->n);
    struct group_place *places = place_calls(&tmp, gs, group);
    for (int32_t g = 0; g < gs->n; g++)
        add_time(tmp, gs, &places[g]);
    gs->linked_frac = gs->total_us > 0 ? (gs->total_us - gs->unlinked_us) / gs->total_us
                                       : (double)NAN;
    order_places(tmp, gs, places);
}

struct op_groups groups_build(struct arena *perm, struct arena tmp,
                              const struct trace_view *v, const struct op_calls *calls,
                              enum group_by by, const struct device_spec *device)
{
    enum { MANY = 8 }; /* calls, whose rows take more than a row made of them */
    struct op_groups gs = {.calls = *calls, .view = v, .device = device};
    int32_t *group = assign_groups(&tmp, v, calls, by, &gs.n);
    place_groups(perm, tmp, &gs, group);
    for (int32_t g = 0; g < gs.n; g++) {
        if (gs.places[g].n <= MANY)
            continue;
        struct op_group_row *r = arena_new(perm, struct op_group_row, 1);
        make_kept_row(perm, &gs, &gs.places[g], r);
        gs.places[g].made = r;
    }
    return gs;
}

/* Rows are counted on from those that stay, in the order of their first calls. */
struct fold {
    int32_t *group;    /* of each call */
    int32_t *n_folded; /* by group behind those that stay: rows of it */
    int32_t n;
};

static struct fold fold_rows(struct arena *tmp, const struct op_groups *all,
                             int32_t room, bool by_name)
{
    struct fold f = {arena_take_raw(tmp, sizeof *f.group, 4, all->calls.n),
                     arena_new(tmp, int32_t, all->n - room), 0};
    struct name_pool texts, keys;
    pool_open(&texts);
    pool_open(&keys);
    for (int32_t g = 0; g < all->n; g++) {
        const struct op_call_row *first = first_of(all, &all->places[g]);
        int32_t key[] = {by_name ? pool_add_lasting(&texts, first->name) : -1,
                         pool_add_lasting(&texts, first->category), first->recompute,
                         first->unlinked};
        name_id rest =
            g < room ? -1
                     : pool_add(&keys, (struct str){(const char *)key, sizeof key});
        if (rest >= 0)
            f.n_folded[rest]++;
        for (int32_t k = 0; k < all->places[g].n; k++)
            f.group[all->members[all->places[g].at + k]] = rest < 0 ? g : room + rest;
    }
    f.n = keys.n;
    pool_close(&texts);
    pool_close(&keys);
    return f;
}

/* Of a row that stands for several: nothing that only its first call has. */
static const struct op_group_row *folded_row(struct arena *perm,
                                             const struct op_groups *gs, int32_t row,
                                             int32_t n_folded, bool by_name)
{
    struct op_group_row *r = arena_new(perm, struct op_group_row, 1);
    struct op_call_row *first = arena_new(perm, struct op_call_row, 1);
    make_row(perm, gs, &gs->places[row], r);
    *first = *r->group.first;
    if (!by_name)
        first->name = first->unlinked ? S("other kernels") : S("other operators");
    r->group.first = first;
    r->group.n_folded = n_folded;
    average_cost(perm, gs, r);
    return r;
}

struct op_groups groups_fold(struct arena *perm, struct arena tmp,
                             const struct op_groups *all, int32_t room,
                             const int32_t **row_of)
{
    struct op_groups gs = *all;
    *row_of = NULL;
    if (all->n > room) {
        struct arena names = tmp;
        struct fold f = fold_rows(&tmp, all, room, true);
        bool by_name = f.n <= room;
        if (!by_name) {
            tmp = names;
            f = fold_rows(&tmp, all, room, false);
        }
        gs = (struct op_groups){.calls = all->calls,
                                .n = room + f.n,
                                .view = all->view,
                                .device = all->device};
        place_groups(perm, tmp, &gs, f.group);
        int32_t *row_of_group = arena_take_raw(&tmp, sizeof *row_of_group, 4, gs.n);
        for (int32_t g = 0; g < gs.n; g++) {
            int32_t group = f.group[gs.members[gs.places[g].at]];
            row_of_group[group] = g;
            if (group >= room)
                gs.places[g].made =
                    folded_row(perm, &gs, g, f.n_folded[group - room], by_name);
        }
        int32_t *rows = arena_take_raw(perm, sizeof *rows, 4, all->n);
        for (int32_t g = 0; g < all->n; g++)
            rows[g] = row_of_group[f.group[all->members[all->places[g].at]]];
        *row_of = rows;
    }
    keep_rows(perm, tmp, &gs);
    return gs;
}
