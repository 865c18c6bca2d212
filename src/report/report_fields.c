#include "report/report_fields.h"

#include "analysis/model/finding_fields.h"
#include "analysis/model/number_text.h"
#include "base/arena.h"
#include "base/describe.h"
#include "ops/host_profile.h"
#include "ops/op_groups.h"
#include "report/fill_shown.h"
#include "report/finding_argument.h"
#include "report/memory_shown.h"
#include "report/mfu_shown.h"
#include "report/more_shown.h"

/* "2025-07-27T10:11:12Z" of "2025-07-27 10:11:12 UTC". */
static struct str captured_utc(const struct described *in)
{
    const struct report *r = in->of;
    struct str text = r->meta.captured;
    if (text.n != 23 || !str_ends(text, S(" UTC")))
        return S("");
    return str_printf(in->tmp, "%.10sT%.8sZ", text.p, text.p + 11);
}

static double unjudged_pct(const struct described *in)
{
    return report_unjudged_pct(in->of);
}

TELL(const void *, together, report, it->analysis ? &it->analysis->together : NULL);
TELL(double, memory_tb_per_s, report,
     it->device.known ? number_rounded(it->device.memory_tb_per_s, 3) : (double)NAN);

TELL(double, memory_gb, report, it->device.known ? it->device.memory_gb : (double)NAN);
TELL(double, all_pct, report_timeline, it->total_ms > 0.0 ? 100.0 : 0.0);

/* A part that other parts overlap. */
static double of_all_pct(const struct report_timeline *t, double ms)
{
    return t->total_ms > 0.0 ? 100.0 / t->total_ms * ms : 0.0;
}

TELL(double, comm_pct, report_timeline, of_all_pct(it, it->total_comm_ms));
TELL(double, copies_pct, report_timeline, of_all_pct(it, it->total_memcpy_ms));

static struct str begin_word(enum window_begin begin)
{
    static const struct str words[] = {
        [WINDOW_FROM_DEVICE] = S_INIT("device event"),
        [WINDOW_FROM_STEP] = S_INIT("step"),
        [WINDOW_FROM_DATA_WAIT] = S_INIT("wait for data"),
        [WINDOW_FROM_BACKLOG] = S_INIT("end of the backlog"),
        [WINDOW_FROM_UNSEEN] = S_INIT("end of unrecorded work")};
    return words[begin];
}

static struct str steps_word(enum step_source source)
{
    static const struct str words[] = {
        [STEPS_NONE] = S_INIT("none"),
        [STEPS_PROFILER] = S_INIT("profiler"),
        [STEPS_PROFILER_DEVICE] = S_INIT("profiler, on the device"),
        [STEPS_ENGINE] = S_INIT("engine"),
        [STEPS_BY_PROGRAM] = S_INIT("numbered annotations"),
        [STEPS_PERIOD] = S_INIT("period of kernels")};
    return words[source];
}

static struct str phase_category(const struct described *in)
{
    const struct report_phase_part *p = in->of;
    const struct report *r = in->whole;
    return r->categories[p->index].id;
}

static struct str phase_kernel(const struct described *in)
{
    const struct report_phase_part *p = in->of;
    const struct report *r = in->whole;
    return p->index < 0 ? S("") : r->kernels[p->index].id;
}

static double spread_pct(const struct described *in)
{
    return report_op_spread_pct(in->of);
}

static struct str op_finding(const struct described *in)
{
    const struct report_op *op = in->of;
    const struct report *r = in->whole;
    return op->finding < 0 ? S("") : r->findings[op->finding].anchor;
}

static struct str top_row(const struct described *in)
{
    const struct report_top_op *t = in->of;
    const struct report *r = in->whole;
    return t->op < 0 ? S("") : r->ops[t->op].id;
}

TELL(struct str, finding_href, report_finding,
     str_printf(in->tmp, "recommendations.html#%.*s", STRF(it->anchor)));
TELL(const void *, waiver, report_finding, it->waived_until.n ? it : NULL);

static FIELDS(report_gpu, F(name, TEXT), AS("events", n_events, COUNT), F(busy_ms, MS),
              F(busy_pct, PCT), F(idle_pct, PCT), F(alone_ms, MS), F(waits_ms, MS),
              F(why, TEXT));

static FIELDS(report_at_once, F(devices, COUNT), F(time_ms, MS));

FIELDS(report_gpus, AS("says", headline, TEXT), F(take_turns, FLAG), F(one_ms, MS),
       F(several_ms, MS), F(turns, COUNT), AS("copies", n_copies, COUNT),
       F(copies_ms, MS), LIST(list, n, report_gpu), LIST(at_once, n, report_at_once));

static FIELDS(report_recording, F(says, TEXT), F(length_ms, MS), F(before_ms, MS),
              F(window_ms, MS), F(after_ms, MS), F(busy_pct, PCT));

static VIEW(recorded, report_meta, AS("shapes", has_shapes, FLAG),
            AS("frames", has_frames, FLAG), AS("graphs", has_graphs, FLAG),
            AS("steps", has_steps, FLAG), AS("host_operations", has_cpu_op, FLAG),
            AS("device_events", has_gpu, FLAG));

static VIEW(input, report_meta, AS("file", trace_file, TEXT),
            AS("digest", input_digest, TEXT), F(trace_bytes, BYTES),
            AS("events", n_events, COUNT), PART("has", recorded));

static VIEW(model, report, AS("name", meta.model, TEXT),
            AS("architecture", model.architecture, TEXT),
            AS("scale", model.scale, TEXT), AS("precision", model.precision, TEXT));

static FIELDS(report_peak, F(spec, TEXT), F(tflop_per_s, RATE));

static VIEW(device, report, AS("recorded", meta.device_name, NAME),
            AS("platform", meta.platform, NAME),
            CALL(memory_tb_per_s, EXACT, memory_tb_per_s),
            CALL(memory_gb, RATE, memory_gb),
            LIST_AS("peaks", device.peaks, device.n_peaks, report_peak),
            AS("peaks_are", device.peaks_are, NAME), AS("misfit", device.misfit, NAME));

/* A part of the window: in ns and in ms, and its share. */
#define PART_OF_WINDOW(view, ms, share)                                                \
    static VIEW(view, report_timeline, AS("time_ns", ms, MS_IN_NS),                    \
                AS("time_ms", ms, MS), share)
PART_OF_WINDOW(total_part, total_ms, CALL(total_pct, PCT, all_pct));
PART_OF_WINDOW(busy_part, busy_ms, AS("total_pct", busy_pct, PCT));
PART_OF_WINDOW(computation_part, computation_ms, AS("total_pct", computation_pct, PCT));
PART_OF_WINDOW(exposed_comm_part, exposed_comm_ms,
               AS("total_pct", exposed_comm_pct, PCT));
PART_OF_WINDOW(exposed_copies_part, exposed_memcpy_ms,
               AS("total_pct", exposed_memcpy_pct, PCT));
PART_OF_WINDOW(idle_part, idle_ms, AS("total_pct", idle_pct, PCT));
PART_OF_WINDOW(comm_part, total_comm_ms, CALL(total_pct, PCT, comm_pct));
PART_OF_WINDOW(copies_part, total_memcpy_ms, CALL(total_pct, PCT, copies_pct));

static VIEW(unlinked, report_timeline, AS("events", unlinked_events, COUNT),
            AS("time_ms", unlinked_ms, MS), AS("busy_pct", unlinked_busy_pct, PCT),
            AS("included", unlinked_included, FLAG));

static VIEW(backlog, report_timeline, AS("events", backlog_events, COUNT),
            AS("time_ms", backlog_ms, MS), AS("busy_pct", backlog_busy_pct, PCT),
            AS("included", backlog_included, FLAG));

static FIELDS(report_timeline, PART("total", total_part), PART("busy", busy_part),
              PART("computation", computation_part),
              PART("exposed_communication", exposed_comm_part),
              PART("exposed_copies", exposed_copies_part), PART("idle", idle_part),
              PART("communication", comm_part), PART("copies", copies_part),
              PART("unlinked", unlinked), PART("backlog", backlog),
              ENUM_AS("begins_with", begin, begin_word, WINDOW_FROM_UNSEEN + 1),
              F(lead_ms, MS), F(tail_ms, MS), F(device_ms, MS), F(recording_ms, MS),
              AS("leading_artefact_ms", artefact_ms, MS),
              AS("start_skew_ms", skew_ms, MS), F(queued_ms, MS));

#define PART_OF_STEP(view, ms, pct)                                                    \
    static VIEW(view, report_steps, AS("time_ms", ms, MS), AS("steps_pct", pct, PCT))
PART_OF_STEP(step_idle, idle_ms, idle_pct);
PART_OF_STEP(step_comm, comm_ms, comm_pct);
PART_OF_STEP(step_copies, copy_ms, copy_pct);

FIELDS(report_steps, ENUM(source, steps_word, STEPS_PERIOD + 1), F(by_device, FLAG),
       F(n, COUNT), F(n_steady, COUNT), F(median_ms, MS), F(after_first_ms, MS),
       F(least_ms, MS), F(most_ms, MS), F(mean_ms, MS), PART("idle", step_idle),
       PART("exposed_communication", step_comm), PART("exposed_copies", step_copies),
       F(off_low_pct, PCT), F(off_high_pct, PCT), F(headline, TEXT));

static FIELDS(report_amount, F(least, RATE), F(most, RATE), F(mean, RATE));

#define AMOUNTS(view, i)                                                               \
    static VIEW(view, report_phase, STRUCT_AS("requests", requests[i], report_amount), \
                STRUCT_AS("tokens", tokens[i], report_amount),                         \
                STRUCT_AS("attended", seen[i], report_amount))
AMOUNTS(prompts, 0);
AMOUNTS(generation, 1);

FIELDS(report_phase_part, F(name, TEXT), F(count, COUNT), AS("time_ms", total_ms, MS),
       F(share_pct, PCT));
static VIEW(phase_category, report_phase_part, CALL(id, NAME, phase_category),
            AS("time_ms", total_ms, MS), F(share_pct, PCT));
static VIEW(phase_kernel, report_phase_part, CALL(id, NAME, phase_kernel),
            ALSO(report_phase_part));

FIELDS(report_phase, F(id, TEXT), AS("steps", n_steps, COUNT), F(load, TEXT),
       PART("prompts", prompts), PART("generation", generation),
       AS("time_ms", wall_ms, MS), AS("total_pct", wall_pct, PCT), F(busy_ms, MS),
       F(idle_ms, MS), F(idle_pct, PCT), F(mean_ms, MS), F(least_ms, MS),
       F(most_ms, MS), AS("step_to_step_ms", apart_ms, MS), F(between_ms, MS),
       F(between_idle_ms, MS), F(waits_pct, PCT), AS("kernel_sum_ms", work_ms, MS),
       LIST(categories, n_categories, phase_category),
       LIST(kernels, n_kernels, phase_kernel));

FIELDS(report_phases, F(source, NAME), F(headline, TEXT), F(contrast, TEXT),
       LIST(list, n, report_phase));

static FIELDS(report_category, F(id, TEXT), F(label, TEXT), AS("href", page, TEXT),
              F(time_ms, MS), F(compute_pct, PCT), F(share_pct, PCT), F(total_pct, PCT),
              F(operations, COUNT), F(launches, COUNT), F(efficiency_pct, PCT),
              F(unmodelled_ms, MS));

static VIEW(row_of_op, work_row, F(name, TEXT), F(args, TEXT),
            ENUM(category, work_category_name, WORK_CATEGORIES),
            AS("launches", count, COUNT), F(time_ms, MS), F(mean_us, US),
            AS("efficiency_pct", efficiency.percent, PCT),
            ENUM_AS("bound", efficiency.bound, bound_word, BOUND_MEMORY + 1),
            AS("anomaly", efficiency.anomaly, FLAG), F(high_variance, FLAG),
            LIST_AS("modules", module_chain, n_modules, text));

static VIEW(group_of_op, op_group, AS("median_us", direct_us.median, US),
            AS("min_us", direct_us.min, US), AS("max_us", direct_us.max, US),
            F(flop_per_byte, RATE), F(tflop_per_s, RATE), F(tb_per_s, RATE),
            F(compute_spec, NAME), AS("kernels_total", n_kernels, COUNT));

FIELDS(report_op, F(id, TEXT), F(share_pct, PCT), F(p95_us, US),
       CALL(spread_pct, PCT, spread_pct), CALL(finding, NAME, op_finding), F(kit, NAME),
       MEMBERS_OF(row, row_of_op), MEMBERS_OF(group, group_of_op));

static FIELDS(top_operation, F(rank, NUMBER), F(name, TEXT),
              ENUM(category, work_category_display, WORK_CATEGORIES), F(time_ms, MS),
              F(compute_pct, PCT), F(total_pct, PCT), AS("launches", count, COUNT));
static FIELDS(report_top_op, MEMBERS_OF(of, top_operation),
              CALL(operation, NAME, top_row));

static VIEW(waiver, report_finding, AS("until", waived_until, TEXT),
            AS("why", waived_why, TEXT));

FIELDS(report_finding, AS("id", anchor, TEXT), F(rank, TEXT), F(kit, NAME),
       CALL(href, TEXT, finding_href), AS("operations_total", n_ops, COUNT),
       CALL(reasoning, TEXT, finding_reasoning),
       CALL(confidence_basis, TEXT, finding_confidence_basis),
       CALL(refutation, TEXT, finding_refutation), CALL(metric, TEXT, finding_metric),
       CALL_STRUCT(waived, waiver, waiver));

static FIELDS(report_check, F(id, TEXT), F(name, TEXT),
              ENUM(result, check_result_word, CHECK_RESULTS), F(value, TEXT),
              F(limit, TEXT), F(affects, TEXT), F(what_to_do, TEXT));
static VIEW(checks, report, LIST_AS("list", checks, n_checks, report_check),
            AS("passed", n_checked[CHECK_PASSED], COUNT),
            AS("warning", n_checked[CHECK_WARNING], COUNT),
            AS("failed", n_checked[CHECK_FAILED], COUNT),
            AS("not_evaluated", n_checked[CHECK_NOT_EVALUATED], COUNT));

static FIELDS(report_warning, F(source, TEXT), F(text, TEXT), F(failure, FLAG));
static FIELDS(report_fact, F(label, TEXT), F(value, TEXT), F(origin, TEXT));

FIELDS(host_row, F(name, TEXT), F(calls, COUNT), AS("self_ms", self_ns, NS_IN_MS),
       F(self_pct, PCT), AS("total_ms", total_ns, NS_IN_MS),
       AS("longest_ms", most_ns, NS_IN_MS));
FIELDS(host_thread, F(name, TEXT), F(tid, TEXT), F(events, COUNT),
       AS("busy_ms", busy_ns, NS_IN_MS), AS("operators_ms", operator_ns, NS_IN_MS));
static FIELDS(host_cost, F(calls, COUNT), AS("total_ms", total_ns, NS_IN_MS),
              AS("longest_ms", most_ns, NS_IN_MS));
static FIELDS(host_profile, AS("span_ms", span_ns, NS_IN_MS),
              AS("busy_ms", busy_ns, NS_IN_MS), LIST(operators, n_operators, host_row),
              LIST(modules, n_modules, host_row), LIST(threads, n_threads, host_thread),
              STRUCT_AS("data_loading", loading, host_cost),
              STRUCT(compilation, host_cost), F(peak_bytes, KNOWN));

TELL(struct str, stage_rank, report_stage, it->of->rank);
static VIEW(stage, report_stage, CALL(rank, TEXT, stage_rank), F(after_ms, MS),
            F(added_ms, MS));
TELL(const void *, compile, report, it->compile.n ? &it->compile : NULL);
static FIELDS(report_compile, F(what, TEXT), F(ranks, TEXT), F(after_ms, MS));

FIELDS(report, AS("tool", meta.tool_version, TEXT),
       AS("report_id", meta.report_id, TEXT), AS("run_label", meta.run_label, TEXT),
       STRUCT(recording, report_recording), F(verdict, TEXT),
       ENUM(verdict_kind, verdict_word, VERDICT_KINDS), F(lead, TEXT),
       CALL(captured_utc, NAME, captured_utc), STRUCT_AS("input", meta, input),
       PART("model", model), F(after_first_ms, MS), F(after_together_ms, MS),
       CALL(unjudged_pct, PCT, unjudged_pct),
       CALL_STRUCT(together, impact_range, together),
       LIST_AS("stages", stages, n_stages, stage),
       CALL_STRUCT(compile, report_compile, compile), PART("device", device),
       STRUCT_AS("window", timeline, report_timeline), STRUCT(steps, report_steps),
       STRUCT(phases, report_phases), STRUCT(fill, report_fill),
       STRUCT(mfu, report_mfu), STRUCT(memory, report_memory), POINTER(layers, layers),
       POINTER(modules, modules),
       POINTER_AS("collective_sizes", comm_sizes, comm_sizes),
       POINTER(compiled, compiled), POINTER_AS("critical_path", path, critical_path),
       POINTER(counters, counters), POINTER(counter_lines, counter_lines),
       LIST(categories, n_categories, report_category),
       AS("operations_total", n_distinct_ops, COUNT),
       LIST_AS("top_operations", top, n_top, report_top_op), PART("checks", checks),
       LIST(warnings, n_warning_list, report_warning),
       LIST(measured, n_measured, report_fact), POINTER(host, host_profile));
