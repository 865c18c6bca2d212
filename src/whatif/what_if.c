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

/* The gains of a node in `n` lanes, 0 if new. */
static double *gains_at(struct what_if *w, int32_t node, int lane, int n)
{
    double *row = w->value_ns + (ptrdiff_t)node * LANES;
    if (!w->lanes[node])
        memset(row, 0, LANES * sizeof *row);
    w->lanes[node] |= (uint8_t)(((1u << n) - 1) << lane);
    return row + lane;
}

void what_if_shorten(struct what_if *w, int lane, int n, event_id gpu,
                     const int64_t saved_ns[])
{
    int32_t place = launch_place(&w->o->view->launch, gpu);
    int64_t dur_ns = store_dur_ns(w->o->view->s, gpu);
    if (place < 0 || w->o->of_device[place] < 0)
        return;
    double *gain = gains_at(w, w->o->of_device[place], lane, n);
    for (int k = 0; k < n; k++) {
        bool whole = saved_ns[k] >= dur_ns;
        gain[k] = fmax(gain[k], (double)(whole ? dur_ns + w->o->gap_ns : saved_ns[k]));
    }
}

static void add_gain(struct what_if *w, int lane, int n, int32_t node, int64_t ns)
{
    if (node < 0 || ns <= 0)
        return;
    double *gain = gains_at(w, node, lane, n);
    for (int k = 0; k < n; k++)
        gain[k] += (double)ns;
}

/* What a cut takes of the span before a call, of the call, and of its rest after a
 * wait.
 */
static void cut_own_time(struct what_if *w, int lane, int n, int32_t i, int64_t from_ns,
                         int64_t to_ns)
{
    const struct host_point *p = &w->o->points.at[i];
    int32_t wait = w->o->wait_of[i];
    int64_t until_ns = wait < 0 ? p->end_ns : p->start_ns;
    add_gain(w, lane, n, w->o->of_point[i],
             shared_ns(p->after_ns, until_ns, from_ns, to_ns));
    add_gain(w, lane, n, wait,
             shared_ns(w->o->waited_ns[i], p->end_ns, from_ns, to_ns));
}

/* The same; a call that is cut whole no longer waits. */
static void cut_point(struct what_if *w, int lane, int32_t i, int64_t from_ns,
                      int64_t to_ns)
{
    const struct host_point *p = &w->o->points.at[i];
    int32_t wait = w->o->wait_of[i];
    cut_own_time(w, lane, 1, i, from_ns, to_ns);
    if (wait >= 0 && from_ns <= p->start_ns && p->end_ns <= to_ns)
        *gains_at(w, wait, lane, 1) = -(double)(p->end_ns - p->start_ns);
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

void what_if_cut(struct what_if *w, int lane, int32_t thread, int64_t from_ns,
                 int64_t to_ns)
{
    const struct schedule *o = w->o;
    int32_t end = o->lane_start[thread + 1];
    int32_t low = first_call(w, o->lane_start[thread], end, from_ns);
    while (low > o->lane_start[thread] &&
           o->points.at[o->lane_points[low - 1]].end_ns > from_ns)
        low--;
    for (; low < end && o->points.at[o->lane_points[low]].after_ns < to_ns; low++)
        cut_point(w, lane, o->lane_points[low], from_ns, to_ns);
}

void what_if_free_host(struct what_if *w, int lane, int n)
{
    const struct host_points *p = &w->o->points;
    for (int32_t i = 0; i < p->n; i++)
        cut_own_time(w, lane, n, i, p->at[i].after_ns, p->at[i].end_ns);
}

void what_if_skip_call(struct what_if *w, int lane, event_id gpu, double part)
{
    int32_t place = launch_place(&w->o->view->launch, gpu);
    int32_t i = place < 0 ? -1 : w->o->points.of_device[place];
    if (i < 0)
        return;
    const struct host_point *p = &w->o->points.at[i];
    int64_t ns = p->end_ns - p->start_ns;
    cut_point(w, lane, i, p->start_ns, p->start_ns + (int64_t)(part * (double)ns));
}

static double least(double x, double y)
{
    return x < y ? x : y;
}

/* What the nodes before allow, by lane. */
static void allow(const struct schedule_node *node, const double *restrict values,
                  double *restrict to)
{
    const double *a = values + (ptrdiff_t)node->before[0] * LANES,
                 *b = values + (ptrdiff_t)node->before[1] * LANES,
                 *c = values + (ptrdiff_t)node->before[2] * LANES;
    for (int l = 0; l < LANES; l++)
        to[l] = least(least(a[l] + node->slack_ns[0], b[l] + node->slack_ns[1]),
                      c[l] + node->slack_ns[2]);
}

/* Adds the gains of a node. A wait that is gone is bound by its start alone, its first
 * bound; its gain is then the whole call, below 0 to tell it apart. */
static void gain(const struct what_if *w, int32_t i, double *to)
{
    const struct schedule_node *node = &w->o->nodes[i];
    const double *gain_ns = w->value_ns + (ptrdiff_t)i * LANES;
    for (int l = 0; l < LANES; l++)
        if (!(w->lanes[i] >> l & 1))
            continue;
        else if (gain_ns[l] >= 0)
            to[l] += gain_ns[l];
        else
            to[l] = w->value_ns[(ptrdiff_t)node->before[0] * LANES + l] - gain_ns[l];
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
        double values[LANES];
        allow(&o->nodes[i], w->value_ns, values);
        if (w->lanes[i])
            gain(w, i, values);
        memcpy(w->value_ns + (ptrdiff_t)i * LANES, values, sizeof values);
    }
    measure(w, saved_ns);
    memset(w->lanes, 0, (size_t)o->n);
}
