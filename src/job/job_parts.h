/* job_parts.h - the stages of job_make, in their order; nobody else's. */
#ifndef JOB_JOB_PARTS_H
#define JOB_JOB_PARTS_H

#include "base/arena.h"
#include "base/sort.h"
#include "base/team.h"
#include "job/job.h"
#include "job/replay.h"

/* A recording is of days at most, and the clocks of its ranks are not further apart. */
#define JOB_APART_MAX_NS (INT64_C(1) << 50)

/* Groups that ranks name differently and that are one. */
void job_join_groups(struct arena tmp, struct job *j);

/* Groups of communicators that have no names: one for each. */
void job_split_unnamed(struct arena *perm, struct arena tmp, struct job *j);

/* Instances: which collectives of several ranks are one; by group. */
void job_match(struct arena *perm, struct arena tmp, struct job *j);

/* One clock for all ranks, as far as the ends of collectives tell. */
void job_align(struct arena *perm, struct arena tmp, struct job *j);

/* What a rank did before a collective, where the one before ran beside computation. */
void job_hide(struct arena tmp, struct job *j);

/* Times of the instances; who waits, and for whom. */
void job_blame(struct arena *perm, struct arena tmp, struct job *j);

/* How long a collective moves data on its rank: as long as on the quickest. */
static inline int64_t moving_ns(const struct job *j, const struct job_member *m)
{
    const struct job_instance *x = m->instance >= 0 ? &j->instances[m->instance] : NULL;
    return x && x->is_decomposed ? x->min_dur_ns : m->dur_ns;
}

/* Which ranks do the same; once the steps are known. */
void job_rank_roles(struct arena tmp, struct job *j);

/* The periods, if ranks are to be compared by them. */
void job_find_periods(struct arena *perm, struct arena tmp, struct job *j);
/* The first row of a rank that begins after a time, from `row` on; or n_rows. */
int32_t row_behind(const struct job_rank *r, int32_t row, int64_t ns);
/* The step of the job that a time of a rank lies in; n_steps: none. */
int period_of(const struct job *j, const struct job_rank *r, int64_t at_ns);
int64_t period_ns(const struct job_period *p);
void periods_lateness(struct arena tmp, struct job *j);
/* Whether what two ranks do in a period is of the same span: outside steps it is not if
 * one has recorded more of them. */
static inline bool periods_compare(const struct job *j, int32_t rank, int32_t ref,
                                   int period)
{
    return !j->n_steps || period < j->n_steps ||
           j->ranks[rank].n_steps == j->ranks[ref].n_steps;
}
/* For each period of each rank: the place of the rank in the middle of its role, by
 * what it does in that period; the lower of two. */
int32_t *periods_middle(struct arena *a, const struct job *j);

enum { RUN_GAP_NS = 50000 }; /* what is shorter is part of a run of work */

/* Where the device has nothing to do beside communication and then goes on while that
 * still runs: it waits for its host. By start; how many. */
int32_t rank_held(struct arena *a, const struct job_rank *r,
                  struct capture_block **held);

/* Causes of lateness: computation by category, copies, idle time by cause, or of none.
 */
enum { JOB_CAUSES = WORK_CATEGORIES + 1 + CAPTURE_CAUSES + 1 };
enum segment_part cause_part(int cause);
bool cause_is_held(int cause); /* whether it has what rank_held finds */
struct str cause_text(struct arena *perm, int cause); /* "compute: GEMM" */

/* That of a cause in parts, in causes of idle time, and in categories of computation.
 */
int64_t cause_of(int cause, const int64_t part_ns[SEGMENT_PARTS],
                 const int64_t cause_ns[CAPTURE_CAUSES],
                 const int64_t work_ns[WORK_CATEGORIES]);

/* What each of n causes makes of the difference between the segments of two ranks, in a
 * step or (n_steps) in none. */
void causes_between(const struct job *j, const int *causes, int n,
                    const struct member_ref *own, const struct member_ref *ref,
                    int step, int64_t *to);

/* The same of two periods, between which computation differs by `compute_ns`. */
int64_t cause_in_period(const struct job *j, int cause, int32_t rank, int32_t ref,
                        int period, int64_t compute_ns);

/* `ns` of computation that a rank has more (or less) than another in a step, or in
 * none, by category: as the categories of the step differ. */
void split_compute(const struct job *j, int32_t rank, int32_t ref, int step, int64_t ns,
                   int64_t to[WORK_CATEGORIES]);

/* What a rank does after its last collective, and that of the median rank of its role
 * that has as many steps. */
int64_t rank_tail_ns(const struct job_rank *r);
int64_t *median_tails(struct arena *a, const struct job *j);

/* Where each rank's rows and blocks begin among those of all. */
struct job_places {
    int32_t *first_row;
    int64_t *first_block; /* counted if blocks are replayed, else 0 */
    int64_t n_rows, n_blocks;
};

/* What segments are multiplied with if ranks came as the median one, by row from the
 * first of each rank; then by block of each rank, for work in no segment, where
 * communication is hidden; then by rank, for what follows its last collective. `fixed`:
 * only where the rank is late. Less than 0: to be added, the sign apart, to what has no
 * length. */
struct job_scales {
    float *fixed, *middle;
};
struct job_scales job_find_scales(struct arena *a, const struct job *j,
                                  const struct job_places *p);

/* Where the time of each rank went. */
void job_balances(struct arena tmp, struct job *j);

/* Calls `one` for each of n causes, with `fixed` of what it alone makes ranks late by;
 * `place`: of the cause in the list. */
void job_causes_scales(struct arena tmp, const struct job *j,
                       const struct job_places *p, const int *causes, int n,
                       void (*one)(void *context, struct arena tmp, int place,
                                   const float *fixed),
                       void *context);

/* What late ranks did meanwhile. */
void job_causes(struct arena *perm, struct arena tmp, struct job *j);

/* About what a job takes: of memory, for each collective of each rank, and besides; and
 * to replay it. */
#define JOB_PAIR_BYTES   100.0
#define JOB_REPLAY_BYTES 64.0
#define JOB_OTHER_BYTES  24e6

double job_bytes(int64_t n_pairs); /* without a replay */

struct job_builder;

/* Gives the blocks of all ranks back; and their covers. */
void job_drop_blocks(struct job_builder *b, struct job_rank *ranks, int n);
void job_drop_covers(struct job_builder *b, struct job_rank *ranks, int n);

/* With more collectives and blocks, work between collectives is part of the gaps. */
enum { JOB_NODES_MAX = 8000000 };

/* What the run would take without late ranks. */
void job_what_ifs(struct arena *perm, struct arena tmp, struct job *j);

/* How uneven all-to-all-v is, and to whose cost. */
#define UNEVEN_FRAC 0.95 /* of what one takes: less is uneven */
void job_find_uneven(struct arena tmp, struct job *j);

/* Groups whose transfers are slow, and the nodes that explain them. */
void job_slow_links(struct arena *perm, struct arena tmp, struct job *j);

/* What the run would take with what was found put right: all ranks that are named,
 * uneven loads, slow links. */
void job_what_if_fixed(struct arena *perm, struct arena tmp, struct job *j);

/* How much a rank holds others up by its own doing: what it is blamed for, ns; in a
 * pipeline (job.is_piped) how late it is. */
double rank_charge(const struct job *j, const struct job_rank *r);

/* All ranks, those first that others wait for most by their own doing. */
struct sort_row *by_own_blame(struct arena *a, const struct job *j);

/* How sure it is who is late, and whether anyone is named. */
void job_judge(struct arena *perm, struct arena tmp, struct job *j);

/* The node of a rank that may not be in the data. */
int node_of_rank(const struct job *j, int32_t rank);

void job_bandwidths(struct arena *perm, struct arena tmp, struct job *j);

/* What groups are for, and which nodes they span. */
void job_roles(struct arena tmp, struct job *j);

/* Instances that count for blame: of the steps that were asked for, decomposed, and not
 * the start of a capture. */
bool instance_counts(const struct job *j, const struct job_instance *i);

/* What each is charged with, in that order; `own`: without what it inherited. */
struct charge {
    int32_t rank;
    double blame, own;
};
void charges_of(const struct job *j, const struct job_instance *x,
                const struct sort_row *rows, struct charge *to);

/* The middle of n values, which are reordered; of two, their mean. */
int64_t median_ns(int64_t *values, ptrdiff_t n);

/* The value at place `at` of the sorted list, which is reordered. */
int64_t nth_ns(int64_t *values, ptrdiff_t n, ptrdiff_t at);

/* By how many collectives two ranks are shifted against each other, by
 * the distances between their ends, which need no clock. */

enum {
    SHIFT_MAX = 64,          /* collectives that a rank may lack at its beginning */
    RESIDUAL_MAX_NS = 100000 /* the right shift leaves 6 to 16 us */
};

/* The collectives of a group on one rank. */
struct lane {
    int32_t rank, n;
    int32_t *rows;
};

const struct job_member *lane_row(const struct job *j, const struct lane *l, int32_t i);
int64_t lane_end_ns(const struct job *j, const struct lane *l, int32_t i);

/* Kind and type agree, and the size where all ranks have the same: of signatures, and
 * of rows. */
bool signatures_alike(const struct job *j, int32_t a, int32_t b);
bool lane_rows_alike(const struct job *j, const struct lane *a, int32_t i,
                     const struct lane *b, int32_t k);

/* The shift that leaves least, and what the second best leaves; ns. */
struct shift {
    int by;
    int64_t best_ns, second_ns; /* -1: no such shift */
};
struct shift lanes_shift(const struct job *j, const struct lane *a,
                         const struct lane *b);

/* It is surely that shift. */
bool shift_is_verified(const struct shift *s);

/* The recorded run of a job as a graph that can be replayed with changes:
 * job_whatif.c asks what ranks cost, job_fixes.c what nodes, roles and causes do.
 *
 * Made in `tmp`; what is left of `perm` serves as scratch while it is. */

struct job_graph {
    struct job *j;
    struct arena *perm, tmp;
    struct replay_graph g;
    struct job_places places;
    struct job_scales scales;
};

/* With a circle, g.n_order is less than g.n, and it cannot be run. */
void job_graph_build(struct job_graph *w);

/* How long the run is, for at most REPLAY_LANES sets of modes. */
void job_graph_run(struct job_graph *w, const uint8_t *const *modes, int n,
                   int64_t *end_ns);

/* Other scales, by place, for REPLAY_FIXED. */
void job_graph_fix(struct job_graph *w, const float *scales);

/* What nodes, roles and causes of lateness cost the run; adds to
 * j->fixes.
 */

/* The last that is asked of a graph: its scales are other ones afterwards. */
void job_fix_together(struct job_graph *w);

/* Members that are at the same place of the same work: of one instance, and
 * of the instances at that place in all groups that do the same. */

struct pool_list {
    int32_t *first, *instances; /* of each pool */
    int32_t most;               /* members of the largest */
};

struct pool_list pools_list(struct arena *a, const struct job *j);

/* The members of a pool whose instances count, and their number. */
int32_t pool_members(const struct job *j, const struct pool_list *l, int32_t pool,
                     struct member_ref *to);

/* The pool that a row counts in; -1: none. */
int32_t pool_of_row(const struct job *j, const struct job_member *m);

/* Ranks are far apart in memory: asks for the segment of a member that is some places
 * behind place `i` of n. */
static inline void segment_soon(const struct job *j, const struct member_ref *all,
                                int32_t i, int32_t n)
{
    enum { PLACES = 12 };
    if (i + PLACES >= n)
        return;
    const struct member_ref *m = &all[i + PLACES];
    const struct job_member *row = &j->ranks[m->rank].rows[m->row];
    __builtin_prefetch(row->part_ns);
    __builtin_prefetch(&row->part_ns[SEGMENT_PARTS - 1]);
}

/* The same for all that is looked at of the members of a pool in a step. */
static inline void members_soon(const struct job *j, const struct member_ref *all,
                                int32_t i, int32_t n, int step)
{
    enum { RANK = 24, PLACES = 16, ROWS = 8 };
    if (i + RANK < n) {
        __builtin_prefetch(&j->ranks[all[i + RANK].rank].rows);
        __builtin_prefetch(&j->ranks[all[i + RANK].rank].step_at);
    }
    if (i + PLACES < n && step < j->n_steps)
        __builtin_prefetch(&j->ranks[all[i + PLACES].rank].step_at[step]);
    if (i + ROWS < n) {
        const struct job_rank *r = &j->ranks[all[i + ROWS].rank];
        __builtin_prefetch(&r->rows[all[i + ROWS].row]);
        if (step < j->n_steps) {
            const int64_t *work_ns = r->steps[r->step_at[step]].work_ns;
            __builtin_prefetch(work_ns);
            __builtin_prefetch(work_ns + WORK_CATEGORIES / 2);
            __builtin_prefetch(work_ns + WORK_CATEGORIES - 1);
        }
    }
}

/* Calls `one` with the members of each pool that has any that count, in any order, from
 * as many threads as the options allow; `member` says which of them, `tmp` is its own.
 */
void pools_each(struct arena tmp, const struct job *j,
                void (*one)(void *context, int member, struct arena tmp, int32_t pool,
                            const struct member_ref *all, int32_t n),
                void *context);

/* How many threads there may be, each with scratch from `tmp`. */
int job_team(struct arena tmp, const struct job *j, struct arena own[TEAM_MAX]);

/* Groups that do the same, and the pools of their instances. */
void pools_find(struct arena tmp, struct job *j);

#endif
