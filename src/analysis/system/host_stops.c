#include "analysis/system/host_stops.h"

#include "analysis/system/idle_follow.h"
#include "analysis/system/idle_gaps.h"
#include "analysis/system/system_parts.h"
#include "base/int_map.h"
#include "base/sort.h"
#include "ops/host_waits.h"
#include "ops/trace_view.h"

enum {
    LEAST_NS = 300000,
    MOST_NS = 20000000, /* longer: a pause of the process, such as garbage collection */
    TIMES = 10,         /* the usual length of such a call */
    FEWEST_KINDS = 4,
    FEWEST = 8
};

struct kind {
    int32_t name; /* of the store */
    int64_t usual_ns, n;
    event_id first;
};

struct kinds {
    struct int_map of;
    struct kind *at;
    int32_t n;
};

/* Calls that compute or launch, and do not wait; Python may do anything. */
static bool may_stop(const struct event_store *s, event_id i)
{
    return i >= 0 &&
           (s->cat[i] == CAT_CPU_OP ||
            (cat_is_runtime(s->cat[i]) && role_wait(store_role(s, i)) <= WAITS_POLL));
}

static struct kind kind_of_name(struct arena tmp, const struct event_store *s,
                                int32_t name)
{
    struct kind k = {.name = name, .first = -1};
    struct sort_row *rows = NULL;
    int32_t n = 0;
    for (event_id i = 0; i < s->n; i++) {
        if (s->name[i] != name || cat_is_gpu(s->cat[i]))
            continue;
        arena_grow(&tmp, rows, n);
        rows[n++] = (struct sort_row){store_dur_ns(s, i), i};
        if (k.first < 0 || s->start_ns[i] < s->start_ns[k.first])
            k.first = i;
    }
    sort_rows(tmp, rows, n);
    k.usual_ns = rows[n / 2].key;
    return k;
}

static struct kind *kind_at(struct kinds *k, struct arena *tmp,
                            const struct event_store *s, event_id i)
{
    int32_t *at = int_map_at(&k->of, tmp, s->name[i]);
    if (*at < 0) {
        *at = k->n;
        arena_grow(tmp, k->at, k->n);
        k->at[k->n++] = kind_of_name(*tmp, s, s->name[i]);
    }
    return &k->at[*at];
}

static bool is_most(const struct kinds *k, int64_t n)
{
    for (int32_t i = 0; i < k->n; i++)
        if (3 * k->at[i].n > 2 * n)
            return true;
    return false;
}

struct host_stops host_stops_find(struct arena tmp, const struct tree_index *t,
                                  const struct idle_gaps *g,
                                  const struct gap_cause *causes)
{
    const struct event_store *s = t->v->s;
    struct host_stops stops = {0};
    struct kinds kinds = {.of = int_map_make(&tmp, 16)};
    int64_t halves[2] = {0, 0};
    int64_t middle_ns = t->v->timeline.start_ns + t->v->timeline.total_ns / 2;
    for (int32_t k = 0; k < g->n; k++) {
        const struct gap_row *gap = &g->rows[k];
        event_id i = causes[k].leaf;
        if (gap->dur_ns < LEAST_NS || gap->dur_ns > MOST_NS || !may_stop(s, i) ||
            5 * store_dur_ns(s, i) < 4 * gap->dur_ns)
            continue;
        struct kind *kind = kind_at(&kinds, &tmp, s, i);
        if (kind->first == i || gap->dur_ns < TIMES * kind->usual_ns)
            continue;
        stops.kinds += kind->n++ == 0;
        stops.n++;
        stops.ns += gap->dur_ns;
        stops.longest_ns =
            gap->dur_ns > stops.longest_ns ? gap->dur_ns : stops.longest_ns;
        halves[gap->start_ns >= middle_ns]++;
    }
    bool spread = 4 * halves[0] >= stops.n && 4 * halves[1] >= stops.n;
    bool many = stops.n >= FEWEST && stops.kinds >= FEWEST_KINDS;
    return many && spread && !is_most(&kinds, stops.n) ? stops : (struct host_stops){0};
}
