/* about.html: how the numbers are computed, with examples from this trace. */
#include "render/page/site_context.h"
#include "report/page_shown.h"

#include <math.h>

static void add_op(cJSON *c, const char *key, const struct report *r,
                   const struct report_op *op)
{
    cJSON *item = json_put_object(c, key);
    json_put(context_lend(item, shown_example_fields(), op, r), N(op->row, name));
}

static void add_modelled(cJSON *c, const struct report *r)
{
    const struct report_op *op = NULL;
    for (int i = 0; i < r->n_ops && !op; i++)
        if (r->ops[i].group->cost && r->ops[i].row->efficiency.bound != BOUND_NONE &&
            !r->ops[i].row->efficiency.anomaly && r->ops[i].group->tflop_per_s > 0.0)
            op = &r->ops[i];
    if (op)
        add_op(c, "modelled", r, op);
}

static void add_gain(cJSON *c, const struct report *r)
{
    for (int k = 0; k < r->n_findings; k++) {
        const struct finding *f = r->findings[k].of;
        if (!f->n_projection || isnan(f->efficiency_pct))
            continue;
        json_put(c, context_told("gain", shown_gain_fields(), &r->findings[k], r));
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
        json_put(context_lend(context_push(rows), shown_category_fields(), g, r),
                 ctx_category("category", r, g->id, g->label));
    }
    json_put(c, context_told("category", shown_category_fields(), r->categories, r));
}

bool site_about(struct site *s, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    cJSON *c = ctx_page(s, "about.html");
    context_lend(c, shown_input_fields(), &r->meta, r);
    timeline_context(c, r);
    if (r->n_ops)
        add_op(c, "longest", r, &r->ops[0]);
    add_modelled(c, r);
    add_gain(c, r);
    add_categories(c, r);
    return ctx_write(s, "about.html", "about.html", c, tmp, e);
}
