#include "analysis/system/thread_twin.h"

#include "base/abilities.h"
#include "base/sort.h"

enum { LANES_MOST = 1024, BEFORE_MOST = 64 };

struct said_rows { /* operations on lines without calls, by name and start */
    struct sort_row *rows;
    ptrdiff_t n;
};

static bool is_call_in_operation(const struct trace_view *v, event_id i)
{
    event_id up = cat_is_runtime(v->s->cat[i]) ? tree_parent(&v->tree, i) : -1;
    return up >= 0 && v->s->cat[up] == CAT_CPU_OP;
}

static struct said_rows said_of(struct arena *tmp, const struct event_store *s,
                                const int32_t *n_calls)
{
    struct said_rows said = {arena_new(tmp, struct sort_row, s->n + 1), 0};
    for (event_id i = 0; i < s->n; i++)
        if (s->cat[i] == CAT_CPU_OP && !n_calls[s->lane[i]])
            said.rows[said.n++] = (struct sort_row){s->start_ns[i], i};
    sort_rows(*tmp, said.rows, said.n);
    for (ptrdiff_t k = 0; k < said.n; k++)
        said.rows[k].key = s->name[said.rows[k].row];
    sort_rows(*tmp, said.rows, said.n);
    return said;
}

/* Behind the last that has the name and starts no later. */
static ptrdiff_t said_until(const struct said_rows *said, const struct event_store *s,
                            name_id name, int64_t at_ns)
{
    ptrdiff_t low = 0, high = said->n;
    while (low < high) {
        ptrdiff_t mid = low + (high - low) / 2;
        event_id i = said->rows[mid].row;
        if (s->name[i] < name || (s->name[i] == name && s->start_ns[i] <= at_ns))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Counts the lines on which the operation of a call is around it. */
static void count_lines(const struct trace_view *v, const struct said_rows *said,
                        event_id call, int32_t *n)
{
    const struct event_store *s = v->s;
    name_id name = s->name[tree_parent(&v->tree, call)];
    ptrdiff_t k = said_until(said, s, name, s->start_ns[call]);
    for (ptrdiff_t first = k - BEFORE_MOST; k > 0 && k > first; k--) {
        event_id i = said->rows[k - 1].row;
        if (s->name[i] != name)
            return;
        n[s->lane[i]] += store_end_ns(s, i) >= store_end_ns(s, call) &&
                         s->lanes[s->lane[i]].pid == s->lanes[s->lane[call]].pid;
    }
}

/* That with most, if it has most of all calls and no other has as many. */
static int32_t most_of(const int32_t *n, int32_t n_lanes, int32_t n_calls)
{
    int32_t best = 0, same = 0;
    for (int32_t l = 1; l < n_lanes; l++) {
        same = n[l] > n[best] ? 0 : same + (n[l] == n[best]);
        best = n[l] > n[best] ? l : best;
    }
    return !same && n[best] > n_calls / 2 ? best : -1;
}

int32_t *thread_twins_find(struct arena *a, struct arena tmp,
                           const struct trace_view *v)
{
    const struct event_store *s = v->s;
    if (s->abilities != &jax_abilities || s->n_lanes > LANES_MOST)
        return NULL;
    int32_t *twins = arena_new(a, int32_t, s->n_lanes + 1);
    int32_t *n_calls = arena_new(&tmp, int32_t, s->n_lanes + 1);
    int32_t *n = arena_new(&tmp, int32_t, (ptrdiff_t)s->n_lanes * s->n_lanes + 1);
    for (event_id i = 0; i < s->n; i++)
        n_calls[s->lane[i]] += is_call_in_operation(v, i);
    struct said_rows said = said_of(&tmp, s, n_calls);
    for (event_id i = 0; i < s->n; i++)
        if (is_call_in_operation(v, i))
            count_lines(v, &said, i, &n[(ptrdiff_t)s->lane[i] * s->n_lanes]);
    for (int32_t l = 0; l < s->n_lanes; l++)
        twins[l] = n_calls[l]
                       ? most_of(&n[(ptrdiff_t)l * s->n_lanes], s->n_lanes, n_calls[l])
                       : -1;
    return twins;
}
