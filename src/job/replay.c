#include "job/replay.h"

#include <assert.h>
#include <string.h>

/* Who waits for a node: lists of followers, one after the other. */
struct followers {
    int32_t *first, *of; /* first[n + 1] */
};

static struct followers followers_of(struct arena *a, const struct replay_graph *g)
{
    struct followers f = {arena_new(a, int32_t, (ptrdiff_t)g->n + 2), NULL};
    for (int32_t i = 0; i < g->n; i++)
        for (int k = 0; k < REPLAY_BEFORE; k++)
            if (g->nodes[i].before[k] >= 0)
                f.first[g->nodes[i].before[k] + 2]++;
    for (int32_t i = 0; i < g->n; i++)
        f.first[i + 2] += f.first[i + 1];
    f.of = arena_new(a, int32_t, f.first[g->n + 1]);
    for (int32_t i = 0; i < g->n; i++)
        for (int k = 0; k < REPLAY_BEFORE; k++)
            if (g->nodes[i].before[k] >= 0)
                f.of[f.first[g->nodes[i].before[k] + 1]++] = i;
    return f;
}

static void list_members(struct arena *perm, struct arena tmp, struct replay_graph *g)
{
    int32_t at = 0, *next = arena_new(&tmp, int32_t, g->n_instances);
    g->in_instance = arena_new(perm, int32_t, g->n_instances);
    g->first_member = arena_new(perm, int32_t, g->n_instances);
    for (int32_t i = 0; i < g->n; i++)
        if (g->nodes[i].instance >= 0)
            g->in_instance[g->nodes[i].instance]++;
    for (int32_t i = 0; i < g->n_instances; i++) {
        g->first_member[i] = next[i] = at;
        at += g->in_instance[i];
    }
    g->members = arena_new(perm, int32_t, at);
    for (int32_t i = 0; i < g->n; i++)
        if (g->nodes[i].instance >= 0)
            g->members[next[g->nodes[i].instance]++] = i;
}

/* A node is ready when those before it are done; it is done when it is ready, or, as a
 * member, when all members are. The order is that of getting ready. */
void replay_prepare(struct arena *perm, struct arena tmp, struct replay_graph *g)
{
    list_members(perm, tmp, g);
    struct followers f = followers_of(&tmp, g);
    uint8_t *wants = arena_new(&tmp, uint8_t, g->n);
    int32_t *left = arena_new(&tmp, int32_t, g->n_instances);
    int32_t *done = arena_new(&tmp, int32_t, g->n), n_done = 0, taken = 0, ready = 0;
    g->order = arena_new(perm, int32_t, g->n);
    memcpy(left, g->in_instance, (size_t)g->n_instances * sizeof *left);
    for (int32_t i = 0; i < g->n; i++)
        for (int k = 0; k < REPLAY_BEFORE; k++)
            wants[i] = (uint8_t)(wants[i] + (g->nodes[i].before[k] >= 0));
    for (int32_t i = 0; i < g->n; i++)
        if (!wants[i])
            g->order[ready++] = i;
    for (;;) {
        while (taken < ready) {
            int32_t i = g->order[taken++], instance = g->nodes[i].instance;
            if (instance < 0)
                done[n_done++] = i;
            else if (--left[instance] == 0)
                for (int32_t k = 0; k < g->in_instance[instance]; k++)
                    done[n_done++] = g->members[g->first_member[instance] + k];
        }
        if (!n_done)
            break;
        int32_t i = done[--n_done];
        for (int32_t k = i ? f.first[i] : 0; k < f.first[i + 1]; k++)
            if (--wants[f.of[k]] == 0)
                g->order[ready++] = f.of[k];
    }
    g->n_order = ready;
}

/* What does not depend on other nodes: the gap and the length of a node in one lane. */
struct own_times {
    double gap_ns, dur_ns;
};

static struct own_times times_of(const struct replay_graph *g,
                                 const struct replay_node *x,
                                 const struct replay_change *c)
{
    struct own_times t = {x->gap_ns, x->dur_ns};
    int mode = c->mode ? c->mode[x->rank] : REPLAY_AS_IS;
    if (mode != REPLAY_AS_IS && x->segment >= 0) {
        const struct replay_scale *s = &g->scale[mode];
        double by = (double)s->factor[x->segment];
        t.gap_ns *= by;
        if (x->instance < 0 || g->scales_tails)
            t.dur_ns *= by;
        else if (s->extra_ns)
            t.gap_ns += s->extra_ns[x->segment];
    }
    if (x->instance >= 0 && c->other_tails && g->other_ns[x->instance] >= 0)
        t.dur_ns = g->other_ns[x->instance];
    return t;
}

void replay_run(const struct replay_graph *g, struct arena tmp,
                const struct replay_change *changes, int n, double *end_ns)
{
    assert(n <= REPLAY_LANES);
    double(*end)[REPLAY_LANES] = arena_take_raw(&tmp, sizeof *end, 8, g->n);
    double(*last)[REPLAY_LANES] = arena_take_raw(&tmp, sizeof *last, 8, g->n_instances);
    int32_t *left = arena_take_raw(&tmp, sizeof *left, 4, g->n_instances);
    memcpy(left, g->in_instance, (size_t)g->n_instances * sizeof *left);
    for (int32_t i = 0; i < g->n_instances; i++)
        for (int k = 0; k < n; k++)
            last[i][k] = -1e300;
    for (int k = 0; k < n; k++)
        end_ns[k] = 0;
    for (int32_t at = 0; at < g->n_order; at++) {
        int32_t i = g->order[at];
        const struct replay_node *x = &g->nodes[i];
        int32_t p = x->before[0], q = x->before[1];
        for (int k = 0; k < n; k++) {
            struct own_times t = times_of(g, x, &changes[k]);
            double start = p >= 0 ? end[p][k] : 0;
            if (q >= 0 && (p < 0 || end[q][k] > start))
                start = end[q][k];
            start += t.gap_ns;
            if (x->instance < 0) {
                end[i][k] = start + t.dur_ns;
                end_ns[k] = end[i][k] > end_ns[k] ? end[i][k] : end_ns[k];
            } else {
                end[i][k] = t.dur_ns; /* until all are there */
                if (start > last[x->instance][k])
                    last[x->instance][k] = start;
            }
        }
        if (x->instance < 0 || --left[x->instance])
            continue;
        for (int32_t m = 0; m < g->in_instance[x->instance]; m++) {
            int32_t member = g->members[g->first_member[x->instance] + m];
            for (int k = 0; k < n; k++) {
                end[member][k] += last[x->instance][k];
                end_ns[k] = end[member][k] > end_ns[k] ? end[member][k] : end_ns[k];
            }
        }
    }
}
