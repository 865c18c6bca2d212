#include "export/gates_json.h"

#include "compare/gate.h"

#include <math.h>

static struct json_member unit_of(const struct gate_expr *g)
{
    static const char *const units[] = {
        [GATE_PERCENT] = "pct", [GATE_NS] = "ns", [GATE_NUMBER] = "number"};
    return J("unit", g->what == GATE_ON_METRIC ? units[g->unit] : "findings");
}

struct cJSON *gates_json(const struct gate_result *gates, int n)
{
    struct cJSON *list = json_list();
    for (int i = 0; i < n; i++) {
        const struct gate_result *g = &gates[i];
        bool known = !isnan(g->value), limited = known && g->of->what == GATE_ON_METRIC;
        json_row(list, J("text", g->of->text), J("result", gate_status_key(g->status)),
                 J("says", g->says), J("warns", g->of->warns),
                 json_exact("value", g->value),
                 json_exact("limit", limited ? g->of->limit : (double)NAN),
                 known ? unit_of(g->of) : json_null("unit"));
    }
    return list;
}

struct json_member waived_json(const struct report_finding *f)
{
    return f->waived_until.n ? J("waived", json_object(J("until", f->waived_until),
                                                       J("why", f->waived_why)))
                             : json_null("waived");
}
