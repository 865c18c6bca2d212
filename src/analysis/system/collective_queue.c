#include "analysis/system/collective_queue.h"

#include "base/int_map.h"
#include "base/sort.h"
#include "ops/collective_table.h"
#include "ops/trace_view.h"

#include <math.h>

enum { BEHIND_NS = 50000 }; /* between a collective and the one queued behind it */

/* A smaller message is mostly latency. */
static const double LARGE_BYTES = 1 << 20;

/* It ends nowhere before all ranks have taken part. */
static bool joins_all(int kind)
{
    return kind == COMM_ALL_REDUCE || kind == COMM_ALL_GATHER ||
           kind == COMM_REDUCE_SCATTER || kind == COMM_ALL_TO_ALL;
}

static bool is_behind(const struct trace_view *v, event_id before, event_id gpu)
{
    const struct event_store *s = v->s;
    int64_t end_ns = store_end_ns(s, before), gap_ns = s->start_ns[gpu] - end_ns;
    event_id call = view_issue(v, gpu);
    return gap_ns >= 0 && gap_ns <= BEHIND_NS && call >= 0 &&
           store_end_ns(s, call) <= end_ns;
}

static void add(const struct trace_view *v, event_id gpu, struct comm_kind *k)
{
    double us = (double)store_dur_ns(v->s, gpu) / 1e3;
    double bytes = collective_in_mib(v, gpu) * 1048576;
    k->queued++;
    k->queued_us += us;
    if (!(bytes >= LARGE_BYTES))
        return;
    k->large++;
    k->large_us += us;
    k->large_bytes += bytes;
}

void collective_queue_find(struct arena tmp, const struct trace_view *v,
                           const uint8_t *kind, struct comm_kind kinds[COMM_KINDS])
{
    struct sort_row *order = arena_take_raw(&tmp, sizeof *order, 8, v->n_counted);
    struct int_map last = int_map_make(&tmp, 16); /* by stream: place in `counted` */
    for (int32_t k = 0; k < v->n_counted; k++)
        order[k] = (struct sort_row){v->s->start_ns[v->counted[k]], k};
    sort_rows(tmp, order, v->n_counted);
    for (int32_t i = 0; i < v->n_counted; i++) {
        int32_t k = order[i].row;
        event_id gpu = v->counted[k];
        int32_t *before = int_map_at(&last, &tmp, view_stream(v->s, gpu));
        if (kind[k] < COMM_KINDS && *before >= 0 && joins_all(kind[*before]) &&
            is_behind(v, v->counted[*before], gpu))
            add(v, gpu, &kinds[kind[k]]);
        *before = k;
    }
}

/* What a GPU sends for each byte that it puts in, in a ring: all of it but its own
 * part, twice in an all-reduce; what it gathers passes through all but one. Without the
 * number of ranks the most, but of gathers the least. */
static double sent_times(const struct comm_kind *k, enum comm_kind_id id)
{
    bool known = k->ranks > 1;
    double others = known ? (double)(k->ranks - 1) / (double)k->ranks : 1;
    return id == COMM_ALL_REDUCE   ? 2 * others
           : id == COMM_ALL_GATHER ? (known ? (double)(k->ranks - 1) : 1)
                                   : others;
}

double collective_queue_gb_per_s(const struct comm_kind *k, enum comm_kind_id id)
{
    return k->large_us > 0 ? sent_times(k, id) * k->large_bytes / k->large_us / 1e3 : 0;
}

bool collective_queue_is_slow(const struct comm_kind *k, enum comm_kind_id id,
                              double peer_link_gb_per_s)
{
    /* No link between devices nor a network card of such machines is slower. */
    const double ANY_LINK_GB_PER_S = 6, FAR_BELOW = 0.1;
    double most = peer_link_gb_per_s > 0
                      ? fmin(ANY_LINK_GB_PER_S, FAR_BELOW * peer_link_gb_per_s)
                      : ANY_LINK_GB_PER_S;
    double reached = collective_queue_gb_per_s(k, id),
           seen = k->seen_gb_per_s * sent_times(k, id);
    return reached > 0 && fmax(reached, seen) < most;
}
