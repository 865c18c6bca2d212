#include "analysis/system/idle_peers.h"

#include "analysis/system/short_gaps.h"
#include "base/duration.h"

enum {
    LATE_START_NS = 100000, /* work starts some 10 us after its launch */
    BEHIND_NS = 25000       /* or as long after the work of another device */
};

/* The first span that ends after a time. */
static ptrdiff_t ends_after(struct interval_set x, int64_t ns)
{
    ptrdiff_t low = 0, high = x.n;
    while (low < high) {
        ptrdiff_t mid = low + (high - low) / 2;
        if (x.spans[mid].end_ns > ns)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static bool overlaps(struct interval_set x, int64_t from_ns, int64_t to_ns)
{
    ptrdiff_t k = ends_after(x, from_ns);
    return k < x.n && x.spans[k].start_ns < to_ns;
}

/* Whether work of another device is over in (from, to]. */
static bool ends_in(struct interval_set x, int64_t from_ns, int64_t to_ns)
{
    ptrdiff_t k = ends_after(x, from_ns);
    return k < x.n && x.spans[k].end_ns <= to_ns;
}

/* Of the others, who worked last before a time; -1. */
static int last_before(const struct idle_peers *p, int64_t ns)
{
    int found = -1;
    int64_t last_ns = INT64_MIN;
    for (int k = 0; k < p->n; k++) {
        ptrdiff_t at = ends_after(p->busy[k], ns - 1);
        bool works = at < p->busy[k].n && p->busy[k].spans[at].start_ns < ns;
        int64_t end_ns = works ? ns : at ? p->busy[k].spans[at - 1].end_ns : INT64_MIN;
        if (k != p->self && end_ns > last_ns) {
            found = k;
            last_ns = end_ns;
        }
    }
    return found;
}

/* What ends the gap was launched, and began when another device had finished, or long
 * after the launch. */
static bool starts_behind(const struct idle_peers *p, const struct trace_view *v,
                          const struct gap_row *gap, event_id call)
{
    int64_t end_ns = gap->start_ns + gap->dur_ns,
            issued_ns = later(call_issued_ns(v->s, call), gap->start_ns);
    if (launch_is_graph(v->s, call) && gap->before >= 0 &&
        view_issue(v, gap->before) == call)
        return false; /* between two nodes of one graph */
    if (gap->queued)
        return true;
    if (end_ns - issued_ns >= LATE_START_NS && overlaps(p->others, issued_ns, end_ns))
        return true;
    return ends_in(p->others, later(issued_ns, end_ns - BEHIND_NS) - 1, end_ns);
}

/* The end of the last call of a thread in the gap that waits for a device which is not
 * this one: it works meanwhile, and is done, or the wait is a long one. */
static int64_t waited_until(const struct idle_peers *p, const struct host_waits *w,
                            int32_t lane, int64_t from_ns, int64_t to_ns)
{
    int32_t low = w->first_of[lane], high = w->first_of[lane + 1];
    int32_t first = low;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (w->at[mid].start_ns < to_ns)
            low = mid + 1;
        else
            high = mid;
    }
    for (int32_t k = low - 1; k >= first && w->at[k].end_ns > from_ns; k--) {
        int64_t a = later(w->at[k].start_ns, from_ns),
                b = sooner(w->at[k].end_ns, to_ns);
        if (overlaps(p->others, a, b) &&
            (b - a >= LATE_START_NS || ends_in(p->others, a, b)))
            return b;
    }
    return from_ns;
}

static int64_t bound_of(const struct idle_peers *p, const struct trace_view *v,
                        const struct gap_row *gap, event_id call)
{
    int64_t a = gap->start_ns, b = a + gap->dur_ns;
    if (gap->after < 0)
        return b; /* no more work of it: the others end the run */
    if (call < 0)
        return a;
    if (starts_behind(p, v, gap, call))
        return b;
    int64_t ns = sooner(call_issued_ns(v->s, call), b);
    int64_t bound_ns = waited_until(p, &v->waits, v->s->lane[call], a, ns);
    event_id before = gap->before < 0 ? -1 : view_issue(v, gap->before);
    if (before >= 0 && v->s->lane[before] != v->s->lane[call])
        bound_ns =
            later(bound_ns, waited_until(p, &v->waits, v->s->lane[before], a, ns));
    return bound_ns;
}

/* The first gap of all that ends after a time. */
static int32_t row_after(const struct idle_gaps *g, int64_t ns)
{
    int32_t low = 0, high = g->n;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (g->rows[mid].start_ns + g->rows[mid].dur_ns > ns)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

/* Its thread launches work of other devices there that starts at once: these launches
 * are what takes long, not one thing. */
static bool launches_for_others(const struct peer_walk *w, const struct trace_view *v,
                                event_id call)
{
    const struct idle_gaps *g = w->p->all;
    int some = 0;
    for (int32_t k = row_after(g, w->bound_ns);
         call >= 0 && k < g->n && g->rows[k].start_ns < w->end_ns && some < 2; k++)
        some += gap_is_launch(v, &g->rows[k]) &&
                v->s->lane[view_issue(v, g->rows[k].after)] == v->s->lane[call];
    return some > 1;
}

struct peer_walk peer_walk_of(const struct idle_peers *p, const struct trace_view *v,
                              const struct gap_row *gap, event_id call)
{
    struct peer_walk w = {.p = p,
                          .next = ends_after(p->others, gap->start_ns),
                          .row = row_after(p->all, gap->start_ns),
                          .bound_ns = bound_of(p, v, gap, call),
                          .at_ns = gap->start_ns,
                          .end_ns = gap->start_ns + gap->dur_ns};
    w.device = w.bound_ns > w.at_ns ? last_before(p, w.bound_ns) : -1;
    w.is_one = !launches_for_others(&w, v, call);
    return w;
}

/* No device works from a time on: until one does, or one thing is all. */
static enum peer_part nobody_works(struct peer_walk *w, const struct span *work,
                                   int64_t a, int64_t *end_ns)
{
    const struct idle_gaps *g = w->p->all;
    while (w->row < g->n && g->rows[w->row].start_ns + g->rows[w->row].dur_ns <= a)
        w->row++;
    if (work)
        *end_ns = sooner(*end_ns, work->start_ns);
    if (w->is_one)
        *end_ns = sooner(*end_ns, w->bound_ns);
    bool known = w->row < g->n && g->rows[w->row].start_ns <= a;
    if (known)
        *end_ns = sooner(*end_ns, g->rows[w->row].start_ns + g->rows[w->row].dur_ns);
    return known ? PEER_ALL : PEER_OWN;
}

bool peer_walk_next(struct peer_walk *w, enum peer_part *part, struct span *to)
{
    const struct interval_set *x = &w->p->others;
    const struct span *hole = &w->p->hole;
    int64_t a = w->at_ns, end_ns = w->end_ns;
    if (a >= end_ns)
        return false;
    while (w->next < x->n && x->spans[w->next].end_ns <= a)
        w->next++;
    const struct span *work = w->next < x->n ? &x->spans[w->next] : NULL;
    if (hole->start_ns > a)
        end_ns = sooner(end_ns, hole->start_ns);
    if (hole->start_ns <= a && a < hole->end_ns) {
        *part = PEER_HOLE;
        end_ns = sooner(end_ns, hole->end_ns);
    } else if (a >= w->bound_ns && w->is_one) {
        *part = PEER_OWN;
    } else if (work && work->start_ns <= a) {
        *part = a < w->bound_ns ? PEER_WORKS : PEER_OWN;
        end_ns = sooner(end_ns, work->end_ns);
        if (a < w->bound_ns)
            end_ns = sooner(end_ns, w->bound_ns);
    } else {
        *part = nobody_works(w, work, a, &end_ns);
    }
    *to = (struct span){a, end_ns};
    w->at_ns = end_ns;
    return true;
}
