/* roofline.html: what is limited by memory, what by computation, and how far from it.
 */
#include "render/page/row_context.h"

#include "analysis/model/number_text.h"
#include "base/arena.h"

#include <math.h>

enum { POINTS_MAX = 60 };

/* Of kernel time: operations below it are summed up, precisions below the other folded.
 */
static const double SLIGHT_PCT = 0.1, FOLD_PCT = 1.0;

static bool is_point(const struct report_op *op)
{
    return op->group->flop_per_byte > 0.0 && op->group->tflop_per_s > 0.0;
}

/* "matrix bf16" of "matrix_bf16". */
static struct str spec_words(struct arena *a, struct str spec)
{
    if (!spec.n)
        return S("Other");
    char *words = str_c(a, spec);
    for (char *p = words; *p; p++)
        *p = *p == '_' ? ' ' : *p;
    return str_capital(a, str_of(words));
}

struct point_set {
    struct str spec; /* p NULL: all */
    bool above_only;
};

static bool in_set(const struct report_op *op, const struct point_set *set)
{
    return is_point(op) &&
           (!set->spec.p || str_eq(op->group->compute_spec, set->spec)) &&
           (!set->above_only || op->row->efficiency.anomaly);
}

/* object.points, where the set has any. */
static void add_points(cJSON *object, const struct report *r,
                       const struct point_set *set, struct arena tmp)
{
    cJSON *points = cJSON_CreateObject();
    cJSON *rows = json_put_array(points, "rows");
    int shown = 0, left = 0;
    double rest_ms = 0.0;
    for (int i = 0; i < r->n_ops; i++) { /* the longest first */
        if (!in_set(&r->ops[i], set))
            continue;
        if (shown < POINTS_MAX && (!shown || r->ops[i].share_pct >= SLIGHT_PCT)) {
            op_row(rows, r, i, tmp);
            shown++;
            continue;
        }
        left++;
        rest_ms += r->ops[i].row->time_ms;
    }
    json_put(points, context_some("left", left), M("rest_ms", rest_ms));
    cJSON_AddItemToObject(object, "points", points);
}

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
        t.ms += op->row->time_ms;
        t.pct += op->share_pct;
        t.memory_ms +=
            op->row->efficiency.bound == BOUND_MEMORY ? op->row->time_ms : 0.0;
        t.compute_ms +=
            op->row->efficiency.bound == BOUND_COMPUTE ? op->row->time_ms : 0.0;
    }
    return t;
}

static void add_totals(cJSON *object, const struct totals *t)
{
    json_put(object, F(t, n), M("time_ms", t->ms), M("share_pct", t->pct),
             F(t, memory_ms), F(t, compute_ms));
}

static void add_part(cJSON *list, const struct site *s, struct str spec, int peak,
                     int number, struct arena tmp)
{
    struct point_set set = {.spec = spec};
    struct totals t = totals_of(s->r, &set);
    if (!t.n)
        return;
    cJSON *part =
        json_row(list, M("number", number), M("title", spec_words(&tmp, spec)));
    add_totals(part, &t);
    json_put(part, json_bool("folded", t.pct < FOLD_PCT));
    if (peak >= 0 && t.pct >= FOLD_PCT)
        ctx_chart(part, "chart", s, CHART_PRECISION, peak, tmp);
    add_points(part, s->r, &set, tmp);
}

/* In the order of the platform's peaks; then what runs at none of them. */
static void add_parts(cJSON *c, const struct site *s, struct arena tmp)
{
    const struct report *r = s->r;
    struct str *others = arena_new(&tmp, struct str, r->n_ops);
    int n = 0, number = 1;
    cJSON *list = json_put_array(c, "parts");
    for (int p = 0; p < r->device.n_peaks; p++)
        add_part(list, s, r->device.peaks[p].spec, p, number++, tmp);
    for (int i = 0; i < r->n_ops; i++) {
        bool known = !is_point(&r->ops[i]);
        for (int p = 0; p < r->device.n_peaks && !known; p++)
            known = str_eq(r->ops[i].group->compute_spec, r->device.peaks[p].spec);
        for (int k = 0; k < n && !known; k++)
            known = str_eq(r->ops[i].group->compute_spec, others[k]);
        if (!known)
            others[n++] =
                r->ops[i].group->compute_spec.p ? r->ops[i].group->compute_spec : S("");
    }
    for (int k = 0; k < n; k++)
        add_part(list, s, others[k], -1, number++, tmp);
}

static void peak_row(cJSON *rows, struct str name, double value, const char *unit,
                     int n_ops)
{
    json_row(rows, M("name", name), M("value", value), M("unit", str_of(unit)),
             M("n_ops", n_ops));
}

static void add_peaks(cJSON *c, const struct report *r, int n_points, struct arena tmp)
{
    if (!r->device.known)
        return;
    cJSON *peaks = json_put_object(c, "peaks");
    cJSON *rows = json_put_array(peaks, "rows");
    json_put(peaks, M("device", r->device.name),
             json_opt("peaks_are", r->device.peaks_are),
             M("sheet_bf16", r->device.sheet_bf16_tflop_per_s));
    peak_row(rows, S("Memory bandwidth"), r->device.memory_tb_per_s, "TB/s", n_points);
    for (int p = 0; p < r->device.n_peaks; p++) {
        struct point_set set = {.spec = r->device.peaks[p].spec};
        peak_row(rows, spec_words(&tmp, r->device.peaks[p].spec),
                 r->device.peaks[p].tflop_per_s, "TFLOP/s", totals_of(r, &set).n);
    }
}

/* Weighted by time, without what lies above the roof; NaN: not known. */
static double efficiency_of(const struct report *r)
{
    double efficient = 0.0, weight = 0.0;
    for (int i = 0; i < r->n_ops; i++) {
        const struct report_op *op = &r->ops[i];
        if (!is_point(op) || isnan(op->row->efficiency.percent) ||
            op->row->efficiency.anomaly)
            continue;
        weight += op->row->time_ms;
        efficient += op->row->time_ms * op->row->efficiency.percent;
    }
    return weight > 0.0 ? efficient / weight : (double)NAN;
}

bool site_roofline(struct site *s, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    const struct point_set above = {.above_only = true};
    struct totals t = totals_of(r, &(struct point_set){0});
    cJSON *c = ctx_page(s, "roofline.html");
    json_put(c, json_bool("has_points", t.n > 0), M("model_pct", t.pct),
             F(&t, memory_ms), F(&t, compute_ms), M("efficiency_pct", efficiency_of(r)),
             json_bool("no_device", !r->device.known),
             json_opt("missing", r->device.missing), F(&r->meta, shapes_hidden));
    if (t.n)
        ctx_chart(c, "figure", s, CHART_ROOFLINE, -1, tmp);
    if (totals_of(r, &above).n)
        add_points(json_put_object(c, "above"), r, &above, tmp);
    add_parts(c, s, tmp);
    add_peaks(c, r, t.n, tmp);
    json_put(c, json_opt("mfu", r->mfu.says));
    ctx_more(c, s, "roofline.html", tmp);
    return ctx_write(s, "roofline.html", "roofline.html", c, tmp, e);
}
