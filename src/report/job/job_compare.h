/* job_compare.h - how a job differs from another, its reference.
 *
 * Differences are the candidate's value less the reference's. Times are of a step where
 * both jobs have steps, else of the whole run. Parts of the mean rank's time add up. */
#ifndef REPORT_JOB_JOB_COMPARE_H
#define REPORT_JOB_JOB_COMPARE_H

#include "report/job/job_outline.h"
#include "report/job/job_shown.h"
#include "report/report_table.h"

struct arena;

enum job_compare_table {
    JOB_COMPARE_SETUP,
    JOB_COMPARE_PARTS,
    JOB_COMPARE_CAUSES,
    JOB_COMPARE_SPREAD,
    JOB_COMPARE_RANKS,
    JOB_COMPARE_SPEED,
    JOB_COMPARE_TABLES
};

enum { JOB_COMPARE_SENTENCES = 6 };

struct job_comparison {
    const struct job_outline *of[2]; /* reference, candidate */
    bool by_step;                    /* else of the run */
    bool same_work;                  /* as many ranks, and collectives in a step */
    struct str verdict[JOB_COMPARE_SENTENCES];
    int n_verdict;
    struct report_table tables[JOB_COMPARE_TABLES]; /* times in ns */
};

struct job_comparison job_compare(struct arena *perm, const struct job_outline *ref,
                                  const struct job_outline *cand);

/* Of a step or the run, and of a part of the mean rank's. */
double job_compared_length_ns(const struct job_comparison *c, int side);
double job_compared_part_ns(const struct job_comparison *c, int side, int part);

/* The first rank that is late enough to be named in the candidate alone; -1. */
int job_newly_late(const struct job_comparison *c);

/* In perm, as it is large. */
struct job_document *job_compare_document(struct arena *perm,
                                          const struct job_comparison *c,
                                          struct str tool_version);

#endif
