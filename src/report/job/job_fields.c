#include "report/job/job_fields.h"

#include "analysis/model/system_results.h"
#include "base/arena.h"
#include "base/describe.h"
#include "report/job/job_measured.h"

#include <math.h>

enum { RANKS_MAX = 1024, GROUPS_MAX = 1024 };

#define NONE (double)NAN

/* Only where the run was replayed without this rank. */
TELL(double, save_ns, job_rank, it->has_whatif ? (double)it->save_ns : NONE);
TELL(double, add_ns, job_rank, it->has_whatif ? (double)it->add_ns : NONE);
TELL(int64_t, own_blame_ns, job_rank, (int64_t)llround(it->own_blame));
TELL(int64_t, run_ns, job, it->end_ns - it->start_ns);
TELL(struct str, check_word, job_check,
     !it->evaluated ? S("not evaluated")
     : it->good     ? S("passed")
                    : S("failed"));

static const struct job *job_of(const struct described *in)
{
    return ((const struct job_report *)in->whole)->j;
}

TELL(int64_t, first_rank, job_fix, job_of(in)->ranks[it->ranks[0]].rank);
TELL(int64_t, turn_rank, job_curve, job_of(in)->ranks[it->rank].rank);
TELL(struct str, suspect_host, job_suspect, job_of(in)->hosts[it->node]);

static double share_of(double blame, const struct job *j)
{
    return j->wait_ns > 0 ? blame / (double)j->wait_ns : NONE;
}
TELL(double, blame_share, job_rank, share_of(it->blame, job_of(in)));

TELL(const void *, what_if, job, it->whatif_shown ? it : NULL);
TELL(double, slowdown, job,
     it->ideal_ns > 0 ? (double)it->identity_ns / (double)it->ideal_ns : NONE);

TELL(struct field_items, categories, job_lateness,
     named_wholes(in->tmp, it->work_ns, WORK_CATEGORIES, work_category_name));
TELL(struct field_items, causes, job_lateness,
     named_wholes(in->tmp, it->cause_ns, CAPTURE_CAUSES, idle_class_word));

static void add(int64_t *sums, const int64_t *ns, int n)
{
    for (int k = 0; k < n; k++)
        sums[k] += ns[k];
}

/* Over all ranks, also those that are not listed. */
static const void *lateness(const struct described *in)
{
    const struct job *j = in->of;
    struct job_lateness *all = arena_new(in->tmp, struct job_lateness, 1);
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_lateness *l = &j->ranks[i].late;
        all->ns += l->ns;
        all->n += l->n;
        add(all->part_ns, l->part_ns, SEGMENT_PARTS);
        add(all->cause_ns, l->cause_ns, CAPTURE_CAUSES);
        add(all->work_ns, l->work_ns, WORK_CATEGORIES);
    }
    return all;
}

struct named_spread {
    struct str name;
    struct job_spread spread;
};

static struct field_items spreads(const struct described *in)
{
    const struct job_report *r = in->of;
    struct named_spread *list = arena_new(in->tmp, struct named_spread, JOB_PARTS);
    for (int p = 0; p < JOB_PARTS; p++)
        list[p] = (struct named_spread){job_part_key((enum job_part)p), r->spread[p]};
    return (struct field_items){.first = list, .n = JOB_PARTS};
}

static struct field_items ranks(const struct described *in)
{
    const struct job *j = in->of;
    const struct job_rank **list =
        arena_new(in->tmp, const struct job_rank *, j->n_ranks);
    int n = 0;
    for (int i = 0; i < j->n_ranks; i++)
        if (j->n_ranks <= RANKS_MAX || j->ranks[i].has_whatif || j->ranks[i].is_named)
            list[n++] = &j->ranks[i];
    return (struct field_items){.first = list, .n = n, .pointers = true};
}

static struct field_items named_ranks(const struct described *in)
{
    const struct job *j = in->of;
    const struct job_rank **list =
        arena_new(in->tmp, const struct job_rank *, j->n_named);
    for (int i = 0; i < j->n_named; i++)
        list[i] = &j->ranks[j->named[i]];
    return (struct field_items){.first = list, .n = j->n_named, .pointers = true};
}

struct missing_rank {
    int32_t rank;
};
static_assert(sizeof(struct missing_rank) == sizeof(int32_t), "a list of numbers");

static int at_most(int n, int most)
{
    return n < most ? n : most;
}

TELL(struct field_items, missing, job,
     (struct field_items){.first = it->missing,
                          .n = at_most(it->n_missing, RANKS_MAX)});
TELL(struct field_items, groups, job,
     (struct field_items){.first = it->groups, .n = at_most(it->n_groups, GROUPS_MAX)});
TELL(struct field_items, in_turn, job,
     (struct field_items){.first = it->n_curve ? it->curve + 1 : NULL,
                          .n = it->n_curve ? it->n_curve - 1 : 0});
TELL(struct str, format, job_report, S("tracefolio job"));
TELL(int64_t, version, job_report, 2);

static FIELDS(job_lateness, AS("late_ns", ns, NS),
              AS("compute_ns", part_ns[SEGMENT_COMPUTE], NS),
              AS("copy_ns", part_ns[SEGMENT_COPY], NS),
              AS("other_communication_ns", part_ns[SEGMENT_OTHER], NS),
              AS("idle_ns", part_ns[SEGMENT_IDLE], NS), AS("instances", n, COUNT),
              CALL_MAP(compute_categories_ns, named_whole, categories),
              CALL_MAP(idle_causes_ns, named_whole, causes));

static VIEW(spread, named_spread, F(name, TEXT), AS("least", spread.least_ns, NS),
            AS("middle", spread.middle_ns, NS), AS("most", spread.most_ns, NS),
            AS("sum", spread.sum_ns, NS));

static FIELDS(job_balance, F(window_ns, NS), F(compute_ns, NS), F(transfer_ns, NS),
              F(wait_ns, NS), F(copy_ns, NS), F(idle_ns, NS), F(kernel_ns, NS),
              F(busy_ns, NS));

static FIELDS(job_rank, F(rank, NUMBER), F(node, NUMBER), F(host, NAME), F(file, NAME),
              F(page, NAME), AS("collectives", n_rows, COUNT), F(blame_ns, NS),
              CALL(blame_share, EXACT, blame_share),
              CALL(own_blame_ns, NS, own_blame_ns), F(waited_ns, NS),
              AS("times_last", n_last, COUNT), AS("times_first", n_first, COUNT),
              F(marginal_ns, NS), F(top_frac, EXACT), CALL(save_ns, EXACT, save_ns),
              CALL(add_ns, EXACT, add_ns), F(load_frac, EXACT),
              AS("named", is_named, FLAG), F(cause, NAME),
              STRUCT_AS("lateness", late, job_lateness), STRUCT(balance, job_balance),
              AS("clock_offset_ns", offset_ns, NS),
              AS("clock_spread_ns", spread_ns, NS),
              AS("clock_drift_ppm", drift_ppm, EXACT), F(clock_applied, FLAG),
              AS("mfu_pct", measured[MEASURED_MFU], EXACT),
              AS("hfu_pct", measured[MEASURED_HFU], EXACT));
static VIEW(rank_number, job_rank, ITSELF(rank, NUMBER));
static FIELDS(missing_rank, ITSELF(rank, NUMBER));

static FIELDS(job_bandwidth, ENUM(kind, collective_word, COLLECTIVE_KINDS),
              F(dtype, TEXT), F(bytes, KNOWN), F(ranks, COUNT),
              AS("between_nodes", crosses_nodes, FLAG), AS("count", n, COUNT),
              F(transfer_ns, NS), AS("transfer_p95_ns", p95_ns, NS), F(wait_ns, NS),
              F(skew_ns, KNOWN), AS("algorithm_gb_per_s", algorithm_gb_s, EXACT),
              AS("bus_gb_per_s", bus_gb_s, EXACT), AS("peak_share", peak_frac, EXACT));
static FIELDS(job_fit, ENUM(kind, collective_word, COLLECTIVE_KINDS), F(ranks, COUNT),
              AS("between_nodes", crosses_nodes, FLAG), AS("sizes", n_sizes, COUNT),
              F(latency_us, EXACT), AS("gb_per_s", gb_s, EXACT));

static FIELDS(job_group, F(name, NAME), F(description, NAME), F(role, TEXT),
              F(role_guessed, FLAG), AS("role_from", role_reason, TEXT), F(size, COUNT),
              AS("present", n_present, COUNT), AS("collectives", n_instances, COUNT),
              ENUM_AS("matching", confidence, match_word, CONFIDENCE_LEVELS),
              AS("unmatched", n_unmatched, COUNT),
              AS("mismatched", n_mismatched, COUNT),
              AS("between_nodes", crosses_nodes, FLAG), F(slow_ratio, EXACT));
static FIELDS(job_suspect, F(node, NUMBER), CALL(host, NAME, suspect_host),
              AS("within", inside, FLAG), AS("times_as_long", ratio, EXACT),
              AS("slow_groups", n_slow, COUNT), AS("groups", n_groups, COUNT));

static FIELDS(job_fix, ENUM(kind, fix_word, FIX_CAUSE + 1), F(what, TEXT),
              F(node, KNOWN), AS("ranks", n_ranks, COUNT),
              CALL(first_rank, NUMBER, first_rank), F(total_ns, NS));
static FIELDS(job_curve, CALL(rank, NUMBER, turn_rank), F(total_ns, NS));
static VIEW(what_if, job, LIST_AS("fixed_together", fixes, n_fixes, job_fix),
            AS("recorded_ns", identity_ns, NS), AS("no_late_ranks_ns", ideal_ns, NS),
            AS("fast_transfers_ns", fast_transfer_ns, NS),
            AS("late_ranks_fixed_ns", named_ns, KNOWN),
            AS("even_loads_ns", even_ns, KNOWN), AS("fast_links_ns", links_ns, KNOWN),
            CALL(slowdown, EXACT, slowdown),
            CALL_LIST(fixed_in_turn, job_curve, in_turn));

static FIELDS(job_check, F(what, TEXT), CALL(status, TEXT, check_word), F(says, TEXT));

TELL(struct field_items, measured, job, job_measures(in->tmp, it));
static VIEW(figures, job, AS("ranks_present", n_ranks, COUNT),
            AS("ranks_expected", n_expected, COUNT), AS("nodes", n_nodes, COUNT),
            F(gpus_per_node, COUNT), AS("steps", n_steps, COUNT),
            AS("instances", n_instances, COUNT), CALL(run_ns, NS, run_ns),
            F(step_ns, NS), F(wait_ns, NS),
            AS("wait_without_clocks_ns", free_wait_ns, NS),
            AS("capture_start_wait_ns", start_wait_ns, NS),
            AS("compute_imbalance_frac", imbalance_frac, EXACT),
            ENUM_AS("confidence", verdict, job_verdict_word, JOB_VERDICT_HIGH + 1),
            AS("confidence_reason", verdict_reason, TEXT), F(clock_method, TEXT),
            AS("clocks_good", clock_good, FLAG),
            AS("clock_violations", n_clock_violations, COUNT));
static VIEW(late, job, CALL_LIST(late_ranks, rank_number, named_ranks),
            CALL_LIST(missing_ranks, missing_rank, missing),
            CALL_STRUCT(what_if, what_if, what_if),
            CALL_STRUCT(lateness, job_lateness, lateness));
static FIELDS(job, CALL_LIST(ranks, job_rank, ranks),
              CALL_LIST(measured, job_measured, measured),
              LIST(bandwidth, n_bandwidth, job_bandwidth),
              LIST_AS("bandwidth_fits", fits, n_fits, job_fit),
              CALL_LIST(groups, job_group, groups),
              LIST_AS("slow_nodes", suspects, n_suspects, job_suspect));

FIELDS(job_report, CALL(_format, TEXT, format), CALL(_version, NUMBER, version),
       AS("tool", tool_version, TEXT), F(id, TEXT), F(share_level, TEXT),
       MEMBERS_OF(j, figures), ARRAY("verdict", verdict, n_verdict, text),
       ARRAY("checks", checks, n_checks, job_check), MEMBERS_OF(j, late),
       CALL_MAP(rank_times, spread, spreads), MEMBERS_OF(j, job));

/* The summary. */

static const struct job *summed(const struct described *in)
{
    return ((const struct job_summary *)in->whole)->r->j;
}

static int checks_that(const struct job_report *r, bool evaluated, bool good)
{
    int n = 0;
    for (int i = 0; i < r->n_checks; i++)
        n += r->checks[i].evaluated == evaluated && r->checks[i].good == good;
    return n;
}

TELL(struct str, kind, job_report, S("job"));
TELL(struct str, schema, job_report, S("2.0"));
TELL(struct str, headline, job_report, it->n_verdict ? it->verdict[0] : S(""));
TELL(double, blame_pct, job_rank,
     summed(in)->wait_ns > 0 ? 100 * it->blame / (double)summed(in)->wait_ns : NONE);
TELL(int64_t, n_passed, job_report, checks_that(it, true, true));
TELL(int64_t, n_failed, job_report, checks_that(it, true, false));
TELL(int64_t, n_open, job_report,
     checks_that(it, false, true) + checks_that(it, false, false));
TELL(double, replayed_ns, job, it->whatif_shown ? (double)it->identity_ns : NONE);
TELL(double, ideal_ns, job, it->whatif_shown ? (double)it->ideal_ns : NONE);
TELL(double, named_done_ns, job,
     it->whatif_shown && it->named_ns >= 0 ? (double)it->named_ns : NONE);
TELL(double, shown_slowdown, job, it->whatif_shown ? slowdown(in) : NONE);
TELL(double, imbalance_pct, job, 100 * it->imbalance_frac);

TELL(struct str, condition, gate_result, it->of->text);
TELL(struct str, gate_status, gate_result,
     it->status == GATE_NOT_EVALUATED ? S("not-evaluated")
                                      : gate_status_key(it->status));

static VIEW(late_rank, job_rank, F(rank, NUMBER), F(node, NUMBER), F(cause, NAME),
            CALL(blame_pct, EXACT, blame_pct), CALL(save_ns, EXACT, save_ns));
static VIEW(checked, job_report, CALL(passed, COUNT, n_passed),
            CALL(failed, COUNT, n_failed), CALL(not_evaluated, COUNT, n_open));
static VIEW(summed, job,
            ENUM_AS("confidence", verdict, job_verdict_word, JOB_VERDICT_HIGH + 1),
            AS("ranks_present", n_ranks, COUNT),
            AS("ranks_expected", n_expected, COUNT),
            AS("ranks_missing", n_missing, COUNT), AS("nodes", n_nodes, COUNT),
            AS("steps", n_steps, COUNT), AS("clocks_good", clock_good, FLAG),
            CALL(run_ns, NS, run_ns), F(step_ns, NS), F(wait_ns, NS),
            CALL(replayed_ns, EXACT, replayed_ns),
            CALL(no_late_ranks_ns, EXACT, ideal_ns),
            CALL(late_ranks_fixed_ns, EXACT, named_done_ns),
            CALL(slowdown, EXACT, shown_slowdown),
            CALL(compute_imbalance_pct, EXACT, imbalance_pct),
            CALL_LIST(late_ranks, late_rank, named_ranks));
static VIEW(summed_report, job_report, CALL(schema, TEXT, schema),
            CALL(kind, TEXT, kind), AS("tool", tool_version, TEXT),
            AS("report_id", id, TEXT), F(share_level, TEXT),
            CALL(verdict, TEXT, headline), MEMBERS_OF(j, summed),
            PART("checks", checked));
static FIELDS(gate_result, CALL(condition, TEXT, condition), F(value, EXACT),
              CALL(status, TEXT, gate_status));
FIELDS(job_summary, MEMBERS_OF(r, summed_report), LIST(gates, n_gates, gate_result));
