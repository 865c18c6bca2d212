#include "analysis/facts/top_operations.h"

#include "analysis/model/number_text.h"
#include "base/name_pool.h"
#include "ops/op_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOP = 10 };
static const double FLOOR_PCT = 1; /* below this, being in the top ten means nothing */

struct kernel_rows kernel_rows_build(struct arena *to, const struct analysis *a)
{
    const struct launch_link *l = &a->tables->view->launch;
    const struct op_calls *calls = &a->tables->judged.calls;
    struct kernel_rows x = {l, arena_new(to, struct work_row *, l->n_all)};
    for (int c = 0; c < WORK_CATEGORIES; c++)
        for (int32_t i = 0; i < a->categories[c].n_rows; i++) {
            struct work_row *r = &a->categories[c].rows[i];
            for (int32_t k = 0; k < r->group->n; k++) {
                const struct op_call_row *call = &calls->rows[r->group->members[k]];
                for (int32_t g = 0; g < call->n_kernels; g++)
                    x.row[launch_place(l, call->kernels[g])] = r;
            }
        }
    return x;
}

struct named_time {
    struct str name;
    int64_t ns, count;
    enum work_category category;
};

static int by_time(const void *x, const void *y)
{
    const struct named_time *a = x, *b = y;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return str_cmp(a->name, b->name);
}

static struct named_time *add_time(struct named_time *t, struct name_pool *names,
                                   struct str name, int64_t ns, int64_t count)
{
    struct named_time *to = &t[pool_add_lasting(names, name)];
    to->name = name;
    to->ns += ns;
    to->count += count;
    return to;
}

static bool only_copies(const struct op_tables *o, const struct op_call_row *call)
{
    const struct event_store *s = o->view->s;
    for (int32_t k = 0; k < call->n_kernels; k++)
        if (s->cat[call->kernels[k]] != CAT_MEMCPY)
            return false;
    return call->n_kernels > 0;
}

/* The summary gives recomputed calls a separate row; here they are merged by name. Work
 * without a launch call is not in it, and goes by the kernels' names. Calls that only
 * copy compute nothing: a name that has no others is left out. */
static struct named_time *times_by_name(struct arena *tmp, const struct op_tables *o,
                                        struct name_pool *names, int32_t *n)
{
    const struct op_summary *s = &o->by_name;
    const struct op_calls *calls = &o->models;
    struct named_time *t =
        arena_new(tmp, struct named_time, s->n + o->unified.n_unlinked);
    for (int32_t i = 0; i < s->n; i++)
        add_time(t, names, s->rows[i].name, s->rows[i].direct_ns, s->rows[i].count);
    for (int32_t i = 0; i < calls->n; i++)
        if (calls->rows[i].unlinked && !only_copies(o, &calls->rows[i]))
            add_time(t, names, calls->rows[i].name, calls->rows[i].direct_ns, 1);
    for (int32_t i = 0; i < o->launchers.n; i++) {
        const struct op_call_row *call = &o->launchers.rows[i];
        if (only_copies(o, call))
            add_time(t, names, call->name, -call->direct_ns, -1);
    }
    *n = 0;
    for (int32_t i = 0; i < names->n; i++)
        if (t[i].count > 0)
            t[(*n)++] = t[i];
    qsort(t, (size_t)*n, sizeof *t, by_time);
    return t;
}

/* Of each launcher, which of the first of `t` has its name, or -1. */
static int8_t *tops_of_launchers(struct arena *tmp, const struct op_tables *o,
                                 const struct named_time *t, int32_t n)
{
    enum { UNKNOWN = -2 };
    const struct event_store *s = o->view->s;
    const struct op_calls *calls = &o->launchers;
    int8_t *of = arena_take_raw(tmp, 1, 1, calls->n);
    int8_t *of_name = arena_take_raw(tmp, 1, 1, s->names.n);
    memset(of_name, UNKNOWN, (size_t)s->names.n);
    for (int32_t i = 0; i < calls->n; i++) {
        int8_t *top = &of_name[s->name[calls->rows[i].event]];
        if (*top == UNKNOWN) {
            *top = -1;
            for (int32_t k = 0; k < n && k < MOST_TOP; k++)
                if (str_eq(t[k].name, calls->rows[i].name))
                    *top = (int8_t)k;
        }
        of[i] = *top;
    }
    return of;
}

/* Time of device work that the launchers of one of the top names share with rows, by
 * the rows' names. */
static struct named_time *share(struct arena *tmp, const struct analysis *a,
                                const struct kernel_rows *rows, const int8_t *top_of,
                                int top, struct str name, int32_t *n)
{
    const struct op_calls *launchers = &a->tables->launchers;
    const struct event_store *s = a->tables->view->s;
    struct name_pool names;
    struct named_time *t = arena_new(tmp, struct named_time, a->tables->judged.n);
    pool_open(&names);
    for (int32_t i = 0; i < launchers->n; i++) {
        if (top_of[i] != top)
            continue;
        for (int32_t k = 0; k < launchers->rows[i].n_kernels; k++) {
            event_id g = launchers->rows[i].kernels[k];
            const struct work_row *row = kernel_row_of(rows, g);
            if (!row)
                continue;
            add_time(t, &names, row->name, store_dur_ns(s, g), 1)->category =
                row->category;
        }
    }
    for (int c = 0; c < WORK_CATEGORIES; c++)
        for (int32_t i = 0; i < a->categories[c].n_rows; i++) {
            const struct work_row *row = &a->categories[c].rows[i];
            if (row->group->first->unlinked && str_eq(row->name, name))
                add_time(t, &names, name, (int64_t)(row->time_ms * 1e6), row->count)
                    ->category = row->category;
        }
    *n = names.n;
    pool_close(&names);
    qsort(t, (size_t)*n, sizeof *t, by_time);
    return t;
}

static bool is_mixed(const struct named_time *t, int32_t n)
{
    int64_t all_ns = 0, other_ns = 0;
    for (int32_t k = 0; k < n; k++) {
        all_ns += t[k].ns;
        other_ns += t[k].category != t[0].category ? t[k].ns : 0;
    }
    return other_ns > 0 && 10 * other_ns >= all_ns;
}

/* A graph launch is one name for everything it replays. Its rows are kernels, of which
 * only those count that would be in the top ten themselves. */
static bool is_among_rows(const struct analysis *a, const struct work_row *r)
{
    const struct op_groups *g = &a->tables->judged; /* longest first */
    for (int32_t i = 0; i < g->n && i < MOST_TOP; i++)
        if (&g->rows[i] == r->group)
            return r->compute_pct >= FLOOR_PCT;
    return false;
}

static void rank_rows(struct analysis *a, const struct top_operation *top)
{
    if (top->compute_pct < FLOOR_PCT)
        return;
    for (int c = 0; c < WORK_CATEGORIES; c++)
        for (int32_t i = 0; i < a->categories[c].n_rows; i++) {
            struct work_row *r = &a->categories[c].rows[i];
            if (r->top_rank > 0 || (r->group->first->synthetic && !is_among_rows(a, r)))
                continue;
            for (int k = 0; k < top->n_unified && r->top_rank == 0; k++)
                if (str_eq(top->unified_names[k], r->name))
                    r->top_rank = top->rank;
        }
}

/* What the shares of the list are of: computation, or where operations overlap their
 * sum. */
static double whole_ms(const struct analysis *a, const struct named_time *t, int32_t n)
{
    int64_t ns = 0;
    for (int32_t i = 0; i < n; i++)
        ns += t[i].ns;
    return fmax((double)ns / 1e6, a->computation_ms);
}

void top_operations_find(struct arena *perm, struct arena tmp, struct analysis *a,
                         const struct kernel_rows *rows)
{
    struct name_pool names;
    pool_open(&names);
    int32_t n_names;
    struct named_time *t = times_by_name(&tmp, a->tables, &names, &n_names);
    pool_close(&names);
    double all_ms = whole_ms(a, t, n_names);
    const int8_t *top_of = tops_of_launchers(&tmp, a->tables, t, n_names);
    for (int32_t i = 0; i < n_names && i < MOST_TOP; i++) {
        int32_t n;
        struct arena scratch = tmp;
        struct named_time *shared = share(&scratch, a, rows, top_of, i, t[i].name, &n);
        struct top_operation *top = &a->top[a->n_top++];
        *top =
            (struct top_operation){.rank = i + 1,
                                   .name = t[i].name,
                                   .unified_names = arena_new(perm, struct str, n),
                                   .n_unified = n,
                                   .category = n > 0 ? shared[0].category : WORK_OTHER,
                                   .mixed = is_mixed(shared, n),
                                   .time_ms = (double)t[i].ns / 1e6,
                                   .count = t[i].count};
        for (int32_t k = 0; k < n; k++)
            top->unified_names[k] = shared[k].name;
        top->compute_pct = pct_of(top->time_ms, all_ms);
        top->total_pct = pct_of(top->time_ms, a->total_ms);
        rank_rows(a, top);
    }
}
