#include "export/gates_json.h"

#include "base/describe.h"
#include "compare/gate.h"

#include <math.h>

static bool is_measured(const struct gate_result *g)
{
    return !isnan(g->value);
}

static struct str unit_word(const struct described *in)
{
    static const struct str units[] = {[GATE_PERCENT] = S_INIT("pct"),
                                       [GATE_NS] = S_INIT("ns"),
                                       [GATE_NUMBER] = S_INIT("number")};
    const struct gate_result *g = in->of;
    return !is_measured(g)                 ? S("")
           : g->of->what == GATE_ON_METRIC ? units[g->of->unit]
                                           : S("findings");
}

TELL(double, limit, gate_result,
     is_measured(it) && it->of->what == GATE_ON_METRIC ? it->of->limit : (double)NAN);
static VIEW(condition, gate_expr, F(text, TEXT));
static VIEW(warns, gate_expr, F(warns, FLAG));
static FIELDS(gate_result, MEMBERS_OF(of, condition),
              ENUM_AS("result", status, gate_status_key, GATE_NOT_EVALUATED + 1),
              F(says, TEXT), MEMBERS_OF(of, warns), F(value, EXACT),
              CALL(limit, EXACT, limit), CALL(unit, NAME, unit_word));
FIELDS(gate_results, LIST_AS("gates", at, n, gate_result));
