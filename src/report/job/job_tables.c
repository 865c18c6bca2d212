#include "report/job/job_tables.h"

#include "report/job/job_report.h"
#include "report/table_fields.h"

#include <math.h>
#include <stdlib.h>

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

static const struct job *job_of(const struct described *in)
{
    return in->whole;
}

COLUMNS(rank_columns, job_rank, COL(F(rank, NUMBER), "Number of the rank"),
        COL(F(node, NUMBER), "Its node"), COL(F(host, NAME), "As its trace names it"),
        COL(AS("window_ns", balance.window_ns, NS),
            "From its first device event to the end of its last"),
        COL(AS("compute_ns", balance.compute_ns, NS), "Computing"),
        COL(AS("transfer_ns", balance.transfer_ns, NS),
            "Moving data, not hidden by computation"),
        COL(AS("wait_ns", balance.wait_ns, NS), "Waiting for other ranks, not hidden"),
        COL(AS("copy_ns", balance.copy_ns, NS), "Copying, not hidden"),
        COL(AS("idle_ns", balance.idle_ns, NS), "Without device work"),
        COL(AS("kernel_ns", balance.kernel_ns, NS),
            "Sum over its kernels other than communication"),
        COL(AS("busy_ns", balance.busy_ns, NS), "All but idle time"),
        COL(AS("collectives", n_rows, COUNT), "Recorded"),
        COL(F(page, NAME), "Its own report"));

static struct report_table ranks_table(struct arena *perm, const struct job *j)
{
    return table_told(perm, "job_ranks", "Where the time of each rank goes",
                      rank_columns(), TABLE_ITEMS(j->ranks, j->n_ranks), j);
}

TELL(int64_t, slowest_rank, job_step, job_of(in)->ranks[it->slowest].rank);
COLUMNS(step_columns, job_step, COL(AS("step", number, NUMBER), "Number of the step"),
        COL(F(dur_ns, NS), "Of the rank that takes longest"),
        COL(CALL(slowest_rank, NUMBER, slowest_rank), "That rank"));

static struct report_table steps_table(struct arena *perm, const struct job *j)
{
    return table_told(perm, "job_steps", "Steps that all ranks have", step_columns(),
                      TABLE_ITEMS(j->steps, j->n_steps), j);
}

TELL(double, blame_share, job_rank, share(it->blame, (double)job_of(in)->wait_ns));
TELL(int64_t, own_blame_ns, job_rank, llround(it->own_blame));
TELL(double, chronic_frac, job_rank,
     job_of(in)->n_steps ? it->chronic_frac : (double)NAN);
COLUMNS(blame_columns, job_rank, COL(F(rank, NUMBER), "Number of the rank"),
        COL(F(blame_ns, NS),
            "Waiting of others that it causes; adds up to all waiting"),
        COL(CALL(blame_share, EXACT, blame_share), "Of all waiting"),
        COL(CALL(own_blame_ns, NS, own_blame_ns),
            "Without the delay that other ranks caused"),
        COL(F(waited_ns, NS), "Waiting for others"),
        COL(AS("times_last", n_last, COUNT), "Came last"),
        COL(AS("times_first", n_first, COUNT), "Came first"),
        COL(F(marginal_ns, NS),
            "From the last but one arrival to its own, where it arrived last"),
        COL(F(top_frac, EXACT), "Resamples in which it is blamed most"),
        COL(CALL(chronic_frac, EXACT, chronic_frac),
            "Steps in which it is blamed most"),
        COL(AS("named", is_named, FLAG), "Whether the report names it"));

static struct report_table blame_table(struct arena *perm, const struct job *j)
{
    return table_told(perm, "job_blame", "Who makes others wait", blame_columns(),
                      TABLE_ITEMS(j->ranks, j->n_ranks), j);
}

COLUMNS(cause_columns, job_rank, COL(F(rank, NUMBER), "Number of the rank"),
        COL(AS("late_ns", late.ns, NS),
            "Longer than the median rank before collectives; the parts add up to it"),
        COL(AS("compute_ns", late.part_ns[SEGMENT_COMPUTE], NS), "Of that, computing"),
        COL(AS("copy_ns", late.part_ns[SEGMENT_COPY], NS), "Copying"),
        COL(AS("other_communication_ns", late.part_ns[SEGMENT_OTHER], NS),
            "In other collectives"),
        COL(AS("idle_ns", late.part_ns[SEGMENT_IDLE], NS),
            "Without device work, or with none but communication as its host is late"),
        COL(AS("instances", late.n, COUNT), "Collectives before which it was late"),
        COL(F(cause, TEXT), "What covers 80% of it; else mixed"));

static struct report_table cause_table(struct arena *perm, const struct job *j)
{
    return table_told(perm, "job_cause", "What late ranks did meanwhile",
                      cause_columns(), TABLE_ITEMS(j->ranks, j->n_ranks), j);
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
                   "fixed; add: all but this rank take the median; fixed: with "
                   "those above; node, role, cause: all its ranks are fixed"},
        {"rank", "Number of the rank; of several together, the first"},
        {"of", "The node, the ranks of a role, or the cause that is fixed"},
        {"total_ns", "Length of the run, replayed"},
        {"saved_ns", "Against the recorded run"}};
    ptrdiff_t rows = 6 + 2 * (ptrdiff_t)j->n_ranks + j->n_curve + j->n_fixes;
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
        put_curve(&b, j, "late ranks fixed", -1, j->named_ns);
    if (j->even_ns >= 0)
        put_curve(&b, j, "late ranks fixed, loads even", -1, j->even_ns);
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
        put_curve(&b, j, "fixed", j->curve[i].rank, j->curve[i].total_ns);
    for (int i = 0; i < j->n_fixes; i++)
        put_change(&b, j, fix_word(j->fixes[i].kind), j->fixes[i].ranks[0],
                   j->fixes[i].what, j->fixes[i].total_ns);
    return table_done(&b);
}

static struct str span_word(bool crosses_nodes)
{
    return crosses_nodes ? S("between nodes") : S("within a node");
}

TELL(struct str, bandwidth_span, job_bandwidth, span_word(it->crosses_nodes));
COLUMNS(bandwidth_columns, job_bandwidth,
        COL(ENUM(kind, collective_word, COLLECTIVE_KINDS), "Of the collective"),
        COL(F(dtype, NAME), "Type of the elements"),
        COL(F(bytes, KNOWN), "Of a message, as the libraries' benchmarks count"),
        COL(F(ranks, COUNT), "In the group"),
        COL(CALL(span, TEXT, bandwidth_span), "Within a node, or between nodes"),
        COL(AS("count", n, COUNT), "Instances"),
        COL(F(transfer_ns, NS), "Median of the shortest stays"),
        COL(AS("transfer_p95_ns", p95_ns, NS), "19 of 20 are at most this"),
        COL(F(skew_ns, KNOWN), "Median of the time from the first to the last arrival"),
        COL(F(wait_ns, NS), "Sum of the waiting of all ranks"),
        COL(AS("algorithm_gb_per_s", algorithm_gb_s, EXACT),
            "Bytes over transfer, 1e9 byte a second"),
        COL(AS("bus_gb_per_s", bus_gb_s, EXACT), "What the links carry"),
        COL(AS("peak_share", peak_frac, EXACT), "Of the link's peak"));

static struct report_table bandwidth_table(struct arena *perm, const struct job *j)
{
    return table_told(perm, "job_bandwidth", "How fast data moves", bandwidth_columns(),
                      TABLE_ITEMS(j->bandwidth, j->n_bandwidth), j);
}

TELL(struct str, group_span, job_group, span_word(it->crosses_nodes));
TELL(struct str, group_role, job_group,
     it->role_guessed ? str_printf(in->tmp, "%.*s (guess)", STRF(it->role)) : it->role);
COLUMNS(group_columns, job_group, COL(AS("group", name, NAME), "Name"),
        COL(F(description, NAME), "As recorded"),
        COL(CALL(role, TEXT, group_role), "What it is for"),
        COL(AS("role_from", role_reason, TEXT), "How that is known"),
        COL(F(size, COUNT), "Ranks in it"),
        COL(AS("present", n_present, COUNT), "Ranks in the data"),
        COL(AS("collectives", n_instances, COUNT), "Instances"),
        COL(ENUM_AS("matching", confidence, match_word, CONFIDENCE_LEVELS),
            "How reliably collectives of several ranks are matched"),
        COL(AS("unmatched", n_unmatched, COUNT), "Collectives that belong to none"),
        COL(AS("mismatched", n_mismatched, COUNT),
            "Members whose kind or size differs"),
        COL(CALL(span, TEXT, group_span), "Within a node, or between nodes"),
        COL(F(slow_ratio, EXACT),
            "Its transfers over those of groups that do the same"));

static struct report_table groups_table(struct arena *perm, const struct job *j)
{
    return table_told(perm, "job_groups", "Groups of ranks that communicate",
                      group_columns(), TABLE_ITEMS(j->groups, j->n_groups), j);
}

static double cut_shift_us(const struct described *in)
{
    const struct job_rank *r = in->of;
    const struct job *j = in->whole;
    int64_t middle_ns = j->start_ns + (j->end_ns - j->start_ns) / 2;
    return r->file.n && !j->clock_free
               ? strtod(rank_shift_text(in->tmp, j, r, middle_ns).p, NULL)
               : (double)NAN;
}

COLUMNS(clock_columns, job_rank, COL(F(rank, NUMBER), "Number of the rank"),
        COL(F(offset_ns, NS), "How far its clock is ahead of the median"),
        COL(F(spread_ns, NS), "Distance between the quartiles of what single ends say"),
        COL(F(drift_ppm, EXACT), "What its clock gains"),
        COL(AS("applied", clock_applied, FLAG), "Whether times are corrected by it"),
        COL(AS("anchors", n_anchors, COUNT), "Ends it was read from"),
        COL(AS("violations", n_violations, COUNT), "Ends before the last arrival"),
        COL(CALL(cut_shift_us, EXACT, cut_shift_us),
            "What `tracefolio cut --shift` takes for its trace; of a clock "
            "that drifts, halfway through the run"));

static struct report_table clock_table(struct arena *perm, const struct job *j)
{
    return table_told(perm, "job_clock", "Clocks of the ranks", clock_columns(),
                      TABLE_ITEMS(j->ranks, j->n_ranks), j);
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

TELL(struct str, instance_group, job_instance, job_of(in)->groups[it->group].name);
TELL(struct str, instance_kind, job_instance,
     collective_word(job_of(in)->signatures[it->signature].kind));
TELL(int64_t, instance_bytes, job_instance,
     job_of(in)->signatures[it->signature].bytes);
TELL(int64_t, instance_step, job_instance,
     it->step < 0 ? -1 : job_of(in)->steps[it->step].number);
TELL(int64_t, last_rank, job_instance, job_of(in)->ranks[it->last_rank].rank);
TELL(int64_t, last_start_ns, job_instance, it->last_start_ns - job_of(in)->start_ns);
COLUMNS(instance_columns, job_instance,
        COL(CALL(group, NAME, instance_group), "Name of the group"),
        COL(F(sequence, KNOWN), "Number in the group, if recorded"),
        COL(CALL(kind, TEXT, instance_kind), "Of the collective"),
        COL(CALL(bytes, NUMBER, instance_bytes), "Of a message"),
        COL(CALL(step, KNOWN, instance_step), "Number of the step"),
        COL(AS("ranks", n_members, COUNT), "In the data"),
        COL(CALL(last_rank, NUMBER, last_rank), "That arrived last"),
        COL(CALL(start_ns, NS, last_start_ns),
            "When it arrived, from the start of the job"),
        COL(SPAN("skew_ns", NS, first_start_ns, last_start_ns),
            "From the first arrival to the last"),
        COL(AS("transfer_ns", min_dur_ns, NS), "The shortest stay"),
        COL(SPAN("end_ns", NS, last_start_ns, last_end_ns),
            "From the last arrival to the last end"),
        COL(F(wait_ns, NS), "Sum over its ranks"),
        COL(AS("capture_start", is_start, FLAG),
            "It measures the skew between profiler starts: counted nowhere"));

static struct report_table instances_table(struct arena *perm, const struct job *j)
{
    enum { MOST = 20000 };
    int32_t n = j->n_instances < MOST ? j->n_instances : MOST;
    const struct job_instance **list = arena_new(perm, const struct job_instance *, n);
    for (int32_t i = 0; i < n; i++)
        list[i] = &j->instances[j->by_time[i]];
    struct field_items rows = {.first = list, .n = n, .pointers = true};
    return table_told(perm, "job_collectives", "Collectives by time",
                      instance_columns(), rows, j);
}

#define MEASURED(name, m, says) COL(AS(name, measured[m], EXACT), says)
COLUMNS(measured_columns, job_rank, COL(F(rank, NUMBER), "Number of the rank"),
        MEASURED("mfu_pct", MEASURED_MFU, "Model FLOP utilisation"),
        MEASURED("hfu_pct", MEASURED_HFU, "The same with recomputation"),
        MEASURED("mfu_covered_pct", MEASURED_COVERED, "Kernel time that models cover"),
        MEASURED("memory_peak_bytes", MEASURED_MEMORY, "Allocated at the peak"),
        MEASURED("best_bus_gb_per_s", MEASURED_BUS, "Best collective on the bus"),
        MEASURED("sm_active_pct", MEASURED_SM, "SMs with work while kernels run"),
        MEASURED("power_w", MEASURED_POWER, "Mean of the recording"),
        MEASURED("step_j", MEASURED_STEP, "Energy of a step"),
        MEASURED("few_blocks_pct", MEASURED_FILL,
                 "Kernel time with fewer blocks than the device has units"),
        MEASURED("layer_ms", MEASURED_LAYER, "A call of a layer, mean of both passes"),
        MEASURED("compiled_breaks", MEASURED_BREAKS,
                 "Between calls of compiled code, in a step"),
        MEASURED("compiled_break_ms", MEASURED_BREAK, "Host time in these, in a step"),
        MEASURED("recompiled_frames", MEASURED_AGAIN, "Compiled more than once"));

static struct report_table measured_table(struct arena *perm, const struct job *j)
{
    return table_told(
        perm, "job_measured",
        "What each trace tells of utilisation, memory, counters and layers",
        measured_columns(), TABLE_ITEMS(j->ranks, j->n_ranks), j);
}

void job_tables(struct arena *perm, const struct job *j,
                struct report_table to[JOB_TABLES])
{
    static struct report_table (*const make[JOB_TABLES])(struct arena *,
                                                         const struct job *) = {
        ranks_table,   steps_table,     blame_table,   cause_table,
        whatif_table,  bandwidth_table, groups_table,  clock_table,
        missing_table, instances_table, measured_table};
    for (int i = 0; i < JOB_TABLES; i++)
        to[i] = make[i](perm, j);
}
