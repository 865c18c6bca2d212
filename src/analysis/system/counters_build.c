#include "analysis/system/counters_build.h"

#include "base/sort.h"
#include "ops/trace_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FILLED = 0.95; /* of a sample's time, with kernels: it is of them */

/* Of one device, or of all where they are not told apart. */
struct device_kernels {
    struct interval_set busy;
    bool made;
};

struct building {
    struct arena *perm, *tmp;
    const struct trace_view *v;
    const struct counter_samples *from;
    struct counters *to;
    int64_t start_ns, end_ns; /* of the window */
    struct device_kernels kernels[DEVICES_MOST];
    int32_t *row_of; /* by track; -1 */
    double *scale;   /* by row */
    double *average; /* by track, of its samples */
};

/* Series. */

/* The last sample that is at or before a time; -1: none. */
static int32_t sample_at(const struct counter_series *s, int64_t ns)
{
    int32_t low = 0, high = s->n;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (s->at_ns[middle] <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

static double sum_to(const struct counter_series *s, int64_t ns)
{
    int32_t k = sample_at(s, ns);
    return k < 0 ? 0 : s->sum[k] + s->value[k] * (double)(ns - s->at_ns[k]);
}

double counter_sum(const struct counter_series *s, int64_t from_ns, int64_t to_ns,
                   int64_t *known_ns)
{
    *known_ns = 0;
    if (!s->n)
        return 0;
    from_ns = from_ns > s->at_ns[0] ? from_ns : s->at_ns[0];
    to_ns = to_ns < s->end_ns ? to_ns : s->end_ns;
    if (to_ns <= from_ns)
        return 0;
    *known_ns = to_ns - from_ns;
    return sum_to(s, to_ns) - sum_to(s, from_ns);
}

struct mean {
    double sum;
    int64_t ns;
};

static void mean_add(struct mean *m, const struct counter_series *s, int64_t from_ns,
                     int64_t to_ns)
{
    int64_t known_ns;
    m->sum += counter_sum(s, from_ns, to_ns, &known_ns);
    m->ns += known_ns;
}

static double mean_of(const struct mean *m)
{
    return m->ns > 0 ? m->sum / (double)m->ns : (double)NAN;
}

static struct mean mean_in(const struct counter_series *s, struct interval_set in)
{
    struct mean m = {0, 0};
    for (ptrdiff_t k = 0; k < in.n; k++)
        mean_add(&m, s, in.spans[k].start_ns, in.spans[k].end_ns);
    return m;
}

/* Of several samples at one time the last one counts. */
static void seal_series(struct counter_series *s, int64_t window_end_ns)
{
    int64_t longest = 0;
    int32_t n = 0;
    for (int32_t i = 0; i < s->n; i++) {
        n -= n > 0 && s->at_ns[n - 1] == s->at_ns[i];
        s->at_ns[n] = s->at_ns[i];
        s->value[n++] = s->value[i];
    }
    s->n = n;
    for (int32_t i = 0; i < n; i++) {
        int64_t passed = i ? s->at_ns[i] - s->at_ns[i - 1] : 0;
        longest = passed > longest ? passed : longest;
        s->sum[i] = i ? s->sum[i - 1] + s->value[i - 1] * (double)passed : 0;
    }
    int64_t last = n ? s->at_ns[n - 1] : 0;
    s->end_ns = n == 1 && window_end_ns > last ? window_end_ns : last + longest;
}

/* Which tracks are rows. */

/* The device that a process of the trace stands for: its place; -1: none. */
static int place_of_process(const struct trace_view *v, struct str pid)
{
    const struct event_store *s = v->s;
    struct str mark = S("GPU "), number = pid;
    if (str_starts(pid, mark)) {
        number = str_skip(pid, mark.n);
        ptrdiff_t space = str_find(number, S(" "));
        number = str_head(number, space < 0 ? number.n : space);
    }
    for (int k = 0; k < v->devices->n; k++)
        if (str_eq(number, pool_text(&s->names, v->devices->of[k].pid)))
            return k;
    struct str only = pool_text(&s->names, s->lanes[s->lane[v->counted[0]]].pid);
    return v->devices->n == 0 && str_eq(number, only) ? 0 : -1;
}

static bool same_counter(const struct counter_track *a, const struct counter_track *b)
{
    return a->name == b->name && a->key == b->key;
}

enum standing { STANDS_ALONE, STANDS_OUT, STANDS_BEHIND, STANDS_AMONG };

/* How a counter compares with the same of other processes, which are other devices: the
 * others are at half of it at most; it is at half of one of them at most; or neither.
 */
static enum standing standing_of(const struct building *b, int32_t track)
{
    const struct counter_samples *c = b->from;
    bool others = false, out = true, behind = false;
    for (int32_t k = 0; k < c->n_tracks; k++) {
        if (k == track || !same_counter(&c->tracks[k], &c->tracks[track]))
            continue;
        others = true;
        out &= 2 * b->average[k] <= b->average[track];
        behind |= 2 * b->average[track] <= b->average[k];
    }
    return !others  ? STANDS_ALONE
           : out    ? STANDS_OUT
           : behind ? STANDS_BEHIND
                    : STANDS_AMONG;
}

/* Tools number devices in different ways: where one device works, and the counter of
 * one stands out, it is of that one, whatever its number. */
static int place_of_track(const struct building *b, int32_t track,
                          const struct counter_meaning *m, bool *left)
{
    const struct event_store *s = b->v->s;
    int32_t lane = b->from->tracks[track].lane;
    int place = place_of_process(b->v, pool_text(&s->names, s->lanes[lane].pid));
    *left = false;
    if (m->of_host || m->role == COUNTER_OTHER || b->v->devices->n)
        return place;
    switch (standing_of(b, track)) {
    case STANDS_ALONE:
    case STANDS_OUT:
        return 0;
    case STANDS_BEHIND:
        *left = true;
        return -1;
    default:
        *left = place < 0;
        return place;
    }
}

static struct counter_meaning meaning_of(const struct building *b, int32_t track)
{
    const struct name_pool *names = &b->v->s->names;
    const struct counter_track *t = &b->from->tracks[track];
    return counter_meaning_of(pool_text(names, t->name), pool_text(names, t->key));
}

static bool row_of_track(const struct building *b, int32_t track,
                         struct counter_row *to)
{
    const struct counter_track *t = &b->from->tracks[track];
    struct counter_meaning m = meaning_of(b, track);
    bool left;
    int place = place_of_track(b, track, &m, &left);
    if (left)
        return false;
    *to = (struct counter_row){.name = m.name,
                               .unit = m.unit,
                               .role = place < 0 ? COUNTER_OTHER : m.role,
                               .device = S(""),
                               .device_place = m.of_host ? -1 : place,
                               .track = track,
                               .n = t->n};
    if (to->device_place >= 0 && b->v->devices->n)
        to->device = b->v->devices->of[to->device_place].name;
    return t->n > 0;
}

static int by_device(const void *x, const void *y)
{
    const struct counter_row *a = x, *b = y;
    unsigned p = (unsigned)a->device_place, q = (unsigned)b->device_place;
    if (p != q)
        return p < q ? -1 : 1; /* those of none last */
    if (a->role != b->role)
        return a->role < b->role ? -1 : 1;
    int c = str_cmp(a->name, b->name);
    return c ? c : a->track - b->track;
}

static void find_averages(struct building *b)
{
    const struct counter_samples *c = b->from;
    b->average = arena_new(b->tmp, double, c->n_tracks);
    for (int32_t i = 0; i < c->n; i++) {
        int32_t track = c->at[i].track;
        b->average[track] += (double)c->at[i].value / c->tracks[track].n;
    }
}

static void choose_rows(struct building *b)
{
    struct counters *to = b->to;
    struct counter_row *all = arena_new(b->tmp, struct counter_row, b->from->n_tracks);
    int32_t n = 0;
    for (int32_t k = 0; k < b->from->n_tracks; k++)
        n += row_of_track(b, k, &all[n]);
    qsort(all, (size_t)n, sizeof *all, by_device);
    to->n = n < COUNTER_ROWS_MOST ? n : COUNTER_ROWS_MOST;
    to->n_left = b->from->n_tracks - to->n;
    to->rows = arena_new(b->perm, struct counter_row, to->n);
    b->scale = arena_new(b->tmp, double, to->n);
    b->row_of = arena_take_raw(b->tmp, sizeof *b->row_of, 4, b->from->n_tracks);
    for (int32_t k = 0; k < b->from->n_tracks; k++)
        b->row_of[k] = -1;
    for (int32_t k = 0; k < to->n; k++) {
        to->rows[k] = all[k];
        b->row_of[all[k].track] = k;
        b->scale[k] = meaning_of(b, all[k].track).scale;
    }
}

/* In the order of time, each row apart. */
static void fill_series(struct building *b)
{
    const struct counter_samples *c = b->from;
    struct arena scratch = *b->tmp;
    struct sort_row *order = arena_take_raw(&scratch, sizeof *order, 8, c->n);
    for (int32_t i = 0; i < c->n; i++)
        order[i] = (struct sort_row){c->at[i].at_ns, i};
    sort_rows(scratch, order, c->n);
    for (int32_t k = 0; k < b->to->n; k++) {
        struct counter_row *r = &b->to->rows[k];
        r->series = (struct counter_series){
            .at_ns = arena_take_raw(b->perm, sizeof *r->series.at_ns, 8, r->n),
            .value = arena_take_raw(b->perm, sizeof *r->series.value, 8, r->n),
            .sum = arena_take_raw(b->perm, sizeof *r->series.sum, 8, r->n)};
    }
    for (int32_t i = 0; i < c->n; i++) {
        const struct counter_sample *x = &c->at[order[i].row];
        int32_t row = b->row_of[x->track];
        if (row < 0)
            continue;
        struct counter_series *s = &b->to->rows[row].series;
        s->at_ns[s->n] = x->at_ns;
        s->value[s->n++] = b->scale[row] * (double)x->value;
    }
}

/* When kernels run. */

static struct interval_set busy_of(struct building *b, int place)
{
    const struct trace_view *v = b->v;
    struct device_kernels *d = &b->kernels[place];
    if (d->made)
        return d->busy;
    struct span *spans = arena_take_raw(b->tmp, sizeof *spans, 8, v->n_counted);
    int32_t n = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        if (view_class(v, g) == GPU_MEMCPY ||
            (v->devices->n &&
             v->s->lanes[v->s->lane[g]].pid != v->devices->of[place].pid))
            continue;
        spans[n++] = (struct span){v->s->start_ns[g], store_end_ns(v->s, g)};
    }
    d->busy = interval_union(*b->tmp, spans, n);
    d->made = true;
    return d->busy;
}

static void fill_means(struct building *b, struct counter_row *r)
{
    struct counter_series *s = &r->series;
    seal_series(s, b->end_ns);
    struct mean all = {0, 0};
    mean_add(&all, s, b->start_ns, b->end_ns);
    r->mean = mean_of(&all);
    r->busy_mean = r->idle_mean = r->least = r->most = (double)NAN;
    for (int32_t i = 0; i < s->n; i++) {
        int64_t to = i + 1 < s->n ? s->at_ns[i + 1] : s->end_ns;
        if (to <= b->start_ns || s->at_ns[i] >= b->end_ns)
            continue;
        r->least = fmin(r->least, s->value[i]);
        r->most = fmax(r->most, s->value[i]);
    }
    r->every_us = s->n > 1
                      ? (double)(s->at_ns[s->n - 1] - s->at_ns[0]) / 1e3 / (s->n - 1)
                      : (double)NAN;
    r->bins = arena_new(b->perm, double, COUNTER_BINS);
    double bin_ns = (double)(b->end_ns - b->start_ns) / COUNTER_BINS;
    for (int k = 0; k < COUNTER_BINS; k++) {
        struct mean m = {0, 0};
        mean_add(&m, s, b->start_ns + llround(bin_ns * k),
                 b->start_ns + llround(bin_ns * (k + 1)));
        r->bins[k] = mean_of(&m);
    }
    if (r->device_place < 0)
        return;
    struct mean busy = mean_in(s, busy_of(b, r->device_place));
    struct mean idle = {all.sum - busy.sum, all.ns - busy.ns};
    r->busy_mean = mean_of(&busy);
    r->idle_mean = mean_of(&idle);
}

/* What rows of the device say together. */

static void choose_main(struct counters *to)
{
    for (int32_t k = to->n - 1; k >= 0; k--) {
        const struct counter_row *r = &to->rows[k];
        if (r->device_place != to->device_place || r->role == COUNTER_OTHER)
            continue;
        if (r->role == COUNTER_DRAM && str_has_nocase(r->name, S("write")))
            to->second = r;
        else
            to->main[r->role] = r;
    }
    const struct counter_row *reads = to->main[COUNTER_DRAM];
    if (!reads) {
        to->main[COUNTER_DRAM] = to->second;
        to->second = NULL;
    } else if (!str_has_nocase(reads->name, S("read"))) {
        to->second = NULL;
    }
}

static void judge_activity(struct building *b)
{
    struct counters *to = b->to;
    const struct counter_row *r = to->main[COUNTER_SM];
    struct interval_set busy = busy_of(b, to->device_place);
    int64_t filled_ns = 0, low_ns = 0, busy_ns = interval_length_ns(busy);
    double sum = 0;
    ptrdiff_t k = 0;
    for (int32_t i = 0; i + 1 < r->series.n; i++) {
        int64_t from = r->series.at_ns[i], end = r->series.at_ns[i + 1], inside = 0;
        while (k < busy.n && busy.spans[k].end_ns <= from)
            k++;
        for (ptrdiff_t j = k; j < busy.n && busy.spans[j].start_ns < end; j++) {
            const struct span *s = &busy.spans[j];
            inside += (s->end_ns < end ? s->end_ns : end) -
                      (s->start_ns > from ? s->start_ns : from);
        }
        if ((double)inside < FILLED * (double)(end - from))
            continue;
        filled_ns += inside;
        sum += r->series.value[i] * (double)inside;
        low_ns += r->series.value[i] < 50 ? inside : 0;
    }
    if (!filled_ns)
        return;
    to->sm_pct = sum / (double)filled_ns;
    to->sm_low_pct = 100.0 * (double)low_ns / (double)filled_ns;
    to->filled_pct = 100.0 * (double)filled_ns / (double)busy_ns;
}

/* The first power of each device: others may be of parts of it. */
double counters_energy_j(const struct counters *c, int64_t from_ns, int64_t to_ns)
{
    double sum = 0;
    int last = -1;
    for (int32_t k = 0; k < c->n; k++) {
        int64_t known_ns;
        if (c->rows[k].role != COUNTER_POWER || c->rows[k].device_place == last)
            continue;
        last = c->rows[k].device_place;
        double part = counter_sum(&c->rows[k].series, from_ns, to_ns, &known_ns);
        /* A gap in the samples has the power of the rest. */
        if (2 * known_ns < to_ns - from_ns)
            return (double)NAN;
        sum += part * (double)(to_ns - from_ns) / (double)known_ns;
    }
    return last < 0 ? (double)NAN : sum / 1e9;
}

static void judge_energy(struct building *b)
{
    struct counters *to = b->to;
    const struct trace_steps *steps = &b->v->steps;
    double sum = 0;
    int n = 0;
    to->energy_j = counters_energy_j(to, b->start_ns, b->end_ns);
    to->power_w = to->energy_j / ((double)(b->end_ns - b->start_ns) / 1e9);
    for (int32_t k = 0; k < steps->n; k++) {
        const struct trace_step *s = &steps->rows[k];
        double j = s->steady || !steps->n_steady
                       ? counters_energy_j(to, s->start_ns, s->start_ns + s->dur_ns)
                       : (double)NAN;
        sum += isnan(j) ? 0 : j;
        n += !isnan(j);
    }
    to->step_j = n ? sum / n : (double)NAN;
}

static void keep_busy(struct building *b)
{
    struct interval_set busy = busy_of(b, b->to->device_place);
    struct span *kept = arena_new(b->perm, struct span, busy.n);
    if (busy.n)
        memcpy(kept, busy.spans, (size_t)busy.n * sizeof *kept);
    b->to->busy = kept;
    b->to->n_busy = busy.n;
}

struct counters *counters_of(struct arena *perm, struct arena tmp,
                             const struct trace_view *v)
{
    double none = (double)NAN;
    if (!v->s->counters.n || !v->n_counted || v->timeline.total_ns <= 0)
        return NULL;
    struct counters *to = arena_new(perm, struct counters, 1);
    struct building b = {.perm = perm,
                         .tmp = &tmp,
                         .v = v,
                         .from = &v->s->counters,
                         .to = to,
                         .start_ns = v->timeline.start_ns,
                         .end_ns = v->timeline.start_ns + v->timeline.total_ns};
    find_averages(&b);
    choose_rows(&b);
    if (!to->n)
        return NULL;
    fill_series(&b);
    for (int32_t k = 0; k < to->n; k++)
        fill_means(&b, &to->rows[k]);
    to->device_place = v->devices->n ? device_busiest(v->devices) : 0;
    to->sm_pct = to->sm_low_pct = to->filled_pct = none;
    choose_main(to);
    if (to->main[COUNTER_SM])
        judge_activity(&b);
    judge_energy(&b);
    keep_busy(&b);
    return to;
}
