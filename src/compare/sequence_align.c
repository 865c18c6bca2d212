#include "compare/sequence_align.h"

#include <stdbool.h>

enum {
    SAME_CLASS = 1, /* costs in quarters of a gap */
    GAP = 4,
    ANCHOR_GAP = 16,
    LAG_MAX = 2048,
    LOOK_AT = 1 << 16, /* tokens, for a period */
    REPEATS_MIN = 4
};

static const double AGREES = 0.6, NEARLY_BEST = 0.9;

static bool is_anchor(enum kernel_label c)
{
    return c == KERNEL_ATTENTION || c == KERNEL_MOE_GEMM || c == KERNEL_COMMUNICATION;
}

static int32_t gap_cost(const struct token *t)
{
    return is_anchor(t->class) ? ANCHOR_GAP : GAP;
}

static int32_t match_cost(const struct token *a, const struct token *b)
{
    if (a->id == b->id)
        return 0;
    return a->class == b->class && a->class != KERNEL_UNKNOWN ? SAME_CLASS : -1;
}

enum step { STEP_MATCH, STEP_SKIP_A, STEP_SKIP_B };

struct grid {
    const struct token *a, *b;
    int32_t n_a, n_b, band, width;
    uint8_t *steps; /* by row, and by column from the first of the band */
};

/* The first column of the band in a row. */
static int32_t band_from(const struct grid *g, int32_t i)
{
    int64_t centre = g->n_a ? (int64_t)i * g->n_b / g->n_a : 0;
    return centre > g->band ? (int32_t)centre - g->band : 0;
}

static int32_t band_to(const struct grid *g, int32_t i)
{
    int64_t centre = g->n_a ? (int64_t)i * g->n_b / g->n_a : 0;
    return centre + g->band < g->n_b ? (int32_t)centre + g->band : g->n_b;
}

static const int64_t FAR = INT64_MAX / 4;

static int64_t at(const struct grid *g, const int64_t *row, int32_t i, int32_t j)
{
    return j < band_from(g, i) || j > band_to(g, i) ? FAR : row[j - band_from(g, i)];
}

/* Row i of the grid from the row above. */
static void fill_row(const struct grid *g, const int64_t *above, int64_t *row,
                     int32_t i)
{
    uint8_t *steps = g->steps + (ptrdiff_t)i * g->width;
    int32_t from = band_from(g, i), to = band_to(g, i);
    for (int32_t j = from; j <= to; j++) {
        int64_t best = i || j ? FAR : 0;
        enum step step = STEP_MATCH;
        if (i && j) {
            int32_t cost = match_cost(&g->a[i - 1], &g->b[j - 1]);
            best = cost < 0 ? FAR : at(g, above, i - 1, j - 1) + cost;
        }
        int64_t skip_a = i ? at(g, above, i - 1, j) + gap_cost(&g->a[i - 1]) : FAR;
        int64_t skip_b = j > from ? row[j - 1 - from] + gap_cost(&g->b[j - 1]) : FAR;
        if (skip_a < best) {
            best = skip_a;
            step = STEP_SKIP_A;
        }
        if (skip_b < best) {
            best = skip_b;
            step = STEP_SKIP_B;
        }
        row[j - from] = best;
        steps[j - from] = (uint8_t)step;
    }
}

static void trace_back(const struct grid *g, int32_t *to)
{
    int32_t i = g->n_a, j = g->n_b;
    while (i > 0 || j > 0) {
        switch (g->steps[(ptrdiff_t)i * g->width + j - band_from(g, i)]) {
        case STEP_MATCH:
            to[--i] = --j;
            break;
        case STEP_SKIP_A:
            to[--i] = -1;
            break;
        default:
            j--;
        }
    }
}

int64_t sequence_align(struct arena tmp, const struct token *a, int32_t n_a,
                       const struct token *b, int32_t n_b, int32_t band, int32_t *to)
{
    /* A band has to let each row reach the next. */
    int32_t least = n_a ? n_b / n_a + 2 : n_b;
    struct grid g = {a, b, n_a, n_b, band > least ? band : least, 0, NULL};
    g.width = 2 * g.band + 1 < n_b + 1 ? 2 * g.band + 1 : n_b + 1;
    g.steps = arena_take_raw(&tmp, 1, 1, ((ptrdiff_t)n_a + 1) * g.width);
    int64_t *above = arena_take_raw(&tmp, sizeof *above, 8, g.width);
    int64_t *row = arena_take_raw(&tmp, sizeof *row, 8, g.width);
    for (int32_t i = 0; i <= n_a; i++) {
        fill_row(&g, above, row, i);
        int64_t *old = above;
        above = row;
        row = old;
    }
    int64_t cost = at(&g, above, n_a, n_b);
    trace_back(&g, to);
    return cost;
}

static double agreement(const struct token *t, int32_t n, int32_t lag)
{
    int32_t same = 0;
    for (int32_t i = 0; i + lag < n; i++)
        same += t[i].id == t[i + lag].id;
    return (double)same / (double)(n - lag);
}

int32_t sequence_period(struct arena tmp, const struct token *t, int32_t n)
{
    n = n < LOOK_AT ? n : LOOK_AT;
    int32_t most = n / REPEATS_MIN < LAG_MAX ? n / REPEATS_MIN : LAG_MAX;
    double best = 0, *by_lag = arena_new(&tmp, double, most + 1);
    for (int32_t lag = 2; lag <= most; lag++) {
        by_lag[lag] = agreement(t, n, lag);
        best = by_lag[lag] > best ? by_lag[lag] : best;
    }
    for (int32_t lag = 2; lag <= most; lag++)
        if (by_lag[lag] >= AGREES && by_lag[lag] >= NEARLY_BEST * best)
            return lag;
    return 0;
}

/* By place: blocks from there on that are each like the one before, and their
 * agreement, counted from behind. */
int32_t sequence_repeats(struct arena tmp, const struct token *t, int32_t n,
                         int32_t period, int32_t *start)
{
    int32_t *blocks = arena_new(&tmp, int32_t, n + 1), best = -1;
    int64_t *agreed = arena_new(&tmp, int64_t, n + 1);
    int32_t same = 0; /* in the block from i on, with the next one */
    for (int32_t i = n - 2 * period; i >= 0; i--) {
        if (i == n - 2 * period)
            for (int32_t k = 1; k < period; k++)
                same += t[i + k].id == t[i + k + period].id;
        else
            same -= t[i + period].id == t[i + 2 * period].id;
        same += t[i].id == t[i + period].id;
        if ((double)same < AGREES * (double)period)
            continue;
        int32_t more = blocks[i + period];
        blocks[i] = 1 + (more ? more : 1);
        agreed[i] = same + agreed[i + period];
        if (best < 0 || agreed[i] >= agreed[best])
            best = i;
    }
    *start = best < 0 ? 0 : best;
    return best < 0 ? 0 : blocks[best];
}
