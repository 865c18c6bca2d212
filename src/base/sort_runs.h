/* sort_runs.h - the algorithm of sort.c, included once for each kind of element.
 *
 * RUNS(name) makes the function names, ELEMENT is the type sorted, KEY(x) the key of an
 * element, which may use `key`. No include guard: it is meant to be included twice. */

static ptrdiff_t RUNS(end)(ELEMENT *r, ptrdiff_t at, ptrdiff_t n, const int64_t *key)
{
    (void)key;
    ptrdiff_t end = at + 1;
    while (end < n && KEY(r[end - 1]) <= KEY(r[end]))
        end++;
    ptrdiff_t want = at + MIN_RUN < n ? at + MIN_RUN : n;
    for (; end < want; end++) {
        ELEMENT x = r[end];
        ptrdiff_t k = end;
        for (; k > at && KEY(r[k - 1]) > KEY(x); k--)
            r[k] = r[k - 1];
        r[k] = x;
    }
    return end;
}

/* Merges r[0..na) and r[na..na + nb) into one run. Elements of a before the first of b,
 * and of b after the last of a, stay in place: runs that follow each other in time copy
 * little. */
static void RUNS(merge)(struct arena tmp, ELEMENT *r, ptrdiff_t na, ptrdiff_t nb,
                        const int64_t *key)
{
    (void)key;
    ELEMENT *b = r + na, *end = b + nb;
    while (end > b && KEY(end[-1]) >= KEY(b[-1]))
        end--;
    if (end == b)
        return;
    ptrdiff_t low = 0, high = na; /* how many of a are not greater than all of b */
    while (low < high) {
        ptrdiff_t middle = low + (high - low) / 2;
        if (KEY(r[middle]) <= KEY(*b))
            low = middle + 1;
        else
            high = middle;
    }
    ELEMENT *to = r + low;
    na -= low;
    ELEMENT *a = arena_take_raw(&tmp, sizeof *a, _Alignof(ELEMENT), na),
            *a_end = a + na;
    memcpy(a, to, (size_t)na * sizeof *a);
    while (a < a_end && b < end)
        *to++ = KEY(*b) < KEY(*a) ? *b++ : *a++;
    memcpy(to, a, (size_t)(a_end - a) * sizeof *a);
}

static void RUNS(sort)(struct arena tmp, ELEMENT *r, ptrdiff_t n, const int64_t *key)
{
    ptrdiff_t n_runs = 0;
    ptrdiff_t *start =
        arena_take_raw(&tmp, sizeof *start, _Alignof(ptrdiff_t), n / MIN_RUN + 2);
    for (ptrdiff_t at = 0; at < n; at = RUNS(end)(r, at, n, key))
        start[n_runs++] = at;
    start[n_runs] = n;
    while (n_runs > 1) {
        ptrdiff_t made = 0;
        for (ptrdiff_t i = 0; i < n_runs; i += 2) {
            ptrdiff_t a = start[i], b = start[i + 1];
            if (i + 1 < n_runs)
                RUNS(merge)(tmp, r + a, b - a, start[i + 2] - b, key);
            start[made++] = a;
        }
        start[made] = n;
        n_runs = made;
    }
}
