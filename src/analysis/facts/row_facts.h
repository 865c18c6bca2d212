/* row_facts.h - fills the facts that work_facts.h lists. */
#ifndef ANALYSIS_FACTS_ROW_FACTS_H
#define ANALYSIS_FACTS_ROW_FACTS_H

#include "analysis/facts/fact_maker.h"

/* All facts of a row that depend on no other row. */
void facts_of_row(struct fact_maker *m, struct work_row *r);

/* Facts of a category, and the facts of its rows that depend on other rows. */
void facts_of_category(struct fact_maker *m, struct category_result *c);

/* Facts of the trace, after those of its categories. */
void facts_of_trace(struct arena *perm, struct analysis *a);

#endif
