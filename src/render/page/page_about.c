/* about.html: how the numbers are computed, with examples from this trace. */
#include "render/page/site_context.h"

#include <math.h>

static void add_inputs(cJSON *c, const struct report *r)
{
    const struct report_meta *m = &r->meta;
    json_put(c, F(m, trace_file), F(m, trace_bytes), F(m, n_events), F(m, platform));
}

static double peak_of(const struct report *r, const struct report_op *op)
{
    if (op->row->efficiency.bound == BOUND_MEMORY)
        return r->device.memory_tb_per_s;
    for (int p = 0; p < r->device.n_peaks; p++)
        if (str_eq(r->device.peaks[p].spec, op->group->compute_spec))
            return r->device.peaks[p].tflop_per_s;
    return (double)NAN;
}

static cJSON *add_op(cJSON *c, const char *key, const struct report_op *op)
{
    cJSON *item = json_put_object(c, key);
    json_put(item, F(op->row, name), F(op->row, count), F(op->row, mean_us),
             M("total_ms", op->row->time_ms));
    return item;
}

static void add_modelled(cJSON *c, const struct report *r)
{
    const struct report_op *op = NULL;
    for (int i = 0; i < r->n_ops && !op; i++)
        if (r->ops[i].group->cost && r->ops[i].row->efficiency.bound != BOUND_NONE &&
            !r->ops[i].row->efficiency.anomaly && r->ops[i].group->tflop_per_s > 0.0)
            op = &r->ops[i];
    if (!op)
        return;
    cJSON *item = add_op(c, "modelled", op);
    bool known = !isnan(op->row->efficiency.percent);
    json_put(item, F(op->group, gflop), M("tflop_per_s", op->group->tflop_per_s),
             M("tb_per_s", op->group->tb_per_s),
             json_bool("by_memory", op->row->efficiency.bound == BOUND_MEMORY),
             M("efficiency_pct", op->row->efficiency.percent),
             M("peak", known ? peak_of(r, op) : (double)NAN));
}

static void add_gain(cJSON *c, const struct report *r)
{
    for (int k = 0; k < r->n_findings; k++) {
        const struct finding *f = r->findings[k].of;
        if (!f->n_projection || isnan(f->efficiency_pct))
            continue;
        json_put(json_put_object(c, "gain"), F(&r->findings[k], rank), F(f, time_ms),
                 F(f, efficiency_pct), F(&f->projection[0], target_pct),
                 M("target_ms", f->projection[0].time_ms),
                 F(&f->projection[0], e2e_pct));
        return;
    }
}

static void add_categories(cJSON *c, const struct report *r)
{
    if (!r->n_categories)
        return;
    cJSON *rows = json_put_array(json_put_object(c, "categories"), "rows");
    for (int k = 0; k < r->n_categories; k++) {
        const struct report_category *g = &r->categories[k];
        json_row(rows, ctx_category("category", r, g->id, g->label),
                 M("n_ops", g->operations), F(g, time_ms), F(g, share_pct));
    }
    json_put(json_put_object(c, "category"), F(&r->categories[0], label),
             F(&r->categories[0], time_ms), F(&r->categories[0], share_pct));
}

bool site_about(struct site *s, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    cJSON *c = ctx_page(s, "about.html");
    add_inputs(c, r);
    timeline_context(c, r);
    if (r->n_ops)
        add_op(c, "longest", &r->ops[0]);
    add_modelled(c, r);
    add_gain(c, r);
    add_categories(c, r);
    return ctx_write(s, "about.html", "about.html", c, tmp, e);
}
