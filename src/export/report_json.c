#include "export/report_json.h"

#include "export/finding_json.h"
#include "export/gates_json.h"
#include "export/json_text.h"
#include "export/json_tree.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>

enum {
    FIRST_OPERATIONS = 200,
    OPERATIONS_BYTES = 1 << 20,
    KERNELS_BYTES = 1 << 16,
    ROW_DEPTH = 2
};

/* "2025-07-27T10:11:12Z" of "2025-07-27 10:11:12 UTC". */
static struct json_member captured(struct str text)
{
    char iso[24];
    if (text.n != 23 || !str_ends(text, S(" UTC")))
        return json_null("captured_utc");
    (void)snprintf(iso, sizeof iso, "%.10sT%.8sZ", text.p, text.p + 11);
    return J("captured_utc", iso);
}

/* What mending findings is worth, as the opening says it. */
static void put_outlook(cJSON *o, const struct report *r)
{
    const struct finding *unjudged = report_unjudged(r);
    double kernel_ms = 0;
    for (int k = 0; k < r->n_categories; k++)
        kernel_ms += r->categories[k].time_ms;
    json_put(o, J("after_first_ms", r->after_first_ms),
             J("after_together_ms", r->after_together_ms),
             J("unjudged_pct", unjudged && kernel_ms > 0
                                   ? 100 * unjudged->time_ms / kernel_ms
                                   : (double)NAN));
    if (r->analysis)
        json_put(o, J("together", impact_json(&r->analysis->together, NAMES_REPORT)));
    else
        json_put(o, json_null("together"));
}

static void put_head(cJSON *o, const struct report *r)
{
    const struct report_meta *m = &r->meta;
    cJSON *has = json_object(J("shapes", m->has_shapes), J("frames", m->has_frames),
                             J("graphs", m->has_graphs), J("steps", m->has_steps),
                             J("host_operations", m->has_cpu_op),
                             J("device_events", m->has_gpu));
    cJSON *input = json_object(J("file", m->trace_file), J("digest", m->input_digest),
                               J("trace_bytes", m->trace_bytes),
                               J("events", m->n_events), J("has", has));
    cJSON *model =
        json_object(J("name", m->model), J("architecture", r->model.architecture),
                    J("scale", r->model.scale), J("precision", r->model.precision));
    json_put(o, J("schema", "1.2"), J("tool", m->tool_version),
             J("report_id", m->report_id), J("run_label", m->run_label),
             J("verdict", r->verdict), J("verdict_kind", verdict_word(r->verdict_kind)),

             J("lead", r->lead), captured(m->captured), J("input", input),
             J("model", model));
    put_outlook(o, r);
}

static cJSON *device(const struct report *r)
{
    const struct report_device *d = &r->device;
    cJSON *peaks = json_list();
    for (int k = 0; k < d->n_peaks; k++)
        json_row(peaks, J("spec", d->peaks[k].spec),
                 J("tflop_per_s", d->peaks[k].tflop_per_s));
    double none = (double)NAN;
    return json_object(
        json_opt("recorded", r->meta.device_name),
        json_opt("platform", r->meta.platform),
        json_fixed("memory_tb_per_s", d->known ? d->memory_tb_per_s : none, 3),
        J("memory_gb", d->known ? d->memory_gb : none), J("peaks", peaks),
        json_opt("peaks_are", d->peaks_are), json_opt("misfit", d->misfit));
}

static cJSON *part(double ms, double pct)
{
    return json_object(J("time_ns", (int64_t)llround(ms * 1e6)), J("time_ms", ms),
                       J("total_pct", pct));
}

static cJSON *window(const struct report_timeline *t)
{
    double to_pct = t->total_ms > 0.0 ? 100.0 / t->total_ms : 0.0;
    cJSON *unlinked = json_object(
        J("events", t->unlinked_events), J("time_ms", t->unlinked_ms),
        J("busy_pct", t->unlinked_busy_pct), J("included", t->unlinked_included));
    cJSON *backlog = json_object(
        J("events", t->backlog_events), J("time_ms", t->backlog_ms),
        J("busy_pct", t->backlog_busy_pct), J("included", t->backlog_included));
    return json_object(
        J("total", part(t->total_ms, t->total_ms > 0.0 ? 100.0 : 0.0)),
        J("busy", part(t->busy_ms, t->busy_pct)),
        J("computation", part(t->computation_ms, t->computation_pct)),
        J("exposed_communication", part(t->exposed_comm_ms, t->exposed_comm_pct)),
        J("exposed_copies", part(t->exposed_memcpy_ms, t->exposed_memcpy_pct)),
        J("idle", part(t->idle_ms, t->idle_pct)),
        J("communication", part(t->total_comm_ms, to_pct * t->total_comm_ms)),
        J("copies", part(t->total_memcpy_ms, to_pct * t->total_memcpy_ms)),
        J("unlinked", unlinked), J("backlog", backlog),
        J("recording_ms", t->recording_ms), J("leading_artefact_ms", t->artefact_ms),
        J("queued_ms", t->queued_ms));
}

static cJSON *per_step(double ms, double pct)
{
    return json_object(J("time_ms", ms), J("steps_pct", pct));
}

static cJSON *steps(const struct report_steps *s)
{
    static const char *const words[] = {[STEPS_NONE] = "none",
                                        [STEPS_PROFILER] = "profiler",
                                        [STEPS_PROFILER_DEVICE] =
                                            "profiler, on the device",
                                        [STEPS_ENGINE] = "engine",
                                        [STEPS_PERIOD] = "period of kernels"};
    return json_object(J("source", words[s->source]), J("by_device", s->by_device),
                       J("n", s->n), J("n_steady", s->n_steady),
                       J("median_ms", s->median_ms), J("least_ms", s->least_ms),
                       J("most_ms", s->most_ms), J("mean_ms", s->mean_ms),
                       J("idle", per_step(s->idle_ms, s->idle_pct)),
                       J("exposed_communication", per_step(s->comm_ms, s->comm_pct)),
                       J("exposed_copies", per_step(s->copy_ms, s->copy_pct)),
                       J("off_low_pct", s->off_low_pct),
                       J("off_high_pct", s->off_high_pct), J("headline", s->headline));
}

static cJSON *amount(const struct report_amount *a)
{
    return json_object(J("least", a->least), J("most", a->most), J("mean", a->mean));
}

/* Of prompts and of generation. */
static cJSON *amounts(const struct report_phase *p, int of)
{
    return json_object(J("requests", amount(&p->requests[of])),
                       J("tokens", amount(&p->tokens[of])),
                       J("attended", amount(&p->seen[of])));
}

static cJSON *phase(const struct report *r, const struct report_phase *p)
{
    cJSON *by_category = json_list(), *kernels = json_list();
    for (const struct report_phase_part *c = p->categories;
         c < p->categories + p->n_categories; c++)
        json_row(by_category, J("id", r->categories[c->index].id),
                 J("time_ms", c->total_ms), J("share_pct", c->share_pct));
    for (const struct report_phase_part *k = p->kernels; k < p->kernels + p->n_kernels;
         k++)
        json_row(kernels,
                 json_opt("id", k->index < 0 ? S("") : r->kernels[k->index].id),
                 J("name", k->name), J("count", k->count), J("time_ms", k->total_ms),
                 J("share_pct", k->share_pct));
    return json_object(
        J("id", p->id), J("steps", p->n_steps), J("load", p->load),
        J("prompts", amounts(p, 0)), J("generation", amounts(p, 1)),
        J("time_ms", p->wall_ms), J("total_pct", p->wall_pct), J("busy_ms", p->busy_ms),
        J("idle_ms", p->idle_ms), J("idle_pct", p->idle_pct), J("mean_ms", p->mean_ms),
        J("least_ms", p->least_ms), J("most_ms", p->most_ms),
        J("step_to_step_ms", p->apart_ms), J("between_ms", p->between_ms),
        J("between_idle_ms", p->between_idle_ms), J("waits_pct", p->waits_pct),
        J("kernel_sum_ms", p->work_ms), J("categories", by_category),
        J("kernels", kernels));
}

static cJSON *phases(const struct report *r)
{
    cJSON *list = json_list();
    for (int k = 0; k < r->phases.n; k++)
        json_push(list, phase(r, &r->phases.list[k]));
    return json_object(json_opt("source", r->phases.source),
                       J("headline", r->phases.headline),
                       J("contrast", r->phases.contrast), J("list", list));
}

static cJSON *categories(const struct report *r)
{
    cJSON *list = json_list();
    for (int k = 0; k < r->n_categories; k++) {
        const struct report_category *c = &r->categories[k];
        json_row(list, J("id", c->id), J("label", c->label), J("href", c->page),
                 J("time_ms", c->time_ms), J("compute_pct", c->compute_pct),
                 J("share_pct", c->share_pct), J("total_pct", c->total_pct),
                 J("operations", c->operations), J("launches", c->launches),
                 J("efficiency_pct", c->efficiency_pct),
                 J("unmodelled_ms", c->unmodelled_ms));
    }
    return list;
}

static cJSON *operation(const struct report *r, const struct report_op *op)
{
    const struct work_row *row = op->row;
    const struct op_group *g = op->group;
    cJSON *kernels = json_list(); /* longest first */
    ptrdiff_t room = KERNELS_BYTES;
    for (int32_t k = g->n_kernels; k-- > 0 && room > 0;)
        json_push_text_within(kernels, g->kernels[k].name, &room);
    return json_object(
        J("id", op->id), J("name", row->name), J("args", row->args),
        J("category",
          op->category < 0 ? S("communication") : r->categories[op->category].id),
        J("launches", row->count), J("time_ms", row->time_ms),
        J("share_pct", op->share_pct), J("mean_us", row->mean_us),
        J("median_us", g->direct_us.median), J("p95_us", op->p95_us),
        J("min_us", g->direct_us.min), J("max_us", g->direct_us.max),
        J("spread_pct", report_op_spread_pct(op)), J("flop_per_byte", g->flop_per_byte),
        J("tflop_per_s", g->tflop_per_s), J("tb_per_s", g->tb_per_s),
        J("efficiency_pct", row->efficiency.percent),
        json_opt("bound", bound_word(row->efficiency.bound)),
        json_opt("compute_spec", g->compute_spec),
        J("anomaly", row->efficiency.anomaly), J("high_variance", row->high_variance),
        J("kernels", kernels), J("kernels_total", g->n_kernels),
        json_texts("modules", row->module_chain, row->n_modules),
        json_opt("finding", op->finding < 0 ? S("") : r->findings[op->finding].anchor),
        json_opt("kit", op->kit));
}

/* As text at once: the tree of a row takes eight times as much. */
static void push_row(cJSON *list, cJSON *row)
{
    json_sort_keys(row);
    json_push(list, json_packed(row, ROW_DEPTH));
}

/* The first ones, and those of findings, while there is room. */
static cJSON *operations(const struct report *r)
{
    cJSON *list = json_list();
    ptrdiff_t room = OPERATIONS_BYTES;
    for (int k = 0; k < report_listed(r->n_ops) && room > 0; k++) {
        bool wanted = k < FIRST_OPERATIONS || r->ops[k].finding >= 0;
        cJSON *row = wanted ? json_within(operation(r, &r->ops[k]), &room) : NULL;
        if (row)
            push_row(list, row);
    }
    return list;
}

static cJSON *top_operations(const struct report *r)
{
    cJSON *list = json_list();
    for (int k = 0; k < r->n_top; k++) {
        const struct top_operation *t = r->top[k].of;
        int op = r->top[k].op;
        json_row(list, J("rank", t->rank), J("name", t->name),
                 J("category", work_category_display(t->category)),
                 J("time_ms", t->time_ms), J("compute_pct", t->compute_pct),
                 J("total_pct", t->total_pct), J("launches", t->count),
                 json_opt("operation", op < 0 ? S("") : r->ops[op].id));
    }
    return list;
}

static cJSON *checks(const struct report *r)
{
    cJSON *list = json_list();
    for (int k = 0; k < r->n_checks; k++) {
        const struct report_check *c = &r->checks[k];
        json_row(list, J("id", c->id), J("name", c->name),
                 J("result", check_result_word(c->result)), J("value", c->value),
                 J("limit", c->limit), J("affects", c->affects),
                 J("what_to_do", c->what_to_do));
    }
    cJSON *o = json_object(J("list", list));
    for (enum report_check_result k = 0; k < CHECK_RESULTS; k++)
        json_put(o, J(check_result_word(k).p, r->n_checked[k]));
    return o;
}

static cJSON *warnings(const struct report *r)
{
    cJSON *list = json_list();
    for (int k = 0; k < r->n_warning_list; k++)
        json_row(list, J("source", r->warnings[k].source),
                 J("text", r->warnings[k].text), J("failure", r->warnings[k].failure));
    return list;
}

static cJSON *measured(const struct report *r)
{
    cJSON *list = json_list();
    for (int k = 0; k < r->n_measured; k++)
        json_row(list, J("label", r->measured[k].label),
                 J("value", r->measured[k].value), J("origin", r->measured[k].origin));
    return list;
}

static cJSON *report_tree(const struct report *r)
{
    cJSON *o = json_new(), *findings = json_list(), *tables = json_list();
    for (int k = 0; k < r->n_findings; k++)
        push_row(findings, finding_json(r, &r->findings[k], NAMES_REPORT));
    for (ptrdiff_t k = 0; k < r->n_tables; k++)
        json_push_text(tables, r->tables[k].name);
    put_head(o, r);
    json_put(o, J("device", device(r)), J("window", window(&r->timeline)),
             J("steps", steps(&r->steps)), J("phases", phases(r)),
             J("categories", categories(r)), J("operations", operations(r)),
             J("operations_total", r->n_distinct_ops), J("top_operations", top_operations(r)),
             J("findings", findings), J("checks", checks(r)),
             J("warnings", warnings(r)), J("measured", measured(r)),
             J("tables", tables), J("gates", gates_json(r->gates, r->n_gates)));
    json_sort_keys(o);
    return o;
}

void report_json_write(struct out *o, const struct report *r)
{
    cJSON *tree = report_tree(r);
    json_tree(o, tree, JSON_FILE);
    cJSON_Delete(tree);
}
