#include "whatif/what_if.h"

#include "base/duration.h"

#include <math.h>
#include <string.h>

enum { LANES = WHAT_IF_LANES };

struct what_if what_if_open(struct arena *a, const struct schedule *o)
{
    struct what_if w = {.o = o};
    w.value_ns = arena_take_raw(a, LANES * sizeof(double), 64, o->n);
    w.lanes = arena_new(a, uint8_t, o->n);
    return w;
}

static inline double least(double x, double y)
{
    return x < y ? x : y;
}

/* How gains of one node go together, as long as its wait is not gone. */
enum how {
    LARGER, /* the larger counts */
    SUM,    /* at most all of the node's own time */
    GONE    /* a wait: its gain is the whole call, below 0 to tell it apart */
};

/* The gains of a node by lane, 0 where new. */
static inline double *gains_at(struct what_if *w, unsigned lanes, int32_t node)
{
    double *row = w->value_ns + (ptrdiff_t)node * LANES;
    if (!w->lanes[node])
        memset(row, 0, LANES * sizeof *row);
    w->lanes[node] |= (uint8_t)lanes;
    return row;
}

static inline double gain_with(const struct what_if_gain *g, double before)
{
    if (g->how == GONE)
        return g->ns;
    if (before < 0)
        return before;
    return g->how == SUM ? least(before + g->ns, g->own_ns) : fmax(before, g->ns);
}

static inline void put_gain(struct what_if *w, unsigned lanes,
                            const struct what_if_gain *g)
{
    double *gain = gains_at(w, lanes, g->node);
    for (; lanes; lanes &= lanes - 1) {
        double *x = &gain[__builtin_ctz(lanes)];
        *x = gain_with(g, *x);
    }
}

static inline void add_change(struct what_if *w, struct what_if_gain g)
{
    if (!w->noted) {
        put_gain(w, g.lanes, &g);
        return;
    }
    arena_grow(w->memory, w->noted->at, w->noted->n);
    w->noted->at[w->noted->n++] = g;
}

void what_if_note(struct what_if *w, struct arena *a, struct what_if_gains *to)
{
    w->noted = to;
    w->memory = a;
}

void what_if_again(struct what_if *w, unsigned lanes, const struct what_if_gains *noted)
{
    for (int32_t i = 0; i < noted->n; i++) {
        const struct what_if_gain *g = &noted->at[i];
        put_gain(w, (g->lanes & 1 ? lanes : 0) | (g->lanes & 2 ? lanes << 1 : 0), g);
    }
}

void what_if_shorten(struct what_if *w, unsigned lanes, event_id gpu, int64_t saved_ns)
{
    int32_t place = launch_place(&w->o->view->launch, gpu);
    int64_t dur_ns = store_dur_ns(w->o->view->s, gpu);
    if (place < 0 || w->o->of_device[place] < 0)
        return;
    int64_t ns = saved_ns >= dur_ns ? dur_ns + w->o->gap_ns : saved_ns;
    add_change(w, (struct what_if_gain){.ns = (double)ns,
                                        .node = w->o->of_device[place],
                                        .lanes = (uint8_t)lanes,
                                        .how = LARGER});
}

/* Of a node of the host. */
static inline void add_gain(struct what_if *w, unsigned lanes, int32_t node, int64_t ns,
                            int64_t own_ns)
{
    if (node >= 0 && ns > 0)
        add_change(w, (struct what_if_gain){(double)ns, (double)own_ns, node,
                                            (uint8_t)lanes, SUM});
}

static int64_t part_of(double part, int64_t ns)
{
    return part >= 1 ? ns : (int64_t)(part * (double)ns);
}

/* What a cut takes of the span before a call, of the call, and of its rest after a
 * wait.
 */
static void cut_own_time(struct what_if *w, unsigned lanes, int32_t i, int64_t from_ns,
                         int64_t to_ns, double part)
{
    const struct host_point *p = &w->o->points.at[i];
    int32_t wait = w->o->wait_of[i];
    int64_t until_ns = wait < 0 ? p->end_ns : p->start_ns;
    from_ns = from_ns > w->o->begin_ns ? from_ns : w->o->begin_ns;
    add_gain(w, lanes, w->o->of_point[i],
             part_of(part, shared_ns(p->after_ns, until_ns, from_ns, to_ns)),
             until_ns - p->after_ns);
    if (wait >= 0)
        add_gain(
            w, lanes, wait,
            part_of(part, shared_ns(w->o->waited_ns[i], p->end_ns, from_ns, to_ns)),
            p->end_ns - w->o->waited_ns[i]);
}

/* The same; a call that is cut whole no longer waits. */
static void cut_point(struct what_if *w, unsigned lanes, int32_t i, int64_t from_ns,
                      int64_t to_ns)
{
    const struct host_point *p = &w->o->points.at[i];
    int32_t wait = w->o->wait_of[i];
    cut_own_time(w, lanes, i, from_ns, to_ns, 1);
    if (wait >= 0 && from_ns <= p->start_ns && p->end_ns <= to_ns)
        add_change(w, (struct what_if_gain){.ns = -(double)(p->end_ns - p->start_ns),
                                            .node = wait,
                                            .lanes = (uint8_t)lanes,
                                            .how = GONE});
}

static bool starts_before(const struct schedule *o, int32_t k, int64_t ns)
{
    return o->points.at[o->lane_points[k]].start_ns < ns;
}

/* The first call of [low, end) that starts at from_ns or later. Cuts come by time, so
 * it is near the last one that was found. */
static int32_t first_call(struct what_if *w, int32_t low, int32_t end, int64_t from_ns)
{
    const struct schedule *o = w->o;
    int32_t high = end;
    if (w->near >= low && w->near < end && starts_before(o, w->near, from_ns)) {
        int32_t step = 1;
        for (low = w->near + 1; low + step < end; low += step, step *= 2)
            if (!starts_before(o, low + step, from_ns)) {
                high = low + step;
                break;
            }
    }
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (starts_before(o, mid, from_ns))
            low = mid + 1;
        else
            high = mid;
    }
    w->near = low ? low - 1 : 0;
    return low;
}

/* The calls of a thread that [from_ns, to_ns) touches, with the spans before them: from
 * the first one up to *end. */
static int32_t calls_touched(struct what_if *w, int32_t thread, int64_t from_ns,
                             int64_t to_ns, int32_t *end)
{
    const struct schedule *o = w->o;
    int32_t last = o->lane_start[thread + 1];
    int32_t low = first_call(w, o->lane_start[thread], last, from_ns);
    while (low > o->lane_start[thread] &&
           o->points.at[o->lane_points[low - 1]].end_ns > from_ns)
        low--;
    *end = low;
    while (*end < last && o->points.at[o->lane_points[*end]].after_ns < to_ns)
        ++*end;
    return low;
}

void what_if_cut(struct what_if *w, unsigned lanes, int32_t thread, int64_t from_ns,
                 int64_t to_ns)
{
    int32_t end, k = calls_touched(w, thread, from_ns, to_ns, &end);
    for (; k < end; k++)
        cut_point(w, lanes, w->o->lane_points[k], from_ns, to_ns);
}

void what_if_quicken(struct what_if *w, unsigned lanes, int32_t thread, int64_t from_ns,
                     int64_t to_ns, double part)
{
    int32_t end, k = calls_touched(w, thread, from_ns, to_ns, &end);
    for (; k < end; k++)
        cut_own_time(w, lanes, w->o->lane_points[k], from_ns, to_ns, part);
}

void what_if_free_host(struct what_if *w, unsigned lanes)
{
    const struct host_points *p = &w->o->points;
    for (int32_t i = 0; i < p->n; i++)
        cut_own_time(w, lanes, i, p->at[i].after_ns, p->at[i].end_ns, 1);
}

/* Of the node's own time at least `part` is gone. */
static void raise_gain(struct what_if *w, unsigned lanes, int32_t node, int64_t own_ns,
                       double part)
{
    if (node >= 0 && own_ns > 0)
        add_change(w, (struct what_if_gain){.ns = part * (double)own_ns,
                                            .node = node,
                                            .lanes = (uint8_t)lanes,
                                            .how = LARGER});
}

void what_if_ease_launches(struct what_if *w, unsigned lanes, double part)
{
    enum { SHORT_NS = 1000000 };
    for (int32_t i = 0; i < w->o->points.n; i++) {
        const struct host_point *p = &w->o->points.at[i];
        int64_t from_ns = later(p->after_ns, w->o->begin_ns);
        int32_t wait = w->o->wait_of[i];
        if (!p->n_launched || p->end_ns - from_ns >= SHORT_NS)
            continue;
        raise_gain(w, lanes, w->o->of_point[i],
                   (wait < 0 ? p->end_ns : p->start_ns) - from_ns, part);
        if (wait >= 0)
            raise_gain(w, lanes, wait, p->end_ns - w->o->waited_ns[i], part);
    }
}

void what_if_skip_call(struct what_if *w, unsigned lanes, event_id gpu, double part)
{
    int32_t place = launch_place(&w->o->view->launch, gpu);
    int32_t i = place < 0 ? -1 : w->o->points.of_device[place];
    if (i < 0)
        return;
    const struct host_point *p = &w->o->points.at[i];
    int64_t ns = p->end_ns - p->start_ns;
    cut_point(w, lanes, i, p->start_ns, p->start_ns + (int64_t)(part * (double)ns));
}

/* What the nodes before allow, by lane; most have one. */
static inline void allow(const struct schedule_node *node,
                         const double *restrict values, double *restrict to)
{
    const double *a = values + (ptrdiff_t)node->before[0] * LANES,
                 *b = values + (ptrdiff_t)node->before[1] * LANES,
                 *c = values + (ptrdiff_t)node->before[2] * LANES;
    if (node->before[1] == SCHEDULE_NOTHING && node->before[2] == SCHEDULE_NOTHING)
        for (int l = 0; l < LANES; l++)
            to[l] = a[l] + node->slack_ns[0];
    else
        for (int l = 0; l < LANES; l++)
            to[l] = least(least(a[l] + node->slack_ns[0], b[l] + node->slack_ns[1]),
                          c[l] + node->slack_ns[2]);
}

/* Adds the gains of a node, 0 where a lane has none. A wait that is gone is bound by
 * its start alone, its first bound; its gain is then the whole call, below 0 to tell it
 * apart. */
static inline void gain(const double *restrict gain_ns, const double *restrict start,
                        double *restrict to)
{
    for (int l = 0; l < LANES; l++)
        to[l] = gain_ns[l] >= 0 ? to[l] + gain_ns[l] : start[l] - gain_ns[l];
}

/* The window of each lane, as the change of its start and of its end. */
static void measure(const struct what_if *w, int64_t saved_ns[LANES])
{
    const struct schedule *o = w->o;
    for (int l = 0; l < LANES; l++) {
        double from_ns = (double)INFINITY, to_ns = -(double)INFINITY;
        for (int32_t k = 0; k < o->n_first; k++) {
            double start[LANES];
            allow(&o->nodes[o->first[k].node], w->value_ns, start);
            from_ns = fmin(from_ns, (double)o->first[k].ns - start[l]);
        }
        for (int32_t k = 0; k < o->n_last; k++) {
            double value = w->value_ns[(ptrdiff_t)o->last[k].node * LANES + l];
            to_ns = fmax(to_ns, (double)o->last[k].ns - value);
        }
        saved_ns[l] =
            o->n_first ? o->facts.recorded_ns - (int64_t)(to_ns - from_ns) : 0;
    }
}

void what_if_run(struct what_if *w, int64_t saved_ns[WHAT_IF_LANES])
{
    const struct schedule *o = w->o;
    for (int l = 0; l < LANES; l++) {
        w->value_ns[SCHEDULE_FIXED * LANES + l] = 0;
        w->value_ns[SCHEDULE_NOTHING * LANES + l] = (double)INFINITY;
    }
    for (int32_t i = SCHEDULE_FIRST; i < o->n; i++) {
        const struct schedule_node *node = &o->nodes[i];
        double values[LANES], *to = w->value_ns + (ptrdiff_t)i * LANES;
        allow(node, w->value_ns, values);
        if (w->lanes[i])
            gain(to, w->value_ns + (ptrdiff_t)node->before[0] * LANES, values);
        memcpy(to, values, sizeof values);
    }
    measure(w, saved_ns);
    memset(w->lanes, 0, (size_t)o->n);
}
