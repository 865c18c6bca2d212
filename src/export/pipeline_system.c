/* The system tier as data: idle time, copies and communication. */
#include "export/pipeline_parts.h"

#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "base/arena.h"
#include "base/describe.h"

#include <math.h>

static const struct report_timeline *timeline_of(const struct described *in)
{
    return &((const struct pipeline_source *)in->whole)->r->timeline;
}

static bool is_flagged(enum severity s)
{
    return s != SEVERITY_NONE && s != SEVERITY_UNKNOWN;
}

#define SEVERITY(as, member) ENUM_AS(as, member, severity_word, SEVERITY_UNKNOWN + 1)

TELL(const void *, timeline, pipeline_source, &it->r->timeline);
TELL(const void *, multi_kernel, pipeline_source, &it->a->system->multi_kernel);
TELL(const void *, whole, pipeline_source, it);

/* Copies. */

struct told_copy {
    struct str direction;
    const struct copy_result *of;
};

static struct field_items directions(const struct described *in)
{
    const struct multi_kernel_result *m = in->of;
    struct told_copy *list = arena_new(in->tmp, struct told_copy, COPY_DIRECTIONS);
    int n = 0;
    for (enum copy_direction d = 0; d < COPY_DIRECTIONS; d++)
        if (m->copies[d].count)
            list[n++] = (struct told_copy){copy_direction_word(d), &m->copies[d]};
    return (struct field_items){.first = list, .n = n};
}

static const void *all_copies(const struct described *in)
{
    const struct multi_kernel_result *m = in->of;
    struct copy_result *all = arena_new(in->tmp, struct copy_result, 1);
    for (int d = 0; d < COPY_DIRECTIONS; d++) {
        all->count += m->copies[d].count;
        all->total_us += m->copies[d].total_us;
    }
    return all;
}

static double copy_pct(const struct described *in)
{
    const struct copy_result *c = in->of;
    return pct_of(c->total_us / 1e3, timeline_of(in)->total_ms);
}

static struct str copy_says(const struct described *in)
{
    const struct told_copy *c = in->of;
    double ms = c->of->total_us / 1e3, pct = pct_of(ms, timeline_of(in)->total_ms);
    return str_printf(in->tmp, "%lld %s %.*s %s %.*s ms, %.*s%% of total time",
                      (long long)c->of->count,
                      str_plural(c->of->count, "copy", "copies"), STRF(c->direction),
                      str_plural(c->of->count, "takes", "take"),
                      STRF(number_ms(in->tmp, ms)), STRF(number_pct(in->tmp, pct)));
}

TELL(double, bytes_each, copy_result,
     it->bytes >= 0 ? (double)it->bytes / (double)it->count : (double)NAN);
TELL(double, mean_us, copy_result, it->total_us / (double)it->count);
TELL(bool, copy_flagged, copy_result, is_flagged(it->severity));

static VIEW(copied, copy_result, AS("total_count", count, COUNT),
            AS("total_time_us", total_us, US));
static VIEW(copy, copy_result, F(count, COUNT), AS("total_time_us", total_us, US),
            CALL(avg_time_us, US, mean_us), AS("max_time_us", max_us, US),
            AS("total_bytes", bytes, KNOWN), CALL(avg_bytes, RATE, bytes_each));
static VIEW(told_direction, told_copy, F(direction, TEXT), MEMBERS_OF(of, copy));
static VIEW(copies, multi_kernel_result, MEMBERS_FROM(copied, all_copies),
            CALL_MAP(by_direction, told_direction, directions));

static VIEW(rated_copy, copy_result, F(count, COUNT), AS("time_ms", total_us, US_IN_MS),
            CALL(percent_of_total, PCT, copy_pct), CALL(avg_bytes, RATE, bytes_each),
            SEVERITY("severity", severity), SEVERITY("time_severity", time_severity),
            SEVERITY("count_severity", count_severity),
            CALL(flagged, FLAG, copy_flagged));
static VIEW(copy_issue, told_copy, F(direction, TEXT), MEMBERS_OF(of, rated_copy),
            CALL(description, TEXT, copy_says));
static VIEW(copied_in_ms, copy_result, AS("total_count", count, COUNT),
            AS("total_time_ms", total_us, US_IN_MS),
            CALL(percent_of_total, PCT, copy_pct));

TELL(bool, copies_flagged, multi_kernel_result, is_flagged(it->memcpy_severity));
static VIEW(copies_rated, multi_kernel_result, SEVERITY("severity", memcpy_severity),
            CALL(flagged, FLAG, copies_flagged), MEMBERS_FROM(copied_in_ms, all_copies),
            CALL_LIST(issues, copy_issue, directions));

/* Communication. */

TELL(double, comm_mean_us, multi_kernel_result,
     it->comm_count ? it->comm_total_us / (double)it->comm_count : 0.0);
static FIELDS(comm_op, F(name, TEXT), F(duration_us, US), F(stream, NUMBER));
static VIEW(communication, multi_kernel_result, AS("total_count", comm_count, COUNT),
            AS("total_time_us", comm_total_us, US), CALL(avg_time_us, US, comm_mean_us),
            AS("max_time_us", comm_max_us, US),
            ARRAY("top_ops", top_comm, n_top_comm, comm_op));

TELL(double, comm_pct, report_timeline, pct_of(it->exposed_comm_ms, it->total_ms));
TELL(double, memcpy_pct, report_timeline, pct_of(it->exposed_memcpy_ms, it->total_ms));
static VIEW(overlap_times, report_timeline, AS("total_time_us", total_ms, MS_IN_US),
            AS("computation_time_us", computation_ms, MS_IN_US),
            AS("total_comm_time_us", total_comm_ms, MS_IN_US),
            AS("exposed_comm_time_us", exposed_comm_ms, MS_IN_US),
            AS("total_memcpy_time_us", total_memcpy_ms, MS_IN_US),
            AS("exposed_memcpy_time_us", exposed_memcpy_ms, MS_IN_US));
static VIEW(overlap_ratios, multi_kernel_result,
            AS("comm_overlap_ratio", comm_overlap_frac, FINE),
            AS("memcpy_overlap_ratio", memcpy_overlap_frac, FINE));
static VIEW(overlap_shares, report_timeline, CALL(comm_percent_of_total, PCT, comm_pct),
            CALL(memcpy_percent_of_total, PCT, memcpy_pct));
static VIEW(overlap, pipeline_source, MEMBERS_FROM(overlap_times, timeline),
            MEMBERS_FROM(overlap_ratios, multi_kernel),
            MEMBERS_FROM(overlap_shares, timeline));

static struct str blocking_says(const struct described *in)
{
    static const struct str words[] = {
        [SEVERITY_NONE] = S_INIT("Communication is well hidden behind computation"),
        [SEVERITY_LOW] = S_INIT("Exposed communication is minor"),
        [SEVERITY_MEDIUM] = S_INIT("Exposed communication is worth addressing"),
        [SEVERITY_HIGH] =
            S_INIT("Exposed communication is significant on the critical path"),
        [SEVERITY_CRITICAL] = S_INIT("Communication severely blocks compute"),
        [SEVERITY_UNKNOWN] = S_INIT("Communication cannot be rated")};
    const struct multi_kernel_result *m = in->of;
    return m->comm_count > 0 ? words[m->blocking_severity]
                             : S("The trace holds no communication");
}

TELL(struct str, blocking_word, multi_kernel_result, blocking_severity_word(it));
TELL(bool, blocking_flagged, multi_kernel_result, is_flagged(it->blocking_severity));
TELL(const void *, exposed, multi_kernel_result, it ? timeline_of(in) : NULL);
static VIEW(exposed_comm, report_timeline,
            AS("exposed_comm_time_ms", exposed_comm_ms, MS),
            AS("total_comm_time_ms", total_comm_ms, MS),
            AS("exposed_percent_of_total", exposed_comm_pct, PCT));
static VIEW(blocking, multi_kernel_result, CALL(severity, TEXT, blocking_word),
            CALL(flagged, FLAG, blocking_flagged), MEMBERS_FROM(exposed_comm, exposed),
            CALL(description, TEXT, blocking_says));

/* Whether there is enough of it to speak of overlap. */
static bool is_rated(const struct described *in)
{
    return timeline_of(in)->total_comm_ms >= 0.1;
}

TELL(bool, overlap_flagged, multi_kernel_result, is_flagged(it->overlap_severity));
TELL(struct str, overlap_word, multi_kernel_result,
     severity_or(it->overlap_severity, is_rated(in) ? S("GOOD") : S("NONE")));
TELL(struct str, overlap_says, multi_kernel_result,
     !is_rated(in) ? S("insufficient communication data")
     : is_flagged(it->overlap_severity)
         ? S("Less communication than the target overlaps computation")
         : S("Communication overlaps with computation as it should"));
TELL(double, overlap_pct, multi_kernel_result, 100.0 * it->comm_overlap_frac);
TELL(int64_t, overlap_target_pct, multi_kernel_result, 70);
static VIEW(overlap_rated, multi_kernel_result, CALL(severity, TEXT, overlap_word),
            CALL(flagged, FLAG, overlap_flagged),
            AS("overlap_ratio", comm_overlap_frac, FINE),
            CALL(overlap_percent, PCT, overlap_pct),
            CALL(target_percent, NUMBER, overlap_target_pct),
            CALL(description, TEXT, overlap_says));

/* The same quantity from the tables and from the device events. */
struct cross_check {
    struct str quantity;
    double table_ms, events_ms;
};

static double off_pct(const struct cross_check *c)
{
    double larger = fmax(fabs(c->table_ms), fabs(c->events_ms));
    return larger > 0.0 ? 100.0 * fabs(c->table_ms - c->events_ms) / larger : 0.0;
}

TELL(struct str, check_word, cross_check, off_pct(it) <= 2.0 ? S("PASS") : S("WARN"));
TELL(struct str, check_says, cross_check,
     off_pct(it) <= 2.0
         ? S("")
         : str_printf(in->tmp, "%.*s differs by %.*s%%", STRF(it->quantity),
                      STRF(number_pct(in->tmp, off_pct(it)))));
static FIELDS(cross_check, F(quantity, TEXT), AS("timeline_ms", table_ms, MS),
              AS("overlap_analysis_ms", events_ms, MS), CALL(status, TEXT, check_word),
              CALL(message, NAME, check_says));

static struct field_items cross_checks(const struct described *in)
{
    const struct pipeline_source *s = in->whole;
    const struct report_timeline *t = &s->r->timeline;
    const struct report_table *sheet = pipeline_sheet(s, "gpu_timeline");
    const struct cross_check all[] = {
        {S("computation_time"), 0, t->computation_ms},
        {S("exposed_comm_time"), 0, t->exposed_comm_ms},
        {S("exposed_memcpy_time"), 0, t->exposed_memcpy_ms},
        {S("total_time"), 0, t->total_ms}};
    enum { N = sizeof all / sizeof *all };
    /* Two timelines, with and without recomputation, cannot share one figure. */
    ptrdiff_t n_rows = sheet && !s->t->facts.has_recompute ? sheet->n_rows : 0;
    struct cross_check *list = arena_new(in->tmp, struct cross_check, n_rows);
    int n = 0;
    for (int k = 0; k < N; k++)
        for (ptrdiff_t row = 0; row < n_rows; row++) {
            const struct cell *c = table_cell(sheet, row, 0);
            if (!str_eq(c->as.text, all[k].quantity) || c[1].kind != CELL_REAL)
                continue;
            list[n] = all[k];
            list[n++].table_ms = c[1].as.r;
        }
    return (struct field_items){.first = list, .n = n};
}

/* The two tiers name a pattern and its evidence differently. */
static VIEW(pattern, system_pattern, AS("pattern", name, TEXT),
            SEVERITY("severity", severity), AS("description", evidence, TEXT),
            F(impact, TEXT), F(solution, TEXT));
static VIEW(idle_pattern, system_pattern, F(name, TEXT), SEVERITY("severity", severity),
            F(evidence, TEXT), F(impact, TEXT), F(solution, TEXT));
static VIEW(solution, system_pattern, ITSELF(solution, TEXT));

static VIEW(measured, multi_kernel_result, PART("memcpy_summary", copies),
            PART("nccl_summary", communication));
static VIEW(rated, multi_kernel_result, PART("memcpy_assessment", copies_rated),
            PART("nccl_blocking_assessment", blocking),
            PART("overlap_assessment", overlap_rated),
            LIST_AS("patterns_detected", patterns, n_patterns, pattern),
            CALL_LIST(cross_validation, cross_check, cross_checks),
            F(step_count, COUNT), F(training, FLAG));
static VIEW(total, report_timeline, AS("total_time_ms", total_ms, MS));
static VIEW(multi_kernel_metrics, pipeline_source, SAYS(status, "SUCCESS"),
            MEMBERS_FROM(total, timeline), MEMBERS_FROM(measured, multi_kernel),
            CALL_STRUCT(overlap_analysis, overlap, whole),
            MEMBERS_FROM(rated, multi_kernel));
static VIEW(multi_kernel_failed, multi_kernel_result, SAYS(status, "ERROR"),
            F(error, TEXT));

static FIELDS(collective_row, AS("name", key[COLLECTIVE_NAME], TEXT),
              AS("dtype", key[COLLECTIVE_DTYPE], TEXT), AS("message_mb", in_mib, FINE),
              AS("count", us.n, COUNT), AS("time_us", us.sum, US));
static VIEW(unlinked, multi_kernel_result,
            AS("unlinked_kernel_count", unlinked_count, COUNT),
            AS("unlinked_kernel_time_us", unlinked_us, US));
TELL(struct field_items, collectives, pipeline_source,
     (struct field_items){.first = it->t->collectives.rows, .n = it->t->collectives.n});
static VIEW(multi_kernel_data, pipeline_source, MEMBERS_FROM(measured, multi_kernel),
            CALL_STRUCT(overlap_analysis, overlap, whole),
            MEMBERS_FROM(unlinked, multi_kernel),
            CALL_LIST(collectives, collective_row, collectives));

/* Idle time. */

enum { GROUPS_MOST = 50 };
TELL(struct str, idle_status, idle_result, pipeline_status(it->status));
TELL(struct str, idle_severity, idle_result, idle_severity_word(it));
TELL(struct field_items, labels, idle_result,
     named_wholes(in->tmp, it->kernels_by_label, KERNEL_LABELS, kernel_label_word));
TELL(struct field_items, classes, idle_result,
     named_wholes(in->tmp, it->class_ns, IDLE_CLASSES, idle_class_word));
TELL(struct field_items, groups, idle_result,
     (struct field_items){.first = it->groups,
                          .n = it->n_groups < GROUPS_MOST ? it->n_groups
                                                          : GROUPS_MOST});
TELL(const void *, idle_timeline, idle_result, it ? timeline_of(in) : NULL);
TELL(int64_t, idle_target_pct, idle_result, 20);

static struct field_items solutions(const struct described *in)
{
    const struct idle_result *i = in->of;
    const struct system_pattern **list =
        arena_new(in->tmp, const struct system_pattern *, i->n_patterns);
    int n = 0;
    for (int k = 0; k < i->n_patterns; k++)
        if (i->patterns[k].solution.n)
            list[n++] = &i->patterns[k];
    return (struct field_items){.first = list, .n = n, .pointers = true};
}

static VIEW(idle_use, report_timeline, AS("total_time_ms", total_ms, MS),
            AS("idle_time_ms", idle_ms, MS), AS("idle_time_percent", idle_pct, PCT),
            AS("computation_percent", computation_pct, PCT),
            AS("communication_percent", exposed_comm_pct, PCT),
            AS("memcpy_percent", exposed_memcpy_pct, PCT));
static VIEW(kernels, idle_result, AS("total_kernel_count", kernel_count, COUNT),
            F(short_kernel_count, COUNT), AS("avg_kernel_time_us", avg_kernel_us, US),
            CALL_MAP(kernel_count_by_category, named_whole, labels),
            AS("avg_inter_kernel_gap_us", avg_gap_us, US), F(max_gap_us, US),
            F(gap_count, COUNT), F(sync_point_count, COUNT), F(stream_count, COUNT),
            F(graph_launch_count, COUNT),
            AS("idle_after_sync_percent", idle_after_sync_pct, PCT),
            AS("idle_in_long_gaps_percent", idle_in_long_gaps_pct, PCT));
static FIELDS(idle_gap, F(start_us, US), F(duration_us, US), F(before, TEXT),
              F(after, TEXT), F(cause, NAME));
static VIEW(idle_class, named_whole, AS("class", name, TEXT),
            AS("time_ms", whole, NS_IN_MS));
/* What each group is and where; `spans` are many and stay out. */
static FIELDS(idle_group, ENUM(class, idle_class_word, IDLE_CLASSES), F(blame, TEXT),
              F(blame_place, TEXT), F(leaf, TEXT), F(leaf_place, TEXT),
              AS("gap_count", gaps, COUNT), AS("call_count", calls, COUNT),
              AS("time_ms", total_ns, NS_IN_MS), AS("leaf_time_ms", leaf_us, US_IN_MS),
              AS("per_step_ms", per_step_us, US_IN_MS));
static VIEW(idle_metrics, idle_result, CALL(status, TEXT, idle_status),
            CALL(severity, TEXT, idle_severity), AS("idle_flagged", flagged, FLAG),
            AS("idle_critical", critical, FLAG),
            CALL_STRUCT(gpu_utilization, idle_use, idle_timeline),
            PART("kernel_analysis", kernels),
            ARRAY("top_gaps", top_gaps, n_top_gaps, idle_gap),
            CALL_LIST(idle_classes, idle_class, classes),
            CALL_LIST(idle_groups, idle_group, groups),
            LIST_AS("patterns_detected", patterns, n_patterns, idle_pattern),
            CALL_LIST(recommendations, solution, solutions), F(potential_speedup, RATE),
            F(recoverable_low_ms, MS), F(recoverable_high_ms, MS),
            CALL(target_idle_percent, NUMBER, idle_target_pct));
static VIEW(idle_failed, idle_result, CALL(status, TEXT, idle_status), F(error, TEXT));

void pipeline_put_system(struct pipeline_files *f, const struct pipeline_source *s)
{
    const struct system_results *system = s->a->system;
    if (!system)
        return;
    const struct idle_result *i = &system->idle;
    const struct multi_kernel_result *m = &system->multi_kernel;
    pipeline_tell(
        f, S("category_data/cpu_idle_metrics.json"),
        i->status == ANALYSER_ERROR ? idle_failed_fields() : idle_metrics_fields(), i);
    if (!pipeline_has_multi_kernel(s))
        return;
    pipeline_tell(f, S("category_data/multi_kernel_data.json"),
                  multi_kernel_data_fields(), s);
    bool failed = m->status == ANALYSER_ERROR;
    pipeline_tell(f, S("category_data/multi_kernel_metrics.json"),
                  failed ? multi_kernel_failed_fields() : multi_kernel_metrics_fields(),
                  failed ? (const void *)m : s);
}
