/* outlier_facts.h - calls of a row that take far longer than the rest. */
#ifndef ANALYSIS_FACTS_OUTLIER_FACTS_H
#define ANALYSIS_FACTS_OUTLIER_FACTS_H

#include "analysis/facts/fact_maker.h"

/* outlier_calls, outlier_pct, outlier_excess_ms, outlier_first_ms and outlier_last_ms;
 * first_call_us of a first call that is one. */
void outlier_facts_row(struct fact_maker *m, struct work_row *r);

/* Whether calls of one row differ in time alone, as far as the trace tells: by shapes
 * and models, or where no shapes are recorded by kernels and grids, unless the grid is
 * a persistent kernel's or long calls come in turn. */
bool calls_do_the_same(struct arena tmp, const struct op_tables *t,
                       const struct op_group *g);

#endif
