#include "job/job_shift.h"

#include "job/job_parts.h"

#include <stdlib.h>

enum {
    DISTANCES_MAX = 192, /* compared for each shift */
    RESIDUAL_RATIO = 20  /* a wrong shift leaves this much more than the right one */
};

const struct job_member *lane_row(const struct job *j, const struct lane *l, int32_t i)
{
    return &j->ranks[l->rank].rows[l->rows[i]];
}

int64_t lane_end_ns(const struct job *j, const struct lane *l, int32_t i)
{
    const struct job_member *x = lane_row(j, l, i);
    return x->start_ns + x->dur_ns;
}

/* Kind and type agree, and the size where all ranks have the same. */
bool signatures_alike(const struct job *j, int32_t a, int32_t b)
{
    const struct job_signature *x = &j->signatures[a], *y = &j->signatures[b];
    if (a == b)
        return true;
    bool own_size =
        x->kind == COLLECTIVE_ALL_TO_ALL_V || x->kind == COLLECTIVE_ALL_GATHER ||
        x->kind == COLLECTIVE_REDUCE_SCATTER || x->kind == COLLECTIVE_COALESCED;
    bool pair = (x->kind == COLLECTIVE_SEND && y->kind == COLLECTIVE_RECV) ||
                (x->kind == COLLECTIVE_RECV && y->kind == COLLECTIVE_SEND);
    return (x->kind == y->kind || pair) &&
           (own_size || x->bytes == y->bytes || x->bytes < 0 || y->bytes < 0);
}

bool lane_rows_alike(const struct job *j, const struct lane *a, int32_t i,
                     const struct lane *b, int32_t k)
{
    return signatures_alike(j, lane_row(j, a, i)->signature,
                            lane_row(j, b, k)->signature);
}

/* The middle difference of the distances from end to end if `b` lacks its first `shift`
 * rows (or has that many more); -1: too few to compare. */
static int64_t residual_ns(const struct job *j, const struct lane *a,
                           const struct lane *b, int shift, int64_t *scratch)
{
    int32_t n = 0, from = shift < 0 ? -shift : 0, pairs = 0;
    for (int32_t i = from; n < DISTANCES_MAX && i + 1 < a->n && i + 1 + shift < b->n;
         i++) {
        pairs++;
        if (!lane_rows_alike(j, a, i, b, i + shift) ||
            !lane_rows_alike(j, a, i + 1, b, i + 1 + shift))
            continue;
        int64_t x = lane_end_ns(j, a, i + 1) - lane_end_ns(j, a, i);
        int64_t y = lane_end_ns(j, b, i + 1 + shift) - lane_end_ns(j, b, i + shift);
        scratch[n++] = llabs(x - y);
    }
    return n >= 2 && 2 * n >= pairs ? median_ns(scratch, n) : -1;
}

struct shift lanes_shift(const struct job *j, const struct lane *a,
                         const struct lane *b)
{
    int64_t scratch[DISTANCES_MAX];
    struct shift s = {0, -1, -1};
    for (int k = 0; k <= 2 * SHIFT_MAX; k++) {
        int by = k % 2 ? (k + 1) / 2 : -k / 2; /* 0, 1, -1, 2 ... */
        int64_t ns = residual_ns(j, a, b, by, scratch);
        if (ns < 0)
            continue;
        if (s.best_ns < 0 || ns < s.best_ns) {
            s.second_ns = s.best_ns;
            s.best_ns = ns;
            s.by = by;
        } else if (s.second_ns < 0 || ns < s.second_ns) {
            s.second_ns = ns;
        }
    }
    return s;
}

bool shift_is_verified(const struct shift *s)
{
    return s->best_ns >= 0 && s->best_ns < RESIDUAL_MAX_NS &&
           (s->second_ns < 0 || s->best_ns * RESIDUAL_RATIO < s->second_ns);
}
