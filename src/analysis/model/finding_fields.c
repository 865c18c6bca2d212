#include "analysis/model/finding_fields.h"

#include "base/describe.h"
TELL(double, mid_pct, impact_range, (it->low_pct + it->high_pct) / 2.0);

TELL(double, mid_ms, impact_range, (it->low_ms + it->high_ms) / 2.0);

FIELDS(impact_range, F(low_pct, PCT), CALL(mid_pct, PCT, mid_pct), F(high_pct, PCT),
       F(low_ms, MS), CALL(mid_ms, MS, mid_ms), F(high_ms, MS), F(basis, TEXT));

static FIELDS(projection_row, F(target_pct, PCT), F(time_ms, MS),
              AS("total_saved_pct", e2e_pct, PCT),
              AS("operation_saved_pct", op_pct, PCT));

static FIELDS(evidence, ITSELF(text, TEXT));

TELL(const void *, impact_then, finding, it->until < 0 ? NULL : &it->impact_then);

static VIEW(replay, finding, AS("recommended", replay_recommended, FLAG));

static VIEW(advice, finding, F(algorithmic, TEXT), F(kernel, TEXT));

FIELDS(finding, AS("launches", count, COUNT), F(time_ms, MS), F(compute_pct, PCT),
       F(total_pct, PCT), F(category_pct, PCT), F(efficiency_pct, PCT),
       ENUM(bound, bound_word, BOUND_MEMORY + 1), F(peak, NAME), F(achieved, NAME),
       AS("top_operation_rank", top_rank, SOME),
       ENUM(priority, priority_word, PRIORITIES), F(priority_basis, TEXT),
       F(issue, TEXT), PART("advice", advice), STRUCT(impact, impact_range),
       STRUCT(impact_kernel, impact_range),
       LIST(projection, n_projection, projection_row),
       LIST(evidence, n_evidence, evidence), PART("replay", replay),
       CALL_STRUCT(impact_then, impact_range, impact_then), F(replay_recommended, FLAG),
       F(informational, FLAG), F(recording, FLAG),
       ENUM(confidence, confidence_word, CONFIDENCE_HIGH + 1), F(global_rank, NUMBER),
       F(category_rank, NUMBER), F(tier_number, NUMBER));
