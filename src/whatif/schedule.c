#include "whatif/schedule.h"

#include "base/sort.h"
#include "whatif/graph_edges.h"

#include <string.h>

enum {
    STREAMS_MOST = 16,     /* that a wait or a dependency looks at: those last active */
    BACK_MOST = 16,        /* events of a stream it looks back at */
    OTHER_NS = 25000,      /* from the end of another stream's event to a start */
    CLOSE_NS = 5000,       /* from the end of the event before on the stream */
    LATE_NS = 20000,       /* the same, no longer as usual */
    LATE_CALL_NS = 100000, /* behind the return of the launch */
    QUEUED_FULL = 128,     /* device events that wait, at least */
    UNLINKED_FIFTH = 5     /* of device time: a replay without launches says little */
};

#define EXACT_MOST ((int64_t)1 << 53)

struct bound {
    int32_t node;
    int64_t slack_ns;
};

struct bounds {
    struct bound at[STREAMS_MOST + SCHEDULE_BEFORE];
    int n;
};

struct builder {
    int32_t room; /* for nodes */
    struct schedule *o;
    const struct trace_view *v;
    struct arena *perm;
    int32_t *by_start;    /* places of device events */
    int32_t *prev;        /* by place: the event before it on its stream, a place */
    int32_t *last;        /* by lane: the last event so far; 0: none, else place + 1 */
    uint8_t *counted;     /* by place */
    int32_t *order_after; /* by point: place of the event its device work follows; -1 */
    uint8_t *order_next;  /* by lane: an event wait came before its next launch */
    int32_t active[STREAMS_MOST]; /* lanes, the last active first */
    int n_active;
    struct {
        int32_t lane, place;
    } launched[2]; /* the last launches to two streams; place -1: none */
    int64_t n_launched, n_started;
    struct graph_edges edges;
};

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static event_id gpu_at(const struct builder *b, int32_t place)
{
    return b->v->launch.all[place];
}

static int64_t start_at(const struct builder *b, int32_t place)
{
    return b->v->s->start_ns[gpu_at(b, place)];
}

static int64_t end_at(const struct builder *b, int32_t place)
{
    return store_end_ns(b->v->s, gpu_at(b, place));
}

static void bound_by(struct bounds *all, int32_t node, int64_t slack_ns)
{
    all->at[all->n++] = (struct bound){node, slack_ns};
}

/* A node behind all bounds; a row of nodes if there are more than one holds. */
static int32_t add_node(struct builder *b, const struct bounds *all)
{
    struct schedule *o = b->o;
    int done = 0;
    for (bool more = true; more; more = done < all->n) {
        struct schedule_node node = {
            .before = {SCHEDULE_FIXED, SCHEDULE_NOTHING, SCHEDULE_NOTHING}};
        int k = 0;
        if (done > 0) /* those so far, joined */
            node.before[k++] = o->n - 1;
        for (; k < SCHEDULE_BEFORE && done < all->n; k++, done++) {
            node.before[k] = all->at[done].node;
            node.slack_ns[k] = (double)all->at[done].slack_ns;
        }
        if (o->n >= b->room)
            arena_full();
        o->nodes[o->n++] = node;
    }
    return o->n - 1;
}

static void become_active(struct builder *b, int32_t lane)
{
    int at = 0;
    while (at < b->n_active && b->active[at] != lane)
        at++;
    if (at == b->n_active) {
        if (b->n_active < STREAMS_MOST)
            b->n_active++;
        else
            at--;
    }
    memmove(&b->active[1], &b->active[0], (size_t)at * sizeof *b->active);
    b->active[0] = lane;
}

/* Which events a search considers: ended and launched by then. */
struct by_then {
    int64_t ended_ns, launched_ns;
    int32_t but; /* the lane that is left out; -1: none */
};

static int64_t launched_at(const struct builder *b, int32_t place)
{
    int32_t point = b->o->points.of_device[place];
    return point < 0 ? INT64_MIN : b->o->points.at[point].start_ns;
}

/* The last such event of a stream; -1. */
static int32_t last_of_stream(const struct builder *b, int32_t lane, struct by_then t)
{
    int32_t place = b->last[lane] - 1;
    for (int back = 0; place >= 0 && back < BACK_MOST; back++, place = b->prev[place])
        if (end_at(b, place) <= t.ended_ns && launched_at(b, place) <= t.launched_ns)
            return place;
    return -1;
}

/* The one of any stream that ended last; -1. */
static int32_t last_of_all(const struct builder *b, struct by_then t)
{
    int32_t found = -1;
    for (int k = 0; k < b->n_active; k++) {
        int32_t place = b->active[k] == t.but ? -1 : last_of_stream(b, b->active[k], t);
        if (place >= 0 && (found < 0 || end_at(b, place) > end_at(b, found)))
            found = place;
    }
    return found;
}

/* What a wait ended with; -1: nothing. */
static int32_t wait_target(const struct builder *b, const struct host_point *p)
{
    bool queue = p->wait == WAIT_QUEUE;
    if (p->wait == WAIT_COPY)
        return b->o->of_device[p->device] < 0 ? -1 : p->device;
    if (queue && b->n_launched - b->n_started < QUEUED_FULL)
        return -1;
    int32_t place = last_of_all(b, (struct by_then){p->end_ns, p->start_ns, -1});
    return place >= 0 && queue && end_at(b, place) <= p->start_ns ? -1 : place;
}

static void add_wait(struct builder *b, int32_t i)
{
    struct schedule *o = b->o;
    const struct host_point *p = &o->points.at[i];
    struct bounds all = {0};
    int32_t target = wait_target(b, p);
    int64_t ended_ns = target < 0 ? p->start_ns : end_at(b, target);
    bool waited = ended_ns > p->start_ns;
    int64_t rest_ns = p->end_ns - (waited ? ended_ns : p->start_ns);
    o->waited_ns[i] = p->end_ns - rest_ns;
    bound_by(&all, o->of_point[i], p->end_ns - p->start_ns - rest_ns);
    if (target >= 0)
        bound_by(&all, o->of_device[target], waited ? 0 : p->end_ns - ended_ns);
    for (int k = 0; p->wait == WAIT_DEVICE && k < b->n_active; k++) {
        struct by_then then = {p->end_ns, p->start_ns, -1};
        int32_t place = last_of_stream(b, b->active[k], then);
        if (place >= 0 && place != target)
            bound_by(&all, o->of_device[place],
                     (waited ? ended_ns : p->end_ns) - end_at(b, place));
    }
    o->wait_of[i] = add_node(b, &all);
}

/* The event that an event wait before this launch ordered it behind; -1. */
static int32_t ordered_after(struct builder *b, const struct host_point *p)
{
    int32_t place = -1, lane = b->v->s->lane[gpu_at(b, p->device)];
    if (b->order_next[p->lane])
        place = b->launched[b->launched[0].lane == lane].place;
    b->order_next[p->lane] = 0;
    if (b->launched[0].lane != lane)
        b->launched[1] = b->launched[0];
    b->launched[0].lane = lane;
    b->launched[0].place = p->device;
    return place;
}

static void add_point(struct builder *b, int32_t i)
{
    struct schedule *o = b->o;
    const struct host_point *p = &o->points.at[i];
    struct bounds all = {0};
    if (p->before >= 0) {
        int32_t wait = o->wait_of[p->before];
        bool over = o->points.at[p->before].end_ns <= p->start_ns;
        bound_by(&all, wait >= 0 && over ? wait : o->of_point[p->before], 0);
    }
    o->of_point[i] = add_node(b, &all);
    b->n_launched += p->n_launched;
    if (p->waits_on_gpu)
        b->order_next[p->lane] = 1;
    b->order_after[i] = p->device < 0 ? -1 : ordered_after(b, p);
}

/* By when a call had queued its device work: what it then waits for, at once. */
static int64_t issued_ns(const struct host_point *p)
{
    return p->wait == WAIT_COPY || p->wait == WAIT_SOME ? p->start_ns : p->end_ns;
}

/* A device event and what may have bound it. */
struct arrival {
    int32_t place, prev, other;    /* places; -1: none */
    const struct host_point *call; /* NULL: none */
    int32_t point;
    bool one_launch; /* `prev` came with the same call: with its GPU graph */
    int64_t start_ns, prev_ns, other_ns; /* their ends */
};

/* One call launched both: a GPU graph, whose work queues behind its own. */
static bool came_together(const struct builder *b, int32_t before, int32_t place)
{
    const int32_t *point = b->o->points.of_device;
    return before >= 0 && point[place] >= 0 && point[before] == point[place];
}

static struct arrival arrival_of(const struct builder *b, int32_t place)
{
    struct arrival r = {.place = place, .prev = b->prev[place]};
    r.start_ns = start_at(b, place);
    r.point = b->o->points.of_device[place];
    if (r.point >= 0 && b->o->points.at[r.point].start_ns <= r.start_ns)
        r.call = &b->o->points.at[r.point];
    r.one_launch = came_together(b, r.prev, place);
    r.prev_ns = r.prev < 0 ? INT64_MIN : end_at(b, r.prev);
    struct by_then then = {r.start_ns, INT64_MAX, b->v->s->lane[gpu_at(b, place)]};
    r.other = b->n_active < 2 && r.prev >= 0 ? -1 : last_of_all(b, then);
    if (r.one_launch && r.other >= 0 && !came_together(b, r.other, place))
        r.other = -1; /* a graph waits for what it depends on before it begins */
    r.other_ns = r.other < 0 ? INT64_MIN : end_at(b, r.other);
    return r;
}

/* The device had little time to fetch it: its launch bound it, though it had returned.
 */
static bool is_fresh(const struct arrival *r, int64_t usual_ns)
{
    return r->start_ns - r->prev_ns > CLOSE_NS &&
           r->start_ns - r->call->start_ns <= 2 * usual_ns;
}

/* Its launch had returned, or had brought the event before it, when that ended. */
static bool is_queued(const struct arrival *r)
{
    return r->prev >= 0 && r->call &&
           (r->one_launch || issued_ns(r->call) <= r->prev_ns);
}

static enum start_rule rule_of(const struct arrival *r, int64_t usual_ns)
{
    bool queued = is_queued(r);
    if (r->other >= 0 && r->start_ns - r->other_ns <= OTHER_NS &&
        r->other_ns > r->prev_ns && (!r->call || issued_ns(r->call) <= r->other_ns))
        return START_OTHER;
    if (queued && (r->one_launch || !is_fresh(r, usual_ns)))
        return r->start_ns - r->prev_ns > LATE_NS ? START_LATE : START_QUEUE;
    if (r->call)
        return r->start_ns - r->call->end_ns > LATE_CALL_NS ? START_LATE : START_LAUNCH;
    return r->prev >= 0 && r->start_ns - r->prev_ns <= CLOSE_NS ? START_QUEUE
                                                                : START_NONE;
}

/* The start of an event that the next one of its stream overlaps by more than half:
 * what bounds it, once more, without its duration. */
static int32_t start_node(struct builder *b, int32_t place)
{
    struct schedule *o = b->o;
    if (o->n >= b->room)
        arena_full();
    o->nodes[o->n] = o->nodes[o->of_device[place]];
    return o->n++;
}

static void bound_by_stream(struct builder *b, struct bounds *all,
                            const struct arrival *r, bool binds)
{
    int64_t gap_ns = r->start_ns - r->prev_ns, prev_start_ns = start_at(b, r->prev),
            half_ns = (r->prev_ns - prev_start_ns) / 2;
    bool beside = -gap_ns > half_ns;
    int32_t node = beside ? start_node(b, r->prev) : b->o->of_device[r->prev];
    bound_by(all, node, binds || beside ? 0 : gap_ns - least(gap_ns, b->o->gap_ns));
}

static void bound_by_launch(const struct builder *b, struct bounds *all,
                            const struct arrival *r, bool binds)
{
    const struct schedule *o = b->o;
    bool returned = r->call->end_ns <= r->start_ns;
    int32_t wait = o->wait_of[r->point];
    int64_t latency_ns = r->start_ns - r->call->start_ns, usual_ns = o->latency_ns;
    int32_t node = o->of_point[r->point];
    if (returned && wait >= 0) {
        node = wait;
        latency_ns = r->start_ns - r->call->end_ns;
    } else if (returned) { /* from a long call, work starts when it returns */
        int64_t call_ns = r->call->end_ns - r->call->start_ns;
        usual_ns = call_ns > usual_ns ? call_ns : usual_ns;
    }
    bound_by(all, node, binds ? 0 : latency_ns - least(latency_ns, usual_ns));
}

/* What a GPU graph says that the event depends on, in place of what may have bound it:
 * the one that ended last did. False: nothing is recorded, or nothing that had ended.
 */
static bool bound_by_edges(const struct builder *b, struct bounds *all,
                           const struct arrival *r, enum start_rule *rule)
{
    const struct graph_edges *g = &b->edges;
    int32_t last = -1;
    if (!g->start)
        return false;
    for (int32_t k = g->start[r->place]; k < g->start[r->place + 1]; k++) {
        int32_t p = g->before[k];
        if (b->o->of_device[p] >= 0 && end_at(b, p) <= r->start_ns + ROUNDING_NS &&
            (last < 0 || end_at(b, p) > end_at(b, last)))
            last = p;
    }
    if (last < 0)
        return false;
    for (int32_t k = g->start[r->place];
         k < g->start[r->place + 1] && all->n < STREAMS_MOST; k++) {
        int32_t p = g->before[k];
        int64_t gap_ns = r->start_ns - end_at(b, p);
        if (p != last && b->o->of_device[p] >= 0 && gap_ns >= 0)
            bound_by(all, b->o->of_device[p], gap_ns - least(gap_ns, b->o->gap_ns));
    }
    bound_by(all, b->o->of_device[last], 0);
    const struct event_store *s = b->v->s;
    bool same = s->lane[gpu_at(b, last)] == s->lane[gpu_at(b, r->place)];
    *rule = r->start_ns - end_at(b, last) > LATE_NS ? START_LATE
            : same                                  ? START_QUEUE
                                                    : START_OTHER;
    return true;
}

static void add_device(struct builder *b, int32_t place)
{
    struct schedule *o = b->o;
    struct bounds all = {0};
    struct arrival r = arrival_of(b, place);
    enum start_rule rule = rule_of(&r, o->latency_ns);
    bool on_stream = rule == START_QUEUE || rule == START_NONE ||
                     (rule == START_LATE && is_queued(&r));
    int32_t after = r.call ? b->order_after[r.point] : -1;
    bool by_edges = bound_by_edges(b, &all, &r, &rule);
    if (r.prev >= 0 && !by_edges)
        bound_by_stream(b, &all, &r, on_stream);
    if (r.call && !by_edges)
        bound_by_launch(b, &all, &r,
                        rule == START_LAUNCH || (rule == START_LATE && !on_stream));
    if (rule == START_OTHER && !by_edges)
        bound_by(&all, o->of_device[r.other], 0);
    else if (!by_edges && after >= 0 && o->of_device[after] > 0 &&
             end_at(b, after) <= r.start_ns) {
        int64_t gap_ns = r.start_ns - end_at(b, after);
        bound_by(&all, o->of_device[after], gap_ns - least(gap_ns, o->gap_ns));
    }
    o->of_device[place] = add_node(b, &all);
    int32_t lane = b->v->s->lane[gpu_at(b, place)];
    b->last[lane] = place + 1;
    b->n_started += r.point >= 0;
    become_active(b, lane);
    if (b->counted[place]) {
        o->facts.events_by[rule]++;
        o->facts.ns_by[rule] += store_dur_ns(b->v->s, gpu_at(b, place));
    }
}

/* Calls that wait, by their end. */
static struct sort_row *waits_by_end(struct arena *a, const struct host_points *p,
                                     int32_t *n)
{
    struct sort_row *rows = arena_take_raw(a, sizeof *rows, 8, p->n);
    *n = 0;
    for (int32_t i = 0; i < p->n; i++)
        if (p->at[i].wait != WAIT_NONE && p->at[i].end_ns > p->at[i].start_ns)
            rows[(*n)++] = (struct sort_row){p->at[i].end_ns, i};
    sort_rows(*a, rows, *n);
    return rows;
}

/* All nodes in the order of time: at one time, waits end before calls begin before
 * device events start. */
static void add_all(struct builder *b, struct arena tmp)
{
    const struct host_points *p = &b->o->points;
    int32_t n_waits, n_gpu = b->v->launch.n_all, wait = 0, point = 0, gpu = 0;
    const struct sort_row *waits = waits_by_end(&tmp, p, &n_waits);
    /* What comes after the last device event, or the window, moves nothing. */
    while (gpu < n_gpu || point <= p->end) {
        int64_t gpu_ns = gpu < n_gpu ? start_at(b, b->by_start[gpu]) : INT64_MAX,
                point_ns = point < p->n ? p->at[point].start_ns : INT64_MAX,
                wait_ns = wait < n_waits ? waits[wait].key : INT64_MAX;
        if (wait_ns <= point_ns && wait_ns <= gpu_ns)
            add_wait(b, waits[wait++].row);
        else if (point_ns <= gpu_ns)
            add_point(b, point++);
        else
            add_device(b, b->by_start[gpu++]);
    }
}

/* Places by start, and of each the place before it on its stream. */
static void order_devices(struct builder *b, struct arena *tmp)
{
    const struct launch_link *l = &b->v->launch;
    int32_t *by_start = arena_take_raw(tmp, sizeof *by_start, 4, l->n_all);
    b->prev = arena_take_raw(tmp, sizeof *b->prev, 4, l->n_all);
    memcpy(by_start, l->all, (size_t)l->n_all * sizeof *l->all);
    view_sort_by_start(*tmp, b->v->s, by_start, l->n_all);
    b->by_start = by_start;
    for (int32_t k = 0; k < l->n_all; k++) {
        int32_t lane = b->v->s->lane[by_start[k]], place = launch_place(l, by_start[k]);
        by_start[k] = place;
        b->prev[place] = b->last[lane] - 1;
        b->last[lane] = place + 1;
    }
    memset(b->last, 0, (size_t)b->v->s->n_lanes * sizeof *b->last);
}

/* Medians of up to 4096 events: from call to start if the stream was free, from end to
 * start if it was not. What started later than either explains, behind another stream
 * or for no known reason, says nothing of what is usual. */
static void find_usual(struct builder *b, struct arena tmp)
{
    enum { SAMPLES = 4096, FEW = 16 };
    struct sort_row *rows[2];
    int32_t n[2] = {0}, n_all = b->v->launch.n_all, step = n_all / SAMPLES + 1;
    for (int k = 0; k < 2; k++)
        rows[k] = arena_take_raw(&tmp, sizeof **rows, 8, SAMPLES);
    for (int32_t k = 0; k < n_all; k += step) {
        int32_t point = b->o->points.of_device[k];
        if (point < 0)
            continue;
        const struct host_point *p = &b->o->points.at[point];
        bool together = came_together(b, b->prev[k], k);
        int64_t free_ns = b->prev[k] < 0 ? INT64_MIN : end_at(b, b->prev[k]);
        int64_t start_ns = start_at(b, k);
        bool queued = together || issued_ns(p) <= free_ns;
        int64_t late_ns = start_ns - (queued ? free_ns : p->end_ns);
        if (late_ns > (queued ? LATE_NS : LATE_CALL_NS))
            continue;
        rows[queued][n[queued]++].key = start_ns - (queued ? free_ns : p->start_ns);
    }
    for (int k = 0; k < 2; k++)
        sort_rows(tmp, rows[k], n[k]);
    b->o->latency_ns = n[0] >= FEW ? rows[0][n[0] / 2].key : CLOSE_NS;
    b->o->gap_ns = n[1] >= FEW ? rows[1][n[1] / 2].key : 0;
}

static void index_lanes(struct schedule *o, struct arena *perm)
{
    int32_t n_lanes = o->view->s->n_lanes;
    const struct host_points *p = &o->points;
    o->lane_start = arena_new(perm, int32_t, n_lanes + 2);
    o->lane_points = arena_take_raw(perm, sizeof *o->lane_points, 4, p->n);
    for (int32_t i = 0; i < p->n; i++)
        o->lane_start[p->at[i].lane + 2]++;
    for (int32_t l = 0; l < n_lanes; l++)
        o->lane_start[l + 2] += o->lane_start[l + 1];
    for (int32_t i = 0; i < p->n; i++)
        o->lane_points[o->lane_start[p->at[i].lane + 1]++] = i;
}

/* The first and last counted event of each stream, and the one that ends last. */
struct stream_edges {
    int32_t first, last, ends_last; /* place + 1; 0: none */
};

static void find_edges(struct builder *b, struct arena tmp)
{
    struct schedule *o = b->o;
    int32_t n_lanes = b->v->s->n_lanes;
    struct stream_edges *of = arena_new(&tmp, struct stream_edges, n_lanes);
    for (int32_t k = 0; k < b->v->launch.n_all; k++) {
        int32_t place = b->by_start[k];
        struct stream_edges *e = &of[b->v->s->lane[gpu_at(b, place)]];
        if (!b->counted[place])
            continue;
        e->first = e->first ? e->first : place + 1;
        e->last = place + 1;
        if (!e->ends_last || end_at(b, place) > end_at(b, e->ends_last - 1))
            e->ends_last = place + 1;
    }
    o->first = arena_take_raw(b->perm, sizeof *o->first, 8, n_lanes + 1);
    o->last = arena_take_raw(b->perm, sizeof *o->last, 8, 2 * (ptrdiff_t)n_lanes + 1);
    if (o->begin_ns != INT64_MIN)
        o->first[o->n_first++] = (struct schedule_edge){SCHEDULE_FIXED, o->begin_ns};
    if (o->points.end >= 0)
        o->last[o->n_last++] = (struct schedule_edge){
            o->of_point[o->points.end], o->points.at[o->points.end].start_ns};
    for (int32_t l = 0; l < n_lanes; l++) {
        if (!of[l].first)
            continue;
        int32_t first = of[l].first - 1, ends[] = {of[l].last - 1, of[l].ends_last - 1};
        if (o->begin_ns == INT64_MIN)
            o->first[o->n_first++] =
                (struct schedule_edge){o->of_device[first], start_at(b, first)};
        for (int k = 0; k < 1 + (ends[0] != ends[1]); k++)
            o->last[o->n_last++] =
                (struct schedule_edge){o->of_device[ends[k]], end_at(b, ends[k])};
    }
}

/* Times of edges from here on count from the first start; returns the last end. */
static int64_t set_window(struct schedule *o)
{
    int64_t from_ns = INT64_MAX, to_ns = 0;
    for (int32_t k = 0; k < o->n_first; k++)
        from_ns = least(from_ns, o->first[k].ns);
    for (int32_t k = 0; k < o->n_first; k++)
        o->first[k].ns -= from_ns;
    for (int32_t k = 0; k < o->n_last; k++) {
        o->last[k].ns -= from_ns;
        to_ns = o->last[k].ns > to_ns ? o->last[k].ns : to_ns;
    }
    return to_ns;
}

/* Every node is bound by an earlier one without slack and by none against time: then,
 * without a change, each ends when it did. */
static bool is_exact(const struct schedule *o)
{
    for (int32_t i = SCHEDULE_FIRST; i < o->n; i++) {
        const struct schedule_node *node = &o->nodes[i];
        double least_ns = (double)EXACT_MOST;
        for (int k = 0; k < SCHEDULE_BEFORE; k++) {
            if (node->before[k] < 0 || node->before[k] >= i ||
                !(node->slack_ns[k] < (double)EXACT_MOST))
                return false;
            if (node->before[k] != SCHEDULE_NOTHING && node->slack_ns[k] < least_ns)
                least_ns = node->slack_ns[k];
        }
        if (least_ns != 0)
            return false;
    }
    return o->facts.recorded_ns == o->view->timeline.total_ns;
}

static void judge(struct schedule *o)
{
    const struct trace_view *v = o->view;
    struct schedule_facts *f = &o->facts;
    int64_t all_ns = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        int64_t ns = store_dur_ns(v->s, v->counted[k]);
        all_ns += ns;
        f->unlinked_ns += launch_call(&v->launch, v->counted[k]) < 0 ? ns : 0;
    }
    f->exact = is_exact(o);
    f->usable = f->exact && all_ns > 0 && f->unlinked_ns <= all_ns / UNLINKED_FIFTH;
}

static int32_t *unknown_nodes(struct arena *perm, int32_t n)
{
    int32_t *ids = arena_take_raw(perm, sizeof *ids, 4, n);
    return memset(ids, -1, (size_t)n * sizeof *ids);
}

struct schedule schedule_build(struct arena *perm, struct arena tmp,
                               const struct trace_view *v)
{
    int32_t n_all = v->launch.n_all, n_lanes = v->s->n_lanes;
    struct schedule o = {.view = v, .points = host_points_build(perm, tmp, v)};
    o.begin_ns = v->window.lead_ns ? v->timeline.start_ns : INT64_MIN;
    struct builder b = {
        .o = &o, .v = v, .perm = perm, .launched = {{-1, -1}, {-1, -1}}};
    b.last = arena_new(&tmp, int32_t, n_lanes + 1);
    b.order_next = arena_new(&tmp, uint8_t, n_lanes + 1);
    b.order_after = arena_take_raw(&tmp, sizeof *b.order_after, 4, o.points.n);
    b.counted = arena_new(&tmp, uint8_t, n_all);
    for (int32_t k = 0; k < v->n_counted; k++)
        b.counted[launch_place(&v->launch, v->counted[k])] = 1;
    b.edges = graph_edges_build(perm, tmp, v);
    order_devices(&b, &tmp);
    find_usual(&b, tmp);
    o.of_device = unknown_nodes(perm, n_all);
    o.of_point = unknown_nodes(perm, o.points.n);
    o.wait_of = unknown_nodes(perm, o.points.n);
    o.waited_ns = arena_new(perm, int64_t, o.points.n);
    index_lanes(&o, perm);
    /* Room for the most there can be, or all there is; what is not used goes back. */
    ptrdiff_t most = SCHEDULE_FIRST + 2 * (ptrdiff_t)n_all + b.edges.n +
                     (ptrdiff_t)o.points.n * (2 + STREAMS_MOST / 2);
    ptrdiff_t there = (perm->end - perm->at) / (ptrdiff_t)sizeof *o.nodes - 1;
    b.room = (int32_t)(most < there ? most : there > 0 ? there : 0);
    o.nodes = arena_take_raw(perm, sizeof *o.nodes, 8, b.room);
    struct bounds none = {0};
    while (o.n < SCHEDULE_FIRST)
        add_node(&b, &none);
    add_all(&b, tmp);
    perm->at = (char *)(o.nodes + o.n);
    find_edges(&b, tmp);
    o.facts.recorded_ns = set_window(&o);
    judge(&o);
    return o;
}
