/* job_report.h - what is said of a job: its sentences, for every format. */
#ifndef REPORT_JOB_JOB_REPORT_H
#define REPORT_JOB_JOB_REPORT_H

#include "report/job/job_headline.h"
#include "report/job/job_spread.h"

struct arena;

enum { JOB_VERDICT_MAX = 8, JOB_CHECKS_MAX = 16 };

struct job_check {
    struct str what, says;
    bool good, evaluated;
};

struct job_report {
    const struct job *j;
    struct str tool_version, id;
    struct str share_level; /* "internal", "partner", "public" */
    struct str vendor;      /* of all devices, if these are no GPUs */
    struct str action;      /* what to do, a clause; empty: nothing is known */
    struct str verdict[JOB_VERDICT_MAX]; /* the headline, then "What to do: ..." */
    int n_verdict;
    struct str length; /* of the run, and without late ranks, where the verdict does not
                          say it */
    struct str data;   /* what it is based on */
    struct job_check checks[JOB_CHECKS_MAX];
    int n_checks;
    struct job_spread spread[JOB_PARTS];
};

/* `setup`: what was asked for, so far as it shows; the id depends on it. */
struct job_report job_report_make(struct arena *perm, const struct job *j,
                                  struct str tool_version, struct str setup);

/* "1234.567": us, exact. */
struct str exact_us_text(struct arena *a, int64_t ns);

/* What `tracefolio cut --shift` takes to bring the times of a rank's trace, near this
 * one of the job, to those since the job began. */
struct str rank_shift_text(struct arena *a, const struct job *j,
                           const struct job_rank *r, int64_t at_ns);

/* "Transfers between node 1 and ... take 1.5 times as long": a node with slow wires. */
struct str suspect_sentence(struct arena *a, const struct job *j,
                            const struct job_suspect *s);

struct str job_verdict_word(enum job_verdict v);

#endif
