#include "base/sort.h"

#include <string.h>

/* Runs shorter than this are made longer by insertion. */
enum { MIN_RUN = 16 };

static ptrdiff_t run_end(struct sort_row *r, ptrdiff_t at, ptrdiff_t n)
{
    ptrdiff_t end = at + 1;
    while (end < n && r[end - 1].key <= r[end].key)
        end++;
    ptrdiff_t want = at + MIN_RUN < n ? at + MIN_RUN : n;
    for (; end < want; end++) {
        struct sort_row x = r[end];
        ptrdiff_t k = end;
        for (; k > at && r[k - 1].key > x.key; k--)
            r[k] = r[k - 1];
        r[k] = x;
    }
    return end;
}

static void merge(const struct sort_row *a, ptrdiff_t na, const struct sort_row *b,
                  ptrdiff_t nb, struct sort_row *to)
{
    ptrdiff_t i = 0, k = 0;
    while (i < na && k < nb)
        *to++ = b[k].key < a[i].key ? b[k++] : a[i++];
    memcpy(to, a + i, (size_t)(na - i) * sizeof *to);
    memcpy(to + (na - i), b + k, (size_t)(nb - k) * sizeof *to);
}

void sort_rows(struct arena tmp, struct sort_row *rows, ptrdiff_t n)
{
    ptrdiff_t n_runs = 0;
    ptrdiff_t *start =
        arena_take_raw(&tmp, sizeof *start, _Alignof(ptrdiff_t), n / MIN_RUN + 2);
    for (ptrdiff_t at = 0; at < n; at = run_end(rows, at, n))
        start[n_runs++] = at;
    if (n_runs < 2)
        return;
    start[n_runs] = n;
    struct sort_row *from = rows, *to = arena_take_raw(&tmp, sizeof *to, 8, n);
    while (n_runs > 1) {
        ptrdiff_t made = 0;
        for (ptrdiff_t i = 0; i < n_runs; i += 2) {
            ptrdiff_t a = start[i], b = start[i + 1],
                      c = i + 2 <= n_runs ? start[i + 2] : b;
            if (i + 1 == n_runs)
                c = b;
            merge(from + a, b - a, from + b, c - b, to + a);
            start[made++] = a;
        }
        start[made] = n;
        n_runs = made;
        struct sort_row *swap = from;
        from = to;
        to = swap;
    }
    if (from != rows)
        memcpy(rows, from, (size_t)n * sizeof *rows);
}
