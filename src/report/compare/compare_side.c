#include "report/compare/compare_side.h"

static bool has_labels(const struct comparison *c)
{
    struct str a = c->of[0]->label, b = c->of[1]->label;
    return a.n && b.n && !str_eq(a, b);
}

struct str compare_side(struct arena *perm, const struct comparison *c, int side)
{
    if (!has_labels(c))
        return side ? S("the candidate") : S("the reference");
    return str_printf(perm, "`%.*s`", STRF(c->of[side]->label));
}

struct str compare_side_plain(const struct comparison *c, int side)
{
    if (!has_labels(c))
        return side ? S("candidate") : S("reference");
    return c->of[side]->label;
}

struct str compare_minus(struct arena *perm, const struct comparison *c)
{
    return str_printf(perm, "%.*s minus %.*s", STRF(compare_side_plain(c, 1)),
                      STRF(compare_side_plain(c, 0)));
}
