#include "report/report_detail.h"

#include "analysis/tree_data.h"
#include "analysis/tree_text.h"
#include "base/arena.h"
#include "report/report_system.h"

#include <math.h>
#include <string.h>

enum { STACK_LINES = 60, SUBTREE_LINES = 80, LINE_BYTES = 160 };

struct fill { /* what every part needs */
    struct arena *perm;
    struct arena tmp;
    struct report *r;
    const struct analysis *a;
    const struct tree_index *t; /* NULL: no call stacks */
    struct report_detail *d;
};

/* ---- rows ------------------------------------------------------------------------ */

/* One word for a table: the kind within the category, else what binds. */
static struct str type_of(const struct work_row *w)
{
    static const struct {
        enum work_category category;
        const char *key;
    } keys[] = {{WORK_SDPA_FWD, "attention_type"}, {WORK_SDPA_BWD, "attention_type"},
                {WORK_REDUCE, "reduce_class"},     {WORK_TRITON, "triton_class"},
                {WORK_MOE_FUSED, "moe_class"},     {WORK_BATCHNORM, "norm_type"},
                {WORK_NORM, "norm_type"},          {WORK_CONVOLUTION, "conv_class"},
                {WORK_OTHER, "subcategory"}};
    struct str type = S("");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].category == w->category)
            type = work_text(w, keys[i].key);
    if (w->category == WORK_GEMM && work_number(w, "quantized") > 0)
        type = S("quantized");
    if (type.n)
        return type;
    return w->efficiency.bound == BOUND_COMPUTE  ? S("compute")
           : w->efficiency.bound == BOUND_MEMORY ? S("memory")
                                                 : S("");
}

static void fill_kernels(struct arena *perm, const struct op_group *g,
                         struct report_work *to)
{
    const struct kernel_detail *longest = NULL;
    to->n_kernels = g->n_kernels;
    to->kernels = arena_new(perm, struct report_work_kernel, g->n_kernels);
    for (int i = 0; i < g->n_kernels; i++) {
        const struct kernel_detail *k = &g->kernels[i];
        to->kernels[i] = (struct report_work_kernel){
            k->name, k->stream, k->n, k->total_us, k->mean_us, k->min_us, k->max_us};
        if (!longest || k->mean_us > longest->mean_us)
            longest = k;
    }
    if (longest)
        to->kernel = longest->name;
}

static struct report_named *facts_of(struct arena *perm, const struct work_fact *from,
                                     int n)
{
    struct report_named *to = arena_new(perm, struct report_named, n);
    for (int i = 0; i < n; i++)
        to[i] = (struct report_named){from[i].key, from[i].number, from[i].text};
    return to;
}

static void fill_work(const struct fill *f, const struct work_row *w,
                      struct report_work *to)
{
    const struct op_group *g = w->group;
    const struct work_efficiency *e = &w->efficiency;
    *to = (struct report_work){
        .name = g->first->name,
        .args = w->args,
        .uid = g->first->uid,
        .count = w->count,
        .time_ms = w->time_ms,
        .mean_us = w->mean_us,
        .std_us = g->direct_us.std,
        .min_us = g->direct_us.min,
        .max_us = g->direct_us.max,
        .cov = w->cov,
        .category_pct = w->category_pct,
        .compute_pct = w->compute_pct,
        .total_pct = w->total_pct,
        .efficiency_pct = e->percent,
        .tflop_per_s = e->tflop_per_s,
        .tb_per_s = e->tb_per_s,
        .flop_per_byte = e->flop_per_byte,
        .peak_tflop_per_s = e->peak_tflop_per_s,
        .peak_tb_per_s = e->peak_tb_per_s,
        .compute_spec = e->compute_spec,
        .bound = e->bound == BOUND_COMPUTE  ? REPORT_BOUND_COMPUTE
                 : e->bound == BOUND_MEMORY ? REPORT_BOUND_MEMORY
                                            : REPORT_BOUND_NONE,
        .has_model = g->has_model || isfinite(e->percent),
        .peak_fallback = e->peak_fallback,
        .warning = e->warning,
        .anomaly = e->anomaly,
        .high_variance = w->high_variance,
        .top_rank = w->top_rank,
        .type = type_of(w),
        .modules = w->module_chain,
        .n_modules = w->n_modules,
        .launcher = w->launcher_path,
        .patterns = w->patterns,
        .n_patterns = w->n_patterns,
        .facts = facts_of(f->perm, w->facts, w->n_facts),
        .n_facts = w->n_facts,
        .finding = w->claimed_by,
    };
    fill_kernels(f->perm, g, to);
}

/* ---- call trees ------------------------------------------------------------------ */

typedef void tree_writer(struct out *o, struct arena tmp, const struct tree_index *t,
                         event_id i, int max_lines, int width);

static struct str tree_text(const struct fill *f, tree_writer *write, event_id e,
                            int lines)
{
    struct out o;
    if (e < 0)
        return S("");
    out_memory(&o);
    write(&o, f->tmp, f->t, e, lines, LINE_BYTES);
    return out_text(&o, f->perm);
}

static void fill_siblings(struct arena *perm, const struct tree_data *from,
                          struct report_call *to)
{
    to->siblings = arena_new(perm, struct report_call_sibling, from->n_siblings);
    to->n_siblings = from->n_siblings;
    for (int i = 0; i < from->n_siblings; i++) {
        const struct tree_sibling *s = &from->siblings[i];
        to->siblings[i] = (struct report_call_sibling){
            s->name, s->gpu_us, s->n_kernels ? s->kernels[0] : S(""), s->n_kernels};
    }
}

static void fill_calls(const struct fill *f, enum work_category c,
                       struct report_section *s)
{
    int n = 0;
    if (!f->t)
        return;
    const struct tree_data *from = tree_data_build(f->perm, f->tmp, f->a, f->t, c, &n);
    s->calls = arena_new(f->perm, struct report_call, n);
    s->n_calls = n;
    for (int i = 0; i < n; i++) {
        struct report_call *to = &s->calls[i];
        *to = (struct report_call){
            .name = from[i].op_name,
            .args = from[i].row ? from[i].row->args : S(""),
            .uid = from[i].ex_uid,
            .instances = from[i].instance_count,
            .stack = tree_text(f, tree_write_stack, from[i].event, STACK_LINES),
            .subtree = tree_text(f, tree_write_subtree, from[i].event, SUBTREE_LINES),
            .modules = from[i].modules,
            .n_modules = from[i].n_modules,
            .launcher = from[i].launcher_path,
            .notes = from[i].notes,
        };
        fill_siblings(f->perm, &from[i], to);
    }
}

/* ---- sections -------------------------------------------------------------------- */

static void fill_section(const struct fill *f, enum work_category c)
{
    const struct category_result *from = &f->a->categories[c];
    struct report_section *s = &f->d->sections[f->d->n_sections++];
    *s = (struct report_section){
        .id = work_category_name(c),
        .label = work_category_display(c),
        .communication = c == WORK_COMMUNICATION,
        .status = report_status_of(from->status),
        .error = from->error,
        .time_ms = from->time_ms,
        .compute_pct = from->compute_pct,
        .total_pct = from->total_pct,
        .efficiency_pct = from->average_efficiency_pct,
        .efficiency_plain_pct = from->average_efficiency_unweighted_pct,
        .operation_count = from->operation_count,
        .rows = arena_new(f->perm, struct report_work, from->n_rows),
        .n_rows = from->n_rows,
        .notes = from->notes,
        .n_notes = from->n_notes,
        .facts = facts_of(f->perm, from->facts, from->n_facts),
        .n_facts = from->n_facts,
    };
    for (int i = 0; i < from->n_rows; i++) {
        fill_work(f, &from->rows[i], &s->rows[i]);
        s->missing_models += !s->rows[i].has_model;
        s->anomalies += s->rows[i].anomaly;
        s->high_variance += s->rows[i].high_variance;
    }
    if (from->status == ANALYSER_OK)
        fill_calls(f, c, s);
}

static void fill_sections(const struct fill *f)
{
    const struct analysis *a = f->a;
    f->d->sections = arena_new(f->perm, struct report_section, WORK_CATEGORIES);
    for (int i = 0; i < a->n_by_time; i++)
        fill_section(f, a->by_time[i]);
    if (a->categories[WORK_COMMUNICATION].n_rows > 0)
        fill_section(f, WORK_COMMUNICATION);
    for (int c = 0; c < WORK_COMMUNICATION; c++)
        if (a->categories[c].status == ANALYSER_ERROR && a->categories[c].n_rows == 0)
            fill_section(f, (enum work_category)c);
}

/* ---- findings -------------------------------------------------------------------- */

static const struct report_work *work_of(const struct fill *f,
                                         const struct work_row *row)
{
    struct str id = work_category_name(row->category);
    const struct category_result *from = &f->a->categories[row->category];
    ptrdiff_t i = row - from->rows;
    for (int k = 0; k < f->d->n_sections; k++)
        if (str_eq(f->d->sections[k].id, id) && i >= 0 && i < f->d->sections[k].n_rows)
            return &f->d->sections[k].rows[i];
    return NULL;
}

static void add_by_time(struct report_finding_rows *to, const struct report_work *w)
{
    int at = to->n_rows++;
    for (; at > 0 && to->rows[at - 1]->time_ms < w->time_ms; at--)
        to->rows[at] = to->rows[at - 1];
    to->rows[at] = w;
}

static void fill_finding_rows(const struct fill *f)
{
    const struct analysis *a = f->a;
    f->d->finding_rows = arena_new(f->perm, struct report_finding_rows, a->n_findings);
    for (int i = 0; i < a->n_findings; i++) {
        struct report_finding_rows *to = &f->d->finding_rows[i];
        to->rows =
            arena_new(f->perm, const struct report_work *, a->findings[i].n_rows);
        for (int k = 0; k < a->findings[i].n_rows; k++) {
            const struct report_work *w = work_of(f, a->findings[i].rows[k]);
            if (w)
                add_by_time(to, w);
        }
    }
}

/* ---- roll-up --------------------------------------------------------------------- */

struct roll_up {
    struct report_priority_row row;
    double time_ms;
};

/* By mean impact, those without a finding last; then by time, then in their order. */
static bool comes_before(const struct roll_up *x, const struct roll_up *y)
{
    bool nx = isnan(x->row.mid_pct), ny = isnan(y->row.mid_pct);
    if (nx != ny)
        return ny;
    if (!nx && x->row.mid_pct != y->row.mid_pct)
        return x->row.mid_pct > y->row.mid_pct;
    return x->time_ms > y->time_ms;
}

static double known(double pct)
{
    return isnan(pct) ? 0 : pct;
}

/* Of all tiers; a large category without a finding has a row without figures. */
static bool roll_up(const struct analysis *a, enum work_category c, struct roll_up *to)
{
    enum { LARGE_PCT = 5 };
    bool some = false;
    *to = (struct roll_up){
        {.category = work_category_name(c), .label = work_category_display(c)},
        a->categories[c].time_ms};
    for (int i = 0; i < a->n_findings; i++) {
        const struct impact_range *impact = &a->findings[i].impact;
        if (a->findings[i].category != c)
            continue;
        some = true;
        to->row.low_pct += known(impact->low_pct);
        to->row.high_pct += known(impact->high_pct);
    }
    to->row.mid_pct = (to->row.low_pct + to->row.high_pct) / 2;
    if (!some)
        to->row.low_pct = to->row.mid_pct = to->row.high_pct = (double)NAN;
    return some ||
           (c < WORK_COMMUNICATION && a->categories[c].compute_pct >= LARGE_PCT);
}

static void fill_priorities(const struct fill *f)
{
    struct roll_up rows[WORK_CATEGORIES];
    int n = 0;
    for (int c = 0; c < WORK_CATEGORIES; c++) {
        struct roll_up one;
        if (!roll_up(f->a, (enum work_category)c, &one))
            continue;
        int at = n++;
        for (; at > 0 && comes_before(&one, &rows[at - 1]); at--)
            rows[at] = rows[at - 1];
        rows[at] = one;
    }
    f->d->priorities = arena_new(f->perm, struct report_priority_row, n);
    f->d->n_priorities = n;
    for (int i = 0; i < n; i++) {
        f->d->priorities[i] = rows[i].row;
        f->d->priorities[i].rank = i + 1;
    }
}

/* ---- attention ------------------------------------------------------------------- */

static struct str attention_use(const struct report_detail *d)
{
    bool attention = false, fused = false, unfused = false;
    for (int i = 0; i < d->n_sections; i++) {
        const struct report_section *s = &d->sections[i];
        attention = attention || str_starts(s->id, S("sdpa"));
        for (int k = 0; k < s->n_facts; k++) {
            bool some = s->facts[k].number > 0;
            const char *key = s->facts[k].key;
            fused = fused || (some && (strcmp(key, "flash_attention_detected") == 0 ||
                                       strcmp(key, "paged_attention_detected") == 0));
            unfused = unfused || (some && strcmp(key, "unfused_blocks") == 0);
        }
    }
    if (fused)
        return unfused ? S("Partial") : S("Yes");
    if (unfused)
        return S("No (unfused attention detected)");
    return attention ? S("No") : S("Not applicable");
}

void report_detail_fill(struct arena *perm, struct arena tmp, struct report *r,
                        const struct analysis *a, const struct tree_index *t)
{
    struct report_detail *d = arena_new(perm, struct report_detail, 1);
    const struct fill f = {perm, tmp, r, a, t, d};
    fill_sections(&f);
    fill_finding_rows(&f);
    fill_priorities(&f);
    report_system_fill(perm, r, a, d);
    d->attention_use = attention_use(d);
    r->detail = d;
}
