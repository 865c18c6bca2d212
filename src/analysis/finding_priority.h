/* finding_priority.h - how much a finding matters, and what acting on it would save.
 *
 * analysis.md 5.1 to 5.3: arithmetic on shares and efficiencies. No rows, and no text
 * except the clause that explains a figure. */
#ifndef ANALYSIS_FINDING_PRIORITY_H
#define ANALYSIS_FINDING_PRIORITY_H

#include "analysis/facts/efficiency.h"

struct priority_input {
    bool top;     /* among the ten operators with the most time */
    bool gemm;    /* the second column of 5.2 also applies */
    bool pattern; /* a pattern hit that is more than a remark */
    bool informational;
    bool healthy;          /* good efficiency, and no pattern names a saving */
    double efficiency_pct; /* NaN: not low, never critical */
    double compute_pct;    /* p */
    double category_pct;   /* pc */
};

enum priority priority_of(struct priority_input in);

/* A saving below 1 % of the window is at most medium, below 0.3 % low. */
enum priority priority_capped(enum priority p, double saving_pct);

/* A saving from 2 % of the window on is at least medium, from 10 % high, from 25 %
 * critical. */
enum priority priority_raised(enum priority p, double saving_pct);

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
