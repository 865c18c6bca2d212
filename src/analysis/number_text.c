#include "analysis/number_text.h"

#include "base/arena.h"
#include "base/out.h"

#include <math.h>

struct str text_fixed(struct arena *a, double v, int decimals)
{
    char buf[64];
    if (!isfinite(v))
        return S("not known");
    int n = fixed_text(buf, v, decimals);
    return (struct str){arena_copy(a, buf, n), n};
}

struct str text_ms(struct arena *a, double ms)
{
    double size = fabs(ms);
    return text_fixed(a, ms, size >= 100 ? 1 : size >= 1 ? 2 : 3);
}

struct str text_pct(struct arena *a, double pct)
{
    if (pct > 0 && pct < 0.005)
        return S("less than 0.01");
    return text_fixed(a, pct, fabs(pct) < 1 && pct != 0 ? 2 : 1);
}

struct str text_trimmed(struct arena *a, double v)
{
    struct str s = text_fixed(a, v, 2);
    if (!isfinite(v))
        return s;
    while (s.n > 1 && s.p[s.n - 1] == '0')
        s.n--;
    if (s.n > 1 && s.p[s.n - 1] == '.')
        s.n--;
    return s;
}

struct str text_factor(struct arena *a, double v)
{
    return text_fixed(a, v, v >= 100 ? 0 : v >= 10 ? 1 : 2);
}

struct str text_count(struct arena *a, int64_t n)
{
    return str_printf(a, "%lld", (long long)n);
}
