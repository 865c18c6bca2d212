#include "analysis/facts/fact_maker.h"

#include "analysis/model/name_match.h"
#include "analysis/stack/tree_index.h"

#include <math.h>
#include <string.h>

struct expectation row_expectation(const struct work_row *r)
{
    if (r->category == WORK_SDPA_FWD || r->category == WORK_SDPA_BWD)
        return expectation_of_attention(work_number(r, "seq"),
                                        work_number(r, "decode") > 0,
                                        r->category == WORK_SDPA_BWD);
    if (r->category == WORK_CONVOLUTION)
        return expectation_of_convolution(work_text(r, "conv_class"));
    struct expectation x = expectation_of(r->category);
    double best = r->category == WORK_GEMM ? work_number(r, "best_pct") : (double)NAN;
    if (!isnan(best)) /* what the same trace reaches says more than a fixed figure */
        x = (struct expectation){0.9 * best, 0.9 * best, best};
    return x;
}

void kernels_by_label(const struct op_group *g, struct kernel_sum sums[KERNEL_LABELS])
{
    memset(sums, 0, KERNEL_LABELS * sizeof *sums);
    for (int32_t i = 0; i < g->n_kernels; i++) {
        struct kernel_sum *s = &sums[kernel_label_of(g->kernels[i].name)];
        s->us += g->kernels[i].total_us;
        s->count += g->kernels[i].n;
    }
}

struct kernel_sum kernels_labelled(const struct op_group *g, enum kernel_label l)
{
    struct kernel_sum sums[KERNEL_LABELS];
    kernels_by_label(g, sums);
    return sums[l];
}

double kernels_total_us(const struct op_group *g)
{
    double us = 0;
    for (int32_t i = 0; i < g->n_kernels; i++)
        us += g->kernels[i].total_us;
    return us;
}

static void set_if(struct fact_maker *m, struct category_result *c, const char *key,
                   double v)
{
    if (key)
        work_set(m->perm, c, FACT(key, v));
}

void set_kinds(struct fact_maker *m, struct category_result *c, const char *fact,
               const struct kind_keys *kinds, size_t n)
{
    for (const struct kind_keys *k = kinds; k < kinds + n; k++) {
        int rows = 0;
        double calls = 0, ms = 0;
        for (int32_t i = 0; i < c->n_rows; i++)
            if (str_eq(work_text(&c->rows[i], fact), k->kind)) {
                rows++;
                calls += (double)c->rows[i].count;
                ms += c->rows[i].time_ms;
            }
        set_if(m, c, k->rows, rows);
        set_if(m, c, k->calls, calls);
        set_if(m, c, k->ms, ms);
        if (analysis_compute_ms(m->a) > 0)
            set_if(m, c, k->compute_pct, 100 * ms / analysis_compute_ms(m->a));
    }
}

void set_baseline(struct fact_maker *m, struct category_result *c, double pct,
                  bool assumed)
{
    work_set(m->perm, c, FACT("baseline_pct", pct), FACT("baseline_assumed", assumed));
    for (int32_t i = 0; i < c->n_rows; i++)
        work_set(m->perm, &c->rows[i], FACT("baseline_pct", pct),
                 FACT("baseline_assumed", assumed));
}

bool op_is_attention(struct str name)
{
    return name_has(
        name, "scaled_dot_product|flash_attn|flash_attention|fmha|efficient_attention");
}

bool op_is_copy(struct str name)
{
    return name_is(name_without_namespace(name), "copy_|contiguous|clone");
}

int32_t row_operator_in(const struct tree_index *t, int32_t i)
{
    while (i >= 0 && t->v->s->cat[i] == CAT_PYTHON) {
        int32_t n = 0;
        event_id c = tree_first_child(t, i);
        while (c >= 0 && (tree_gpu_below(t, c, &n), n == 0))
            c = tree_next_sibling(t, c);
        i = c;
    }
    return i;
}
