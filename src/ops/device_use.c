#include "ops/device_use.h"

#include "base/sort.h"
#include "store/event_store.h"
#include "timeline/interval_set.h"
#include "tree/launch_link.h"

enum { EIGHTH = 8, FEWEST_EVENTS = 4, FEWEST_TURNS = 2 };

static int device_at(const struct event_store *s, event_id gpu, const name_id *pids,
                     int n)
{
    int k = 0;
    while (k < n && pids[k] != s->lanes[s->lane[gpu]].pid)
        k++;
    return k;
}

static bool is_one(const struct event_store *s, const event_id *counted, int32_t n)
{
    int32_t k = 1;
    while (k < n &&
           s->lanes[s->lane[counted[k]]].pid == s->lanes[s->lane[counted[0]]].pid)
        k++;
    return k >= n;
}

/* The devices, if one process launches the work of all of them; else 0. */
static int find_devices(const struct event_store *s, const struct launch_link *l,
                        const event_id *counted, int32_t n,
                        name_id pids[DEVICES_MOST + 1])
{
    int n_pids = 0;
    name_id host = -1;
    for (int32_t k = 0; k < n; k++) {
        int at = device_at(s, counted[k], pids, n_pids);
        event_id call = launch_call(l, counted[k]);
        name_id by = call < 0 ? host : s->lanes[s->lane[call]].pid;
        if (at == DEVICES_MOST || (host >= 0 && by != host))
            return 0;
        host = by;
        if (at == n_pids)
            pids[n_pids++] = s->lanes[s->lane[counted[k]]].pid;
    }
    return n_pids > 1 && host >= 0 ? n_pids : 0;
}

static struct interval_set fill_device(struct arena *a, const struct event_store *s,
                                       const event_id *counted, int32_t n, name_id pid,
                                       struct device_use *to)
{
    struct span *spans = arena_take_raw(a, sizeof *spans, 8, n);
    to->name = pool_text(&s->names, pid);
    to->pid = pid;
    for (int32_t k = 0; k < n; k++)
        if (s->lanes[s->lane[counted[k]]].pid == pid)
            spans[to->n_events++] =
                (struct span){s->start_ns[counted[k]], store_end_ns(s, counted[k])};
    struct interval_set busy = interval_union(*a, spans, to->n_events);
    to->busy_ns = interval_length_ns(busy);
    return busy;
}

/* Where each device begins and stops working: row = device, or its complement. */
static struct sort_row *edges_of(struct arena *a, const struct interval_set *busy,
                                 int n_sets, ptrdiff_t *n)
{
    *n = 0;
    for (int k = 0; k < n_sets; k++)
        *n += 2 * busy[k].n;
    struct sort_row *edges = arena_take_raw(a, sizeof *edges, 8, *n);
    ptrdiff_t at = 0;
    for (int k = 0; k < n_sets; k++)
        for (ptrdiff_t i = 0; i < busy[k].n; i++) {
            const struct span *span = &busy[k].spans[i];
            edges[at++] = (struct sort_row){span->start_ns, k};
            edges[at++] = (struct sort_row){span->end_ns, ~k};
        }
    sort_rows(*a, edges, at);
    return edges;
}

static void sweep(struct arena tmp, const struct interval_set *busy,
                  struct device_uses *d)
{
    ptrdiff_t n;
    const struct sort_row *edges = edges_of(&tmp, busy, d->n, &n);
    bool works[DEVICES_MOST] = {0};
    int at_once = 0, last = -1;
    for (ptrdiff_t i = 0; i < n; i++) {
        int64_t ns = i ? edges[i].key - edges[i - 1].key : 0;
        if (at_once && ns > 0) {
            d->busy_ns += ns;
            d->at_once_ns[at_once - 1] += ns;
        }
        for (int k = 0; k < d->n && at_once == 1 && ns > 0; k++)
            if (works[k]) {
                d->of[k].alone_ns += ns;
                d->turns += last >= 0 && last != k;
                last = k;
            }
        int of = edges[i].row < 0 ? ~edges[i].row : edges[i].row;
        works[of] = edges[i].row >= 0;
        at_once += works[of] ? 1 : -1;
    }
    for (int k = 0; k < d->n; k++)
        d->of[k].waits_ns = d->busy_ns - d->of[k].busy_ns;
}

static void find_copies(const struct event_store *s, const event_id *counted, int32_t n,
                        const name_id *pids, struct device_uses *d)
{
    for (int32_t k = 0; k < n; k++) {
        if (s->cat[counted[k]] != CAT_MEMCPY ||
            !(store_role(s, counted[k]) & ROLE_PEER))
            continue;
        d->n_copies++;
        d->of[device_at(s, counted[k], pids, d->n)].n_copies_out++;
        d->copies_ns += store_dur_ns(s, counted[k]);
    }
}

/* torch.nn.DataParallel by its frames, its module, or the functions around a pass. */
static bool is_data_parallel(const struct event_store *s)
{
    bool scatters = false, gathers = false;
    for (name_id k = 0; k < s->names.n; k++) {
        struct str name = pool_text(&s->names, k);
        if (str_has(name, S("nn/parallel/replicate.py")) ||
            str_has(name, S("nn/parallel/data_parallel.py")) ||
            str_starts(name, S("nn.Module: DataParallel_")))
            return true;
        scatters |= str_eq(name, S("Scatter"));
        gathers |= str_eq(name, S("Gather"));
    }
    return scatters && gathers;
}

struct device_uses device_uses_of(struct arena tmp, const struct event_store *s,
                                  const struct launch_link *l, const event_id *counted,
                                  int32_t n)
{
    struct device_uses d = {.n = 0};
    struct interval_set busy[DEVICES_MOST];
    name_id pids[DEVICES_MOST + 1];
    d.n = is_one(s, counted, n) ? 0 : find_devices(s, l, counted, n, pids);
    if (!d.n)
        return d;
    for (int k = 0; k < d.n; k++)
        busy[k] = fill_device(&tmp, s, counted, n, pids[k], &d.of[k]);
    sweep(tmp, busy, &d);
    find_copies(s, counted, n, pids, &d);
    d.data_parallel = is_data_parallel(s);
    return d;
}

static bool have_work(const struct device_uses *d)
{
    int k = 0;
    while (k < d->n && d->of[k].n_events >= FEWEST_EVENTS)
        k++;
    return d->n > 1 && k == d->n;
}

bool devices_take_turns(const struct device_uses *d)
{
    int64_t work_ns = 0;
    int some = 0;
    for (int k = 0; k < d->n; k++)
        work_ns += d->of[k].busy_ns;
    for (int k = 0; k < d->n; k++)
        some += d->of[k].busy_ns > work_ns / EIGHTH;
    return have_work(d) && some > 1 && d->turns >= FEWEST_TURNS &&
           d->busy_ns - d->at_once_ns[0] < d->busy_ns / EIGHTH;
}

int device_busiest(const struct device_uses *d)
{
    int most = 0;
    for (int k = 1; k < d->n; k++)
        most = d->of[k].busy_ns > d->of[most].busy_ns ? k : most;
    return most;
}

int device_behind(const struct device_uses *d, int *busiest)
{
    int least = -1;
    *busiest = device_busiest(d);
    for (int k = 0; k < d->n; k++)
        if (k != *busiest && (least < 0 || d->of[k].busy_ns < d->of[least].busy_ns))
            least = k;
    bool behind = have_work(d) && least >= 0 && !devices_take_turns(d) &&
                  d->of[*busiest].busy_ns - d->of[least].busy_ns >
                      d->of[*busiest].busy_ns / EIGHTH;
    return behind ? least : -1;
}
