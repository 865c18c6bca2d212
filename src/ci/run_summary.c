#include "ci/run_summary.h"

#include "export/gates_json.h"
#include "render/text/context.h"

#include <math.h>

static int64_t ns_of(double ms)
{
    return isfinite(ms) ? (int64_t)llround(ms * 1e6) : 0;
}

/* A time that may be unknown. */
static struct json_member opt_ns(const char *key, double ms)
{
    return isfinite(ms) ? json_int(key, ns_of(ms)) : json_null(key);
}

static struct json_member opt_text(const char *key, struct str v)
{
    return v.n ? context_text(key, v) : json_null(key);
}

/* "2025-07-27T10:11:12Z" of "2025-07-27 10:11:12 UTC". */
static struct json_member captured(struct arena *tmp, struct str text)
{
    if (text.n != 23 || !str_ends(text, S(" UTC")))
        return json_null("captured_utc");
    return J("captured_utc", str_printf(tmp, "%.10sT%.8sZ", text.p, text.p + 11));
}

static cJSON *window(const struct report *r)
{
    const struct report_timeline *t = &r->timeline;
    double kernels_ms = 0;
    for (int k = 0; k < r->n_categories; k++)
        kernels_ms += r->categories[k].time_ms;
    return json_object(
        J("total_ns", ns_of(t->total_ms)), J("busy_ns", ns_of(t->busy_ms)),
        J("idle_ns", ns_of(t->idle_ms)), J("kernel_sum_ns", ns_of(kernels_ms)),
        J("exposed_comm_ns", ns_of(t->exposed_comm_ms)),
        J("exposed_copy_ns", ns_of(t->exposed_memcpy_ms)), J("busy_pct", t->busy_pct),
        J("idle_pct", t->idle_pct), J("exposed_comm_pct", t->exposed_comm_pct),
        J("exposed_copy_pct", t->exposed_memcpy_pct),
        opt_ns("after_first_ns", r->after_first_ms));
}

static cJSON *steps(const struct report_steps *s)
{
    return json_object(J("n", s->n), J("n_steady", s->n_steady),
                       opt_ns("median_ns", s->n ? s->median_ms : (double)NAN),
                       opt_ns("least_ns", s->n ? s->least_ms : (double)NAN),
                       opt_ns("most_ns", s->n ? s->most_ms : (double)NAN));
}

/* Of those that have steps: "phases.decode.mean_ns". */
static cJSON *phases(const struct report_phases *p)
{
    cJSON *list = json_list();
    for (int k = 0; k < p->n; k++)
        if (p->list[k].n_steps)
            json_row(list, J("slug", p->list[k].id), J("steps", p->list[k].n_steps),
                     J("total_ns", ns_of(p->list[k].wall_ms)),
                     J("total_pct", p->list[k].wall_pct),
                     J("idle_pct", p->list[k].idle_pct),
                     opt_ns("mean_ns", p->list[k].mean_ms),
                     opt_ns("step_to_step_ns", p->list[k].apart_ms));
    return list;
}

static cJSON *categories(const struct report *r)
{
    cJSON *list = json_list();
    for (int k = 0; k < r->n_categories; k++) {
        const struct report_category *c = &r->categories[k];
        json_row(list, J("slug", c->id), context_text("label", c->label),
                 J("href", c->page), J("kernel_sum_ns", ns_of(c->time_ms)),
                 J("kernel_sum_pct", c->share_pct),
                 J("efficiency_pct", c->efficiency_pct), J("launches", c->launches));
    }
    return list;
}

cJSON *finding_summary(struct arena *tmp, struct str id, const struct finding *f)
{
    return json_object(
        context_text("id", id), context_text("key", f->id),
        context_text("title", f->title), context_text("issue", f->issue),
        context_text("action", f->algorithmic.n ? f->algorithmic : f->kernel),
        J("rule", str_printf(tmp, "%.*s.%.*s", STRF(work_category_name(f->category)),
                             STRF(f->pattern))),
        J("category", work_category_name(f->category)),
        J("group", work_category_display(f->category)),
        J("severity", priority_word(f->priority)),
        J("confidence", confidence_word(f->confidence)),
        J("gain_low_pct", f->impact.low_pct), J("gain_high_pct", f->impact.high_pct),
        opt_ns("gain_low_ns", f->impact.low_ms),
        opt_ns("gain_high_ns", f->impact.high_ms),
        J("informational", f->informational));
}

static cJSON *finding(struct arena *tmp, const struct report_finding *x)
{
    cJSON *o = finding_summary(tmp, x->anchor, x->of);
    json_put(o, J("rank", x->rank),
             J("href", str_printf(tmp, "recommendations.html#%.*s", STRF(x->anchor))),
             json_opt("kit", x->kit), waived_json(x));
    return o;
}

/* How many of each severity are not waived; of notes none is counted. */
static cJSON *counts(const cJSON *findings)
{
    int n[PRIORITIES] = {0}, waived = 0;
    const cJSON *f;
    cJSON_ArrayForEach(f, findings)
    {
        struct str word = str_of(cJSON_GetObjectItem(f, "severity")->valuestring);
        bool counts = !cJSON_IsTrue(cJSON_GetObjectItem(f, "informational"));
        bool let = cJSON_IsObject(cJSON_GetObjectItem(f, "waived"));
        waived += counts && let;
        for (int p = 0; p < PRIORITIES; p++)
            n[p] += counts && !let && str_eq(word, priority_word((enum priority)p));
    }
    cJSON *o = json_object(J("waived", waived));
    for (int p = 0; p < PRIORITIES; p++)
        json_put(o, J(priority_word((enum priority)p).p, n[p]));
    return o;
}

static cJSON *checks(const struct report *r)
{
    cJSON *list = json_list(), *o = json_new();
    for (int k = 0; k < r->n_checks; k++) {
        const struct report_check *c = &r->checks[k];
        json_row(list, J("id", c->id), context_text("name", c->name),
                 J("result", check_result_word(c->result)),
                 context_text("value", c->value),
                 context_text("what_to_do", c->what_to_do));
    }
    for (enum report_check_result k = 0; k < CHECK_RESULTS; k++)
        json_put(o, J(check_result_word(k).p, r->n_checked[k]));
    return json_put(o, J("list", list));
}

static cJSON *input(const struct report_meta *m)
{
    return json_object(context_text("file", m->trace_file),
                       J("digest", m->input_digest), J("bytes", m->trace_bytes),
                       J("events", m->n_events));
}

struct cJSON *run_summary(struct arena *tmp, const struct report *r,
                          const struct run_facts *facts)
{
    const struct report_meta *m = &r->meta;
    cJSON *findings = json_list(), *warnings = json_list();
    for (int k = 0; k < r->n_findings; k++)
        json_push(findings, finding(tmp, &r->findings[k]));
    for (int k = 0; k < r->n_warning_list; k++)
        json_push(warnings, context_text(NULL, r->warnings[k].text).value);
    cJSON *verdict =
        json_object(J("kind", verdict_word(r->verdict_kind)),
                    context_text("text", r->verdict), context_text("lead", r->lead));
    struct str device = m->platform.n ? m->platform : m->device_name;
    cJSON *o = json_object(
        J("schema", "1.1"), J("tool", m->tool_version), J("report_id", m->report_id),
        context_text("run_label", m->run_label), opt_text("series", facts->series),
        captured(tmp, m->captured), json_opt("date", facts->date),
        J("share_level", m->share_level), json_opt("report_url", facts->report_url),
        J("input", input(m)), context_text("model", m->model),
        context_text("device", device), J("verdict", verdict), J("window", window(r)),
        J("steps", steps(&r->steps)), J("phases", phases(&r->phases)),
        J("categories", categories(r)), J("findings", findings),
        J("counts", counts(findings)), J("checks", checks(r)), J("warnings", warnings));
    json_sort_keys(o);
    return o;
}

void run_summary_gates(struct cJSON *summary, const struct gate_result *gates, int n)
{
    enum gate_status all = GATE_PASSED;
    for (int i = 0; i < n; i++) {
        const struct gate_result *g = &gates[i];
        if (g->status == GATE_FAILED && !g->of->warns)
            all = GATE_FAILED;
        else if (g->status == GATE_NOT_EVALUATED && all == GATE_PASSED)
            all = GATE_NOT_EVALUATED;
    }
    json_put(cJSON_GetObjectItem(summary, "verdict"),
             n ? J("gates", gate_status_key(all)) : json_null("gates"));
    json_put(summary, J("gates", gates_json(gates, n)));
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
