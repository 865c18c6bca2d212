#include "report/compare/compare_times.h"

#include "analysis/model/number_text.h"
#include "report/compare/compare_side.h"

#include <math.h>

/* Printed as 0.0 %. */
static const double SAME_PCT = 0.05;

struct str compare_window_words(struct arena *perm, const struct comparison *c)
{
    int n = c->selection.n_steps;
    return n ? str_printf(perm, "a step (mean of %d)", n) : S("the recording");
}

double compare_pct_more(double a, double b)
{
    return a > 0 ? 100 * (b - a) / a : (double)NAN;
}

/* "34.892 ms, 5.3% longer than the 33.131 ms of `before`" */
static struct str against_side(struct arena *perm, const double ms[2], const char *more,
                               const char *less, struct str side)
{
    double pct = compare_pct_more(ms[0], ms[1]);
    if (isnan(pct))
        return str_printf(perm, "%.3f ms, not known in %.*s", ms[1], STRF(side));
    if (fabs(pct) < SAME_PCT)
        return str_printf(perm, "%.3f ms, as in %.*s", ms[1], STRF(side));
    return str_printf(perm, "%.3f ms, %.1f%% %s than the %.3f ms of %.*s", ms[1],
                      fabs(pct), pct >= 0 ? more : less, ms[0], STRF(side));
}

/* What totals are compared with. */
static struct str base_name(struct arena *perm, const struct comparison *c)
{
    return c->n_history ? S("earlier captures") : compare_side(perm, c, 0);
}

struct str compare_against(struct arena *perm, const struct comparison *c,
                           const double ms[2], const char *more, const char *less)
{
    return against_side(perm, ms, more, less, base_name(perm, c));
}

/* Whether each side is one recording, which says how much a difference is worth better
 * than the word of its verdict. */
static bool one_each(const struct comparison *c, enum verdict v)
{
    return (v == VERDICT_OBSERVED || v == VERDICT_LARGE_ONCE) && !c->n_history &&
           c->n_captures[0] == 1 && c->n_captures[1] == 1;
}

/* " (separated)"; nothing of one recording each, which the first sentence says. */
struct str compare_in_brackets(struct arena *perm, const struct comparison *c,
                               enum verdict v)
{
    return one_each(c, v) ? S("") : str_printf(perm, " (%.*s)", STRF(verdict_words(v)));
}

/* "takes 23.7% longer than", "takes 3.1 times as long as", "takes 4.0% less time than"
 */
static struct str takes_than(struct arena *perm, double pct)
{
    if (pct >= 100)
        return str_printf(perm, "takes %.*s times as long as",
                          STRF(text_factor(perm, 1 + pct / 100)));
    return str_printf(perm, "takes %.1f%% %s than", fabs(pct),
                      pct >= 0 ? "longer" : "less time");
}

/* "`after` takes 23.7% longer than `before` (20.193 ms against 16.318 ms a step, mean
 * of 5; one recording each)" */
struct str compare_times_said(struct arena *perm, const struct comparison *c,
                              const double wall_ms[2])
{
    double pct = compare_pct_more(wall_ms[0], wall_ms[1]);
    struct str side = compare_side(perm, c, 1), base = base_name(perm, c),
               words = one_each(c, c->wall.verdict) ? S("one recording each")
                                                    : verdict_words(c->wall.verdict);
    int n = c->selection.n_steps;
    if (isnan(pct) || fabs(pct) < SAME_PCT)
        return str_printf(perm, "In %.*s %.*s takes %.*s (%.*s)", STRF(side),
                          STRF(compare_window_words(perm, c)),
                          STRF(against_side(perm, wall_ms, "longer", "shorter", base)),
                          STRF(words));
    struct str step = n ? str_printf(perm, " a step, mean of %d", n) : S("");
    return str_printf(perm, "%.*s %.*s %.*s (%.3f ms against %.3f ms%.*s; %.*s)",
                      STRF(side), STRF(takes_than(perm, pct)), STRF(base), wall_ms[1],
                      wall_ms[0], STRF(step), STRF(words));
}
