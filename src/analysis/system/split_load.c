#include "analysis/system/split_load.h"

#include "base/arena.h"

#include <math.h>

enum { RANKS_MAX = 4096 };

/* The number at the start of a list, "[5601, 26323]", and the rest; false: none. */
static bool next_number(struct str *list, int64_t *to)
{
    ptrdiff_t n = 0;
    while (list->n && (list->p[0] < '0' || list->p[0] > '9'))
        *list = str_skip(*list, 1);
    while (n < list->n && list->p[n] >= '0' && list->p[n] <= '9')
        n++;
    bool any = n > 0 && str_int(str_head(*list, n), to);
    *list = str_skip(*list, n);
    return any;
}

struct split {
    double ratio; /* largest beside the mean; 0: none */
    int at;
};

static struct split split_of(struct str list)
{
    struct split s = {0, 0};
    double sum = 0, most = 0;
    int64_t each;
    int n = 0;
    for (; n < RANKS_MAX && next_number(&list, &each); n++) {
        sum += (double)each;
        s.at = (double)each > most ? n : s.at;
        most = fmax(most, (double)each);
    }
    s.ratio = n > 1 && sum > 0 ? most * n / sum : 0;
    return s;
}

/* Of the global ranks, where they are listed. */
static int64_t rank_at(struct str ranks, int at)
{
    int64_t rank = at;
    for (int k = 0; k <= at; k++)
        if (!next_number(&ranks, &rank))
            return at;
    return rank;
}

struct split_load split_load_of(struct arena tmp, const struct collective_table *t)
{
    struct split_load l = {0};
    double *calls = arena_new(&tmp, double, RANKS_MAX), all = 0;
    int most = 0;
    struct str ranks = S("");
    for (int32_t i = 0; i < t->n; i++) {
        const struct collective_row *r = &t->rows[i];
        if (collective_kind_of(r->key[COLLECTIVE_NAME]) != COLLECTIVE_ALL_TO_ALL_V)
            continue;
        /* What goes out in one direction comes back in the other. */
        struct split in = split_of(r->key[COLLECTIVE_IN_SPLIT]),
                     out = split_of(r->key[COLLECTIVE_OUT_SPLIT]);
        struct split s = in.ratio >= out.ratio ? in : out;
        double n = (double)r->us.n;
        if (!(s.ratio > 0))
            continue;
        calls[s.at] += n;
        most = calls[s.at] > calls[most] ? s.at : most;
        ranks = r->key[COLLECTIVE_RANKS];
        l.low = all > 0 ? fmin(l.low, s.ratio) : s.ratio;
        l.high = fmax(l.high, s.ratio);
        l.ratio += n * s.ratio;
        all += n;
    }
    l.ratio = all > 0 ? l.ratio / all : 0;
    l.rank = rank_at(ranks, most);
    l.rank_pct = all > 0 ? 100 * calls[most] / all : 0;
    return l;
}
