#include "ops/timeline_data.h"

#include "base/sort.h"
#include "ops/trace_view.h"

#include <math.h>

enum { SHORT_KERNEL_NS = 10000, WINDOWS = 10, SLOW_PCT = 10, SLOW_STEPS_MIN = 3 };

/* k / n of a length, without overflow. */
static int64_t part_of(int64_t length, int64_t k, int64_t n)
{
    return length / n * k + length % n * k / n;
}

int64_t timeline_bin_ns(const struct timeline_data *d, int k)
{
    return part_of(d->total_ns, k, d->n_bins);
}

int timeline_add(const struct timeline_data *d, int k, int64_t from_ns, int64_t to_ns,
                 int64_t *bins)
{
    while (k < d->n_bins - 1 && timeline_bin_ns(d, k + 1) <= from_ns)
        k++;
    for (int b = k; from_ns < to_ns; b++) {
        int64_t end = b < d->n_bins - 1 ? timeline_bin_ns(d, b + 1) : to_ns;
        int64_t stop = end < to_ns ? end : to_ns;
        bins[b] += stop - from_ns;
        from_ns = stop;
    }
    return k;
}

/* Adds the spans of a set, which are sorted, to the bins they lie in. */
static void add_to_bins(const struct timeline_data *d, int64_t origin_ns,
                        struct interval_set set, int64_t *bins)
{
    int k = 0;
    for (ptrdiff_t i = 0; i < set.n; i++)
        k = timeline_add(d, k, set.spans[i].start_ns - origin_ns,
                         set.spans[i].end_ns - origin_ns, bins);
}

static struct interval_set spans_of(struct arena *a, const struct trace_view *v,
                                    const event_id *events, int32_t n)
{
    struct span *spans = arena_take_raw(a, sizeof *spans, 8, n);
    for (int32_t k = 0; k < n; k++)
        spans[k] =
            (struct span){v->s->start_ns[events[k]], store_end_ns(v->s, events[k])};
    return interval_union(*a, spans, n);
}

/* When the device computes, and communicates or copies without computing. */
static void find_parts(struct arena *a, const struct trace_view *v,
                       struct interval_set parts[BUSY_PARTS])
{
    struct interval_set sets[GPU_CLASSES];
    event_id *events = arena_take_raw(a, sizeof *events, 4, v->n_counted);
    for (int c = 0; c < GPU_CLASSES; c++) {
        int32_t n = 0;
        for (int32_t k = 0; k < v->n_counted; k++)
            if ((int)view_class(v, v->counted[k]) == c)
                events[n++] = v->counted[k];
        sets[c] = spans_of(a, v, events, n);
    }
    struct interval_set comm =
        interval_minus(a, sets[GPU_COMMUNICATION], sets[GPU_COMPUTE]);
    struct interval_set copy = interval_minus(a, sets[GPU_MEMCPY], sets[GPU_COMPUTE]);
    copy = interval_minus(a, copy, sets[GPU_COMMUNICATION]);
    parts[BUSY_COMPUTE] = sets[GPU_COMPUTE];
    parts[BUSY_COMM] = comm;
    parts[BUSY_COPY] = copy;
}

static void fill_parts(struct arena *perm, const struct trace_view *v,
                       const struct interval_set parts[BUSY_PARTS],
                       struct timeline_data *d)
{
    for (int p = 0; p < BUSY_PARTS; p++) {
        d->part_ns[p] = arena_new(perm, int64_t, d->n_bins);
        add_to_bins(d, v->timeline.start_ns, parts[p], d->part_ns[p]);
    }
}

static struct str stream_name(struct arena *perm, const struct event_store *s,
                              event_id g, bool many_devices)
{
    int64_t stream = view_stream(s, g);
    struct str tid = pool_text(&s->names, s->lanes[s->lane[g]].tid);
    struct str name = stream >= 0
                          ? str_printf(perm, "stream %lld", (long long)stream)
                          : str_printf(perm, "stream %.*s", STRF(str_head(tid, 40)));
    if (!many_devices)
        return name;
    struct str pid = pool_text(&s->names, s->lanes[s->lane[g]].pid);
    return str_printf(perm, "GPU %.*s, %.*s", STRF(str_head(pid, 40)), STRF(name));
}

/* Device events of each lane, in the order of v->counted: a counting sort. */
struct lane_events {
    int32_t *first; /* by lane; one more than there are */
    event_id *events;
};

static struct lane_events events_by_lane(struct arena *a, const struct trace_view *v)
{
    const struct event_store *s = v->s;
    struct lane_events l = {arena_new(a, int32_t, s->n_lanes + 2),
                            arena_take_raw(a, sizeof *l.events, 4, v->n_counted)};
    int32_t *end = l.first + 1;
    for (int32_t k = 0; k < v->n_counted; k++)
        end[s->lane[v->counted[k]] + 1]++;
    for (int32_t i = 0; i < s->n_lanes; i++)
        end[i + 1] += end[i];
    for (int32_t k = 0; k < v->n_counted; k++)
        l.events[end[s->lane[v->counted[k]]]++] = v->counted[k];
    return l;
}

static bool many_devices(const struct event_store *s, const struct lane_events *l)
{
    name_id pid = -1;
    for (int32_t i = 0; i < s->n_lanes; i++) {
        if (l->first[i] == l->first[i + 1])
            continue;
        if (pid >= 0 && pid != s->lanes[i].pid)
            return true;
        pid = s->lanes[i].pid;
    }
    return false;
}

static void fill_streams(struct arena *perm, struct arena tmp,
                         const struct trace_view *v, struct timeline_data *d)
{
    const struct event_store *s = v->s;
    struct lane_events l = events_by_lane(&tmp, v);
    struct sort_row *order = arena_take_raw(&tmp, sizeof *order, 8, s->n_lanes);
    bool several = many_devices(s, &l);
    int32_t n = 0;
    int64_t sum = 0;
    for (int32_t i = 0; i < s->n_lanes; i++) {
        if (l.first[i] == l.first[i + 1])
            continue;
        struct arena scratch = tmp;
        struct interval_set set =
            spans_of(&scratch, v, l.events + l.first[i], l.first[i + 1] - l.first[i]);
        order[n++] = (struct sort_row){-interval_length_ns(set), i};
        sum -= order[n - 1].key;
    }
    sort_rows(tmp, order, n);
    d->streams_overlap = sum > v->timeline.busy_ns;
    d->n_streams = n < TIMELINE_STREAMS_MAX ? n : TIMELINE_STREAMS_MAX;
    d->n_streams_left = n - d->n_streams;
    d->streams = arena_new(perm, struct timeline_stream, d->n_streams);
    for (int32_t k = 0; k < n; k++) {
        int32_t lane = order[k].row, count = l.first[lane + 1] - l.first[lane];
        if (k >= d->n_streams) {
            d->left_busy_ns -= order[k].key;
            continue;
        }
        struct arena scratch = tmp;
        const event_id *events = l.events + l.first[lane];
        struct interval_set set = spans_of(&scratch, v, events, count);
        struct timeline_stream *to = &d->streams[k];
        *to = (struct timeline_stream){stream_name(perm, s, events[0], several),
                                       -order[k].key, count,
                                       arena_new(perm, int64_t, d->n_bins), lane};
        add_to_bins(d, v->timeline.start_ns, set, to->bin_ns);
    }
}

/* How much of a set lies between two times. */
static int64_t length_between(struct interval_set of, int64_t from, int64_t to)
{
    ptrdiff_t lo = 0, hi = of.n;
    while (lo < hi) { /* the first span that ends after `from` */
        ptrdiff_t mid = lo + (hi - lo) / 2;
        if (of.spans[mid].end_ns <= from)
            lo = mid + 1;
        else
            hi = mid;
    }
    int64_t sum = 0;
    for (; lo < of.n && of.spans[lo].start_ns < to; lo++) {
        int64_t a = of.spans[lo].start_ns > from ? of.spans[lo].start_ns : from;
        int64_t b = of.spans[lo].end_ns < to ? of.spans[lo].end_ns : to;
        sum += b - a;
    }
    return sum;
}

/* Device events by when their step began: by their own start, or their launch call's.
 */
static void count_launches(struct arena tmp, const struct trace_view *v,
                           struct timeline_data *d)
{
    struct sort_row *at = arena_take_raw(&tmp, sizeof *at, 8, v->n_counted);
    int32_t n = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k], call = launch_call(&v->launch, g);
        if (d->has_steps && !d->steps_on_device && call < 0)
            continue;
        event_id from = d->has_steps && !d->steps_on_device ? call : g;
        at[n++] = (struct sort_row){v->s->start_ns[from] - v->timeline.start_ns, g};
    }
    sort_rows(tmp, at, n);
    int32_t k = 0;
    for (int i = 0; i < d->n_steps; i++) {
        struct timeline_step *step = &d->steps[i];
        bool last = !d->has_steps && i == d->n_steps - 1; /* windows hold everything */
        while (k < n && at[k].key < step->start_ns)
            k++;
        for (; k < n && (last || at[k].key < step->start_ns + step->dur_ns); k++)
            step->launches++;
    }
}

static void add_windows(struct arena *perm, struct timeline_data *d)
{
    d->n_steps = d->total_ns >= WINDOWS ? WINDOWS : 0;
    d->steps = arena_new(perm, struct timeline_step, d->n_steps);
    for (int k = 0; k < d->n_steps; k++) {
        int64_t from = part_of(d->total_ns, k, WINDOWS);
        d->steps[k] = (struct timeline_step){
            .number = k + 1,
            .start_ns = from,
            .dur_ns = part_of(d->total_ns, k + 1, WINDOWS) - from,
            .deviation_pct = (double)NAN};
    }
}

static void take_steps(struct arena *perm, const struct trace_view *v,
                       struct timeline_data *d)
{
    const struct trace_steps *t = &v->steps;
    d->step_source = t->source;
    d->has_steps = true;
    d->steps_on_device = t->by_device || t->source == STEPS_PROFILER_DEVICE;
    d->n_steps = t->n < TIMELINE_STEPS_MAX ? t->n : TIMELINE_STEPS_MAX;
    d->n_steps_left = t->n - d->n_steps;
    d->median_step_ns = t->median_ns;
    d->steps = arena_new(perm, struct timeline_step, d->n_steps);
    for (int k = 0; k < d->n_steps; k++)
        d->steps[k] = (struct timeline_step){.number = t->rows[k].number,
                                             .start_ns = t->rows[k].start_ns -
                                                         v->timeline.start_ns,
                                             .dur_ns = t->rows[k].dur_ns,
                                             .steady = t->rows[k].steady};
}

static void fill_steady(const struct trace_view *v,
                        const struct interval_set parts[BUSY_PARTS],
                        struct timeline_steady *to)
{
    for (int32_t k = 0; k < v->steps.n; k++) {
        const struct trace_step *step = &v->steps.rows[k];
        int64_t end_ns = step->start_ns + step->dur_ns;
        if (!step->steady)
            continue;
        to->n++;
        to->total_ns += step->dur_ns;
        to->busy_ns += length_between(v->timeline.busy, step->start_ns, end_ns);
        for (int p = 0; p < BUSY_PARTS; p++)
            to->part_ns[p] += length_between(parts[p], step->start_ns, end_ns);
    }
}

static void fill_steps(struct arena *perm, struct arena tmp, const struct trace_view *v,
                       const struct interval_set parts[BUSY_PARTS],
                       struct timeline_data *d)
{
    int64_t origin = v->timeline.start_ns;
    if (v->steps.n)
        take_steps(perm, v, d);
    else
        add_windows(perm, d);
    for (int k = 0; k < d->n_steps; k++) {
        struct timeline_step *step = &d->steps[k];
        step->busy_ns = length_between(v->timeline.busy, origin + step->start_ns,
                                       origin + step->start_ns + step->dur_ns);
        if (!d->has_steps || d->median_step_ns <= 0)
            continue;
        step->deviation_pct = 100.0 * (double)(step->dur_ns - d->median_step_ns) /
                              (double)d->median_step_ns;
        step->slow = d->n_steps >= SLOW_STEPS_MIN && step->deviation_pct > SLOW_PCT;
    }
    fill_steady(v, parts, &d->steady);
    count_launches(tmp, v, d);
}

static void fill_launches(struct arena tmp, const struct trace_view *v,
                          struct timeline_data *d)
{
    const struct event_store *s = v->s;
    struct sort_row *delay = arena_take_raw(&tmp, sizeof *delay, 8, v->n_counted);
    uint8_t *called = arena_new(&tmp, uint8_t, s->n + 1);
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k], call = launch_call(&v->launch, g);
        if (s->cat[g] != CAT_KERNEL)
            continue;
        d->n_short += store_dur_ns(s, g) < SHORT_KERNEL_NS;
        if (call < 0)
            continue;
        d->n_calls += !called[call];
        called[call] = 1;
        int64_t ns = s->start_ns[g] - s->start_ns[call];
        d->n_early += ns < 0;
        delay[d->n_launches++] = (struct sort_row){ns, g};
        if (ns >= 0)
            duration_bins_add(&d->delay, ns);
    }
    sort_rows(tmp, delay, d->n_launches);
    int64_t n = d->n_launches;
    d->median_delay_us = d->p95_delay_us = d->max_delay_us = d->launches_per_step =
        (double)NAN;
    if (!n)
        return;
    d->median_delay_us =
        ((double)delay[(n - 1) / 2].key + (double)delay[n / 2].key) / 2e3;
    d->p95_delay_us = (double)delay[(95 * n + 99) / 100 - 1].key / 1e3;
    d->max_delay_us = (double)delay[n - 1].key / 1e3;
    if (d->has_steps)
        d->launches_per_step = (double)n / (double)(d->n_steps + d->n_steps_left);
}

static bool same_device(const struct memory_record *a, const struct memory_record *b)
{
    return a->device_type == b->device_type && a->device_id == b->device_id;
}

/* A record of the device with the most records, preferring an accelerator to the host,
 * whose type is 0. NULL if no totals are recorded. */
static const struct memory_record *main_device(const struct event_store *s,
                                               int64_t *n_best)
{
    enum { DEVICES_MAX = 64 };
    const struct memory_record *devices[DEVICES_MAX];
    int64_t count[DEVICES_MAX];
    int n = 0, best = -1;
    for (int32_t i = 0; i < s->n_memory; i++) {
        const struct memory_record *m = &s->memory[i];
        if (m->total_allocated == NO_ID)
            continue;
        int k = 0;
        while (k < n && !same_device(devices[k], m))
            k++;
        if (k == DEVICES_MAX)
            continue;
        if (k == n) {
            devices[n] = m;
            count[n++] = 0;
        }
        count[k]++;
    }
    for (int k = 0; k < n; k++) {
        bool device = devices[k]->device_type != 0;
        bool best_is = best >= 0 && devices[best]->device_type != 0;
        if (best < 0 || (device && !best_is) ||
            (device == best_is && count[k] > count[best]))
            best = k;
    }
    *n_best = best < 0 ? 0 : count[best];
    return best < 0 ? NULL : devices[best];
}

/* Records of one device by time. */
static struct sort_row *records_of(struct arena *tmp, const struct event_store *s,
                                   const struct memory_record *of, int64_t n)
{
    struct sort_row *rows = arena_take_raw(tmp, sizeof *rows, 8, n);
    int64_t k = 0;
    for (int32_t i = 0; i < s->n_memory; i++)
        if (s->memory[i].total_allocated != NO_ID && same_device(&s->memory[i], of))
            rows[k++] = (struct sort_row){s->memory[i].at_ns, i};
    sort_rows(*tmp, rows, n);
    return rows;
}

static void raise_to(int64_t *to, int64_t v)
{
    if (v > *to)
        *to = v;
}

/* The maximum in each bin; a bin without records keeps the last value before it. */
static void bin_memory(const struct event_store *s, const struct sort_row *rows,
                       int64_t n, struct timeline_memory *m)
{
    int64_t span = m->end_ns - m->start_ns;
    int64_t allocated = -1, reserved = -1, k = 0;
    for (int b = 0; b < TIMELINE_BINS; b++) {
        int64_t end = rows[0].key + part_of(span, b + 1, TIMELINE_BINS);
        m->allocated[b] = allocated;
        m->reserved[b] = reserved;
        for (; k < n && (rows[k].key < end || b == TIMELINE_BINS - 1); k++) {
            const struct memory_record *r = &s->memory[rows[k].row];
            allocated = r->total_allocated;
            reserved = r->total_reserved == NO_ID ? -1 : r->total_reserved;
            if (allocated > m->peak_allocated)
                m->peak_at_ns = m->start_ns + (rows[k].key - rows[0].key);
            raise_to(&m->peak_allocated, allocated);
            raise_to(&m->peak_reserved, reserved);
            raise_to(&m->allocated[b], allocated);
            raise_to(&m->reserved[b], reserved);
        }
    }
}

static void fill_memory(struct arena *perm, struct arena tmp,
                        const struct trace_view *v, struct timeline_data *d)
{
    int64_t n;
    const struct memory_record *of = main_device(v->s, &n);
    if (!of)
        return;
    struct sort_row *rows = records_of(&tmp, v->s, of, n);
    int64_t origin = v->timeline.n_events ? v->timeline.start_ns : rows[0].key;
    struct timeline_memory *m = arena_new(perm, struct timeline_memory, 1);
    *m = (struct timeline_memory){.start_ns = rows[0].key - origin,
                                  .end_ns = rows[n - 1].key - origin,
                                  .allocated = arena_new(perm, int64_t, TIMELINE_BINS),
                                  .reserved = arena_new(perm, int64_t, TIMELINE_BINS),
                                  .peak_allocated = -1,
                                  .peak_reserved = -1,
                                  .n_records = n};
    m->device =
        of->device_type == 0
            ? S("host")
            : str_printf(perm, "device %lld",
                         (long long)(of->device_id == NO_ID ? 0 : of->device_id));
    bin_memory(v->s, rows, n, m);
    d->memory = m;
}

/* Where steps are alike, as many bins in each, a number with many divisors; otherwise
 * as many as there may be. */
static void choose_bins(const struct trace_view *v, struct timeline_data *d)
{
    static const int each[] = {120, 96, 72, 60, 48, 36, 30, 24, 20, 18,
                               16,  12, 10, 8,  6,  5,  4,  3,  2,  1};
    enum { ALIKE = 3 };
    int64_t step_ns = v->steps.median_ns;
    d->n_bins = d->total_ns <= 0              ? 0
                : d->total_ns < TIMELINE_BINS ? (int)d->total_ns
                                              : TIMELINE_BINS;
    if (v->steps.n_steady < ALIKE || step_ns <= 0 || step_ns > d->total_ns ||
        d->n_bins < TIMELINE_BINS)
        return;
    double steps = (double)d->total_ns / (double)step_ns;
    for (size_t k = 0; k < sizeof each / sizeof *each && !d->bins_per_step; k++)
        if (steps * each[k] <= TIMELINE_BINS)
            d->bins_per_step = each[k];
    if (d->bins_per_step)
        d->n_bins = (int)llround(steps * d->bins_per_step);
}

struct timeline_data timeline_frame(const struct trace_view *v)
{
    struct timeline_data d = {.total_ns = v->timeline.total_ns,
                              .origin_ns = v->timeline.start_ns};
    choose_bins(v, &d);
    return d;
}

const struct timeline_data *timeline_data_build(struct arena *perm, struct arena tmp,
                                                const struct trace_view *v)
{
    struct timeline_data *d = arena_new(perm, struct timeline_data, 1);
    *d = timeline_frame(v);
    struct interval_set parts[BUSY_PARTS];
    struct arena scratch = tmp;
    find_parts(&scratch, v, parts);
    if (d->n_bins) {
        fill_parts(perm, v, parts, d);
        fill_streams(perm, scratch, v, d);
    }
    fill_steps(perm, scratch, v, parts, d);
    fill_launches(tmp, v, d);
    fill_memory(perm, tmp, v, d);
    return d;
}
