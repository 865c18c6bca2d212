#include "report/mfu_shown.h"

#include "base/describe.h"
#include "report/more_shown.h"

FIELDS(model_use, F(mfu_pct, PCT), F(hfu_pct, PCT), F(covered_pct, PCT),
       F(lower_bound, FLAG), F(type, NAME), F(peak_tflop_per_s, RATE), F(tflop, FINE),
       F(tflop_per_s, FINE));
FIELDS(report_mfu, F(says, TEXT), STRUCT_AS(NULL, of, model_use),
       STRUCT_AS(NULL, of, mfu_steps));
