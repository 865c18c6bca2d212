/* finding_argument.h - why a finding is believed, and what would refute it.
 *
 * Sentences made only from the finding and its operations, so equal findings get equal
 * sentences; names are in backticks. Empty if there is nothing to say. */
#ifndef REPORT_FINDING_ARGUMENT_H
#define REPORT_FINDING_ARGUMENT_H

#include "report/report.h"

struct arena;

/* How the conclusion follows from the numbers. */
struct str finding_reasoning(struct arena *a, const struct report *r,
                             const struct report_finding *f);

/* The reason of its confidence: what is known and what is not. */
struct str finding_confidence(struct arena *a, const struct report *r,
                              const struct report_finding *f);

/* The measurement that would show it wrong. */
struct str finding_refutation(struct arena *a, const struct report_finding *f);

/* Which number to look at after a change. */
struct str finding_metric(struct arena *a, const struct report_finding *f);

/* Whether its possible saving is known. */
bool finding_has_gain(const struct impact_range *x);

/* "1.23 to 3.40 ms (1.0 to 2.8 % of total time)"; empty if unknown. */
struct str finding_gain(struct arena *a, const struct impact_range *x);

#endif
