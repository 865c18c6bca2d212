/* finding_priority.h - how much a finding matters, and what acting on it would save.
 *
 * analysis.md 5.1 to 5.3: arithmetic on shares and efficiencies, no rows and no texts
 * but the clause that says how a figure came about. */
#ifndef ANALYSIS_FINDING_PRIORITY_H
#define ANALYSIS_FINDING_PRIORITY_H

#include "analysis/efficiency.h"

struct priority_input {
    bool top;     /* among the ten operators with the most time */
    bool gemm;    /* the second column of 5.2 counts too */
    bool pattern; /* a pattern hit that is no mere remark */
    bool informational;
    bool healthy;          /* good efficiency, and no pattern names a saving */
    double efficiency_pct; /* NaN: not low, never critical */
    double compute_pct;    /* p */
    double category_pct;   /* pc */
};

enum priority priority_of(struct priority_input in);
struct str priority_word(enum priority p); /* "Critical" */

/* Time a group needs at `target` per cent of peak. */
double time_at(double time_ms, double efficiency_pct, double target_pct);

/* Saving from e up to lo and hi, raised to at least 5 points above e. T in ms. */
struct impact_range impact_of_efficiency(struct arena *perm, double time_ms,
                                         double efficiency_pct, struct expectation x,
                                         double total_ms);

/* Saving of low to high ms. */
struct impact_range impact_of_saving(double low_ms, double high_ms, double total_ms,
                                     struct str basis);

/* At most four rows: 20, 50, 80 and the expected band, those at least 5 points above e.
 */
struct projection_row *projection_of(struct arena *perm, double time_ms,
                                     double efficiency_pct, struct expectation x,
                                     double total_ms, int *n);

#endif
