/* about.html: how the numbers are made, with those of this trace. */
#include "render/table_context.h"

#include "base/arena.h"
#include "report/finding_argument.h"
#include "report/report_detail.h"
#include "report/report_numbers.h"

#include <math.h>

/* ---- inputs ---- */

static void input(cJSON *t, const char *label, struct str value)
{
    cJSON *row = table_row(t, S(""));
    cell_text(row, str_of(label));
    cell_text(row, value.n ? value : S("not given"));
}

static void add_inputs(cJSON *c, const struct report *r, struct arena tmp)
{
    const struct report_meta *m = &r->meta;
    cJSON *t = table_open(S("t-inputs"), S("What was read, and how"));
    table_column(t, "What", false);
    table_column(t, "Value", false);
    input(t, "Program", m->tool_version);
    input(t, "Trace", m->trace_file);
    input(t, "Size, uncompressed",
          str_printf(&tmp, "%lld bytes, %lld events", (long long)m->trace_bytes,
                     (long long)m->n_events));
    input(t, "sha256 of the file, first 12 digits", m->input_digest);
    input(t, "Captured", m->captured);
    input(t, "Platform held against", m->platform);
    for (int k = 0; r->detail && k < r->detail->n_inputs; k++) {
        cJSON *row = table_row(t, S(""));
        cell_text(row, r->detail->inputs[k].label);
        cell_text(row, r->detail->inputs[k].value);
    }
    input(t, "Report id", m->report_id);
    input(t, "Share level", S("internal: names are as in the trace"));
    cJSON_AddItemToObject(c, "inputs", t);
}

/* ---- formulas ---- */

static void formula(cJSON *list, const char *name, const char *text, struct str example)
{
    cJSON *item = cJSON_CreateObject();
    ctx_text(item, "name", str_of(name));
    ctx_text(item, "formula", str_of(text));
    ctx_text(item, "example", example);
    cJSON_AddItemToArray(list, item);
}

static void add_time_formulas(cJSON *list, const struct report *r, struct arena *a)
{
    const struct report_timeline *t = &r->timeline;
    struct str total = number_ms(a, t->total_ms);
    if (!(t->total_ms > 0.0))
        return;
    formula(list, "Total time",
            "End of the last device event − start of the first one.",
            str_printf(a, "%.*s ms", STRF(total)));
    formula(list, "GPU busy",
            "Length of the union of all device intervals ÷ total time.",
            str_printf(a, "%.*s ms ÷ %.*s ms = %.*s %%", STRF(number_ms(a, t->busy_ms)),
                       STRF(total), STRF(number_pct(a, t->busy_pct))));
    formula(list, "Where wall time goes",
            "Computation + communication while nothing computes + copies while neither "
            "runs + idle = total time.",
            str_printf(a, "%.*s + %.*s + %.*s + %.*s = %.*s ms",
                       STRF(number_ms(a, t->computation_ms)),
                       STRF(number_ms(a, t->exposed_comm_ms)),
                       STRF(number_ms(a, t->exposed_memcpy_ms)),
                       STRF(number_ms(a, t->idle_ms)), STRF(total)));
    if (r->n_categories)
        formula(list, "Share of a category",
                "Kernel time of its operations ÷ computation time.",
                str_printf(a, "%.*s: %.*s ms ÷ %.*s ms = %.*s %%",
                           STRF(r->categories[0].label),
                           STRF(number_ms(a, r->categories[0].time_ms)),
                           STRF(number_ms(a, t->computation_ms)),
                           STRF(number_pct(a, r->categories[0].compute_pct))));
}

static struct str rate_example(struct arena *a, const struct report_op *op)
{
    return str_printf(a, "%.*s: %.*s GFLOP in %.*s µs (mean) is %.*s TFLOP/s",
                      STRF(op->name), STRF(number_rate(a, op->gflop)),
                      STRF(number_us(a, op->mean_us)),
                      STRF(number_rate(a, op->tflop_per_s)));
}

static double peak_of(const struct report *r, const struct report_op *op)
{
    if (op->bound == REPORT_BOUND_MEMORY)
        return r->device.memory_tb_per_s;
    for (int p = 0; p < r->device.n_peaks; p++)
        if (str_eq(r->device.peaks[p].spec, op->compute_spec))
            return r->device.peaks[p].tflop_per_s;
    return (double)NAN;
}

static struct str efficiency_example(struct arena *a, const struct report *r,
                                     const struct report_op *op)
{
    bool memory = op->bound == REPORT_BOUND_MEMORY;
    double peak = peak_of(r, op);
    const char *unit = memory ? "TB/s" : "TFLOP/s";
    if (isnan(peak) || isnan(op->efficiency_pct))
        return S("");
    return str_printf(a, "%.*s, bound by %s: %.*s %s of %.*s %s is %.*s %%",
                      STRF(op->name), memory ? "memory" : "computation",
                      STRF(number_rate(a, memory ? op->tb_per_s : op->tflop_per_s)),
                      unit, STRF(number_rate(a, peak)), unit,
                      STRF(number_pct(a, op->efficiency_pct)));
}

static void add_op_formulas(cJSON *list, const struct report *r, struct arena *a)
{
    const struct report_op *modelled = NULL;
    for (int i = 0; i < r->n_ops && !modelled; i++)
        if (r->ops[i].has_model && r->ops[i].bound != REPORT_BOUND_NONE &&
            !r->ops[i].anomaly && r->ops[i].tflop_per_s > 0.0)
            modelled = &r->ops[i];
    if (r->n_ops)
        formula(list, "Time of an operation",
                "Sum of the durations of the kernels that its calls launch.",
                str_printf(a, "%.*s: %lld calls × %.*s µs (mean) = %.*s ms",
                           STRF(r->ops[0].name), (long long)r->ops[0].count,
                           STRF(number_us(a, r->ops[0].mean_us)),
                           STRF(number_ms(a, r->ops[0].total_ms))));
    if (!modelled)
        return;
    formula(list, "TFLOP/s, TB/s",
            "FLOP and bytes that the arguments need, by the performance model of the "
            "operation, ÷ time; the mean over its calls.",
            rate_example(a, modelled));
    formula(list, "Efficiency",
            "Achieved rate ÷ peak of what bounds the operation. Memory bounds it when "
            "FLOP/byte is below compute peak ÷ bandwidth.",
            efficiency_example(a, r, modelled));
}

static void add_gain_formula(cJSON *list, const struct report *r, struct arena *a)
{
    for (int k = 0; k < r->n_findings; k++) {
        const struct report_finding *f = &r->findings[k];
        if (!f->n_projection || isnan(f->efficiency_pct))
            continue;
        const struct report_projection *p = &f->projection[0];
        formula(list, "Gain of a finding",
                "Time × (1 − efficiency ÷ target). The range is that of two targets, "
                "usual for the category.",
                str_printf(a,
                           "%.*s: %.*s ms at %.*s %%; at %.*s %% of roof it would take "
                           "%.*s ms, which saves %.*s %% of total time",
                           STRF(f->rank), STRF(number_ms(a, f->time_ms)),
                           STRF(number_pct(a, f->efficiency_pct)),
                           STRF(number_pct(a, p->target_pct)),
                           STRF(number_ms(a, p->time_ms)),
                           STRF(number_pct(a, p->e2e_pct))));
        return;
    }
}

static void add_categories(cJSON *c, const struct report *r, struct arena tmp)
{
    if (!r->n_categories)
        return;
    cJSON *t = table_open(S("t-categories"), S("Categories of this trace"));
    table_column(t, "Category", false);
    table_column(t, "Operations", true);
    table_column(t, "Time, ms", true);
    table_column(t, "Of computation time, %", true);
    for (int k = 0; k < r->n_categories; k++) {
        const struct report_category *g = &r->categories[k];
        cJSON *row = table_row(t, S(""));
        cell_category(row, r, g->id, g->label);
        cell_count(row, g->n_ops, tmp);
        cell_ms(row, g->time_ms, tmp);
        cell_pct(row, g->compute_pct, tmp);
    }
    cJSON_AddItemToObject(c, "categories", t);
}

bool site_about(struct site *s, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    cJSON *c = ctx_page(s, "about.html", S("About"),
                        "How are these numbers made, and what do the words mean?", tmp);
    ctx_format(c, "answer",
               "Every number here comes from one trace of %lld events, by fixed rules: "
               "the same trace gives the same report.",
               (long long)r->meta.n_events);
    ctx_toc(c, "#inputs", "Input and options");
    ctx_toc(c, "#method", "How the numbers are made");
    ctx_toc(c, "#wholes", "What a percentage is of");
    ctx_toc(c, "#priority", "Priority, gain, confidence");
    if (r->n_categories)
        ctx_toc(c, "#categories", "Categories");
    ctx_toc(c, "#differences", "Differences");
    ctx_toc(c, "#limits", "Limits and blind spots");
    ctx_toc(c, "#glossary", "Glossary");
    ctx_toc(c, "#access", "Accessibility");
    ctx_toc(c, "#cite", "Citing and licences");
    add_inputs(c, r, tmp);
    cJSON *list = cJSON_AddArrayToObject(c, "formulas");
    add_time_formulas(list, r, &tmp);
    add_op_formulas(list, r, &tmp);
    add_gain_formula(list, r, &tmp);
    add_categories(c, r, tmp);
    return ctx_write(s, "about.html", "about.html", c, tmp, e);
}
