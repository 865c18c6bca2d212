#include "capture/call_durations.h"

#include <math.h>
#include <string.h>

enum { PER_OCTAVE = 16 };

int call_bin(int64_t ns)
{
    if (ns <= 0)
        return 0;
    int octave = 63 - __builtin_clzll((unsigned long long)ns);
    int64_t part = octave >= 4 ? ns >> (octave - 4) : ns << (4 - octave);
    return octave * PER_OCTAVE + (int)(part & (PER_OCTAVE - 1));
}

double call_bin_ns(int bin)
{
    double part = 1 + (bin % PER_OCTAVE + 0.5) / PER_OCTAVE;
    return bin ? ldexp(part, bin / PER_OCTAVE) : 0;
}

double call_quantile(const int64_t counts[CALL_BINS], double frac)
{
    int64_t all = 0, sum = 0;
    for (int i = 0; i < CALL_BINS; i++)
        all += counts[i];
    for (int i = 0; i < CALL_BINS; i++)
        if ((sum += counts[i]) > 0 && (double)sum >= frac * (double)all)
            return call_bin_ns(i);
    return (double)NAN;
}

/* Joins the two neighbours that hold least, in the bin of the larger. */
static int32_t join_least(struct capture_bin *bins, int32_t n)
{
    int32_t least = 0;
    for (int32_t i = 1; i + 1 < n; i++)
        if (bins[i].n + bins[i + 1].n < bins[least].n + bins[least + 1].n)
            least = i;
    if (bins[least + 1].n > bins[least].n)
        bins[least].bin = bins[least + 1].bin;
    bins[least].n += bins[least + 1].n;
    memmove(&bins[least + 1], &bins[least + 2], (size_t)(n - least - 2) * sizeof *bins);
    return n - 1;
}

/* The calls of one row; their durations are ns[0 .. n). All counts are 0, before and
 * after: a row has few of the bins. */
static void count_row(struct arena *perm, struct capture_bin **bins, int32_t *n_bins,
                      int32_t row, const int64_t *ns, int32_t n,
                      int64_t counts[CALL_BINS])
{
    struct capture_bin own[CALL_BINS];
    int32_t n_own = 0;
    int low = CALL_BINS, high = -1;
    for (int32_t i = 0; i < n; i++) {
        int b = call_bin(ns[i]);
        counts[b]++;
        low = b < low ? b : low;
        high = b > high ? b : high;
    }
    for (int b = low; b <= high; b++) {
        if (counts[b])
            own[n_own++] = (struct capture_bin){row, b, counts[b]};
        counts[b] = 0;
    }
    while (n_own > ROW_BINS_MAX)
        n_own = join_least(own, n_own);
    for (int32_t i = 0; i < n_own; i++) {
        struct capture_bin *list = *bins;
        arena_grow(perm, list, *n_bins);
        list[(*n_bins)++] = own[i];
        *bins = list;
    }
}

/* Durations of calls, row after row; those of a row end where the next begin. */
static int64_t *calls_by_row(struct arena *a, const struct capture *c,
                             const struct step_span *spans, int n_spans,
                             int32_t *starts)
{
    int32_t *last = arena_new(a, int32_t, c->n_rows); /* and 1: its open call */
    int32_t *call = arena_new(a, int32_t, c->n_events);
    for (int32_t k = 0; k < c->n_events; k++) {
        const struct capture_event *e = &c->events[k];
        bool inside = span_overlap_ns(spans, n_spans, e->start_ns, e->end_ns) > 0;
        call[k] = -1;
        if (e->begins)
            last[e->row] = inside ? ++starts[e->row + 1] : 0;
        if (last[e->row])
            call[k] = last[e->row] - 1;
    }
    for (int32_t r = 0; r < c->n_rows; r++)
        starts[r + 1] += starts[r];
    int64_t *ns = arena_new(a, int64_t, starts[c->n_rows]);
    for (int32_t k = 0; k < c->n_events; k++) {
        const struct capture_event *e = &c->events[k];
        if (call[k] >= 0)
            ns[starts[e->row] + call[k]] += e->end_ns - e->start_ns;
    }
    return ns;
}

struct call_durations call_durations_of(struct arena *perm, struct arena tmp,
                                        const struct capture *c,
                                        const struct step_span *spans, int n_spans)
{
    int32_t *first = arena_new(perm, int32_t, c->n_rows + 1), n = 0;
    struct capture_bin *bins = c->bins;
    if (c->n_events) {
        int32_t *starts = arena_new(&tmp, int32_t, c->n_rows + 1);
        const int64_t *ns = calls_by_row(&tmp, c, spans, n_spans, starts);
        int64_t counts[CALL_BINS] = {0};
        bins = NULL;
        for (int32_t r = 0; r < c->n_rows; r++)
            count_row(perm, &bins, &n, r, &ns[starts[r]], starts[r + 1] - starts[r],
                      counts);
    } else {
        n = c->n_bins;
    }
    for (int32_t i = 0; i < n; i++)
        first[bins[i].row + 1]++;
    for (int32_t r = 0; r < c->n_rows; r++)
        first[r + 1] += first[r];
    return (struct call_durations){bins, first};
}
