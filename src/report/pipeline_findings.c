/* Findings as data: the object of analysis.md 5.6, and priority_data.json. */
#include "report/pipeline_parts.h"

#include "base/arena.h"
#include "report/report_detail.h"

#include <math.h>
#include <stdlib.h>

/* ---- one finding
 * ----------------------------------------------------------------------------- */

void pipeline_put_impact(cJSON *o, const char *key, struct impact_range i)
{
    cJSON *range = json_put_object(o, key);
    json_put_pct(range, "low_pct", i.low_pct);
    json_put_pct(range, "high_pct", i.high_pct);
    json_put_ms(range, "low_ms", i.low_ms);
    json_put_ms(range, "high_ms", i.high_ms);
    json_put_text(range, "basis", i.basis);
}

static void put_rows(cJSON *o, const struct finding *f)
{
    cJSON *uids = json_put_array(o, "ops_rows");
    cJSON *shapes = json_put_array(o, "shapes");
    cJSON *kernels = json_put_array(o, "kernels");
    for (int k = 0; k < f->n_rows; k++) {
        const struct work_row *row = f->rows[k];
        cJSON *uid = cJSON_CreateNumber((double)row->group->first->uid);
        cJSON_AddItemToArray(uids, uid);
        if (row->args.n)
            json_push_text(shapes, row->args);
        struct str kernel = work_text(row, "kernel");
        if (kernel.n)
            json_push_text(kernels, kernel);
    }
    json_put_text_or_null(o, "dtype",
                          f->n_rows ? work_text(f->rows[0], "dtype") : S(""));
}

static void put_projection(cJSON *o, const struct finding *f)
{
    cJSON *list = json_put_array(o, "projection");
    for (int k = 0; k < f->n_projection; k++) {
        cJSON *row = json_push_object(list);
        json_put_pct(row, "target", f->projection[k].target_pct);
        json_put_ms(row, "time_ms", f->projection[k].time_ms);
        json_put_pct(row, "e2e_pct", f->projection[k].e2e_pct);
        json_put_pct(row, "op_pct", f->projection[k].op_pct);
    }
}

static void put_words(cJSON *o, const struct finding *f, const struct report_finding *r)
{
    static const char *const tiers[] = {[TIER_COMPUTE] = "compute_kernel",
                                        [TIER_FUSION] = "kernel_fusion",
                                        [TIER_SYSTEM] = "system"};
    json_put_text(o, "id", f->id);
    json_put_text(o, "tier", str_of(tiers[f->tier]));
    json_put_text(o, "category", work_category_name(f->category));
    json_put_text(o, "kind", r->kind);
    json_put_text(o, "pattern", f->pattern);
    json_put_text(o, "title", f->title);
    json_put_text(o, "op", f->op);
}

static void put_verdict(cJSON *o, const struct finding *f,
                        const struct report_finding *r)
{
    static const char *const priorities[PRIORITIES] = {"low", "medium", "high",
                                                       "critical"};
    if (f->top_rank > 0)
        json_put_count(o, "top_operation_rank", f->top_rank);
    else
        json_put_null(o, "top_operation_rank");
    json_put_text(o, "priority", str_of(priorities[f->priority]));
    json_put_text(o, "priority_basis", f->priority_basis);
    json_put_text(o, "issue", f->issue);
    json_put_text(o, "algorithmic", f->algorithmic);
    json_put_text(o, "kernel", f->kernel);
    pipeline_put_impact(o, "impact", f->impact);
    pipeline_put_impact(o, "impact_kernel", f->impact_kernel);
    put_projection(o, f);
    json_put_texts(o, "evidence", f->evidence, f->n_evidence);
    cJSON *replay = json_put_object(o, "replay");
    json_put_bool(replay, "recommended", f->replay_recommended);
    json_put_text_or_null(replay, "package", r->kit);
    json_put_bool(o, "informational", f->informational);
    json_put_text(o, "confidence", r->confidence);
    json_put_count(o, "global_rank", f->global_rank);
    json_put_count(o, "category_rank", f->category_rank);
    json_put_count(o, "tier_number", f->tier_number);
}

void pipeline_put_finding(cJSON *array, struct arena *scratch,
                          const struct pipeline_source *s, int finding)
{
    (void)scratch;
    const struct finding *f = &s->a->findings[finding];
    const struct report_finding *r = &s->r->findings[finding];
    cJSON *o = json_push_object(array);
    put_words(o, f, r);
    put_rows(o, f);
    json_put_count(o, "count", f->count);
    json_put_ms(o, "time_ms", f->time_ms);
    json_put_pct(o, "percent_of_compute", f->compute_pct);
    json_put_pct(o, "percent_of_total", f->total_pct);
    json_put_pct(o, "category_percent", f->category_pct);
    json_put_pct(o, "efficiency_percent", f->efficiency_pct);
    json_put_text_or_null(o, "bound_type", pipeline_bound(f->bound));
    json_put_text_or_null(o, "peak", f->peak);
    json_put_text_or_null(o, "achieved", f->achieved);
    put_verdict(o, f, r);
}

/* ---- estimates as the peer makes them
 * ------------------------------------------------------- */

/* What one row could save, in % of wall time. */
struct estimate {
    const struct work_row *row;
    double low, mid, high;
    bool modelled;
};

static bool estimate_of(const struct work_row *w, struct estimate *e)
{
    double pct = w->group->roofline_pct.mean, q = w->total_pct;
    *e = (struct estimate){.row = w, .modelled = !isnan(pct)};
    if (e->modelled) {
        double gap = pct < 100.0 ? 1.0 - pct / 100.0 : 0.0;
        e->high = gap * q;
        e->mid = 0.875 * e->high;
        e->low = 0.75 * e->high;
    } else {
        e->high = 0.45 * q;
        e->mid = 0.30 * q;
        e->low = 0.15 * q;
    }
    return e->high >= 0.01;
}

static void put_estimate(cJSON *list, const struct estimate *e)
{
    cJSON *o = json_push_object(list);
    json_put_text(o, "category", work_category_name(e->row->category));
    json_put_text(o, "op", e->row->group->first->name);
    json_put_count(o, "ex_uid", e->row->group->first->uid);
    json_put_text(o, "method", e->modelled ? S("roofline") : S("time_share"));
    json_put_pct(o, "percent_of_total", e->row->total_pct);
    json_put_pct(o, "efficiency_percent", e->row->group->roofline_pct.mean);
    json_put_pct(o, "low", e->low);
    json_put_pct(o, "mid", e->mid);
    json_put_pct(o, "high", e->high);
}

static void put_estimates_of(cJSON *list, const struct category_result *c)
{
    struct estimate e;
    for (int32_t k = 0; k < c->n_rows; k++)
        if (estimate_of(&c->rows[k], &e))
            put_estimate(list, &e);
}

void pipeline_put_estimates(cJSON *o, struct arena tmp, const struct pipeline_source *s,
                            const struct category_result *only)
{
    (void)tmp;
    cJSON *list = json_put_array(o, only ? "impact_estimates" : "all_estimates");
    for (int c = 0; c < WORK_COMMUNICATION; c++)
        if (!only || only == &s->a->categories[c])
            put_estimates_of(list, &s->a->categories[c]);
}

/* Rows of one category of the peer, bound, library and band of efficiency; rows without
 * a model by name. */
struct e_group {
    struct str category, library, op;
    enum roofline_bound bound;
    int band; /* 0: 0-30, 1: 30-60, 2: 60-100, 3: no model */
    double low, mid, high, time_ms;
    int n;
};

static int band_of(double pct)
{
    return isnan(pct) ? 3 : pct < 30.0 ? 0 : pct < 60.0 ? 1 : 2;
}

static bool is_group(const struct e_group *x, const struct e_group *y)
{
    return str_eq(x->category, y->category) && x->bound == y->bound &&
           x->band == y->band && str_eq(x->library, y->library) && str_eq(x->op, y->op);
}

static void add_to_group(struct e_group *groups, int *n, const struct estimate *e)
{
    const struct work_row *w = e->row;
    struct e_group g = {.category = w->group->first->category,
                        .bound = w->group->bound,
                        .band = band_of(w->group->roofline_pct.mean)};
    if (e->modelled)
        g.library = w->library;
    else
        g.op = w->group->first->name;
    int k = 0;
    while (k < *n && !is_group(&groups[k], &g))
        k++;
    if (k == *n)
        groups[(*n)++] = g;
    groups[k].low += e->low;
    groups[k].mid += e->mid;
    groups[k].high += e->high;
    groups[k].time_ms += w->time_ms;
    groups[k].n++;
}

static int by_mid(const void *a, const void *b)
{
    const struct e_group *x = a, *y = b;
    if (x->mid != y->mid)
        return x->mid > y->mid ? -1 : 1;
    int c = str_cmp(x->category, y->category);
    c = c ? c : str_cmp(x->op, y->op);
    c = c ? c : str_cmp(x->library, y->library);
    c = c ? c : x->band - y->band;
    return c ? c : (int)x->bound - (int)y->bound;
}

static void put_group(cJSON *list, struct arena tmp, const struct e_group *g)
{
    static const char *const bands[] = {"0-30", "30-60", "60-100", "unknown"};
    cJSON *o = json_push_object(list);
    char *lower = str_c(&tmp, g->category);
    for (char *c = lower; *c; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    json_put_text(o, "category", str_of(lower));
    json_put_text(o, "type", g->band == 3 ? S("time_share") : S("kernel_tuning"));
    json_put_text_or_null(o, "op", g->op);
    json_put_text_or_null(o, "bound_type", pipeline_bound(g->bound));
    json_put_text_or_null(o, "library", g->library);
    json_put_text(o, "efficiency_band", str_of(bands[g->band]));
    json_put_count(o, "rows", g->n);
    json_put_ms(o, "time_ms", g->time_ms);
    json_put_pct(o, "low", g->low);
    json_put_pct(o, "mid", g->mid);
    json_put_pct(o, "high", g->high);
}

void pipeline_put_e_findings(cJSON *o, const char *key, struct arena tmp,
                             const struct pipeline_source *s,
                             const struct category_result *only)
{
    int n = 0, n_rows = 0;
    for (int c = 0; c < WORK_COMMUNICATION; c++)
        n_rows += s->a->categories[c].n_rows;
    struct e_group *groups = arena_new(&tmp, struct e_group, n_rows);
    for (int c = 0; c < WORK_COMMUNICATION; c++) {
        const struct category_result *r = &s->a->categories[c];
        struct estimate e;
        for (int32_t k = 0; k < r->n_rows; k++)
            if ((!only || only == r) && estimate_of(&r->rows[k], &e))
                add_to_group(groups, &n, &e);
    }
    qsort(groups, (size_t)n, sizeof *groups, by_mid);
    cJSON *list = json_put_array(o, key);
    for (int k = 0; k < n && groups[k].mid >= 0.5; k++)
        put_group(list, tmp, &groups[k]);
}

/* ---- priority_data.json
 * ---------------------------------------------------------------------- */

/* The roll-up of the reports: a large category without findings has no score. */
static void put_roll_up(cJSON *array, const struct report_priority_row *r)
{
    cJSON *o = json_push_object(array);
    json_put_count(o, "rank", r->rank);
    json_put_text(o, "category", r->category);
    json_put_text(o, "display_name", r->label);
    json_put_pct(o, "impact_score", r->mid_pct);
    json_put_pct(o, "impact_score_low", r->low_pct);
    json_put_pct(o, "impact_score_high", r->high_pct);
    json_put_text(o, "source",
                  isnan(r->mid_pct) ? S("manifest_fallback") : S("findings_rollup"));
}

void pipeline_put_priorities(struct pipeline_files *f, struct arena tmp,
                             const struct pipeline_source *s)
{
    enum { FIRST_RECOMMENDATIONS = 6 };
    const struct report_detail *d = s->r->detail;
    cJSON *o = pipeline_add(f, S("priority_data.json"));
    json_put_ms(o, "baseline_ms", s->r->timeline.total_ms);
    cJSON *findings = json_put_array(o, "findings");
    for (int k = 0; k < s->a->n_findings; k++)
        pipeline_put_finding(findings, &tmp, s, k);
    cJSON *priorities = json_put_array(o, "priorities");
    for (int k = 0; k < d->n_priorities; k++)
        put_roll_up(priorities, &d->priorities[k]);
    cJSON *recommendations = json_put_array(o, "recommendations");
    for (int k = 0; k < d->n_priorities && k < FIRST_RECOMMENDATIONS; k++)
        put_roll_up(recommendations, &d->priorities[k]);
    pipeline_put_e_findings(o, "e_findings", tmp, s, NULL);
    pipeline_put_estimates(o, tmp, s, NULL);
}
