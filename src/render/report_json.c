#include "render/report_json.h"

#include "base/arena.h"
#include "render/json_text.h"
#include "report/json_tree.h"
#include "report/report_numbers.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>

enum { FIRST_OPERATIONS = 200 };

static const struct str schema_version = S_INIT("1.0");

static struct str bound_word(int bound)
{
    return bound == REPORT_BOUND_COMPUTE  ? S("compute")
           : bound == REPORT_BOUND_MEMORY ? S("memory")
                                          : S("");
}

/* ---- the head
 * --------------------------------------------------------------------------- */

/* "2025-07-27T10:11:12Z" of "2025-07-27 10:11:12 UTC". */
static void put_captured(cJSON *o, struct str captured)
{
    char iso[20];
    if (captured.n != 23 || !str_ends(captured, S(" UTC"))) {
        json_put_null(o, "captured_utc");
        return;
    }
    for (int k = 0; k < 19; k++)
        iso[k] = k == 10 ? 'T' : captured.p[k];
    iso[19] = 'Z';
    json_put_text(o, "captured_utc", (struct str){iso, sizeof iso});
}

static void put_head(cJSON *o, const struct report *r)
{
    const struct report_meta *m = &r->meta;
    json_put_text(o, "schema", schema_version);
    json_put_text(o, "tool", m->tool_version);
    json_put_text(o, "report_id", m->report_id);
    json_put_text(o, "run_label", m->run_label);
    json_put_text(o, "verdict", r->verdict);
    json_put_text(o, "lead", r->lead);
    put_captured(o, m->captured);
    cJSON *input = json_put_object(o, "input");
    json_put_text(input, "file", m->trace_file);
    json_put_text(input, "digest", m->input_digest);
    json_put_count(input, "trace_bytes", m->trace_bytes);
    json_put_count(input, "events", m->n_events);
    cJSON *has = json_put_object(input, "has");
    json_put_bool(has, "shapes", m->has_shapes);
    json_put_bool(has, "frames", m->has_frames);
    json_put_bool(has, "graphs", m->has_graphs);
    json_put_bool(has, "steps", m->has_steps);
    json_put_bool(has, "host_operations", m->has_cpu_op);
    json_put_bool(has, "device_events", m->has_gpu);
    cJSON *model = json_put_object(o, "model");
    json_put_text(model, "name", m->model);
    json_put_text(model, "architecture", r->model.architecture);
    json_put_text(model, "scale", r->model.scale);
    json_put_text(model, "precision", r->model.precision);
}

static void put_device(cJSON *o, const struct report *r)
{
    const struct report_device *d = &r->device;
    cJSON *device = json_put_object(o, "device");
    json_put_text_or_null(device, "recorded", r->meta.device_name);
    json_put_text_or_null(device, "platform", r->meta.platform);
    json_put_number(device, "memory_tb_per_s",
                    d->known ? d->memory_tb_per_s : (double)NAN, 3);
    json_put_number(device, "memory_gb", d->known ? d->memory_gb : (double)NAN, 2);
    cJSON *peaks = json_put_array(device, "peaks");
    for (int k = 0; k < d->n_peaks; k++) {
        cJSON *peak = json_push_object(peaks);
        json_put_text(peak, "spec", d->peaks[k].spec);
        json_put_number(peak, "tflop_per_s", d->peaks[k].tflop_per_s, 2);
    }
}

static void put_part(cJSON *o, const char *name, double ms, double pct)
{
    cJSON *part = json_put_object(o, name);
    json_put_count(part, "time_ns", (int64_t)llround(ms * 1e6));
    json_put_ms(part, "time_ms", ms);
    json_put_pct(part, "total_pct", pct);
}

static void put_window(cJSON *o, const struct report *r)
{
    const struct report_timeline *t = &r->timeline;
    double to_pct = t->total_ms > 0.0 ? 100.0 / t->total_ms : 0.0;
    cJSON *w = json_put_object(o, "window");
    put_part(w, "total", t->total_ms, t->total_ms > 0.0 ? 100.0 : 0.0);
    put_part(w, "busy", t->busy_ms, t->busy_pct);
    put_part(w, "computation", t->computation_ms, t->computation_pct);
    put_part(w, "exposed_communication", t->exposed_comm_ms, t->exposed_comm_pct);
    put_part(w, "exposed_copies", t->exposed_memcpy_ms, t->exposed_memcpy_pct);
    put_part(w, "idle", t->idle_ms, t->idle_pct);
    put_part(w, "communication", t->total_comm_ms, to_pct * t->total_comm_ms);
    put_part(w, "copies", t->total_memcpy_ms, to_pct * t->total_memcpy_ms);
    cJSON *u = json_put_object(w, "unlinked");
    json_put_count(u, "events", t->unlinked_events);
    json_put_ms(u, "time_ms", t->unlinked_ms);
    json_put_pct(u, "busy_pct", t->unlinked_busy_pct);
    json_put_bool(u, "included", t->unlinked_included);
}

/* ---- rows
 * ------------------------------------------------------------------------------- */

static void put_categories(cJSON *o, const struct report *r)
{
    cJSON *list = json_put_array(o, "categories");
    for (int k = 0; k < r->n_categories; k++) {
        const struct report_category *c = &r->categories[k];
        cJSON *row = json_push_object(list);
        json_put_text(row, "id", c->id);
        json_put_text(row, "label", c->label);
        json_put_text(row, "href", c->page);
        json_put_ms(row, "time_ms", c->time_ms);
        json_put_pct(row, "compute_pct", c->compute_pct);
        json_put_pct(row, "total_pct", c->total_pct);
        json_put_count(row, "operations", c->operations);
        json_put_count(row, "launches", c->launches);
        json_put_pct(row, "efficiency_pct", c->efficiency_pct);
        json_put_ms(row, "unmodelled_ms", c->unmodelled_ms);
    }
}

static void put_op(cJSON *list, const struct report *r, const struct report_op *op)
{
    cJSON *row = json_push_object(list);
    json_put_text(row, "id", op->id);
    json_put_text(row, "name", op->name);
    json_put_text(row, "args", op->args);
    json_put_text(row, "category",
                  op->category < 0 ? S("communication")
                                   : r->categories[op->category].id);
    json_put_count(row, "launches", op->count);
    json_put_ms(row, "time_ms", op->total_ms);
    json_put_pct(row, "share_pct", op->share_pct);
    json_put_us(row, "mean_us", op->mean_us);
    json_put_us(row, "median_us", op->median_us);
    json_put_us(row, "p95_us", op->p95_us);
    json_put_us(row, "min_us", op->min_us);
    json_put_us(row, "max_us", op->max_us);
    json_put_pct(row, "spread_pct", op->spread_pct);
    json_put_number(row, "flop_per_byte", op->flop_per_byte, 2);
    json_put_number(row, "tflop_per_s", op->tflop_per_s, 2);
    json_put_number(row, "tb_per_s", op->tb_per_s, 2);
    json_put_pct(row, "efficiency_pct", op->efficiency_pct);
    json_put_text_or_null(row, "bound", bound_word((int)op->bound));
    json_put_text_or_null(row, "compute_spec", op->compute_spec);
    json_put_bool(row, "anomaly", op->anomaly);
    json_put_bool(row, "high_variance", op->high_variance);
    json_put_texts(row, "kernels", op->kernels, op->n_kernels);
    json_put_texts(row, "modules", op->modules, op->n_modules);
    json_put_text_or_null(row, "finding",
                          op->finding < 0 ? S("") : r->findings[op->finding].anchor);
    json_put_text_or_null(row, "kit", op->kit);
}

/* Which operations are written: the first ones, and those of findings. */
static void put_operations(cJSON *o, const struct report *r)
{
    cJSON *list = json_put_array(o, "operations");
    json_put_count(o, "operations_total", r->n_ops);
    for (int k = 0; k < r->n_ops; k++)
        if (k < FIRST_OPERATIONS || r->ops[k].finding >= 0)
            put_op(list, r, &r->ops[k]);
}

static void put_top(cJSON *o, const struct report *r)
{
    cJSON *list = json_put_array(o, "top_operations");
    for (int k = 0; k < r->n_top; k++) {
        const struct report_top_op *t = &r->top[k];
        cJSON *row = json_push_object(list);
        json_put_count(row, "rank", t->rank);
        json_put_text(row, "name", t->name);
        json_put_text(row, "category", t->category);
        json_put_ms(row, "time_ms", t->time_ms);
        json_put_pct(row, "compute_pct", t->compute_pct);
        json_put_pct(row, "total_pct", t->total_pct);
        json_put_count(row, "launches", t->count);
        json_put_text_or_null(row, "operation", t->op < 0 ? S("") : r->ops[t->op].id);
    }
}

/* ---- findings
 * --------------------------------------------------------------------------- */

static void put_range(cJSON *o, const char *key, const struct report_range *x)
{
    cJSON *range = json_put_object(o, key);
    json_put_ms(range, "low_ms", x->low_ms);
    json_put_ms(range, "mid_ms", (x->low_ms + x->high_ms) / 2.0);
    json_put_ms(range, "high_ms", x->high_ms);
    json_put_pct(range, "low_pct", x->low_pct);
    json_put_pct(range, "mid_pct", (x->low_pct + x->high_pct) / 2.0);
    json_put_pct(range, "high_pct", x->high_pct);
    json_put_text(range, "basis", x->basis);
}

static void put_finding_numbers(cJSON *row, const struct report_finding *f)
{
    json_put_count(row, "launches", f->count);
    json_put_ms(row, "time_ms", f->time_ms);
    json_put_pct(row, "compute_pct", f->compute_pct);
    json_put_pct(row, "total_pct", f->total_pct);
    json_put_pct(row, "category_pct", f->category_pct);
    json_put_pct(row, "efficiency_pct", f->efficiency_pct);
    json_put_text_or_null(row, "bound", bound_word(f->bound));
    json_put_text_or_null(row, "peak", f->peak);
    json_put_text_or_null(row, "achieved", f->achieved);
    put_range(row, "impact", &f->impact);
    put_range(row, "impact_kernel", &f->impact_kernel);
    cJSON *list = json_put_array(row, "projection");
    for (int k = 0; k < f->n_projection; k++) {
        cJSON *p = json_push_object(list);
        json_put_pct(p, "target_pct", f->projection[k].target_pct);
        json_put_ms(p, "time_ms", f->projection[k].time_ms);
        json_put_pct(p, "total_saved_pct", f->projection[k].e2e_pct);
        json_put_pct(p, "operation_saved_pct", f->projection[k].op_pct);
    }
}

static void put_finding(cJSON *list, const struct report *r,
                        const struct report_finding *f)
{
    static const char *const tiers[] = {[REPORT_COMPUTE] = "kernel",
                                        [REPORT_FUSION] = "fusion",
                                        [REPORT_SYSTEM] = "system"};
    static const char *const priorities[] = {[REPORT_LOW] = "low",
                                             [REPORT_MEDIUM] = "medium",
                                             [REPORT_HIGH] = "high",
                                             [REPORT_CRITICAL] = "critical"};
    cJSON *row = json_push_object(list);
    json_put_text(row, "id", f->anchor);
    json_put_text(row, "key", f->id);
    json_put_text(row, "tier", str_of(tiers[f->tier]));
    json_put_text(row, "rank", f->rank);
    json_put_count(row, "global_rank", f->global_rank);
    json_put_text(row, "priority", str_of(priorities[f->priority]));
    json_put_text(row, "priority_basis", f->priority_basis);
    json_put_text(row, "category", f->category);
    json_put_text(row, "kind", f->kind);
    json_put_text(row, "pattern", f->pattern);
    json_put_text(row, "title", f->title);
    json_put_text(row, "name", f->name);
    json_put_text(row, "issue", f->issue);
    cJSON *advice = json_put_object(row, "advice");
    json_put_text(advice, "algorithmic", f->algorithmic);
    json_put_text(advice, "kernel", f->kernel);
    json_put_text(row, "confidence", f->confidence);
    put_finding_numbers(row, f);
    json_put_texts(row, "evidence", f->evidence, f->n_evidence);
    cJSON *ops = json_put_array(row, "operations");
    for (int k = 0; k < f->n_ops; k++)
        json_push_text(ops, r->ops[f->ops[k]].id);
    json_put_bool(row, "informational", f->informational);
    json_put_bool(row, "replay_recommended", f->replay_recommended);
    json_put_text_or_null(row, "kit", f->kit);
    char href[64];
    (void)snprintf(href, sizeof href, "recommendations.html#%.*s", STRF(f->anchor));
    json_put_text(row, "href", str_of(href));
}

/* ---- checks
 * ----------------------------------------------------------------------------- */

static void put_checks(cJSON *o, const struct report *r)
{
    static const char *const words[] = {[CHECK_PASSED] = "passed",
                                        [CHECK_WARNING] = "warning",
                                        [CHECK_FAILED] = "failed",
                                        [CHECK_NOT_EVALUATED] = "not_evaluated"};
    int64_t n[4] = {0};
    cJSON *checks = json_put_object(o, "checks");
    cJSON *list = json_put_array(checks, "list");
    for (int k = 0; k < r->n_checks; k++) {
        const struct report_check *c = &r->checks[k];
        cJSON *row = json_push_object(list);
        n[c->result]++;
        json_put_text(row, "id", c->id);
        json_put_text(row, "name", c->name);
        json_put_text(row, "result", str_of(words[c->result]));
        json_put_text(row, "value", c->value);
        json_put_text(row, "limit", c->limit);
        json_put_text(row, "affects", c->affects);
        json_put_text(row, "what_to_do", c->what_to_do);
    }
    for (int k = 0; k < 4; k++)
        json_put_count(checks, words[k], n[k]);
    cJSON *warnings = json_put_array(o, "warnings");
    for (int k = 0; k < r->n_warning_list; k++) {
        cJSON *row = json_push_object(warnings);
        json_put_text(row, "source", r->warnings[k].source);
        json_put_text(row, "text", r->warnings[k].text);
        json_put_bool(row, "failure", r->warnings[k].failure);
    }
}

cJSON *report_json_tree(const struct report *r)
{
    cJSON *o = cJSON_CreateObject();
    if (!o)
        arena_full();
    put_head(o, r);
    put_device(o, r);
    put_window(o, r);
    put_categories(o, r);
    put_operations(o, r);
    put_top(o, r);
    cJSON *findings = json_put_array(o, "findings");
    for (int k = 0; k < r->n_findings; k++)
        put_finding(findings, r, &r->findings[k]);
    put_checks(o, r);
    cJSON *measured = json_put_array(o, "measured");
    for (int k = 0; k < r->n_measured; k++) {
        cJSON *row = json_push_object(measured);
        json_put_text(row, "label", r->measured[k].label);
        json_put_text(row, "value", r->measured[k].value);
        json_put_text(row, "origin", r->measured[k].origin);
    }
    cJSON *tables = json_put_array(o, "tables");
    for (ptrdiff_t k = 0; k < r->n_tables; k++)
        json_push_text(tables, r->tables[k].name);
    json_sort_keys(o);
    return o;
}

void report_json_write(struct out *o, const struct report *r)
{
    cJSON *tree = report_json_tree(r);
    json_tree(o, tree, JSON_FILE);
    cJSON_Delete(tree);
}
