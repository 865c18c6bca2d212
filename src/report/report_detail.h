/* report_detail.h - what the long reports add to the pages: every row with its figures,
 * call stacks, the roll-up of categories.
 *
 * Filled from the analysis. Stack and subtree come from the trace and are hostile.
 * Units and NaN as in report.h. */
#ifndef REPORT_REPORT_DETAIL_H
#define REPORT_REPORT_DETAIL_H

#include "analysis/model/system_results.h"
#include "analysis/stack/tree_data.h"
#include "report/report.h"

/* Where the first call of a large row sits in the call tree. */
struct report_call {
    const struct tree_data *of;
    struct str stack;   /* lines, root first */
    struct str subtree; /* lines, with the device time of each node */
};

/* A category of the compute tier (and communication), analysed. */
struct report_section {
    const struct category_result *of;
    struct report_call *calls; /* tree data of its large rows */
    int n_calls;
};

/* What tables call a row of the analysis. */
struct str report_row_kernel(const struct work_row *w); /* the longest, by mean */
struct str report_row_type(const struct work_row *w); /* "memory", "flash", "softmax" */
bool report_row_has_model(const struct work_row *w);

/* What was not analysed is empty; never NULL. */
const struct system_results *report_system(const struct report *r);
/* The idle time that the verdict is about: of all devices, or of the one that decides.
 */
const struct idle_result *report_idle(const struct report *r);
/* "Host-bound", where the bar of the wall time tells the rest of the verdict; else
 * empty. */
struct str report_bound(const struct report *r);
/* Percentage of the run that is computation, if that is most of it and the host sets
 * its pace all the same: kernels save little before the host is quicker. NaN: not so.
 */
double report_paced_pct(const struct report *r);
/* Whether a tenth of the run or more is what a process does once. */
bool report_is_cold(const struct report *r);
/* Whether what the device waits for most is set-up that comes again and again, which a
 * warm-up does not end. */
bool report_sets_up_again(const struct report *r);
/* Percentage of the run that is idle time of this pool. */
double report_pool_pct(const struct report *r, enum idle_pool p);

/* Whose time that is. */
struct report_subject {
    struct str gpu; /* its name; empty: all devices together */
    double computation_pct, exposed_comm_pct, exposed_memcpy_pct, idle_pct, idle_ms;
};
struct report_subject report_subject(const struct report *r);

/* Why the device was idle, as a share of idle time. */
struct report_idle_cause {
    enum idle_class class;
    struct str label; /* "operator dispatch" */
    double total_ms, idle_pct;
};

/* By time, longest first; none where launch calls are not recorded. Returns how many.
 */
int report_idle_causes(const struct analysis *a,
                       struct report_idle_cause causes[IDLE_CLASSES]);

/* Whether there are notable copies or communication, or the analysis of them failed. */
bool report_has_multi_kernel(const struct analysis *a);

/* Roll-up of a category's findings: a row of priority_data.json's `priorities`. */
struct report_priority_row {
    int rank;
    enum work_category category;
    double low_pct, mid_pct, high_pct; /* NaN: large, but without a finding */
};

struct report_detail {
    struct str
        attention_use; /* "Yes", "No (unfused attention detected)", "Partial" ... */
    struct report_section *sections; /* by time; those that failed last */
    int n_sections;
    struct report_priority_row *priorities;
    int n_priorities;
};

#endif
