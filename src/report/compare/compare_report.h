/* compare_report.h - what is said of a comparison, in no format.
 *
 * Opportunities are rows whose time in the candidate exceeds what the hardware explains
 * and that matter: their saving is at least half a per cent of the candidate's window.
 */
#ifndef REPORT_COMPARE_COMPARE_REPORT_H
#define REPORT_COMPARE_COMPARE_REPORT_H

#include "compare/comparison.h"
#include "compare/gate.h"

struct compare_opportunity {
    const struct compared_row *row;
    double saving_pct; /* of the candidate's window */
};

struct compare_report {
    const struct comparison *c;
    struct str label[2], platform[2]; /* platform: its device, or the label */
    struct str vendor;                /* of both devices, if these are no GPUs */
    struct str title;                 /* "A Performance Comparison: B vs C" has it */
    const struct gate_result *gates;
    int n_gates;
    struct str *verdict;      /* sentences, with those below first */
    int n_verdict, n_lead;    /* n_lead: of them the result, its cause and the action */
    struct str result, cause; /* sentences: what differs by how much, and why; cause may
                                 be empty */
    struct str action; /* what to do, a clause; empty: there is nothing to compare */
    struct compare_opportunity *opportunities; /* by saving, largest first */
    int n_opportunities;
    struct str *key_findings; /* sentences */
    int n_key_findings;
    struct str idle_advice; /* sentences; empty: the device is busy */
    const struct finding **new_findings, **gone_findings;
    int n_new, n_gone;
    struct str tool_version;
};

struct compare_report compare_report_make(struct arena *perm,
                                          const struct comparison *c,
                                          const struct gate_result *gates, int n_gates,
                                          struct str model, struct str tool_version);

#endif
