/* roofline.html: what is limited by memory, what by computation, and how far from it.
 */
#include "render/table_context.h"

#include "base/arena.h"
#include "report/report_numbers.h"

#include <math.h>

enum { POINTS_MAX = 60, NAME_CHARS = 60, ARGS_CHARS = 80 };

static bool is_point(const struct report_op *op)
{
    return op->flop_per_byte > 0.0 && op->tflop_per_s > 0.0;
}

/* "matrix bf16" of "matrix_bf16". */
static struct str spec_words(struct arena *a, struct str spec)
{
    if (!spec.n)
        return S("Other");
    char *words = str_c(a, spec);
    for (char *p = words; *p; p++)
        *p = *p == '_' ? ' ' : *p;
    if (words[0] >= 'a' && words[0] <= 'z')
        words[0] = (char)(words[0] - 'a' + 'A');
    return str_of(words);
}

/* ---- tables of points ---- */

struct point_set {
    struct str spec; /* p NULL: all */
    bool above_only;
};

static bool in_set(const struct report_op *op, const struct point_set *set)
{
    return is_point(op) && (!set->spec.p || str_eq(op->compute_spec, set->spec)) &&
           (!set->above_only || op->anomaly);
}

static void point_row(cJSON *t, const struct report *r, int index, struct arena tmp)
{
    const struct report_op *op = &r->ops[index];
    cJSON *row = table_row(t, S(""));
    cell_operation(row, r, index, NAME_CHARS, ARGS_CHARS, tmp);
    cell_ms(row, op->total_ms, tmp);
    cell_pct(row, op->share_pct, tmp);
    cell_rate(row, op->flop_per_byte, tmp);
    cell_rate(row, op->tflop_per_s, tmp);
    cell_rate(row, op->tb_per_s, tmp);
    cell_number(row, number_pct(&tmp, op->efficiency_pct), op->efficiency_pct);
    cell_text(row, bound_word(op->bound));
}

/* NULL when the set is empty. */
static cJSON *point_table(const struct report *r, const struct point_set *set,
                          const char *table_id, struct str caption, struct arena tmp)
{
    cJSON *t = table_open(str_of(table_id), caption);
    table_column(t, "Operation", false);
    table_column(t, "Time, ms", true);
    table_column(t, "Share of kernel time, %", true);
    table_column(t, "FLOP/byte", true);
    table_column(t, "TFLOP/s", true);
    table_column(t, "TB/s", true);
    table_column(t, "Efficiency, % of roof", true);
    table_column(t, "Bound", false);
    int n = 0;
    double rest_ms = 0.0;
    for (int i = 0; i < r->n_ops; i++) {
        if (!in_set(&r->ops[i], set))
            continue;
        if (n++ < POINTS_MAX)
            point_row(t, r, i, tmp);
        else
            rest_ms += r->ops[i].total_ms;
    }
    if (n > POINTS_MAX)
        table_fold(t, str_printf(&tmp, "%d more, %.*s ms", n - POINTS_MAX,
                                 STRF(number_ms(&tmp, rest_ms))));
    else
        table_sortable(t);
    if (n)
        return t;
    cJSON_Delete(t);
    return NULL;
}

/* ---- one precision ---- */

struct totals {
    int n;
    double ms, pct, memory_ms, compute_ms;
};

static struct totals totals_of(const struct report *r, const struct point_set *set)
{
    struct totals t = {0};
    for (int i = 0; i < r->n_ops; i++) {
        const struct report_op *op = &r->ops[i];
        if (!in_set(op, set))
            continue;
        t.n++;
        t.ms += op->total_ms;
        t.pct += op->share_pct;
        t.memory_ms += op->bound == REPORT_BOUND_MEMORY ? op->total_ms : 0.0;
        t.compute_ms += op->bound == REPORT_BOUND_COMPUTE ? op->total_ms : 0.0;
    }
    return t;
}

static void add_part(cJSON *list, const struct site *s, struct str spec, int peak,
                     int number, struct arena tmp)
{
    struct point_set set = {.spec = spec};
    struct totals t = totals_of(s->r, &set);
    struct str words = spec_words(&tmp, spec);
    const char *table_id = str_c(&tmp, str_printf(&tmp, "t-points-%d", number));
    cJSON *points = point_table(s->r, &set, table_id,
                                str_printf(&tmp, "Points of %.*s", STRF(words)), tmp);
    if (!points)
        return;
    cJSON *part = cJSON_CreateObject();
    ctx_format(part, "part_id", "precision-%d", number);
    ctx_text(part, "title", words);
    ctx_format(part, "about",
               "%d operation%s, %.*s ms, %.*s %% of kernel time; %.*s ms are bound by "
               "memory, %.*s ms by computation.",
               t.n, t.n == 1 ? "" : "s", STRF(number_ms(&tmp, t.ms)),
               STRF(number_pct(&tmp, t.pct)), STRF(number_ms(&tmp, t.memory_ms)),
               STRF(number_ms(&tmp, t.compute_ms)));
    ctx_bool(part, "chart", false);
    if (peak >= 0 && chart_find(s->charts, CHART_PRECISION, peak)) {
        cJSON_DeleteItemFromObject(part, "chart");
        ctx_chart(part, "chart", s, CHART_PRECISION, peak, tmp);
    }
    cJSON_AddItemToObject(part, "points", points);
    cJSON_AddItemToArray(list, part);
}

/* In the order of the platform's peaks; then what runs at none of them. */
static void add_parts(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct report *r = s->r;
    struct str *others = arena_new(&tmp, struct str, r->n_ops);
    int n = 0, number = 1;
    cJSON *list = cJSON_AddArrayToObject(c, "parts");
    for (int p = 0; p < r->device.n_peaks; p++)
        add_part(list, s, r->device.peaks[p].spec, p, number++, tmp);
    for (int i = 0; i < r->n_ops; i++) {
        bool known = !is_point(&r->ops[i]);
        for (int p = 0; p < r->device.n_peaks && !known; p++)
            known = str_eq(r->ops[i].compute_spec, r->device.peaks[p].spec);
        for (int k = 0; k < n && !known; k++)
            known = str_eq(r->ops[i].compute_spec, others[k]);
        if (!known)
            others[n++] = r->ops[i].compute_spec.p ? r->ops[i].compute_spec : S("");
    }
    for (int k = 0; k < n; k++)
        add_part(list, s, others[k], -1, number++, tmp);
}

/* ---- peaks ---- */

static void add_peaks(cJSON *c, const struct report *r, struct arena tmp)
{
    if (!r->device.known)
        return;
    ctx_format(
        c, "peaks_source",
        "From the platform file of %.*s, chosen by the user: no peak is measured "
        "in this trace.",
        STRF(r->device.name));
    cJSON *t = table_open(S("t-peaks"),
                          str_printf(&tmp, "Peaks of %.*s", STRF(r->device.name)));
    table_column(t, "Peak", false);
    table_column(t, "Value", true);
    table_column(t, "Unit", false);
    table_column(t, "Operations under it", true);
    cJSON *row = table_row(t, S(""));
    struct totals all = totals_of(r, &(struct point_set){0});
    cell_text(row, S("Memory bandwidth"));
    cell_rate(row, r->device.memory_tb_per_s, tmp);
    cell_text(row, S("TB/s"));
    cell_count(row, all.n, tmp);
    for (int p = 0; p < r->device.n_peaks; p++) {
        struct point_set set = {.spec = r->device.peaks[p].spec};
        row = table_row(t, S(""));
        cell_text(row, spec_words(&tmp, r->device.peaks[p].spec));
        cell_rate(row, r->device.peaks[p].tflop_per_s, tmp);
        cell_text(row, S("TFLOP/s"));
        cell_count(row, totals_of(r, &set).n, tmp);
    }
    cJSON_AddItemToObject(c, "peaks", t);
}

/* ---- the page ---- */

static void add_answer(cJSON *c, const struct report *r, const struct totals *t,
                       struct arena tmp)
{
    double efficient = 0.0, weight = 0.0;
    for (int i = 0; i < r->n_ops; i++) {
        const struct report_op *op = &r->ops[i];
        if (!is_point(op) || isnan(op->efficiency_pct) || op->anomaly)
            continue;
        weight += op->total_ms;
        efficient += op->total_ms * op->efficiency_pct;
    }
    if (!t->n) {
        ctx_text(c, "answer",
                 S("No operation of this trace has a place under the roof."));
        ctx_text(
            c, "empty_page",
            S("A place under the roof needs a performance model, and that needs the "
              "shapes of the arguments. Record with record_shapes=True."));
        return;
    }
    ctx_format(c, "answer",
               "%.*s %% of kernel time has a performance model: %.*s ms of it is bound "
               "by memory, %.*s ms by computation.",
               STRF(number_pct(&tmp, t->pct)), STRF(number_ms(&tmp, t->memory_ms)),
               STRF(number_ms(&tmp, t->compute_ms)));
    if (weight > 0.0)
        ctx_format(c, "lead",
                   "Weighted by time, these operations reach %.*s %% of their "
                   "roof; what lies above it is not counted.",
                   STRF(number_pct(&tmp, efficient / weight)));
}

bool site_roofline(struct site *s, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    struct totals t = totals_of(r, &(struct point_set){0});
    cJSON *c = ctx_page(
        s, "roofline.html", S("Roofline"),
        "What is limited by memory, what by computation, and how far from the limit?",
        tmp);
    add_answer(c, r, &t, tmp);
    ctx_bool(c, "no_device", !r->device.known);
    if (t.n)
        ctx_chart(c, "figure", s, CHART_ROOFLINE, -1, tmp);
    cJSON *above = point_table(r, &(struct point_set){.above_only = true}, "t-above",
                               S("Operations above their roof"), tmp);
    if (above)
        cJSON_AddItemToObject(c, "above", above);
    add_parts(c, s, tmp);
    add_peaks(c, r, tmp);
    return ctx_write(s, "roofline.html", "roofline.html", c, tmp, e);
}
