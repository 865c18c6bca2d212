#include "ci/run_summary.h"

#include "base/arena.h"
#include "base/describe.h"
#include "export/described_json.h"
#include "export/gates_json.h"
#include "export/json_tree.h"
#include "render/text/html_text.h"
#include "report/fill_shown.h"
#include "report/finding_shown.h"
#include "report/memory_shown.h"
#include "report/mfu_shown.h"
#include "report/more_shown.h"

#include <cjson/cJSON.h>
#include <math.h>

/* A report with what it does not hold. */
struct told_run {
    const struct report *r;
    const struct run_facts *facts;
};

/* "2025-07-27T10:11:12Z" of "2025-07-27 10:11:12 UTC". */
static struct str captured_utc(const struct described *in)
{
    const struct report_meta *m = in->of;
    if (m->captured.n != 23 || !str_ends(m->captured, S(" UTC")))
        return S("");
    return str_printf(in->tmp, "%.10sT%.8sZ", m->captured.p, m->captured.p + 11);
}

static double kernel_sum_ms(const struct described *in)
{
    const struct report *r = in->of;
    double ms = 0;
    for (int k = 0; k < r->n_categories; k++)
        ms += r->categories[k].time_ms;
    return ms;
}

static struct field_items with_steps(const struct described *in)
{
    const struct report_phases *p = in->of;
    const struct report_phase **list =
        arena_new(in->tmp, const struct report_phase *, p->n);
    int n = 0;
    for (int k = 0; k < p->n; k++)
        if (p->list[k].n_steps)
            list[n++] = &p->list[k];
    return (struct field_items){.first = list, .n = n, .pointers = true};
}

/* Of findings that are no notes, those of a severity that are not waived. */
static int64_t findings_of(const struct report *r, enum priority p)
{
    int64_t n = 0;
    for (int k = 0; k < r->n_findings; k++) {
        const struct report_finding *f = &r->findings[k];
        n += f->of->priority == p && !f->of->informational && !f->waived_until.n;
    }
    return n;
}

static int64_t n_waived(const struct described *in)
{
    const struct report *r = in->of;
    int64_t n = 0;
    for (int k = 0; k < r->n_findings; k++)
        n += !r->findings[k].of->informational && r->findings[k].waived_until.n;
    return n;
}

/* What fixing the first finding gives; 0 if that is not known. */
static double first_gain_ms(const struct described *in)
{
    const struct report *r = in->of;
    double gain_ms = r->timeline.total_ms - r->after_first_ms;
    return isfinite(gain_ms) && gain_ms > 0 ? gain_ms : 0.0;
}

TELL(double, first_gain_pct, report,
     first_gain_ms(in) > 0 ? 100 * first_gain_ms(in) / it->timeline.total_ms : 0.0);
TELL(int64_t, n_critical, report, findings_of(it, PRIORITY_CRITICAL));
TELL(int64_t, n_high, report, findings_of(it, PRIORITY_HIGH));
TELL(int64_t, n_medium, report, findings_of(it, PRIORITY_MEDIUM));
TELL(int64_t, n_low, report, findings_of(it, PRIORITY_LOW));
TELL(struct str, device, report_meta, it->platform.n ? it->platform : it->device_name);
TELL(double, step_median_ms, report_steps, it->n ? it->median_ms : (double)NAN);
TELL(double, step_least_ms, report_steps, it->n ? it->least_ms : (double)NAN);
TELL(double, step_most_ms, report_steps, it->n ? it->most_ms : (double)NAN);
TELL(struct str, href, report_finding,
     str_printf(in->tmp, "recommendations.html#%.*s", STRF(it->anchor)));
TELL(double, added_ms, report_finding, finding_added_ms(in->whole, it));
TELL(const void *, waiver, report_finding, it->waived_until.n ? it : NULL);
TELL(struct str, action, finding, it->algorithmic.n ? it->algorithmic : it->kernel);
TELL(double, then_low_ms, finding,
     it->until < 0 ? (double)NAN : it->impact_then.low_ms);
TELL(double, then_high_ms, finding,
     it->until < 0 ? (double)NAN : it->impact_then.high_ms);
TELL(struct str, rule, finding,
     str_printf(in->tmp, "%.*s.%.*s", STRF(work_category_name(it->category)),
                STRF(it->pattern)));

static VIEW(window_times, report_timeline, AS("total_ns", total_ms, MS_IN_NS),
            AS("busy_ns", busy_ms, MS_IN_NS), AS("idle_ns", idle_ms, MS_IN_NS),
            AS("exposed_comm_ns", exposed_comm_ms, MS_IN_NS),
            AS("exposed_copy_ns", exposed_memcpy_ms, MS_IN_NS), F(busy_pct, PCT),
            F(idle_pct, PCT), F(exposed_comm_pct, PCT),
            AS("exposed_copy_pct", exposed_memcpy_pct, PCT));
static VIEW(window, report, STRUCT_AS(NULL, timeline, window_times),
            CALL(kernel_sum_ns, MS_IN_NS, kernel_sum_ms),
            AS("after_first_ns", after_first_ms, MS_IN_NS));
static VIEW(first, report, CALL(gain_ns, MS_IN_NS, first_gain_ms),
            CALL(gain_pct, PCT, first_gain_pct));
static VIEW(summed_steps, report_steps, F(n, COUNT), F(n_steady, COUNT),
            CALL(median_ns, MS_IN_NS, step_median_ms),
            CALL(least_ns, MS_IN_NS, step_least_ms),
            CALL(most_ns, MS_IN_NS, step_most_ms));
/* Of those that have steps: "phases.decode.mean_ns". */
static VIEW(summed_phase, report_phase, AS("slug", id, TEXT),
            AS("steps", n_steps, COUNT), AS("total_ns", wall_ms, MS_IN_NS),
            AS("total_pct", wall_pct, PCT), F(idle_pct, PCT),
            AS("mean_ns", mean_ms, MS_IN_NS),
            AS("step_to_step_ns", apart_ms, MS_IN_NS));
static VIEW(summed_phases, report_phases, CALL_LIST(phases, summed_phase, with_steps));
static VIEW(summed_category, report_category, AS("slug", id, TEXT), F(label, TEXT),
            AS("href", page, TEXT), AS("kernel_sum_ns", time_ms, MS_IN_NS),
            AS("kernel_sum_pct", share_pct, PCT), F(efficiency_pct, PCT),
            F(launches, COUNT));
VIEW(summed_finding, finding, AS("key", id, TEXT), F(title, TEXT), F(issue, TEXT),
     CALL(action, TEXT, action), CALL(rule, TEXT, rule),
     ENUM(category, work_category_name, WORK_CATEGORIES),
     ENUM_AS("group", category, work_category_display, WORK_CATEGORIES),
     ENUM_AS("severity", priority, priority_word, PRIORITIES),
     ENUM(confidence, confidence_word, CONFIDENCE_HIGH + 1),
     AS("gain_low_pct", impact.low_pct, PCT), AS("gain_high_pct", impact.high_pct, PCT),
     AS("gain_low_ns", impact.low_ms, MS_IN_NS),
     AS("gain_high_ns", impact.high_ms, MS_IN_NS),
     CALL(gain_then_low_ns, MS_IN_NS, then_low_ms),
     CALL(gain_then_high_ns, MS_IN_NS, then_high_ms), F(informational, FLAG));
static VIEW(waiver, report_finding, AS("until", waived_until, TEXT),
            AS("why", waived_why, TEXT));
static FIELDS(report_finding, AS("id", anchor, TEXT), F(rank, TEXT), F(kit, NAME),
              CALL(href, TEXT, href), CALL_STRUCT(waived, waiver, waiver),
              CALL(gain_added_ns, MS_IN_NS, added_ms), MEMBERS_OF(of, summed_finding));
static VIEW(counts, report, CALL(critical, COUNT, n_critical),
            CALL(high, COUNT, n_high), CALL(medium, COUNT, n_medium),
            CALL(low, COUNT, n_low), CALL(waived, COUNT, n_waived));
static VIEW(summed_check, report_check, F(id, TEXT), F(name, TEXT), F(title, TEXT),
            ENUM(result, check_result_word, CHECK_RESULTS), F(value, TEXT),
            F(what_to_do, TEXT));
static VIEW(checks, report, LIST_AS("list", checks, n_checks, summed_check),
            AS("passed", n_checked[CHECK_PASSED], COUNT),
            AS("warning", n_checked[CHECK_WARNING], COUNT),
            AS("failed", n_checked[CHECK_FAILED], COUNT),
            AS("not_evaluated", n_checked[CHECK_NOT_EVALUATED], COUNT));
static VIEW(warning_text, report_warning, ITSELF(text, TEXT));
static VIEW(input, report_meta, AS("file", trace_file, TEXT),
            AS("digest", input_digest, TEXT), AS("bytes", trace_bytes, BYTES),
            AS("events", n_events, COUNT));
static VIEW(about, report_meta, AS("tool", tool_version, TEXT), F(report_id, TEXT),
            F(run_label, TEXT), CALL(captured_utc, NAME, captured_utc),
            F(share_level, TEXT), PART("input", input), F(model, TEXT),
            CALL(device, TEXT, device));
static VIEW(verdict, report, ENUM_AS("kind", verdict_kind, verdict_word, VERDICT_KINDS),
            AS("text", verdict, TEXT), F(lead, TEXT),
            AS("recording", recording.says, TEXT));
static VIEW(summary, report, SAYS(schema, "1.7"), STRUCT_AS(NULL, meta, about),
            PART("verdict", verdict), PART("window", window), PART("first", first),
            STRUCT(steps, summed_steps), STRUCT_AS(NULL, phases, summed_phases),
            STRUCT_AS("fill", fill, summed_fill), STRUCT_AS("mfu", mfu.of, model_use),
            STRUCT_AS("memory", memory, summed_memory),
            POINTER_AS("counters", counters, summed_counters),
            POINTER_AS("collectives", comm_sizes, summed_sizes),
            POINTER_AS("layers", layers, summed_layers),
            POINTER_AS("compiled", compiled, summed_compiled),
            POINTER_AS("critical_path", path, summed_path),
            LIST(categories, n_categories, summed_category),
            LIST(findings, n_findings, report_finding), PART("counts", counts),
            PART("checks", checks),
            LIST_AS("warnings", warnings, n_warning_list, warning_text));
static FIELDS(run_facts, F(series, NAME), F(date, NAME), F(report_url, NAME));
static FIELDS(told_run, MEMBERS_OF(r, summary), MEMBERS_OF(facts, run_facts));

struct cJSON *run_summary(struct arena *tmp, const struct report *r,
                          const struct run_facts *facts)
{
    const struct json_walk w = {.whole = r, .tmp = tmp, .text = text_repaired};
    cJSON *o = described_json(told_run_fields(), &(struct told_run){r, facts}, &w);
    json_sort_keys(o);
    return o;
}

void run_summary_gates(struct cJSON *summary, const struct gate_results *gates)
{
    enum gate_status all = GATE_PASSED;
    for (int i = 0; i < gates->n; i++) {
        const struct gate_result *g = &gates->at[i];
        if (g->status == GATE_FAILED && !g->of->warns)
            all = GATE_FAILED;
        else if (g->status == GATE_NOT_EVALUATED && all == GATE_PASSED)
            all = GATE_NOT_EVALUATED;
    }
    json_put(cJSON_GetObjectItem(summary, "verdict"),
             gates->n ? J("gates", gate_status_key(all)) : json_null("gates"));
    json_put_described(summary, gate_results_fields(), gates, &(struct json_walk){0});
    json_sort_keys(summary);
}

/* An item of a list has the name that its `slug` or `id` says. */
static const cJSON *child(const cJSON *in, struct str name)
{
    const cJSON *c;
    cJSON_ArrayForEach(c, in)
    {
        const cJSON *named = cJSON_IsArray(in) ? cJSON_GetObjectItem(c, "slug") : NULL;
        if (cJSON_IsArray(in) && !named)
            named = cJSON_GetObjectItem(c, "id");
        if (str_eq(name, str_of(named ? named->valuestring : c->string)))
            return c;
    }
    return NULL;
}

const struct cJSON *run_summary_find(const struct cJSON *summary, struct str name)
{
    const cJSON *at = summary;
    while (at && name.n)
        at = child(at, str_take(&name, S(".")));
    return at;
}
