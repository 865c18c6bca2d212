/* finding_shown.h - a finding as pages and documents show it: what report.json has
 * (report_fields.h), what the analysis says, and words made of both. */
#ifndef REPORT_FINDING_SHOWN_H
#define REPORT_FINDING_SHOWN_H

#include "base/described.h"
#include "report/report.h"

DESCRIBED_AS(shown_finding, report_finding);
DESCRIBED_AS(shown_compile, report_compile);

/* "K1", or "note" for informational findings. */
struct str finding_rank(const struct report_finding *f);

/* Whether it saves less than 0.1 % of total time now, which is not worth a figure. */
bool finding_is_slight(const struct finding *f);

/* What it saves once those before it are fixed, where that is less or more than what it
 * saves alone; NaN: it is not, or not known. */
double finding_added_ms(const struct report *r, const struct report_finding *f);

/* So little that it is next to nothing. */
bool finding_adds_little(double added_ms, double total_ms);

/* Whether two titles ask for the same, for different reasons: "Record after warm-up:
 * ...". */
bool titles_ask_the_same(struct str a, struct str b);

/* Worth a card: a note, or what saves 0.1 % of total time, now or once the host keeps
 * up. */
bool finding_has_card(const struct finding *f);

/* The one about idle time that holds most of a gap, on the clock of the trace; NULL:
 * none. */
const struct report_finding *finding_of_gap(const struct report *r, int64_t from_ns,
                                            int64_t to_ns);

#endif
