#include "ops/lane_boxes.h"

#include "base/arena.h"

enum { FIRST_LIMIT_NS = 1000 };

struct lane_boxes lane_boxes_make(struct arena *a, int32_t room)
{
    return (struct lane_boxes){
        .at = arena_take_raw(a, sizeof(struct lane_box), 8, room), .room = room};
}

static void join(struct lane_box *to, const struct lane_box *next)
{
    if (next->longest_ns > to->longest_ns) {
        to->longest_ns = next->longest_ns;
        to->name = next->name;
        to->more = next->more;
    }
    to->end_ns = next->end_ns;
    to->busy_ns += next->busy_ns;
    to->n += next->n;
}

/* The last box may be joined with what begins in the same window. */
static void set_window(struct lane_boxes *b, const struct lane_box *last)
{
    if (b->below_ns)
        b->window_ns = last->start_ns - last->start_ns % b->below_ns + b->below_ns;
}

/* Both are short, and begin in the same window. */
static bool may_join(const struct lane_boxes *b, const struct lane_box *last,
                     const struct lane_box *next)
{
    return next->start_ns < b->window_ns &&
           last->end_ns - last->start_ns < b->below_ns &&
           next->end_ns - next->start_ns < b->below_ns;
}

/* 1, 2, 5, 10, 20 ... us. */
static int64_t next_limit(int64_t ns)
{
    int64_t lead = ns;
    while (lead >= 10)
        lead /= 10;
    return ns == 0 ? FIRST_LIMIT_NS : lead == 2 ? ns / 2 * 5 : ns * 2;
}

bool lane_boxes_coarsen(struct lane_boxes *b)
{
    int32_t before = b->n;
    while (b->n > 1 && b->n == before && b->below_ns < INT64_MAX / 10) {
        int32_t n = 0;
        b->below_ns = next_limit(b->below_ns);
        set_window(b, &b->at[n]);
        for (int32_t k = 1; k < b->n; k++)
            if (may_join(b, &b->at[n], &b->at[k])) {
                join(&b->at[n], &b->at[k]);
            } else {
                b->at[++n] = b->at[k];
                set_window(b, &b->at[n]);
            }
        b->n = n + 1;
    }
    return b->n < before;
}

void lane_boxes_add(struct lane_boxes *b, int64_t start_ns, int64_t end_ns,
                    int32_t name)
{
    int64_t ns = end_ns - start_ns;
    struct lane_box box = {start_ns, end_ns, ns, ns, 1, name, -1};
    if (ns <= 0 || !b->room)
        return;
    if (b->n && b->n < b->room && may_join(b, &b->at[b->n - 1], &box)) {
        join(&b->at[b->n - 1], &box); /* as most do */
        return;
    }
    for (bool fits = false; !fits;) {
        bool full = b->n == b->room && !lane_boxes_coarsen(b);
        struct lane_box *last = &b->at[b->n ? b->n - 1 : 0];
        if (b->n && (full || may_join(b, last, &box))) {
            join(last, &box);
            return;
        }
        fits = b->n < b->room;
    }
    b->at[b->n++] = box;
    set_window(b, &box);
}

void lane_boxes_extend(struct lane_boxes *b, int64_t end_ns)
{
    struct lane_box *last = &b->at[b->n - 1];
    last->busy_ns += end_ns - last->end_ns;
    if (last->n == 1)
        last->longest_ns = last->busy_ns;
    last->end_ns = end_ns;
}
