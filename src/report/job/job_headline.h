/* job_headline.h - what costs a job most, in one sentence: late ranks, slow links, a
 * rank outside the data, or delays that hit any rank. */
#ifndef REPORT_JOB_JOB_HEADLINE_H
#define REPORT_JOB_JOB_HEADLINE_H

#include "job/job.h"

struct arena;

#define LOST_FRAC 0.01 /* of the run: less is not worth a word */
#define LOADED    1.1  /* of an even share of tokens */

/* "631 ms", "42.5 µs": three digits. */
struct str duration_text(struct arena *a, int64_t ns);

/* "rank 6", "ranks 0 and 6", "ranks 1, 3, 5 and 9 others". */
struct str ranks_named(struct arena *a, const struct job *j, const int32_t *places,
                       int n);

enum job_headline {
    HEADLINE_NONE, /* nothing costs 1% of the run */
    HEADLINE_LATE,
    HEADLINE_LINKS,
    HEADLINE_OUTSIDE,
    HEADLINE_SCATTERED,
    HEADLINES
};

enum job_headline job_headline_of(const struct job *j);

/* Empty: HEADLINE_NONE. */
struct str job_headline_text(struct arena *perm, const struct job *j);

/* What to do about it; empty: HEADLINE_NONE. */
struct str job_advice_text(struct arena *perm, const struct job *j);

/* "rank 6", "ranks 0 and 6", "the 32 ranks of node 1": those that are named. */
struct str job_late_text(struct arena *perm, const struct job *j);

/* "Rank 3, which has no trace,", "One of the 2 ranks without a trace (3 and 5)" */
struct str job_outside_text(struct arena *perm, const struct job *j);

/* Whether ranks outside the data may cost 1 % of the run, for all that is recorded, and
 * nothing shows what. */
bool job_may_be_outside(const struct job *j);

/* "6 of 8 ranks are in the data: ranks 3 and 5 are missing; 1 damaged input is left
 * out" */
struct str job_data_text(struct arena *perm, const struct job *j);

/* The least part of the lateness of each that its cause covers, if that of all named
 * ranks is the same, else less than 0. */
double job_common_cause(const struct job *j);

/* Steps of the job, by place, that have nearly all blame of a rank, if they follow each
 * other and are not nearly all. */
bool job_late_span(const struct job *j, int32_t rank, int *first, int *last);

/* Of a step, where there are several, else of the run. */
int64_t job_per_step_ns(const struct job *j, int64_t ns);
int64_t job_mean_step_ns(const struct job *j);

double job_pct(double part, double whole);

#endif
