/* job.h - a job of many ranks: who waits for whom, how long, and why.
 *
 * Made from one capture a rank by job_make. All is in the arena of the maker and does
 * not depend on the order of the captures: ranks are sorted. Times are whole
 * nanoseconds on one clock, from the start of the first rank; NaN and -1 are unknown.
 * Names come from traces and are hostile. */
#ifndef JOB_JOB_H
#define JOB_JOB_H

#include "base/arena.h"
#include "base/err.h"
#include "base/sort.h"
#include "base/str.h"
#include "capture/capture.h"
#include "capture/measured.h"
#include "kernels/collective_kind.h"

/* Where ranks run, from a table that the user gives.
 *
 * The first line names the columns, of which rank and host count ("node" is host too);
 * others, as gpu, nic and switch, may be there. One rank a line after that; # begins a
 * remark. */
struct job_place {
    int32_t rank, node; /* nodes are numbered by their first rank */
    struct str host;
};

struct job_topology {
    struct job_place *places; /* by rank */
    int n, n_nodes;           /* n 0: none was given */
};

/* Hosts are of `text`; `path` names it in errors. */
MUST_CHECK bool topology_read(struct arena *perm, struct arena tmp, struct str text,
                              const char *path, struct job_topology *t, struct err *e);

/* The place of a rank, or NULL. */
const struct job_place *topology_place(const struct job_topology *t, int32_t rank);

enum job_clock { CLOCK_AUTO, CLOCK_TRUST, CLOCK_NONE };

struct job_options {
    int n_expected;                /* ranks; 0: as the traces say */
    int gpus_per_node;             /* 0: as the traces say */
    struct job_topology topology;  /* outranks both */
    int64_t first_step, last_step; /* -1: all */
    enum job_clock clock;
    double link_gb_s[2]; /* peaks inside a node, between nodes; NaN: unknown */
    double
        max_pairs; /* collectives of all ranks that the run is replayed with; 0: any */
    double max_bytes; /* of memory that a replay may make the job take; 0: any */
    bool redact_hosts;
    bool with_start; /* the first collective counts as any other */
    int threads;     /* at most so many work on it; the result is the same */
};

/* How a collective of one rank was found to belong to those of others. */
enum match_confidence {
    CONFIDENCE_EXACT,    /* sequence numbers */
    CONFIDENCE_VERIFIED, /* the distances of their ends agree, and of no other shift */
    CONFIDENCE_ALIGNED,  /* kind, size and time of the end agree */
    CONFIDENCE_ORDER,    /* as many of the same kinds, and nothing contradicts */
    CONFIDENCE_NONE,
    CONFIDENCE_LEVELS
};
struct str match_word(enum match_confidence c);

/* A collective on one rank. */
enum segment_part {
    SEGMENT_COMPUTE,
    SEGMENT_COPY,
    SEGMENT_OTHER, /* communication of other groups */
    SEGMENT_IDLE,
    SEGMENT_PARTS
};

struct job_member {
    int64_t start_ns, dur_ns;
    int64_t part_ns[SEGMENT_PARTS]; /* since the end of the collective before */
    int64_t own_ns; /* without communication, since the one before of its group */
    int32_t signature, instance, stream; /* instance -1: not matched */
    int32_t sequence;                    /* -1: none */
};

/* Of the idle time before a collective, what has a known cause. */
struct job_cause {
    int32_t row, cause; /* by row, then by cause */
    int64_t ns;
};

/* What of a step concerns others. */
struct rank_step {
    int64_t start_ns, end_ns, number;
    int64_t part_ns[SEGMENT_PARTS];   /* without communication */
    int64_t work_ns[WORK_CATEGORIES]; /* computation by category */
    int32_t of;                       /* step of the job, or -1 */
};

/* What all ranks agree on about a kind and size in a group. */
struct job_signature {
    enum collective_kind kind;
    struct str dtype, name, in_split, out_split;
    int32_t group, root;
    int64_t in_elements, out_elements, bytes; /* as benchmarks count; -1 */
    enum fact_source kind_source, size_source;
    bool custom;
};

struct job_group {
    struct str name, description;
    uint64_t key;
    const int32_t *ranks;                /* NULL: not recorded */
    int n_ranks, size;                   /* size: as recorded, else of those present */
    int n_present;                       /* ranks with collectives of it */
    int32_t first_instance, n_instances; /* in group order */
    int32_t family;                      /* groups that do the same */
    enum match_confidence confidence;
    int64_t n_members, n_unmatched, n_mismatched;
    struct str role, role_reason; /* "TP", why it is taken for it */
    bool role_guessed, crosses_nodes;
    double slow_ratio; /* transfer over the quick ones of its family; NaN */
    bool is_slow;
};

struct job_instance {
    int32_t group, signature, step;  /* step: place in job.steps, -1 */
    int32_t first_member, n_members; /* in job.members, by rank */
    int32_t pool; /* of the instances at the same place in groups of a family; of a
                   * transfer, of who sends: the next one is of who receives */
    int64_t sequence;
    int64_t last_start_ns, first_start_ns, first_end_ns, last_end_ns;
    int64_t min_dur_ns;
    int64_t wait_ns;    /* sum over its ranks */
    float even_frac;    /* of an all-to-all-v: what an even one would take */
    int32_t last_rank;  /* place of the rank that came last */
    bool is_start;      /* the first of the capture on one of its ranks */
    bool is_complete;   /* all ranks of the group are there */
    bool is_decomposed; /* waiting can be told from moving data */
    bool lacks_last;    /* someone who is not in the data came last */
    bool may_lack_last; /* the same cannot be excluded: no collective has all ranks */
};

struct member_ref {
    int32_t rank, row; /* places */
};

/* Where lateness of a rank comes from: its segments against those of the rank in the
 * middle. The parts add up to `ns`, the causes to the part of idle time. */
struct job_lateness {
    int64_t ns, part_ns[SEGMENT_PARTS], cause_ns[CAPTURE_CAUSES];
    int64_t work_ns[WORK_CATEGORIES]; /* adds up to computation, if categories are known
                                       */
    int64_t n;                        /* instances */
};

/* How long a rank waits for its host beside communication before a row: all of it, and
 * what runs of work have between their kernels. */
struct row_held {
    int64_t ns, short_ns;
};

struct job_balance { /* adds up to the window */
    int64_t window_ns, compute_ns, transfer_ns, wait_ns, copy_ns, idle_ns;
    int64_t kernel_ns, busy_ns;
};

struct job_rank {
    int rank, node;
    struct str vendor; /* of a device that is no GPU; empty: a GPU */
    struct str host, file, sha256, tool, library, options, page;
    const char *input; /* that its capture can be read from, and in which line; NULL: no
                          more; or */
    int32_t input_line;
    int64_t input_at; /* where in that file it is read from; -1: line by line */
    struct str kept; /* the capture itself, as a line of such a file; empty: not kept */
    int64_t base_ns, start_ns, end_ns;
    int64_t trace_ns; /* to be added to a time for that of the trace: rank_trace_ns */
    double slow_gain; /* by which all behind slow_from_ns is slowed */
    int64_t slow_from_ns;
    struct job_member *rows; /* by start */
    int32_t n_rows;
    struct capture_block *blocks, *covers;
    int32_t n_blocks, n_covers;
    struct row_held *held; /* by row, where communication is hidden; else NULL */
    struct rank_step *steps;
    int n_steps;
    int32_t *step_at; /* of each step of the job: its place in `steps` */
    int64_t work_ns[WORK_CATEGORIES]; /* of the window */
    struct job_cause *causes;
    int32_t n_causes;
    int32_t *peers; /* by row: the rank at the other end, or -1; NULL: no transfers */
    int32_t role;   /* equal: about the same collectives */

    /* its clock, by which rows are already put right if `clock_applied` */
    int64_t offset_ns, spread_ns;
    double drift_ppm;
    int64_t n_anchors, n_violations;
    bool clock_applied;

    int64_t waited_ns, blame_ns, marginal_ns;
    double blame,
        own_blame; /* exact sums behind blame_ns; without what was inherited */
    int64_t n_last, n_first;
    double top_frac; /* of the resamples in which it is blamed most */
    double chronic_frac, chronic_p;
    struct job_lateness late;
    struct job_balance balance;
    int64_t save_ns, add_ns; /* if it alone were fixed; if it alone were not */
    bool has_whatif, is_named;
    struct str cause; /* "compute", "idle: Python", "mixed" */
    double cause_frac;
    double load_frac; /* of all-to-all-v: over the mean of its group; NaN */
    double measured[MEASURED_ALL]; /* NaN: not known */
};

/* What a rank does in a step without communication. */
struct job_period {
    int64_t part_ns[SEGMENT_PARTS], cause_ns[CAPTURE_CAUSES];
    int64_t held_ns; /* of idle time: beside communication, which waits for the host */
};

struct job_step {
    int64_t number, dur_ns; /* the longest of its ranks */
    int32_t slowest;        /* place of the rank */
};

struct job_curve { /* fixed one after the other */
    int32_t rank;  /* place; -1: none yet */
    int64_t total_ns;
};

/* Several ranks fixed together, or all of them of one cause. */
enum fix_kind { FIX_NODE, FIX_ROLE, FIX_CAUSE };

struct str fix_word(enum fix_kind kind); /* "node" */

struct job_fix {
    enum fix_kind kind;
    struct str what; /* "gpu004", "4 ranks as rank 8", "compute: GEMM" */
    int node;        /* -1: of no node */
    int32_t *ranks;  /* places; of a cause: those it makes late */
    int n_ranks;
    int64_t total_ns;
};

struct job_bandwidth {
    enum collective_kind kind;
    struct str dtype;
    int64_t bytes, n;
    int ranks;
    bool crosses_nodes;
    int64_t transfer_ns, p95_ns; /* median */
    int64_t wait_ns, skew_ns;    /* sum, median of those that count; -1: none does */
    double algorithm_gb_s, bus_gb_s, peak_frac;
};

struct job_fit { /* transfer = latency + bytes / rate */
    enum collective_kind kind;
    int ranks, n_sizes;
    bool crosses_nodes;
    double latency_us, gb_s;
};

struct job_suspect {
    int node;
    bool inside;             /* slow within the node, not from it to others */
    double frac, other_frac; /* of slow groups among those with it, without it */
    double ratio;            /* transfers of the slow over those of the fast; median */
    int n_slow, n_groups;
};

/* Of captures in which no kernel communicates: those with most time, as names that
 * --names may be told. */
enum { JOB_KERNELS_TOLD = 20 };
struct job_kernel {
    struct str name; /* hostile */
    double ns;       /* sum over the ranks */
};

enum job_verdict {
    JOB_VERDICT_NONE,
    JOB_VERDICT_LOW,
    JOB_VERDICT_MEDIUM,
    JOB_VERDICT_HIGH
};

/* Why a rank is late, for who has compared it with another. */
struct job_reason {
    struct str
        because;  /* a clause: "all kernels take 15.0% longer"; empty: not known */
    int kind;     /* enum rank_cause of the report */
    int32_t rank; /* place */
};

enum { JOB_REASONS = 3 };

struct job {
    struct job_options options;
    struct job_rank *ranks; /* by number */
    int n_ranks, world, n_expected, n_missing;
    int32_t *missing;
    int n_unread;     /* inputs that cannot be read, left out */
    int n_duplicates; /* captures of a trace that is there already, left out */
    struct job_kernel *kernels; /* job_make failed as none communicates */
    int n_kernels;
    struct job_group *groups; /* by key order of first appearance over ranks */
    int n_groups, n_families;
    struct job_signature *signatures;
    int n_signatures;
    struct job_instance *instances; /* by group, then in order */
    int32_t n_instances;
    struct member_ref *members;
    int64_t n_members;
    int32_t *by_time; /* instances by the start of the last */
    struct job_step *steps;
    int n_steps;
    int n_nodes, gpus_per_node;
    struct str *hosts; /* by node; empty: unknown */
    int32_t n_pools;
    struct member_ref *middles; /* of each pool, once causes are known; of hidden
                                   communication NULL */

    /* Much communication is hidden: ranks are compared by steps, not before each
     * collective. n_steps + 1 periods of each rank; the last is what is in no step. */
    bool is_hidden;
    bool is_piped; /* and stages hand on to each other: who waits for whom does not say
                    * who is late, what each does in a step does */
    struct job_period *periods;
    int n_periods;
    bool has_blocks;   /* while the job is made */
    int64_t step_ns;   /* middle of the steps; of the run without steps */
    float *step_blame; /* own blame by rank and step, ns; NULL: no steps, or too many */

    bool clock_good;
    bool clock_free; /* arrivals are told by lengths alone: all leave together */
    struct str clock_method;
    int64_t n_clock_violations, n_clock_checked;

    int64_t start_ns, end_ns;       /* of the window: T */
    int64_t wait_ns, start_wait_ns; /* start: in collectives that begin the capture */
    int64_t free_wait_ns;           /* the same without clocks: d - min d */
    int64_t total_late_ns;

    bool has_several;   /* collectives of one rank were found on another */
    bool has_complete;  /* collectives of several ranks with all ranks of their group */
    int32_t n_lacking;  /* instances that someone outside the data came last to */
    int64_t lacking_ns; /* how much longer their ranks stay than usual; sum */
    int64_t *usual_ns;  /* by signature: how long data moves; NULL: not asked */

    bool whatif_shown;
    struct str no_replay; /* why the run is not replayed; empty: it is */
    int64_t identity_ns, ideal_ns, fast_transfer_ns;
    struct job_curve *curve;
    int n_curve;
    struct job_fix *fixes; /* of each kind, what saves most first */
    int n_fixes;
    int64_t named_ns;  /* with all named ranks fixed; -1: not evaluated */
    int64_t even_ns;   /* with even all-to-all-v too; -1: no uneven ones */
    int64_t links_ns;  /* with slow groups as fast as others; -1: none is slow */
    int64_t joined_ns; /* if collectives did not wait for ranks outside the data; -1 */
    int64_t bare_ns;   /* the same if the shortest stays were waiting, too, as far as
                        * peaks of links allow; -1: transfers are known */
    int64_t
        compared_ns;   /* of the run, what fixing the named ranks may change; 0: all */
    bool is_node;      /* those named are the ranks of one node */
    bool is_scattered; /* ranks are late, and none more than chance makes it */
    bool is_once;      /* by one rank alone, in too few steps to name it; then */
    int32_t once;      /* its place */

    /* Why the named ranks are late: of the first, and where their lateness is not of
     * one cause, of each, if they are no more than this. */
    struct job_reason reasons[JOB_REASONS];
    int n_reasons;
    struct str first_action; /* what the analysis of first_rank would do first; empty */
    int32_t first_rank;      /* place */

    enum job_verdict verdict;
    struct str verdict_reason;
    int32_t *named; /* places of the ranks to look at, by what they cost */
    int n_named;

    struct job_bandwidth *bandwidth;
    int n_bandwidth;
    struct job_fit *fits;
    int n_fits;
    struct job_suspect *suspects;
    int n_suspects;
    double imbalance_frac; /* of computation: most over mean, less 1 */
    bool is_uneven;        /* some all-to-all-v are */
};

/* Moves all times of a rank. */
void rank_shift(struct job_rank *r, int64_t ns);

/* The same for a clock that gains: all times behind `from_ns` are less by this part of
 * their distance. */
void rank_slow(struct job_rank *r, double gain, int64_t from_ns);

/* The time of the rank's trace at which the job's clock says `ns`. */
int64_t rank_trace_ns(const struct job_rank *r, int64_t ns);

/* Where the rank of this number is, or -1. */
int32_t job_rank_place(const struct job *j, int32_t rank);

static inline int64_t member_segment_ns(const struct job_member *m)
{
    int64_t ns = 0;
    for (int k = 0; k < SEGMENT_PARTS; k++)
        ns += m->part_ns[k];
    return ns;
}

static inline const struct job_member *member_of(const struct job *j, int64_t place)
{
    const struct member_ref *r = &j->members[place];
    return &j->ranks[r->rank].rows[r->row];
}

/* Ranks are far apart in memory: asks for the times of the member some places on, for
 * who goes through the members one after the other. */
static inline void member_soon(const struct job *j, int64_t place)
{
    enum { PLACES = 16 };
    if (place + PLACES >= j->n_members)
        return;
    const struct member_ref *r = &j->members[place + PLACES];
    __builtin_prefetch(&j->ranks[r->rank].rows[r->row]);
}

/* When a rank came to an instance whose times are known: without a clock for all, its
 * stay before the end of all tells it. */
static inline int64_t arrival_ns(const struct job *j, const struct job_instance *x,
                                 const struct job_member *m)
{
    return j->clock_free ? x->last_end_ns - m->dur_ns : m->start_ns;
}

/* Members of an instance by arrival: `row` is the place of one in the instance. */
struct sort_row *by_arrival(struct arena *a, const struct job *j,
                            const struct job_instance *x);

/* Adds or takes away what is known of the idle time before a row. */
void row_causes(const struct job_rank *r, int32_t row, int sign, int64_t *ns);

/* The median one by the length of its segment, the lower of two; of equal ones
 * that of the lowest rank. */
struct member_ref pool_middle(struct arena tmp, const struct job *j,
                              const struct member_ref *all, int32_t n);

#endif
