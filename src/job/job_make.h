/* job_make.h - a job from the captures of its ranks.
 *
 *   struct job_builder b = job_begin(&perm);
 *   job_add(&b, &capture, path, page, &e);      for each, in any order
 *   job_make(&perm, tmp, &b, &options, &job, &e)
 *
 * Linear in the collectives of all ranks. */
#ifndef JOB_JOB_MAKE_H
#define JOB_JOB_MAKE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/int_map.h"
#include "job/job.h"

struct rank_tables { /* of one capture, before they are those of the job */
    const struct capture_group *groups;
    const struct capture_signature *signatures;
    int32_t n_groups, n_signatures;
    int world;
    int n_devices;
    struct str folder; /* that its trace lies in; or empty */
    const char *path;  /* of the capture */
};

enum { JOB_LARGE_PAIRS = 1 << 16 };

struct job_builder {
    struct arena *perm;
    struct int_map known; /* groups by key: place in rank_lists */
    struct rank_list {
        const int32_t *ranks;
        int32_t n;
    } * rank_lists;
    int32_t n_lists;
    struct job_rank *ranks;
    struct rank_tables *tables;
    int n, n_unread; /* n_unread: inputs that cannot be read, left out */
    /* Blocks of work are replayed, if their number allows: else they are given back. */
    struct arena blocks;
    char *blocks_start;  /* NULL: given back */
    struct arena covers; /* given back once it is known what they tell */
    char *covers_start;
    int64_t n_nodes; /* collectives and blocks */
    /* What does not fit is counted, not kept, and job_make says so. */
    double max_bytes; /* 0: any */
    int64_t n_pairs, n_captures;
    bool is_large; /* JOB_LARGE_PAIRS of them: memory is asked for in large pages */
    struct job_kernel *silent; /* kernels of captures without collectives */
    int n_silent;
    struct int_map silent_known; /* by name */
};

struct job_builder job_begin(struct arena *perm);

/* Copies what it needs of the capture; `path` names it in errors and is lent. `page` is
 * the report of the rank, relative to the site, or empty. */
MUST_CHECK bool job_add(struct job_builder *b, const struct capture *c,
                        const char *path, struct str page, struct err *e);

MUST_CHECK bool job_make(struct arena *perm, struct arena tmp, struct job_builder *b,
                         const struct job_options *o, struct job *j, struct err *e);

#endif
