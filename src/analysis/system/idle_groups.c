#include "analysis/system/idle_groups.h"

#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/system/beside_graphs.h"
#include "analysis/system/host_name.h"
#include "analysis/system/idle_gaps.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

/* What a file runs when it is started has no name but its place. */
static struct host_name told(struct host_name n)
{
    return str_eq(n.name, S("<module>")) && n.place.n
               ? (struct host_name){n.place, S("")}
               : n;
}

/* "Attention" of a function that a module calls, through the framework alone. */
static struct str class_of_method(const struct group_names *f, event_id i)
{
    struct str module = S("");
    int k = 0;
    do {
        i = tree_parent(&f->t->frames, i);
        module = i >= 0 ? tree_module_name(store_name(f->t->v->s, i)) : S("");
    } while (i >= 0 && !module.n && ++k < TREE_LEVELS_MAX &&
             tree_is_plumbing(store_name(f->t->v->s, i)));
    return module;
}

/* The place of a frame of a file, or of the Python code that called anything else. */
static struct host_name named(const struct group_names *f, event_id i)
{
    struct host_name n = host_name_of(f->perm, store_name(f->t->v->s, i));
    if (n.place.n && name_is(n.name, "forward|__call__")) {
        struct str module = class_of_method(f, i);
        n.name = module.n ? say(f->perm, "{}.{}", said(module), said(n.name)) : n.name;
    }
    if (n.place.n || cat_is_gpu(f->t->v->s->cat[i]) ||
        str_starts(n.name, S("generated ")))
        return n;
    struct str path = tree_launcher_path(f->t, i);
    if (path.n && !str_has(path, S("autograd/profiler.py"))) { /* of an annotation */
        struct host_name caller = host_name_of(f->perm, path);
        n.place = caller.place.n ? str_printf(f->perm, "%.*s, %.*s", STRF(caller.name),
                                              STRF(caller.place))
                                 : caller.name;
    }
    return n;
}

static void add_where(const struct group_names *f, struct idle_group *g,
                      const struct tally *y)
{
    enum { MOST = sizeof g->where / sizeof *g->where };
    int at = g->n_where;
    double us = (double)y->ns / 1e3;
    while (at > 0 && g->where[at - 1].total_us < us)
        at--;
    if (at == MOST)
        return;
    g->n_where += g->n_where < MOST;
    memmove(g->where + at + 1, g->where + at,
            (size_t)(g->n_where - 1 - at) * sizeof *g->where);
    if (y->kind == TALLY_CALL) {
        struct host_name n = told(named(f, y->example));
        g->where[at] = (struct op_share){n.name, n.place, y->count, us, S(""), 0};
        return;
    }
    struct str op = store_name(f->t->v->s, launched_operation(f->t, y->example));
    g->where[at] = (struct op_share){host_name_of(f->perm, y->name).name,
                                     str_eq(op, y->name) ? S("") : op,
                                     y->count,
                                     us,
                                     S(""),
                                     0};
}

static void set_root(struct idle_group *g, const struct tally *y)
{
    if (2 * y->ns >= g->total_ns) {
        g->root = y->name;
    } else if (5 * y->ns >= g->total_ns && y->ns > g->root_beside_ns) {
        g->root_beside = y->name;
        g->root_beside_ns = y->ns;
    }
}

/* The innermost frame that launches half of the late kernels, enough for a graph. */
static void set_beside(const struct group_names *f, struct idle_group *g,
                       const struct tally *y)
{
    const struct event_store *s = f->t->v->s;
    event_id before = g->beside_event - 1;
    if (2 * y->ns < g->total_ns || !launches_a_graphful(f->t, y->example) ||
        (before >= 0 && store_dur_ns(s, y->example) >= store_dur_ns(s, before)))
        return;
    struct host_name n = named(f, y->example);
    g->beside = n.name;
    g->beside_place = n.place;
    g->beside_us = (double)y->ns / 1e3;
    g->beside_event = y->example + 1;
}

/* Where its user can change something: what a program begins with says nothing. */
static void set_code(const struct group_names *f, struct idle_group *g, event_id blame)
{
    event_id code = host_time_code(f->host, blame);
    struct host_name n = code >= 0 ? named(f, code) : (struct host_name){0};
    if (!n.place.n || name_is(n.name, "main|<module>"))
        return;
    g->code = n.name;
    g->code_place = n.place;
}

static void set_leaf(const struct group_names *f, struct idle_group *g,
                     const struct tally *leaf)
{
    const struct event_store *s = f->t->v->s;
    event_id at = leaf->example;
    g->leaf_us = (double)leaf->ns / 1e3;
    g->leaf_call_us = g->leaf_us / (double)leaf->count;
    if (at < 0)
        return;
    int32_t launched = 0;
    struct host_name n = told(named(f, at));
    if (str_starts(n.name, S("ProfilerStep")))
        return; /* where the profiler marks a step: an operator before 2022 */
    g->event = at;
    g->leaf_event = at + 1;
    g->leaf = n.name;
    g->leaf_place = n.place;
    if (s->cat[at] == CAT_CPU_OP)
        launch_range(&f->t->v->launch, &f->t->v->tree, at, &launched);
    g->leaf_launches = launched > 0;
    g->leaf_is_code = tree_is_code(f->t, at);
    if (s->cat[at] == CAT_PYTHON && 4 * leaf->ns >= 3 * g->total_ns)
        set_code(f, g, at); /* what calls a function without a place of its own */
    g->leaf_in_operator =
        cat_is_runtime(s->cat[at]) && tree_operator(s, &f->t->frames, at) >= 0;
}

static void set_sync(const struct group_names *f, struct idle_group *g,
                     const struct tally *sync)
{
    struct host_name n = told(named(f, sync->example));
    g->sync = n.name;
    g->sync_place = n.place;
}

void idle_groups_name(const struct group_names *f, struct arena *tmp,
                      const struct tallies *all, int32_t n)
{
    const struct tally **leaf = arena_new(tmp, const struct tally *, n);
    const struct tally **sync = arena_new(tmp, const struct tally *, n);
    for (int32_t k = 0; k < all->n; k++) {
        const struct tally *y = &all->rows[k];
        const struct tally **best =
            y->kind == TALLY_LEAF ? &leaf[y->group] : &sync[y->group];
        if (y->kind == TALLY_WHERE || y->kind == TALLY_CALL)
            add_where(f, &f->groups[y->group], y);
        else if (y->kind == TALLY_BESIDE)
            set_beside(f, &f->groups[y->group], y);
        else if (y->kind == TALLY_ROOT)
            set_root(&f->groups[y->group], y);
        else if (!*best || y->ns > (*best)->ns)
            *best = y;
    }
    int64_t steps = f->t->v->profiler_steps;
    for (int32_t k = 0; k < n; k++) {
        struct idle_group *g = &f->groups[k];
        if (leaf[k])
            set_leaf(f, g, leaf[k]);
        if (sync[k])
            set_sync(f, g, sync[k]);
        g->per_step_us =
            steps ? (double)g->total_ns / 1e3 / (double)steps : (double)NAN;
    }
}

/* The annotation around a wait, where no frames tell its place; empty: none. */
static struct str noted(const struct group_names *f, event_id wait)
{
    event_id note = host_time_note(f->host, f->notes_of, wait);
    return note >= 0 ? store_name(f->t->v->s, note) : S("");
}

void idle_group_blame(const struct group_names *f, struct idle_group *g, event_id blame,
                      struct str fixed)
{
    const struct event_store *s = f->t->v->s;
    struct host_name none = {fixed, S("")},
                     n = fixed.n || blame < 0 ? none : told(named(f, blame));
    g->blame = n.name;
    g->blame_place = n.place;
    if (g->class == IDLE_SYNC && !n.place.n && blame >= 0 && f->notes_of)
        g->blame_place = noted(f, blame);
    g->blame_frame = n.place.n ? store_name(s, blame) : S("");
    if (g->class != IDLE_CPU_WORK) /* the operator, not the code around it */
        g->event = blame;
    if (blame < 0)
        return;
    if (!g->code.n) /* or what nearly all is called from */
        set_code(f, g, blame);
    if (!cat_is_gpu(s->cat[blame]))
        g->around = host_time_around(f->host, f->perm, blame);
}

void idle_groups_sort(struct arena *perm, struct arena tmp, struct idle_result *r)
{
    struct sort_row *rows = arena_take_raw(&tmp, sizeof *rows, 8, r->n_groups);
    struct idle_group *sorted = arena_take_raw(perm, sizeof *sorted, 8, r->n_groups);
    for (int32_t k = 0; k < r->n_groups; k++)
        rows[k] = (struct sort_row){-r->groups[k].total_ns, k};
    sort_rows(tmp, rows, r->n_groups);
    for (int32_t k = 0; k < r->n_groups; k++)
        sorted[k] = r->groups[rows[k].row];
    while (r->n_groups && !sorted[r->n_groups - 1].total_ns)
        r->n_groups--;
    r->groups = sorted;
}
