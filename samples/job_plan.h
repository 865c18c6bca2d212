/* job_plan.h - a job of many ranks, and what is wrong with it.
 *
 * The ranks train one decoder: tensor parallel over neighbours, data parallel over the
 * rest, experts over the ranks of a node. */
#ifndef SAMPLE_JOB_PLAN_H
#define SAMPLE_JOB_PLAN_H

#include "sample_plan.h"

enum { JOB_RANKS_MAX = 512, JOB_PLANTS_MAX = 64 };

enum plant_kind {
    PLANT_LATE_COMPUTE, /* kernels of a rank take longer, percent */
    PLANT_LATE_INPUT,   /* its data loader takes longer, us a step */
    PLANT_LATE_HOST,    /* its host reads a value and thinks, us a step */
    PLANT_LATE_COPY,    /* its batch is copied from pageable memory, us a step */
    PLANT_SLOW_NODE,    /* kernels of a node's ranks take longer, percent */
    PLANT_SLOW_LINK,  /* transfers between nodes take longer with this node, percent */
    PLANT_HOT_EXPERT, /* a rank's experts get more tokens than their share, percent */
    PLANT_DROPPED,    /* no trace of this rank */
    PLANT_CLOCK,      /* its clock is ahead, us */
    PLANT_DRIFT,      /* its clock runs faster, parts per million */
    PLANT_LATE_START, /* its trace begins after this many collectives */
    PLANT_KINDS
};

struct plant_info {
    const char *name, *cause, *unit, *note;
    int amount_min, amount_max;
    bool of_node; /* the number after the colon is a node, not a rank */
};
extern const struct plant_info plant_infos[PLANT_KINDS];

struct plant {
    enum plant_kind kind;
    int where;
    double amount;
};

/* Where a trace says what a collective is. */
enum job_metadata {
    METADATA_SEQ,   /* on the kernel and on the call, with sequence numbers */
    METADATA_PLAIN, /* the same without sequence numbers */
    METADATA_CALL,  /* on the call alone, sequence numbers among its inputs */
    METADATA_NONE,
    METADATA_KINDS
};

struct job_options {
    int ranks; /* 0: one trace, no job */
    int gpus_per_node, tensor;
    bool experts, host_names;
    enum job_metadata metadata;
    double clock_spread_us, drift_spread_ppm, jitter_percent;
    struct plant plants[JOB_PLANTS_MAX];
    int plants_n;
};

struct job_plan {
    struct sample_plan model;
    struct job_options o;
};

enum job_group { GROUP_WORLD, GROUP_TENSOR, GROUP_DATA, GROUP_EXPERT, JOB_GROUPS };

/* The group of a kind that a rank belongs to: start, start + stride, ... */
struct rank_group {
    int name; /* unique in the job */
    int start, stride, count;
};
struct rank_group job_group_of(const struct job_plan *j, enum job_group kind, int rank);
extern const char *const job_group_descriptions[JOB_GROUPS];

/* "late-compute:5=20": a kind, a rank or node, and how much. */
MUST_CHECK bool plant_parse(const char *text, struct job_options *o, struct err *e);
MUST_CHECK bool metadata_parse(const char *text, struct job_options *o, struct err *e);

struct sample_options;
MUST_CHECK bool job_plan_make(const struct sample_options *o, struct job_plan *j,
                              struct err *e);

/* The amounts of this kind that were planted for the rank, added up. */
double job_planted(const struct job_plan *j, enum plant_kind kind, int rank);

/* Whether the plant is about the rank. */
bool plant_hits(const struct job_plan *j, const struct plant *p, int rank);

#endif
