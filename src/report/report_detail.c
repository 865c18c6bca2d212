#include "report/report_detail.h"

#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/stack/tree_text.h"
#include "base/arena.h"
#include "ops/group_kernels.h"
#include "ops/op_groups.h"
#include "report/report_parts.h"

#include <math.h>

enum { STACK_LINES = 60, SUBTREE_LINES = 80, LINE_BYTES = 160 };

struct fill { /* what every part needs */
    struct arena *perm;
    struct arena tmp;
    const struct analysis *a;
    const struct tree_index *t; /* NULL: no call stacks */
    struct report_detail *d;
};

/* One word for a table: the kind within the category, else what binds. */
struct str report_row_type(const struct work_row *w)
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
    return bound_word(w->efficiency.bound);
}

struct str report_row_kernel(const struct work_row *w)
{
    const struct kernel_detail *longest = group_longest_kernel(w->group);
    return longest ? longest->name : S("");
}

bool report_row_has_model(const struct work_row *w)
{
    return w->group->has_model || isfinite(w->efficiency.percent);
}

typedef void tree_writer(struct out *o, struct arena tmp, const struct tree_index *t,
                         int32_t i, int max_lines, int width);

static struct str tree_text(const struct fill *f, tree_writer *write, int32_t event,
                            int lines)
{
    struct out o;
    if (event < 0)
        return S("");
    out_memory(&o);
    write(&o, f->tmp, f->t, event, lines, LINE_BYTES);
    return out_text(&o, f->perm);
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
        s->calls[i] = (struct report_call){
            .of = &from[i],
            .stack = tree_text(f, tree_write_stack, from[i].event, STACK_LINES),
            .subtree = tree_text(f, tree_write_subtree, from[i].event, SUBTREE_LINES)};
    }
}

static void fill_section(const struct fill *f, enum work_category c)
{
    const struct category_result *from = &f->a->categories[c];
    struct report_section *s = &f->d->sections[f->d->n_sections++];
    s->of = from;
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

/* For all tiers; a large category without a finding has a row without figures. */
static bool roll_up(const struct analysis *a, enum work_category c, struct roll_up *to)
{
    enum { LARGE_PCT = 5 };
    bool some = false;
    *to = (struct roll_up){{.category = c}, a->categories[c].time_ms};
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

static struct str attention_use(const struct report_detail *d)
{
    bool attention = false, fused = false, unfused = false;
    for (int i = 0; i < d->n_sections; i++) {
        const struct category_result *c = d->sections[i].of;
        attention =
            attention || c->category == WORK_SDPA_FWD || c->category == WORK_SDPA_BWD;
        fused = fused || work_category_number(c, "flash_attention_detected") > 0 ||
                work_category_number(c, "paged_attention_detected") > 0;
        unfused = unfused || work_category_number(c, "unfused_blocks") > 0;
    }
    if (fused)
        return unfused ? S("Partial") : S("Yes");
    if (unfused)
        return S("No (unfused attention detected)");
    return attention ? S("No") : S("Not applicable");
}

const struct system_results *report_system(const struct report *r)
{
    static const struct system_results nothing;
    return r->analysis && r->analysis->system ? r->analysis->system : &nothing;
}

const struct idle_result *report_idle(const struct report *r)
{
    return idle_that_decides(report_system(r));
}

int report_idle_causes(const struct analysis *a,
                       struct report_idle_cause causes[IDLE_CLASSES])
{
    int n = 0;
    const struct idle_result *idle =
        a && a->system ? idle_that_decides(a->system) : NULL;
    double all_ms = idle ? idle_result_ms(idle) : 0;
    for (int i = 0; idle && idle->host_known && i < IDLE_CLASSES; i++) {
        double ms = (double)idle->class_ns[i] / 1e6;
        if (ms <= 0)
            continue;
        int at = n++;
        for (; at > 0 && causes[at - 1].total_ms < ms; at--)
            causes[at] = causes[at - 1];
        causes[at] = (struct report_idle_cause){(enum idle_class)i,
                                                idle_class_label((enum idle_class)i),
                                                ms, pct_of(ms, all_ms)};
    }
    return n;
}

bool report_has_multi_kernel(const struct analysis *a)
{
    if (!a->system)
        return false;
    const struct multi_kernel_result *k = &a->system->multi_kernel;
    bool some = k->status == ANALYSER_ERROR || k->comm_count > 0 ||
                a->exposed_comm_ms > 0 || a->exposed_memcpy_ms > 0;
    for (int i = 0; i < COPY_DIRECTIONS; i++)
        some = some || k->copies[i].count > 0;
    return some;
}

void report_detail_fill(const struct report_source *s, struct arena tmp,
                        struct report *r)
{
    struct report_detail *d = arena_new(s->perm, struct report_detail, 1);
    const struct fill f = {s->perm, tmp, s->a, s->o->tree, d};
    fill_sections(&f);
    fill_priorities(&f);
    d->attention_use = attention_use(d);
    r->detail = d;
}
