#include "report/system_shown.h"

#include "analysis/model/number_text.h"
#include "base/describe.h"
#include "report/report_detail.h"

#include <math.h>

static double if_any(double ms)
{
    return ms > 0 ? ms : (double)NAN;
}

static const struct report *report_in(const struct described *in)
{
    return in->whole;
}

struct str analyser_status_word(enum analyser_status status)
{
    static const struct str words[] = {[ANALYSER_OK] = S_INIT("ok"),
                                       [ANALYSER_NO_DATA] = S_INIT("no_data"),
                                       [ANALYSER_ERROR] = S_INIT("error")};
    return words[status];
}

/* Where wall time goes. */

TELL(double, artefact, report_timeline, if_any(it->artefact_ms));
TELL(double, backlog, report_timeline,
     if_any(it->backlog_included ? 0 : it->backlog_ms));
TELL(bool, edges, report_timeline, it->lead_ms + it->tail_ms > 0);
TELL(double, total_s, report_timeline,
     it->total_ms >= 1000.0 ? it->total_ms / 1e3 : (double)NAN);
TELL(bool, above_95, report_timeline, it->computation_pct > 95);
TELL(bool, comm_5, report_timeline, it->exposed_comm_pct > 5);
TELL(bool, copies_2, report_timeline, it->exposed_memcpy_pct > 2);
TELL(bool, idle_20, report_timeline, it->idle_pct > 20);
TELL(bool, idle_50, report_timeline, it->idle_pct > 50);
TELL(bool, healthy, report_timeline,
     it->computation_pct >= 80 && it->exposed_comm_pct + it->exposed_memcpy_pct < 5);

VIEW(shown_timeline, report_timeline, CALL(artefact, MS, artefact),
     CALL(backlog, MS, backlog), CALL(edges, FLAG, edges), F(span, TEXT),
     F(device_ms, MS), F(backlog_events, COUNT), F(total_ms, MS),
     CALL(total_s, RATE, total_s), F(busy_ms, MS), F(busy_pct, PCT),
     F(computation_ms, MS), F(computation_pct, PCT), F(total_comm_ms, MS),
     F(exposed_comm_ms, MS), F(exposed_comm_pct, PCT), F(exposed_memcpy_ms, MS),
     F(exposed_memcpy_pct, PCT), F(idle_ms, MS), F(idle_pct, PCT),
     CALL(above_95, FLAG, above_95), CALL(comm_5, FLAG, comm_5),
     CALL(copies_2, FLAG, copies_2), CALL(idle_20, FLAG, idle_20),
     CALL(idle_50, FLAG, idle_50), CALL(healthy, FLAG, healthy));

static FIELDS(report_window, F(of, TEXT), F(begins, TEXT), F(ends, TEXT),
              F(from_ms, MS), F(to_ms, MS), F(total_ms, MS), F(without, TEXT));
TELL(struct field_items, windows, report_timeline,
     (struct field_items){.first = it->windows, .n = it->n_windows});
VIEW(shown_windows, report_timeline, CALL_LIST(items, report_window, windows));

VIEW(shown_unlinked, report_timeline, AS("events", unlinked_events, COUNT),
     AS("ms", unlinked_ms, MS), AS("included", unlinked_included, FLAG));
VIEW(shown_backlog, report_timeline, AS("events", backlog_events, COUNT),
     AS("ms", backlog_ms, MS), AS("included", backlog_included, FLAG));

/* Several devices. */

TELL(double, at_once_pct, report_at_once,
     pct_of(it->time_ms, report_in(in)->timeline.total_ms));
static FIELDS(report_at_once, F(devices, COUNT), AS("ms", time_ms, MS),
              CALL(pct, PCT, at_once_pct));
VIEW(shown_gpu, report_gpu, F(busy_ms, MS), F(busy_pct, PCT), F(idle_pct, PCT),
     F(alone_ms, MS), F(waits_ms, MS), F(why, TEXT));
VIEW(shown_gpus, report_gpus, F(n, COUNT), F(headline, TEXT), F(one_ms, MS),
     F(several_ms, MS), F(turns, COUNT), AS("copies", n_copies, SOME), F(copies_ms, MS),
     LIST(at_once, n, report_at_once));

#define OF_SUBJECT(name) TELL(double, subject_##name, report, report_subject(it).name)
OF_SUBJECT(idle_ms);
OF_SUBJECT(idle_pct);
OF_SUBJECT(computation_pct);
OF_SUBJECT(exposed_comm_pct);
OF_SUBJECT(exposed_memcpy_pct);
TELL(struct str, gpu, report, report_subject(it).gpu);
TELL(bool, several, report, report_subject(it).gpu.n > 0);
TELL(bool, subject_computes_95, report, report_subject(it).computation_pct >= 95);
TELL(bool, subject_idle_20, report, report_subject(it).idle_pct > 20);
TELL(bool, subject_idle_50, report, report_subject(it).idle_pct > 50);

VIEW(shown_subject, report, CALL(gpu, TEXT, gpu), CALL(several, FLAG, several),
     AS("total_ms", timeline.total_ms, MS), CALL(idle_ms, MS, subject_idle_ms),
     CALL(idle_pct, PCT, subject_idle_pct),
     CALL(computation_pct, PCT, subject_computation_pct),
     CALL(exposed_comm_pct, PCT, subject_exposed_comm_pct),
     CALL(exposed_memcpy_pct, PCT, subject_exposed_memcpy_pct),
     CALL(computes_95, FLAG, subject_computes_95), CALL(idle_20, FLAG, subject_idle_20),
     CALL(idle_50, FLAG, subject_idle_50));

/* Idle time. */

static FIELDS(system_pattern, F(name, TEXT),
              ENUM(severity, severity_word, SEVERITY_UNKNOWN + 1), F(evidence, TEXT),
              F(impact, TEXT), F(solution, TEXT));
#define PATTERNS                                                                       \
    LIST(patterns, n_patterns, system_pattern), AS("pattern_count", n_patterns, COUNT)
#define STATUS(has_failed)                                                             \
    ENUM(status, analyser_status_word, ANALYSER_ERROR + 1),                            \
        CALL(failed, FLAG, has_failed), F(error, TEXT)

TELL(double, gap_start_ms, idle_gap, it->start_us / 1e3);
TELL(double, gap_length_ms, idle_gap, it->duration_us / 1e3);
VIEW(shown_gap, idle_gap, F(start_us, US), F(duration_us, US),
     CALL(start_ms, MS, gap_start_ms), CALL(length_ms, MS, gap_length_ms),
     F(before, TEXT), F(after, TEXT), F(cause, TEXT));

static double ms_of_group(const struct idle_group *g)
{
    return (double)g->total_ns / 1e6;
}

TELL(bool, is_plain, idle_group,
     it->class == IDLE_QUEUED || it->class == IDLE_HOST_BOUND ||
         it->class == IDLE_PEER);
TELL(double, leaf_ms, idle_group, it->leaf_us / 1e3);
TELL(double, group_idle_pct, idle_group,
     pct_of(ms_of_group(it), idle_result_ms(report_idle(report_in(in)))));
TELL(double, group_total_pct, idle_group,
     pct_of(ms_of_group(it), report_in(in)->analysis->total_ms));
VIEW(shown_group, idle_group, ENUM(class, idle_class_label, IDLE_CLASSES),
     F(blame, TEXT), CALL(plain, FLAG, is_plain), F(blame_place, TEXT), F(leaf, TEXT),
     F(leaf_place, TEXT), F(gaps, COUNT), CALL(leaf_ms, MS, leaf_ms),
     AS("total_ms", total_ns, NS_IN_MS), CALL(idle_pct, PCT, group_idle_pct),
     CALL(total_pct, PCT, group_total_pct));

TELL(bool, idle_failed, idle_result, it->status == ANALYSER_ERROR);
TELL(struct str, idle_severity, idle_result, idle_severity_word(it));
TELL(bool, some_gaps, idle_result, it->gap_count > 0);
TELL(bool, one_gap, idle_result, it->gap_count == 1);
TELL(bool, one_top_gap, idle_result, it->n_top_gaps == 1);
TELL(const void *, top_gaps, idle_result, it->n_top_gaps ? it : NULL);
/* The low end is half of the full saving. */
TELL(double, saves_ms, idle_result,
     it->recoverable_high_ms > 0 ? 2 * it->recoverable_low_ms : (double)NAN);

static bool has_causes(const struct described *in)
{
    const struct idle_result *idle = in->of;
    for (int k = 0; k < idle->n_top_gaps; k++)
        if (idle->top_gaps[k].cause.n)
            return true;
    return false;
}

TELL(struct field_items, gaps, idle_result,
     (struct field_items){.first = it->top_gaps, .n = it->n_top_gaps});
static VIEW(shown_gaps, idle_result, CALL_LIST(list, shown_gap, gaps));
VIEW(shown_idle, idle_result, STATUS(idle_failed), CALL(severity, TEXT, idle_severity),
     F(kernel_count, COUNT), F(short_kernel_count, COUNT), F(gap_count, COUNT),
     F(sync_point_count, COUNT), F(stream_count, COUNT), F(graph_launch_count, COUNT),
     F(avg_kernel_us, US), F(avg_gap_us, US), F(max_gap_us, US),
     F(idle_after_sync_pct, PCT), F(idle_in_long_gaps_pct, PCT),
     CALL(some_gaps, FLAG, some_gaps), CALL(one_gap, FLAG, one_gap),
     CALL(saves_ms, MS, saves_ms), AS("speedup", potential_speedup, RATE), PATTERNS,
     F(n_top_gaps, COUNT), CALL(one_top_gap, FLAG, one_top_gap),
     CALL_STRUCT(gaps, shown_gaps, top_gaps), CALL(gap_causes, FLAG, has_causes));

/* Copies. */

/* Of one direction, or of one range of sizes. */
#define AMOUNT_OF(type, sized_us)                                                      \
    TELL(double, type##_ms, type, it->total_us / 1e3);                                 \
    TELL(double, type##_byte_per_ms, type,                                             \
         (sized_us) > 0 ? (double)it->bytes / ((sized_us) / 1e3) : (double)NAN);       \
    TELL(double, type##_gb_per_s, type,                                                \
         it->bytes > 0 ? type##_byte_per_ms(in) / 1e6 : (double)NAN);                  \
    TELL(bool, type##_some_rate, type, it->bytes >= 0 && type##_gb_per_s(in) >= 0.01)
AMOUNT_OF(copy_result, it->total_us - it->unsized_us);
AMOUNT_OF(copy_size, it->total_us);
#define AMOUNT(type)                                                                   \
    F(count, COUNT), F(bytes, NUMBER), CALL(total_ms, MS, type##_ms),                  \
        CALL(byte_per_ms, RATE, type##_byte_per_ms),                                   \
        CALL(gb_per_s, RATE, type##_gb_per_s), CALL(some_rate, FLAG, type##_some_rate)

static const struct multi_kernel_result *multi_kernel_in(const struct described *in)
{
    return &report_system(in->whole)->multi_kernel;
}

static enum copy_direction direction_of(const struct described *in)
{
    const struct copy_result *c = in->of;
    return (enum copy_direction)(c - multi_kernel_in(in)->copies);
}

static struct str direction(const struct described *in)
{
    return copy_direction_word(direction_of(in));
}

TELL(double, mean_bytes, copy_result,
     it->count > it->unsized_count && it->bytes >= 0
         ? (double)it->bytes / (double)(it->count - it->unsized_count)
         : (double)NAN);
TELL(double, per_step, copy_result,
     multi_kernel_in(in)->step_count > 0 && it->count > 0
         ? (double)it->count / (double)multi_kernel_in(in)->step_count
         : (double)NAN);
TELL(double, copies_total_pct, copy_result,
     copy_total_pct(it, report_in(in)->analysis->total_ms));
TELL(double, exposed_ms, copy_result, it->exposed_us / 1e3);
TELL(bool, recorded, copy_result, it->bytes >= 0);
TELL(int64_t, sized_count, copy_result,
     it->unsized_count ? it->count - it->unsized_count : 0);
TELL(bool, sized, copy_result, it->count > 0 && it->bytes > 0 && it->total_us > 0);

/* Why there are copies in one direction, by their size. */
static struct str copy_cause(const struct described *in)
{
    const struct copy_result *c = in->of;
    bool to_host = direction_of(in) == COPY_D2H;
    if (c->count == 0)
        return multi_kernel_in(in)->copies[COPY_OTHER].count ? S("unknown")
                                                             : S("absent");
    if (c->severity == SEVERITY_NONE)
        return S("small");
    if (mean_bytes(in) < 64 * 1024)
        return to_host ? S("scalars") : S("tensors");
    return to_host ? S("results") : S("input");
}

VIEW(shown_copies, copy_result, CALL(direction, TEXT, direction), AMOUNT(copy_result),
     ENUM(severity, severity_word, SEVERITY_UNKNOWN + 1),
     CALL(per_step, RATE, per_step), CALL(mean_bytes, BYTES, mean_bytes), F(max_us, US),
     CALL(total_pct, PCT, copies_total_pct), CALL(exposed_ms, MS, exposed_ms),
     CALL(recorded, FLAG, recorded), CALL(sized, FLAG, sized),
     CALL(sized_count, SOME, sized_count), CALL(cause, TEXT, copy_cause));
VIEW(shown_copy_size, copy_size, AMOUNT(copy_size));

TELL(double, share_ms, op_share, it->total_us / 1e3);
VIEW(shown_share, op_share, F(caller, TEXT), F(count, COUNT),
     CALL(total_ms, MS, share_ms));

/* Communication. */

TELL(double, comm_op_ms, comm_op, it->duration_us / 1e3);
VIEW(shown_comm, comm_op, F(duration_us, US), CALL(time_ms, MS, comm_op_ms),
     F(stream, NUMBER));

TELL(bool, multi_kernel_failed, multi_kernel_result, it->status == ANALYSER_ERROR);
TELL(struct str, blocking_severity, multi_kernel_result, blocking_severity_word(it));
TELL(struct str, overlap_severity, multi_kernel_result, overlap_severity_word(it));
TELL(bool, some_comm, multi_kernel_result, it->comm_count > 0);
TELL(double, comm_ms, multi_kernel_result, it->comm_total_us / 1e3);
TELL(double, overlap_pct, multi_kernel_result, 100 * it->comm_overlap_frac);
TELL(double, copy_overlap_pct, multi_kernel_result, 100 * it->memcpy_overlap_frac);
TELL(bool, some_hidden, multi_kernel_result,
     isfinite(it->comm_overlap_frac) || isfinite(it->memcpy_overlap_frac));

static bool applies(const struct described *in)
{
    const struct analysis *a = report_in(in)->analysis;
    return a && report_has_multi_kernel(a);
}

static double hidden_ms(const struct described *in)
{
    const struct report_timeline *t = &report_in(in)->timeline;
    return t->total_comm_ms - t->exposed_comm_ms;
}

VIEW(shown_multi_kernel, multi_kernel_result, STATUS(multi_kernel_failed),
     CALL(applies, FLAG, applies),
     ENUM_AS("copy_severity", memcpy_severity, severity_word, SEVERITY_UNKNOWN + 1),
     CALL(blocking_severity, TEXT, blocking_severity),
     CALL(overlap_severity, TEXT, overlap_severity), F(comm_count, COUNT),
     CALL(some_comm, FLAG, some_comm), CALL(comm_ms, MS, comm_ms), F(comm_max_us, US),
     CALL(hidden_ms, MS, hidden_ms), CALL(overlap_pct, PCT, overlap_pct),
     CALL(copy_overlap_pct, PCT, copy_overlap_pct),
     CALL(some_hidden, FLAG, some_hidden), PATTERNS);
