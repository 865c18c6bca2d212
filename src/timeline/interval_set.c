#include "timeline/interval_set.h"

#include "base/sort.h"

static void sort_spans(struct arena tmp, struct span *spans, ptrdiff_t n)
{
    ptrdiff_t sorted = 1;
    while (sorted < n && spans[sorted - 1].start_ns <= spans[sorted].start_ns)
        sorted++;
    if (sorted >= n) /* one stream's work is sorted already */
        return;
    struct sort_row *rows = arena_take_raw(&tmp, sizeof *rows, 8, n);
    struct span *copy = arena_take_raw(&tmp, sizeof *copy, 8, n);
    for (ptrdiff_t i = 0; i < n; i++) {
        rows[i] = (struct sort_row){spans[i].start_ns, (int32_t)i};
        copy[i] = spans[i];
    }
    sort_rows(tmp, rows, n);
    for (ptrdiff_t i = 0; i < n; i++)
        spans[i] = copy[rows[i].row];
}

struct interval_set interval_union(struct arena tmp, struct span *spans, ptrdiff_t n)
{
    ptrdiff_t kept = 0;
    sort_spans(tmp, spans, n);
    for (ptrdiff_t i = 0; i < n; i++) {
        struct span s = spans[i];
        if (kept && s.start_ns <= spans[kept - 1].end_ns) {
            if (s.end_ns > spans[kept - 1].end_ns)
                spans[kept - 1].end_ns = s.end_ns;
        } else {
            spans[kept++] = s;
        }
    }
    return (struct interval_set){spans, kept};
}

struct interval_set interval_minus(struct arena *a, struct interval_set x,
                                   struct interval_set y)
{
    struct span *to = arena_take_raw(a, sizeof *to, 8, x.n + y.n);
    ptrdiff_t n = 0, k = 0;
    for (ptrdiff_t i = 0; i < x.n; i++) {
        int64_t at = x.spans[i].start_ns, end = x.spans[i].end_ns;
        while (k < y.n && y.spans[k].end_ns <= at)
            k++;
        for (ptrdiff_t j = k; j < y.n && y.spans[j].start_ns < end && at < end; j++) {
            if (y.spans[j].start_ns > at)
                to[n++] = (struct span){at, y.spans[j].start_ns};
            if (y.spans[j].end_ns > at)
                at = y.spans[j].end_ns;
        }
        if (at < end)
            to[n++] = (struct span){at, end};
    }
    return (struct interval_set){to, n};
}

int64_t interval_length_ns(struct interval_set x)
{
    int64_t sum = 0;
    for (ptrdiff_t i = 0; i < x.n; i++)
        sum += x.spans[i].end_ns - x.spans[i].start_ns;
    return sum;
}
