/* finding_priority.h - how much a finding matters, and what acting on it would save.
 *
 * Arithmetic on shares and efficiencies. No rows, and no text except the clause that
 * explains a figure. */
#ifndef ANALYSIS_FINDING_PRIORITY_H
#define ANALYSIS_FINDING_PRIORITY_H

#include "analysis/facts/efficiency.h"

/* The one scale: from 25 % of the run critical, from 5 % high, from 1 % medium. NaN is
 * low. */
enum priority priority_of_share(double run_pct);

/* Saving from raising efficiency e to lo and hi, each at least 5 points above e. T in
 * ms. */
struct impact_range impact_of_efficiency(struct arena *perm, double time_ms,
                                         double efficiency_pct, struct expectation x,
                                         double total_ms);

/* Saving of low to high ms. */
struct impact_range impact_of_saving(double low_ms, double high_ms, double total_ms,
                                     struct str basis);

/* At most four rows: 20, 50, 80 and the expected band, if at least 5 points above e. */
struct projection_row *projection_of(struct arena *perm, double time_ms,
                                     double efficiency_pct, struct expectation x,
                                     double total_ms, int *n);

#endif
