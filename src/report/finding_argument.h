/* finding_argument.h - why a finding is believed, and what would refute it.
 *
 * Sentences made only from the finding and its operations, so equal findings get equal
 * sentences; names are in backticks. Empty if there is nothing to say. */
#ifndef REPORT_FINDING_ARGUMENT_H
#define REPORT_FINDING_ARGUMENT_H

#include "report/report.h"

struct arena;
struct described;

/* Fields of a finding (base/describe.h): in->of is it, in->whole its report. */
struct str finding_reasoning(const struct described *in); /* why it follows */
/* What is known of its operations, and what is not: the reason of its confidence. */
struct str finding_confidence_basis(const struct described *in);
struct str
finding_refutation(const struct described *in);        /* what would show it wrong */
struct str finding_metric(const struct described *in); /* what to look at afterwards */

/* Whether its possible saving is known. */
bool finding_has_gain(const struct impact_range *x);

/* "1.23 to 3.40 ms (1.0 to 2.8 % of total time)"; empty if unknown. */
struct str finding_gain(struct arena *a, const struct impact_range *x);

#endif
