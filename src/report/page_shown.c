#include "report/page_shown.h"

#include "base/describe.h"
#include "ops/op_groups.h"
#include "report/finding_shown.h"
#include "report/report_detail.h"

#include <math.h>

static const struct report *report_in(const struct described *in)
{
    return in->whole;
}

/* The head of a page. */

TELL(bool, is_public, report_meta, str_eq(it->share_level, S("public")));
TELL(struct str, share_mark, report_meta,
     str_eq(it->share_level, S("internal")) ? S("") : it->share_level);
TELL(struct str, device_note, report_meta, report_in(in)->device.misfit);
TELL(struct str, named_model, report_meta,
     str_eq(it->model, S("Workload")) ? S("") : it->model);
TELL(struct str, known_precision, report_meta,
     str_eq(report_in(in)->model.precision, S("Cannot be inferred from trace"))
         ? S("")
         : report_in(in)->model.precision);
VIEW(shown_meta, report_meta, F(run_label, TEXT), AS("id", report_id, TEXT),
     F(tool_version, TEXT), F(captured, TEXT), F(input_digest, TEXT),
     F(share_level, TEXT), CALL(share_mark, TEXT, share_mark),
     CALL(is_public, FLAG, is_public), CALL(device_note, TEXT, device_note),
     CALL(model, TEXT, named_model), AS("device", device_name, TEXT),
     CALL(precision, TEXT, known_precision), F(n_steps, SOME));

VIEW(shown_held, report_meta, AS("device", has_gpu, FLAG), AS("host", has_cpu_op, FLAG),
     AS("frames", has_frames, FLAG), AS("callers", names_callers, FLAG),
     AS("shapes", has_shapes, FLAG), AS("hidden", shapes_hidden, FLAG),
     AS("steps", has_steps, FLAG), AS("graphs", has_graphs, FLAG));

TELL(bool, counts, report_fact, str_ends(it->label, S("vents")));
static FIELDS(report_fact, F(label, TEXT), F(value, TEXT), CALL(counts, FLAG, counts),
              F(origin, TEXT));
TELL(const void *, largest, report, it->n_categories ? it->categories : NULL);
TELL(struct str, bound, report, report_bound(it));
TELL(double, paced_pct, report, report_paced_pct(it));
/* Of a device-bound run whose first finding is idle time or communication: how much
 * computation there is. */
TELL(double, computes_pct, report,
     it->verdict_kind == VERDICT_DEVICE && it->n_findings &&
             (it->findings[0].of->idle ||
              it->findings[0].of->category == WORK_MULTI_KERNEL)
         ? it->timeline.computation_pct
         : (double)NAN);
TELL(bool, cold, report, report_is_cold(it));
TELL(const void *, compile, report, it->compile.n ? &it->compile : NULL);
/* Of a run that collectives bind while its first finding is about something else: how
 * much of it they run alone. */
TELL(double, exposed_pct, report,
     it->verdict_kind == VERDICT_COMMUNICATION && it->n_findings &&
             it->findings[0].of->category != WORK_MULTI_KERNEL
         ? it->timeline.exposed_comm_pct
         : (double)NAN);
VIEW(shown_front, report, AS("recording", recording.says, TEXT),
     AS("recorded", recording.beside, TEXT), CALL(bound, TEXT, bound),
     CALL(paced_pct, PCT, paced_pct), CALL(computes_pct, PCT, computes_pct),
     CALL(exposed_pct, PCT, exposed_pct), AS("mfu", mfu.says, TEXT),
     AS("verdict", verdict_alone, TEXT), AS("contrast", phases.contrast, TEXT),
     F(lead, TEXT), AS("no_peaks", device.no_peaks, TEXT), CALL(cold, FLAG, cold),
     CALL_STRUCT(compile, shown_compile, compile),
     CALL_STRUCT(largest, shown_category, largest), STRUCT_AS("held", meta, shown_held),
     LIST(measured, n_measured, report_fact));

/* Checks. */

TELL(int64_t, n_bad, report,
     it->n_checked[CHECK_FAILED] + it->n_checked[CHECK_WARNING]);
TELL(bool, bad, report, n_bad(in) > 0);
TELL(bool, one_warned, report, it->n_checked[CHECK_WARNING] == 1);
VIEW(shown_checks, report, F(n_checks, COUNT),
     AS("passed", n_checked[CHECK_PASSED], COUNT),
     AS("failed", n_checked[CHECK_FAILED], SOME),
     AS("warned", n_checked[CHECK_WARNING], COUNT), CALL(one_warned, FLAG, one_warned),
     AS("open", n_checked[CHECK_NOT_EVALUATED], SOME), CALL(n_bad, COUNT, n_bad),
     CALL(bad, FLAG, bad));

TELL(bool, is_told, report_check,
     it->result == CHECK_WARNING || it->result == CHECK_FAILED);
VIEW(shown_check, report_check, AS("check_id", id, TEXT), AS("name", title, TEXT),
     CALL(told, FLAG, is_told), F(value, TEXT), F(limit, TEXT), F(affects, TEXT),
     F(what_to_do, TEXT));

/* Categories and kernels. */

TELL(double, unmodelled_pct, report_category, 100.0 * it->unmodelled_ms / it->time_ms);
TELL(double, known_efficiency_pct, report_category,
     unmodelled_pct(in) > 50.0 ? (double)NAN : it->efficiency_pct);
TELL(bool, partly, report_category, it->unmodelled_ms > 0.0);
TELL(struct str, missing, report_category, report_in(in)->device.missing);

enum op_flaw { FLAW_UNMODELLED, FLAW_ABOVE, FLAW_UNSTEADY };

/* How many of its operations. */
static int64_t flawed(const struct described *in, enum op_flaw flaw)
{
    const struct report_category *c = in->of;
    int64_t n = 0;
    for (int k = 0; k < c->n_ops; k++) {
        const struct report_op *op = &report_in(in)->ops[c->ops[k]];
        n += flaw == FLAW_UNMODELLED ? (op->group->cost ? 0 : work_row_shapes(op->row))
             : flaw == FLAW_ABOVE    ? op->row->efficiency.anomaly
                                     : op->row->high_variance;
    }
    return n;
}

static int64_t without(const struct described *in)
{
    return flawed(in, FLAW_UNMODELLED);
}

static int64_t above(const struct described *in)
{
    return flawed(in, FLAW_ABOVE);
}

static int64_t unsteady(const struct described *in)
{
    return flawed(in, FLAW_UNSTEADY);
}

VIEW(shown_category, report_category, F(label, TEXT), F(time_ms, MS), F(total_pct, PCT),
     F(share_pct, PCT), AS("n_ops", operations, COUNT), AS("calls", launches, COUNT),
     CALL(efficiency_pct, PCT, known_efficiency_pct), F(unmodelled_ms, MS),
     CALL(unmodelled_pct, PCT, unmodelled_pct), CALL(partly, FLAG, partly),
     CALL(missing, TEXT, missing), CALL(without, SOME, without),
     CALL(above, SOME, above), CALL(unsteady, SOME, unsteady));

VIEW(shown_part, report_part, F(count, COUNT), F(total_ms, MS), F(share_pct, PCT),
     F(mean_us, US), F(p95_us, US));
VIEW(shown_kernel, report_kernel, AS("kernel_id", id, TEXT), F(count, COUNT),
     F(total_ms, MS), F(share_pct, PCT), F(mean_us, US), F(p95_us, US),
     F(backlog, FLAG));

/* Steps. */

TELL(bool, on_device, timeline_data, it->step_source == STEPS_PROFILER_DEVICE);
TELL(bool, by_period, timeline_data, it->step_source == STEPS_PERIOD);
TELL(bool, by_device, timeline_data,
     !by_period(in) && !on_device(in) && it->steps_on_device);
TELL(bool, on_host, timeline_data, it->has_steps && !it->steps_on_device);
VIEW(shown_run, timeline_data, F(has_steps, FLAG), CALL(on_device, FLAG, on_device),
     CALL(by_device, FLAG, by_device), CALL(by_period, FLAG, by_period),
     CALL(on_host, FLAG, on_host));

TELL(bool, numbered, timeline_step, it->number >= 0);
TELL(bool, is_above, timeline_step, it->deviation_pct > 0);
TELL(double, step_busy_pct, timeline_step,
     it->dur_ns > 0 ? 100.0 * (double)it->busy_ns / (double)it->dur_ns : (double)NAN);
VIEW(shown_step, timeline_step, CALL(numbered, FLAG, numbered), F(number, NUMBER),
     AS("start_ms", start_ns, NS_IN_MS), AS("length_ms", dur_ns, NS_IN_MS),
     CALL(busy_pct, PCT, step_busy_pct), F(launches, COUNT), F(deviation_pct, PCT),
     CALL(above, FLAG, is_above), F(slow, FLAG));

TELL(bool, has_launch_steps, timeline_data, !isnan(it->launches_per_step));
TELL(double, shown_delay_us, timeline_data, fmax(0, it->median_delay_us));
TELL(int64_t, graph_launches, timeline_data,
     report_system(report_in(in))->idle.graph_launch_count);
VIEW(shown_launches, timeline_data, AS("count", n_launches, COUNT),
     AS("calls", n_calls, COUNT), CALL(graph_launches, SOME, graph_launches),
     AS("short", n_short, COUNT), CALL(has_steps, FLAG, has_launch_steps),
     AS("per_step", launches_per_step, RATE), CALL(shown_delay_us, US, shown_delay_us),
     F(median_delay_us, US), F(p95_delay_us, US), F(max_delay_us, US),
     AS("early", n_early, SOME));

/* Examples of the method. */

VIEW(shown_input, report_meta, F(trace_file, TEXT), F(trace_bytes, BYTES),
     F(n_events, COUNT), F(platform, TEXT));

static double peak(const struct described *in)
{
    const struct report_op *op = in->of;
    const struct report_device *d = &report_in(in)->device;
    if (isnan(op->row->efficiency.percent))
        return (double)NAN;
    if (op->row->efficiency.bound == BOUND_MEMORY)
        return d->memory_tb_per_s;
    for (int p = 0; p < d->n_peaks; p++)
        if (str_eq(d->peaks[p].spec, op->group->compute_spec))
            return d->peaks[p].tflop_per_s;
    return (double)NAN;
}

TELL(bool, by_memory, work_row, it->efficiency.bound == BOUND_MEMORY);
static VIEW(row_of_example, work_row, F(count, COUNT), F(mean_us, US),
            AS("total_ms", time_ms, MS), CALL(by_memory, FLAG, by_memory),
            AS("efficiency_pct", efficiency.percent, PCT));
static VIEW(group_of_example, op_group, F(gflop, RATE), F(tflop_per_s, RATE),
            F(tb_per_s, RATE));
VIEW(shown_example, report_op, CALL(peak, RATE, peak), MEMBERS_OF(row, row_of_example),
     MEMBERS_OF(group, group_of_example));

static FIELDS(projection_row, F(target_pct, PCT), AS("target_ms", time_ms, MS),
              F(e2e_pct, PCT));
static VIEW(gaining, finding, F(time_ms, MS), F(efficiency_pct, PCT),
            MEMBERS_OF(projection, projection_row));
VIEW(shown_gain, report_finding, F(rank, TEXT), MEMBERS_OF(of, gaining));
