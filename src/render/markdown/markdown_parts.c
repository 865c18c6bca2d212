#include "render/markdown/markdown_parts.h"

#include <math.h>

struct json_member md_impact(const struct impact_range *r)
{
    bool known = isfinite(r->low_pct) && isfinite(r->high_pct);
    return json_branch(
        "impact",
        json_object(json_bool("unknown", !known),
                    json_bool("none", known && r->high_ms <= 0),
                    json_bool("some", known && !(r->high_ms <= 0)), F(r, low_pct),
                    M("mid_pct", (r->low_pct + r->high_pct) / 2), F(r, high_pct),
                    F(r, low_ms), F(r, high_ms), F(r, basis)));
}

cJSON *md_row(const struct md *m, const struct work_row *w)
{
    const struct category_result *c = &m->a->categories[w->category];
    ptrdiff_t i = w - c->rows;
    bool listed = m->rows[c->category] && i >= 0 && i < c->n_rows;
    return listed ? m->rows[c->category][i] : NULL;
}
