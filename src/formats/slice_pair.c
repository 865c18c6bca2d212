#include "formats/slice_pair.h"

#include "base/arena.h"
#include "base/sort.h"
#include "base/touch_ahead.h"

#include <stdbool.h>

enum { MARKS_FIRST = 1 << 14 };

void marks_add(struct slice_marks *m, struct slice_mark mark)
{
    const ptrdiff_t size = sizeof *m->marks;
    if (m->n == m->max) {
        int32_t max = m->max ? 2 * m->max : MARKS_FIRST;
        if (m->max > INT32_MAX / 4)
            arena_full();
        m->marks = pages_grow(m->marks, m->max * size, max * size);
        m->max = max;
    }
    struct slice_mark *at = &m->marks[m->n++];
    if (TOUCH_CROSSES(at, at + 1))
        touch_ahead(at, size, m->marks + m->max);
    *at = mark;
}

void marks_forget(struct slice_marks *m, int32_t n)
{
    pages_forget(m->marks, n * (ptrdiff_t)sizeof *m->marks);
}

void marks_close(struct slice_marks *m)
{
    pages_release(m->marks, m->max * (ptrdiff_t)sizeof *m->marks);
    *m = (struct slice_marks){0};
}

/* The marks of one track, as indices in an order. */
struct track_marks {
    const struct slice_mark *marks;
    const int32_t *order;
    int32_t n;
    int64_t *end_ns; /* of all slices */
    int32_t *stack;  /* room for n */
};

static const struct slice_mark *mark_at(const struct track_marks *t, int32_t i)
{
    return &t->marks[t->order[i]];
}

static bool is_in_order(const struct track_marks *t)
{
    for (int32_t i = 1; i < t->n; i++)
        if (mark_at(t, i)->at_ns < mark_at(t, i - 1)->at_ns)
            return false;
    return true;
}

/* An end closes what began last. */
static void pair_nested(const struct track_marks *t)
{
    int32_t depth = 0;
    for (int32_t i = 0; i < t->n; i++) {
        const struct slice_mark *m = mark_at(t, i);
        if (m->slice >= 0)
            t->stack[depth++] = m->slice;
        else if (depth > 0)
            t->end_ns[t->stack[--depth]] = m->at_ns;
    }
}

static int32_t run_end(const struct track_marks *t, int32_t from, bool begins)
{
    while (from < t->n && (mark_at(t, from)->slice >= 0) == begins)
        from++;
    return from;
}

/* Groups of as many begins as ends, in one order. False: it is not so. */
static bool pair_groups(const struct track_marks *t)
{
    for (int32_t from = 0; from < t->n;) {
        int32_t ends = run_end(t, from, true), to = run_end(t, ends, false);
        if (to - ends != ends - from)
            return false;
        for (int32_t i = from; i < ends; i++) {
            const struct slice_mark *begin = mark_at(t, i);
            const struct slice_mark *end = mark_at(t, i + ends - from);
            if (end->at_ns < begin->at_ns)
                return false;
            t->end_ns[begin->slice] = end->at_ns;
        }
        from = to;
    }
    return true;
}

static void pair_sorted(const struct track_marks *t, struct arena tmp)
{
    struct sort_row *rows = arena_take_raw(&tmp, sizeof *rows, 8, t->n);
    int32_t *order = arena_take_raw(&tmp, sizeof *order, 4, t->n);
    for (int32_t i = 0; i < t->n; i++) {
        const struct slice_mark *m = mark_at(t, i);
        rows[i] = (struct sort_row){m->at_ns, t->order[i]};
        if (m->slice >= 0)
            t->end_ns[m->slice] = SLICE_OPEN;
    }
    sort_rows(tmp, rows, t->n);
    for (int32_t i = 0; i < t->n; i++)
        order[i] = rows[i].row;
    struct track_marks sorted = *t;
    sorted.order = order;
    pair_nested(&sorted);
}

static void pair_track(const struct track_marks *t, struct arena tmp)
{
    if (is_in_order(t))
        pair_nested(t);
    else if (!pair_groups(t))
        pair_sorted(t, tmp);
}

/* The marks of each track together, in the order of the file; at[k] is where those of
 * track k begin. */
static void order_by_track(const struct slice_marks *m, int32_t n_tracks, int32_t *at,
                           int32_t *order)
{
    for (int32_t i = 0; i < m->n; i++)
        at[m->marks[i].track + 1]++;
    for (int32_t k = 0; k < n_tracks; k++)
        at[k + 1] += at[k];
    for (int32_t i = 0; i < m->n; i++)
        order[at[m->marks[i].track]++] = i;
    for (int32_t k = n_tracks; k > 0; k--)
        at[k] = at[k - 1];
    at[0] = 0;
}

void marks_pair(const struct slice_marks *m, int32_t n_tracks, int64_t *end_ns)
{
    struct arena all = arena_reserve(arena_machine_bytes()), tmp = all;
    int32_t *at = arena_new(&tmp, int32_t, (ptrdiff_t)n_tracks + 1);
    int32_t *order = arena_take_raw(&tmp, sizeof *order, 4, m->n);
    int32_t *stack = arena_take_raw(&tmp, sizeof *stack, 4, m->n);
    order_by_track(m, n_tracks, at, order);
    for (int32_t i = 0; i < m->n; i++)
        if (m->marks[i].slice >= 0)
            end_ns[m->marks[i].slice] = SLICE_OPEN;
    for (int32_t k = 0; k < n_tracks; k++) {
        struct track_marks t = {m->marks, order + at[k], at[k + 1] - at[k], end_ns,
                                stack};
        pair_track(&t, tmp);
    }
    arena_release(all.at, &all);
}
