#include "render/text/shown_fields.h"

#include "base/describe.h"
#include "ops/op_groups.h"

#include <math.h>

VIEW(shown_steps, report_steps, F(inside, TEXT), F(n_steady, SOME), ALSO(report_steps));

static VIEW(shown_phase, report_phase, F(label, TEXT), AS("steps", n_steps, SOME),
            AS("has_categories", n_categories, SOME),
            LIST(categories, n_categories, report_phase_part), ALSO(report_phase));
VIEW(shown_phases, report_phases, F(several, FLAG), F(unit, TEXT), F(units, TEXT),
     LIST(list, n, shown_phase), ALSO(report_phases));

TELL(bool, no_model, report_op, isnan(it->row->efficiency.percent) && !it->group->cost);

VIEW(shown_op, report_op, F(cumulative_pct, PCT), CALL(no_model, FLAG, no_model),
     ALSO(report_op));
