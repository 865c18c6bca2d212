/* job_rank.h - one rank of a job: its simulator, its trace, and where it waits.
 *
 * What a rank does between two collectives is a call here; the collective itself is in
 * two halves, since the other ranks decide when it ends. */
#ifndef SAMPLE_JOB_RANK_H
#define SAMPLE_JOB_RANK_H

#include "job_plan.h"

enum { JOB_FACTS = 2048 };

/* A collective as this rank calls it. Elements are bf16. */
struct message {
    const char *name;       /* "allreduce" */
    const char *annotation; /* "nccl:all_reduce" */
    const char *op;         /* "c10d::allreduce_" */
    enum job_group group;
    enum stream stream;
    int64_t in, out;
    char in_split[256], out_split[256]; /* "[]", or the elements for each member */
};

struct job_rank {
    int rank;
    struct event_writer w;
    struct simulator s;
    struct sample_plan plan;
    int64_t sequence[JOB_GROUPS];
    int64_t collectives; /* begun so far */
    int64_t start_ns;    /* of the trace */
    /* The open collective. */
    struct kernel kernel;
    char facts[JOB_FACTS];
    int64_t arrived_ns;
    /* Without the first collective of the capture. */
    int64_t wait_ns, blame_ns, last;
};

/* `path` NULL: nothing is written. */
MUST_CHECK bool rank_open(struct job_rank *r, const struct job_plan *j, int rank,
                          const char *path, struct err *e);
MUST_CHECK bool rank_close(struct job_rank *r, struct err *e);

/* Random numbers of one part of a step, whatever was drawn before. */
void rank_seed(struct job_rank *r, int64_t step, int64_t part);

void rank_step_begin(struct job_rank *r, const struct job_plan *j, int64_t step);
void rank_attention(struct job_rank *r, const struct job_plan *j, int64_t layer);
void rank_feed_forward(struct job_rank *r, const struct job_plan *j, int64_t layer);
void rank_route(struct job_rank *r, int64_t layer);
void rank_experts(struct job_rank *r, int64_t tokens);
void rank_backward_begin(struct job_rank *r);
void rank_backward_end(struct job_rank *r);
void rank_backward(struct job_rank *r, const struct job_plan *j, bool attention);
void rank_gradient_norm(struct job_rank *r);
void rank_step_end(struct job_rank *r, int64_t step);

/* Returns when this rank arrives. */
int64_t rank_collective_start(struct job_rank *r, const struct job_plan *j,
                              const struct message *m);
void rank_collective_end(struct job_rank *r, const struct job_plan *j, int64_t end_ns,
                         bool awaited);

#endif
