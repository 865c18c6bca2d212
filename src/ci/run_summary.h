/* run_summary.h - summary.json: one run in figures, for builds, badges and the index of
 * runs.
 *
 * One tree, sorted by key, from which every format of src/ci is written. The units of
 * numbers are in their names (_ns whole, _pct of 0 to 100); texts are repaired. Lists
 * have members that name them (`slug`, `id`), so that any number has a dotted name:
 * categories.gemm.kernel_sum_ns. A new member raises the minor of `schema`, anything
 * else its major. */
#ifndef CI_RUN_SUMMARY_H
#define CI_RUN_SUMMARY_H

#include "base/described.h"
#include "base/str.h"
#include "compare/gate.h"
#include "report/report.h"

struct cJSON;

/* What the report does not hold. Any text may be empty. */
struct run_facts {
    struct str series; /* runs that belong together; empty: of one model and device */
    struct str date;   /* "2026-01-31" */
    struct str share_level;
    struct str report_url;
};

/* Without gates. Whoever takes it deletes it with cJSON_Delete. */
struct cJSON *run_summary(struct arena *tmp, const struct report *r,
                          const struct run_facts *facts);

/* Adds the results of gates, and what they come to: .verdict.gates is passed, failed,
 * not_evaluated or, without a gate, null. */
void run_summary_gates(struct cJSON *summary, const struct gate_results *gates);

/* Of a dotted name; NULL: there is none. */
const struct cJSON *run_summary_find(const struct cJSON *summary, struct str name);

/* What a finding is in either summary, but for its id: that of a page, or its key. */
DESCRIBED_AS(summed_finding, finding);

#endif
