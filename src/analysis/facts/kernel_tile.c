#include "analysis/facts/kernel_tile.h"

#include "analysis/model/name_match.h"

#include <math.h>

/* Digits at *i; 0: none, or more than a tile can have. */
static int number_at(struct str s, ptrdiff_t *i)
{
    int v = 0;
    ptrdiff_t start = *i;
    while (*i < s.n && s.p[*i] >= '0' && s.p[*i] <= '9' && *i - start < 6)
        v = 10 * v + (s.p[(*i)++] - '0');
    return v;
}

static bool letter_at(struct str s, ptrdiff_t *i, char c)
{
    return *i < s.n && s.p[*i] == c ? (*i)++, true : false;
}

bool kernel_splits_k(struct str name)
{
    if (name_has(name, "PostGSU|splitK"))
        return true;
    for (ptrdiff_t at = 0; at + 3 < name.n; at++) {
        ptrdiff_t i = at + 3;
        if (str_starts(str_skip(name, at), S("GSU")) && number_at(name, &i) >= 2)
            return true;
    }
    return false;
}

struct kernel_tile kernel_tile_of(struct str name)
{
    struct kernel_tile t = {.split_k = kernel_splits_k(name),
                            .a_transposed = str_has(name, S("_Alik_")),
                            .b_transposed = str_has(name, S("_Bjlk_"))};
    for (ptrdiff_t at = 0; at + 2 < name.n; at++) {
        if (name.p[at] != 'M' || name.p[at + 1] != 'T')
            continue;
        ptrdiff_t i = at + 2;
        int m = number_at(name, &i), n = 0, depth = 0;
        if (m > 0 && letter_at(name, &i, 'x') && (n = number_at(name, &i)) > 0 &&
            letter_at(name, &i, 'x') && (depth = number_at(name, &i)) > 0) {
            t.m = m;
            t.n = n;
            t.depth = depth;
            break;
        }
    }
    return t;
}

struct tile_use tile_use_of(struct kernel_tile t, double b, double m, double n,
                            int units)
{
    double tiles_m = ceil(n / t.m), tiles_n = ceil(m / t.n);
    struct tile_use u = {.tiles = tiles_m * tiles_n * b,
                         .tile_eff = m * n / (tiles_m * t.m * tiles_n * t.n),
                         .wave_eff = (double)NAN};
    if (units > 0)
        u.wave_eff = u.tiles / (ceil(u.tiles / units) * units);
    return u;
}
