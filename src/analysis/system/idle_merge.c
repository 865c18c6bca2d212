#include "analysis/system/idle_merge.h"

#include "analysis/model/finding_title.h"
#include "analysis/model/system_results.h"

#include <math.h>

struct finding *idle_same_action(struct arena *perm, const struct analysis *a,
                                 int first, const struct idle_group *g,
                                 struct str title)
{
    struct finding like = {.tier = TIER_SYSTEM};
    finding_title(perm, &like, title, S(""));
    for (int i = first; i < a->n_findings && g->class != IDLE_SYNC; i++) {
        struct finding *f = &a->findings[i];
        if (f->idle && f->idle->class != IDLE_SYNC && !f->recording &&
            str_eq(f->title, like.title))
            return f;
    }
    return NULL;
}

/* Both by start. */
static void join_spans(struct arena *perm, struct idle_group *to,
                       const struct idle_group *x, const struct idle_group *y)
{
    int32_t i = 0, k = 0, n = x->n_spans + y->n_spans;
    to->spans = arena_take_raw(perm, sizeof *to->spans, 8, n);
    for (to->n_spans = 0; to->n_spans < n; to->n_spans++) {
        bool from_x = k == y->n_spans ||
                      (i < x->n_spans && x->spans[i].start_ns <= y->spans[k].start_ns);
        to->spans[to->n_spans] = from_x ? x->spans[i++] : y->spans[k++];
    }
}

/* Of one leaf, if both have it; where the parts are, of those that both name. */
static void join_names(struct idle_group *to, const struct idle_group *y)
{
    if (str_eq(to->leaf, y->leaf) && str_eq(to->leaf_place, y->leaf_place))
        to->leaf_us += y->leaf_us;
    for (int k = 0; k < to->n_where; k++)
        for (int i = 0; i < y->n_where; i++)
            if (str_eq(to->where[k].name, y->where[i].name) &&
                str_eq(to->where[k].caller, y->where[i].caller)) {
                to->where[k].total_us += y->where[i].total_us;
                to->where[k].count += y->where[i].count;
            }
}

struct idle_group *idle_groups_joined(struct arena *perm, const struct idle_group *x,
                                      const struct idle_group *y)
{
    struct idle_group *to = arena_new(perm, struct idle_group, 1);
    *to = *x;
    to->gaps += y->gaps;
    to->copy_gaps += y->copy_gaps;
    to->calls += y->calls;
    to->total_ns += y->total_ns;
    to->results_ns += y->results_ns;
    if (to->results_bytes >= 0)
        to->results_bytes = y->results_bytes < 0 || y->results_bytes > to->results_bytes
                                ? y->results_bytes
                                : to->results_bytes;
    to->long_us += y->long_us;
    to->compiled_us += y->compiled_us;
    to->after_sync_us += y->after_sync_us;
    to->hidden_without_us += y->hidden_without_us;
    to->late_us += y->late_us;
    to->stalled_us += y->stalled_us;
    to->per_step_us += y->per_step_us;
    for (int p = 0; p < IDLE_POOLS; p++)
        to->pool_ns[p] += y->pool_ns[p];
    for (int c = 0; c < IDLE_CLASSES; c++)
        to->class_us[c] += y->class_us[c];
    if (y->max_us > x->max_us) {
        to->max_us = y->max_us;
        to->longest_from_ns = y->longest_from_ns;
    }
    join_names(to, y);
    join_spans(perm, to, x, y);
    return to;
}

static bool is_of_leaf(const struct idle_group *g)
{
    return g->class == IDLE_PYTHON && g->leaf.n && g->leaf_place.n &&
           2e3 * g->leaf_us >= (double)g->total_ns && !g->pool_ns[POOL_START];
}

static bool is_one_cause(const struct idle_group *x, const struct idle_group *y)
{
    bool x_input = 2 * x->pool_ns[POOL_INPUT] >= x->total_ns,
         y_input = 2 * y->pool_ns[POOL_INPUT] >= y->total_ns;
    return is_of_leaf(y) && str_eq(x->leaf, y->leaf) &&
           str_eq(x->leaf_place, y->leaf_place) && x_input == y_input;
}

void idle_groups_join_leaves(struct arena *perm, struct idle_result *r)
{
    for (int32_t k = 0; k < r->n_groups; k++)
        for (int32_t i = k + 1; is_of_leaf(&r->groups[k]) && i < r->n_groups; i++) {
            struct idle_group *x = &r->groups[k], *y = &r->groups[i];
            if (!y->total_ns || !is_one_cause(x, y))
                continue;
            bool less = x->total_ns < y->total_ns;
            *x = *idle_groups_joined(perm, less ? y : x, less ? x : y);
            *y = (struct idle_group){.class = y->class};
        }
}
