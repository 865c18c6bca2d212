#include "report/job/job_tables.h"

#include "report/job/job_report.h"
#include "report/table_build.h"

#include <math.h>
#include <stdlib.h>

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

static struct report_table ranks_table(struct arena *perm, const struct job *j)
{
    static const struct table_heading columns[] = {
        {"rank", "Number of the rank"},
        {"node", "Its node"},
        {"host", "As its trace names it"},
        {"window_ns", "From its first device event to the end of its last"},
        {"compute_ns", "Computing"},
        {"transfer_ns", "Moving data, not hidden by computation"},
        {"wait_ns", "Waiting for other ranks, not hidden"},
        {"copy_ns", "Copying, not hidden"},
        {"idle_ns", "Without device work"},
        {"kernel_ns", "Sum over its kernels other than communication"},
        {"busy_ns", "All but idle time"},
        {"collectives", "Recorded"},
        {"page", "Its own report"}};
    struct table_build b = TABLE_OF(
        perm, "job_ranks", "Where the time of each rank goes", j->n_ranks, columns);
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        const struct job_balance *x = &r->balance;
        put_int(&b, r->rank);
        put_int(&b, r->node);
        put_name(&b, r->host);
        put_int(&b, x->window_ns);
        put_int(&b, x->compute_ns);
        put_int(&b, x->transfer_ns);
        put_int(&b, x->wait_ns);
        put_int(&b, x->copy_ns);
        put_int(&b, x->idle_ns);
        put_int(&b, x->kernel_ns);
        put_int(&b, x->busy_ns);
        put_int(&b, r->n_rows);
        put_name(&b, r->page);
    }
    return table_done(&b);
}

static struct report_table steps_table(struct arena *perm, const struct job *j)
{
    static const struct table_heading columns[] = {
        {"step", "Number of the step"},
        {"dur_ns", "Of the rank that takes longest"},
        {"slowest_rank", "That rank"}};
    struct table_build b =
        TABLE_OF(perm, "job_steps", "Steps that all ranks have", j->n_steps, columns);
    for (int i = 0; i < j->n_steps; i++) {
        put_int(&b, j->steps[i].number);
        put_int(&b, j->steps[i].dur_ns);
        put_int(&b, j->ranks[j->steps[i].slowest].rank);
    }
    return table_done(&b);
}

static struct report_table blame_table(struct arena *perm, const struct job *j)
{
    static const struct table_heading columns[] = {
        {"rank", "Number of the rank"},
        {"blame_ns", "Waiting of others that it causes; adds up to all waiting"},
        {"blame_share", "Of all waiting"},
        {"own_blame_ns", "Without what it was itself made late by"},
        {"waited_ns", "Waiting for others"},
        {"times_last", "Came last"},
        {"times_first", "Came first"},
        {"marginal_ns", "From the last but one to it, where it came last"},
        {"top_frac", "Resamples in which it is blamed most"},
        {"chronic_frac", "Steps in which it is blamed most"},
        {"named", "Whether the report names it"}};
    struct table_build b =
        TABLE_OF(perm, "job_blame", "Who makes others wait", j->n_ranks, columns);
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        put_int(&b, r->rank);
        put_int(&b, r->blame_ns);
        put_real(&b, share(r->blame, (double)j->wait_ns));
        put_int(&b, llround(r->own_blame));
        put_int(&b, r->waited_ns);
        put_int(&b, r->n_last);
        put_int(&b, r->n_first);
        put_int(&b, r->marginal_ns);
        put_real(&b, r->top_frac);
        put_real(&b, j->n_steps ? r->chronic_frac : (double)NAN);
        put_bool(&b, r->is_named);
    }
    return table_done(&b);
}

static struct report_table cause_table(struct arena *perm, const struct job *j)
{
    static const struct table_heading columns[] = {
        {"rank", "Number of the rank"},
        {"late_ns", "Longer than the rank in the middle before collectives; the parts "
                    "add up to it"},
        {"compute_ns", "Of that, computing"},
        {"copy_ns", "Copying"},
        {"other_communication_ns", "In other collectives"},
        {"idle_ns", "Without device work"},
        {"instances", "Collectives before which it was late"},
        {"cause", "What covers 80% of it; else mixed"}};
    struct table_build b = TABLE_OF(perm, "job_cause", "What late ranks did meanwhile",
                                    j->n_ranks, columns);
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        put_int(&b, r->rank);
        put_int(&b, r->late.ns);
        put_int(&b, r->late.part_ns[SEGMENT_COMPUTE]);
        put_int(&b, r->late.part_ns[SEGMENT_COPY]);
        put_int(&b, r->late.part_ns[SEGMENT_OTHER]);
        put_int(&b, r->late.part_ns[SEGMENT_IDLE]);
        put_int(&b, r->late.n);
        put_text(&b, r->cause);
    }
    return table_done(&b);
}

static void put_change(struct table_build *b, const struct job *j, struct str what,
                       int32_t place, struct str of, int64_t total_ns)
{
    put_text(b, what);
    if (place < 0)
        put_none(b);
    else
        put_int(b, j->ranks[place].rank);
    put_name(b, of);
    put_int(b, total_ns);
    put_int(b, j->identity_ns - total_ns);
}

static void put_curve(struct table_build *b, const struct job *j, const char *what,
                      int32_t place, int64_t total_ns)
{
    put_change(b, j, str_of(what), place, S(""), total_ns);
}

static struct report_table whatif_table(struct arena *perm, const struct job *j)
{
    static const struct table_heading columns[] = {
        {"change", "recorded; no late ranks; fast transfers; save: the rank alone is "
                   "mended; add: all but the rank are as in the middle; mended: with "
                   "those above; node, role, cause: all its ranks are mended"},
        {"rank", "Number of the rank; of several together, the first"},
        {"of", "The node, the ranks of a role, or the cause that is mended"},
        {"total_ns", "Length of the run, replayed"},
        {"saved_ns", "Against the recorded run"}};
    ptrdiff_t rows = 6 + 2 * (ptrdiff_t)j->n_ranks + j->n_curve + j->n_mends;
    struct table_build b =
        TABLE_OF(perm, "job_whatif",
                 "What the run would take with changes; savings are not "
                 "additive",
                 rows, columns);
    if (!j->whatif_shown)
        return table_done(&b);
    put_curve(&b, j, "recorded", -1, j->identity_ns);
    put_curve(&b, j, "no late ranks", -1, j->ideal_ns);
    put_curve(&b, j, "fast transfers", -1, j->fast_transfer_ns);
    if (j->named_ns >= 0)
        put_curve(&b, j, "late ranks mended", -1, j->named_ns);
    if (j->even_ns >= 0)
        put_curve(&b, j, "late ranks mended, loads even", -1, j->even_ns);
    if (j->links_ns >= 0)
        put_curve(&b, j, "slow groups as fast as others", -1, j->links_ns);
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        if (!r->has_whatif)
            continue;
        put_curve(&b, j, "save", i, j->identity_ns - r->save_ns);
        put_curve(&b, j, "add", i, j->ideal_ns + r->add_ns);
    }
    for (int i = 1; i < j->n_curve; i++)
        put_curve(&b, j, "mended", j->curve[i].rank, j->curve[i].total_ns);
    for (int i = 0; i < j->n_mends; i++)
        put_change(&b, j, mend_word(j->mends[i].kind), j->mends[i].ranks[0],
                   j->mends[i].what, j->mends[i].total_ns);
    return table_done(&b);
}

static struct report_table bandwidth_table(struct arena *perm, const struct job *j)
{
    static const struct table_heading columns[] = {
        {"kind", "Of the collective"},
        {"dtype", "Type of the elements"},
        {"bytes", "Of a message, as the libraries' benchmarks count"},
        {"ranks", "In the group"},
        {"span", "Within a node, or between nodes"},
        {"count", "Instances"},
        {"transfer_ns", "Middle of the shortest stays"},
        {"transfer_p95_ns", "19 of 20 are at most this"},
        {"skew_ns", "Middle of the time from the first to the last arrival"},
        {"wait_ns", "Sum of the waiting of all ranks"},
        {"algorithm_gb_per_s", "Bytes over transfer, 1e9 byte a second"},
        {"bus_gb_per_s", "What the links carry"},
        {"peak_share", "Of the link's peak"}};
    struct table_build b =
        TABLE_OF(perm, "job_bandwidth", "How fast data moves", j->n_bandwidth, columns);
    for (int i = 0; i < j->n_bandwidth; i++) {
        const struct job_bandwidth *x = &j->bandwidth[i];
        put_text(&b, collective_word(x->kind));
        put_name(&b, x->dtype);
        if (x->bytes < 0)
            put_none(&b);
        else
            put_int(&b, x->bytes);
        put_int(&b, x->ranks);
        put_text(&b, x->crosses_nodes ? S("between nodes") : S("within a node"));
        put_int(&b, x->n);
        put_int(&b, x->transfer_ns);
        put_int(&b, x->p95_ns);
        if (x->skew_ns < 0)
            put_none(&b);
        else
            put_int(&b, x->skew_ns);
        put_int(&b, x->wait_ns);
        put_real(&b, x->algorithm_gb_s);
        put_real(&b, x->bus_gb_s);
        put_real(&b, x->peak_frac);
    }
    return table_done(&b);
}

static struct report_table groups_table(struct arena *perm, const struct job *j)
{
    static const struct table_heading columns[] = {
        {"group", "Name"},
        {"description", "As recorded"},
        {"role", "What it is for"},
        {"role_from", "How that is known"},
        {"size", "Ranks in it"},
        {"present", "Ranks in the data"},
        {"collectives", "Instances"},
        {"matching", "How sure it is which collectives of several ranks are one"},
        {"unmatched", "Collectives that belong to none"},
        {"mismatched", "Members whose kind or size differs"},
        {"span", "Within a node, or between nodes"},
        {"slow_ratio", "Its transfers over those of groups that do the same"}};
    struct table_build b = TABLE_OF(
        perm, "job_groups", "Groups of ranks that communicate", j->n_groups, columns);
    for (int i = 0; i < j->n_groups; i++) {
        const struct job_group *g = &j->groups[i];
        put_name(&b, g->name);
        put_name(&b, g->description);
        put_text(&b, g->role_guessed ? str_printf(perm, "%.*s (guess)", STRF(g->role))
                                     : g->role);
        put_text(&b, g->role_reason);
        put_int(&b, g->size);
        put_int(&b, g->n_present);
        put_int(&b, g->n_instances);
        put_text(&b, match_word(g->confidence));
        put_int(&b, g->n_unmatched);
        put_int(&b, g->n_mismatched);
        put_text(&b, g->crosses_nodes ? S("between nodes") : S("within a node"));
        put_real(&b, g->slow_ratio);
    }
    return table_done(&b);
}

static struct report_table clock_table(struct arena *perm, const struct job *j)
{
    static const struct table_heading columns[] = {
        {"rank", "Number of the rank"},
        {"offset_ns", "How far its clock is ahead of the middle"},
        {"spread_ns", "Distance between the quartiles of what single ends say"},
        {"drift_ppm", "What its clock gains"},
        {"applied", "Whether times are put right by it"},
        {"anchors", "Ends it was read from"},
        {"violations", "Ends before the last had come"},
        {"cut_shift_us",
         "What `tracefolio cut --shift` takes for its trace; of a clock "
         "that drifts, in the middle of the run"}};
    struct table_build b =
        TABLE_OF(perm, "job_clock", "Clocks of the ranks", j->n_ranks, columns);
    int64_t middle_ns = j->start_ns + (j->end_ns - j->start_ns) / 2;
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        put_int(&b, r->rank);
        put_int(&b, r->offset_ns);
        put_int(&b, r->spread_ns);
        put_real(&b, r->drift_ppm);
        put_bool(&b, r->clock_applied);
        put_int(&b, r->n_anchors);
        put_int(&b, r->n_violations);
        if (r->file.n && !j->clock_free)
            put_real(&b, strtod(rank_shift_text(perm, j, r, middle_ns).p, NULL));
        else
            put_none(&b);
    }
    return table_done(&b);
}

static struct report_table missing_table(struct arena *perm, const struct job *j)
{
    static const struct table_heading columns[] = {{"rank", "Without a trace"}};
    struct table_build b = TABLE_OF(
        perm, "job_missing", "Ranks that are not in the data", j->n_missing, columns);
    for (int i = 0; i < j->n_missing; i++)
        put_int(&b, j->missing[i]);
    return table_done(&b);
}

static struct report_table instances_table(struct arena *perm, const struct job *j)
{
    enum { MOST = 20000 };
    static const struct table_heading columns[] = {
        {"group", "Name of the group"},
        {"sequence", "Number in the group, if recorded"},
        {"kind", "Of the collective"},
        {"bytes", "Of a message"},
        {"step", "Number of the step"},
        {"ranks", "In the data"},
        {"last_rank", "That came last"},
        {"start_ns", "When it came, from the start of the job"},
        {"skew_ns", "From the first to come to the last"},
        {"transfer_ns", "The shortest stay"},
        {"end_ns", "From the last arrival to the last end"},
        {"wait_ns", "Sum over its ranks"},
        {"capture_start", "It measures when profilers began: counted nowhere"}};
    int32_t n = j->n_instances < MOST ? j->n_instances : MOST;
    struct table_build b =
        TABLE_OF(perm, "job_collectives", "Collectives by time", n, columns);
    for (int32_t i = 0; i < n; i++) {
        const struct job_instance *x = &j->instances[j->by_time[i]];
        const struct job_signature *s = &j->signatures[x->signature];
        put_name(&b, j->groups[x->group].name);
        if (x->sequence < 0)
            put_none(&b);
        else
            put_int(&b, x->sequence);
        put_text(&b, collective_word(s->kind));
        put_int(&b, s->bytes);
        if (x->step < 0)
            put_none(&b);
        else
            put_int(&b, j->steps[x->step].number);
        put_int(&b, x->n_members);
        put_int(&b, j->ranks[x->last_rank].rank);
        put_int(&b, x->last_start_ns - j->start_ns);
        put_int(&b, x->last_start_ns - x->first_start_ns);
        put_int(&b, x->min_dur_ns);
        put_int(&b, x->last_end_ns - x->last_start_ns);
        put_int(&b, x->wait_ns);
        put_bool(&b, x->is_start);
    }
    return table_done(&b);
}

void job_tables(struct arena *perm, const struct job *j,
                struct report_table to[JOB_TABLES])
{
    static struct report_table (*const make[JOB_TABLES])(struct arena *,
                                                         const struct job *) = {
        ranks_table,     steps_table,  blame_table, cause_table,   whatif_table,
        bandwidth_table, groups_table, clock_table, missing_table, instances_table};
    for (int i = 0; i < JOB_TABLES; i++)
        to[i] = make[i](perm, j);
}
