#include "timeline/range_union.h"

#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

enum { MIXED = -2, NOBODY = -1 };

/* The spans come one after the other, and each takes over the time it covers. What a
 * range covers is then the time held by its own spans as its last one has come. */
struct holders {
    int64_t *at_ns; /* where spans start and end, sorted, each once */
    int32_t n_at;
    int32_t *of;      /* a tree over the time between those: who holds all of it */
    int64_t *held_ns; /* by span: sums of a Fenwick tree */
    int32_t n;
};

static void add_held(struct holders *h, int32_t span, int64_t ns)
{
    for (int32_t k = span + 1; span >= 0 && k <= h->n; k += k & -k)
        h->held_ns[k] += ns;
}

/* Of the spans before this one. */
static int64_t held_before(const struct holders *h, int32_t span)
{
    int64_t sum = 0;
    for (int32_t k = span; k > 0; k -= k & -k)
        sum += h->held_ns[k];
    return sum;
}

struct piece { /* node of the tree, and the part of `at_ns` that it is about */
    ptrdiff_t node;
    int32_t from, to;
};

/* Recursion is as deep as the logarithm of the number of times. */
static void take_over(struct holders *h, struct piece p, int32_t from, int32_t to,
                      int32_t span)
{
    int32_t *of = &h->of[p.node], middle = p.from + (p.to - p.from) / 2;
    if (to <= p.from || p.to <= from)
        return;
    bool all = from <= p.from && p.to <= to;
    if (all && *of != MIXED) {
        int64_t ns = h->at_ns[p.to] - h->at_ns[p.from];
        add_held(h, *of, -ns);
        add_held(h, span, ns);
        *of = span;
        return;
    }
    if (*of != MIXED)
        h->of[2 * p.node] = h->of[2 * p.node + 1] = *of;
    *of = MIXED;
    take_over(h, (struct piece){2 * p.node, p.from, middle}, from, to, span);
    take_over(h, (struct piece){2 * p.node + 1, middle, p.to}, from, to, span);
    if (all)
        *of = span;
}

static int32_t place_of(const struct holders *h, int64_t at_ns)
{
    int32_t low = 0, high = h->n_at;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (h->at_ns[middle] < at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct holders nobody_holds(struct arena *a, const struct span *spans, int32_t n)
{
    struct holders h = {.n = n};
    struct sort_row *times = arena_take_raw(a, sizeof *times, 8, 2 * (ptrdiff_t)n);
    for (int32_t k = 0; k < n; k++) {
        times[2 * (ptrdiff_t)k] = (struct sort_row){spans[k].start_ns, 0};
        times[2 * (ptrdiff_t)k + 1] = (struct sort_row){spans[k].end_ns, 0};
    }
    sort_rows(*a, times, 2 * (ptrdiff_t)n);
    h.at_ns = arena_take_raw(a, sizeof *h.at_ns, 8, 2 * (ptrdiff_t)n);
    for (ptrdiff_t k = 0; k < 2 * (ptrdiff_t)n; k++)
        if (!k || times[k].key != times[k - 1].key)
            h.at_ns[h.n_at++] = times[k].key;
    ptrdiff_t nodes = 4 * (ptrdiff_t)h.n_at + 4;
    h.of = arena_take_raw(a, sizeof *h.of, 4, nodes);
    memset(h.of, NOBODY, (size_t)nodes * sizeof *h.of);
    h.held_ns = arena_new(a, int64_t, (ptrdiff_t)n + 1);
    return h;
}

void range_unions(struct arena tmp, const struct span *spans, int32_t n,
                  struct span_range *ranges, int32_t n_ranges)
{
    struct holders h = nobody_holds(&tmp, spans, n);
    struct sort_row *by_end = arena_take_raw(&tmp, sizeof *by_end, 8, n_ranges);
    for (int32_t k = 0; k < n_ranges; k++)
        by_end[k] = (struct sort_row){ranges[k].from + ranges[k].n, k};
    sort_rows(tmp, by_end, n_ranges);
    int32_t came = 0;
    for (int32_t k = 0; k < n_ranges; k++) {
        struct span_range *r = &ranges[by_end[k].row];
        for (; came < r->from + r->n; came++)
            if (spans[came].start_ns < spans[came].end_ns)
                take_over(&h, (struct piece){1, 0, h.n_at - 1},
                          place_of(&h, spans[came].start_ns),
                          place_of(&h, spans[came].end_ns), came);
        r->ns = held_before(&h, r->from + r->n) - held_before(&h, r->from);
    }
}
