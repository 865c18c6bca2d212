#include "render/op_rows.h"

#include "base/arena.h"
#include "render/finding_context.h"
#include "render/html_text.h"

#include <math.h>

struct str op_href(struct arena *a, const struct report *r, int index)
{
    struct str page = site_part_name(a, "operations", index / SITE_TABLE_ROWS + 1);
    return str_printf(a, "%.*s#%.*s", STRF(page), STRF(r->ops[index].id));
}

/* The name is the permalink, unless it needs a fold: a link may not hold one. */
static void add_name(cJSON *row, const struct report *r, int index, struct arena tmp)
{
    const struct report_op *op = &r->ops[index];
    struct str brief = name_short(&tmp, op->name, OP_NAME_CHARS);
    bool whole = str_eq(brief, op->name);
    ctx_text(row, "row_name", brief);
    page_name(row, "name_html", op->name, whole ? 0 : OP_NAME_CHARS, tmp);
    ctx_text(row, "self", whole ? op_href(&tmp, r, index) : S(""));
    if (op->args.n)
        page_name(row, "args_html", op->args, OP_ARGS_CHARS, tmp);
}

static void add_times(cJSON *row, const struct report_op *op, struct arena tmp)
{
    ctx_format(row, "launches", "%lld", (long long)op->count);
    ctx_ms(row, "total", op->total_ms, tmp);
    ctx_sort_key(row, "total_v", op->total_ms);
    ctx_pct(row, "share", op->share_pct, tmp);
    ctx_sort_key(row, "share_v", op->share_pct);
    ctx_pct(row, "cumulative", op->cumulative_pct, tmp);
    ctx_fixed(row, "mean", op->mean_us, 2);
    ctx_sort_key(row, "mean_v", op->mean_us);
    ctx_fixed(row, "p95", op->p95_us, 2);
    ctx_sort_key(row, "p95_v", op->p95_us);
    ctx_fixed(row, "spread", op->spread_pct, 1);
}

static void add_rates(cJSON *row, const struct report_op *op, struct arena tmp)
{
    bool none = isnan(op->efficiency_pct) && !op->has_model;
    ctx_fixed(row, "intensity", op->flop_per_byte, 2);
    ctx_fixed(row, "tflops", op->tflop_per_s, 2);
    ctx_fixed(row, "tbs", op->tb_per_s, 3);
    ctx_bool(row, "no_model", none);
    if (none)
        ctx_text(row, "efficiency", S(""));
    else
        ctx_pct(row, "efficiency", op->efficiency_pct, tmp);
    ctx_sort_key(row, "efficiency_v", op->efficiency_pct);
    ctx_bool(row, "anomaly", op->anomaly);
    ctx_text(row, "bound", bound_word(op->bound));
    ctx_format(row, "kernels", "%d", op->n_kernels);
    ctx_text(row, "kernel_link", S(""));
}

static void add_links(cJSON *row, const struct report *r, const struct report_op *op)
{
    if (op->finding >= 0) {
        const struct report_finding *f = &r->findings[op->finding];
        cJSON *finding = cJSON_AddObjectToObject(row, "finding");
        ctx_text(finding, "rank", finding_rank(f));
        ctx_format(finding, "link", "recommendations.html#%.*s", STRF(f->anchor));
    } else {
        ctx_bool(row, "finding", false);
    }
    if (op->kit.n) {
        cJSON *kit = cJSON_AddObjectToObject(row, "kit");
        ctx_text(kit, "href", op->kit);
        ctx_text(kit, "name", S("kit"));
    } else {
        ctx_bool(row, "kit", false);
    }
}

void op_category(cJSON *row, const struct report *r, int category)
{
    const struct report_category *g = category >= 0 ? &r->categories[category] : NULL;
    ctx_category(row, "category", r, g ? g->id : S("communication"),
                 g ? g->label : S("Communication"));
}

void op_facts(cJSON *row, const struct report *r, const struct report_op *op,
              struct arena tmp)
{
    add_times(row, op, tmp);
    add_rates(row, op, tmp);
    add_links(row, r, op);
}

void op_row(cJSON *rows, const struct site *s, int index, bool here, struct arena tmp)
{
    const struct report *r = s->r;
    const struct report_op *op = &r->ops[index];
    cJSON *row = cJSON_CreateObject();
    ctx_text(row, "row_id", here ? op->id : S(""));
    add_name(row, r, index, tmp);
    op_category(row, r, op->category);
    op_facts(row, r, op, tmp);
    cJSON_AddItemToArray(rows, row);
}

void op_units(cJSON *context)
{
    cJSON *units = cJSON_AddObjectToObject(context, "units");
    ctx_text(units, "total", S("ms"));
    ctx_text(units, "mean", S("µs"));
}

void op_csv(cJSON *context, const struct site *s)
{
    if (!site_offers(s, "perf_report_csvs/unified_perf_summary.csv"))
        return;
    cJSON *csv = cJSON_AddObjectToObject(context, "csv");
    ctx_text(csv, "href", S("perf_report_csvs/unified_perf_summary.csv"));
    ctx_text(csv, "name", S("unified_perf_summary.csv"));
    ctx_text(csv, "size", S("CSV"));
}
