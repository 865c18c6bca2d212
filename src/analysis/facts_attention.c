/* Facts of fused attention: lengths, heads, what its kernels do, copies beside it. */
#include "analysis/row_facts.h"

#include "analysis/name_match.h"
#include "analysis/tree_index.h"
#include "analysis/work_category.h"

#include <math.h>

static bool is_paged(const struct work_row *r)
{
    if (name_has(r->group->first->name, "unified_attention|paged_attention|vllm"))
        return true;
    for (int32_t i = 0; i < r->group->n_kernels; i++)
        if (name_has(r->group->kernels[i].name,
                     "kernel_paged_attention|paged_attention_2d"))
            return true;
    return false;
}

static bool is_flash(const struct work_row *r)
{
    return name_has(r->group->first->name, "flash|fmha") ||
           cost_number(r->group->cost, "flash_impl") > 0;
}

static void add_lengths(struct fact_maker *m, struct work_row *r)
{
    static const struct {
        const char *key, *param;
    } same[] = {{"batch", "B"},   {"n_q", "N_Q"},      {"n_kv", "N_KV"},
                {"h_q", "H_Q"},   {"h_kv", "H_KV"},    {"d_qk", "d_h_qk"},
                {"d_v", "d_h_v"}, {"causal", "causal"}};
    const struct perf_cost *c = r->group->cost;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        work_set_number(m->perm, r, same[i].key, cost_number(c, same[i].param));
    double n_q = work_number(r, "n_q"), n_kv = work_number(r, "n_kv");
    double h_q = work_number(r, "h_q"), h_kv = work_number(r, "h_kv");
    work_set_number(m->perm, r, "seq", fmax(n_q, n_kv));
    if (!isnan(n_q) && !isnan(n_kv))
        work_set_number(m->perm, r, "decode", n_q <= 16 && n_kv > 16);
    if (h_kv > 0 && h_q >= h_kv) {
        work_set_number(m->perm, r, "gqa_ratio", floor(h_q / h_kv));
        work_set_text(m->perm, r, "attention_pattern",
                      h_kv < h_q ? S("GQA") : S("MHA"));
    }
}

/* A model may not know the lengths: packed sequences, or none at all. The longest side
 * next to the head size of a query of four dimensions is one. */
static void guess_lengths(struct fact_maker *m, struct work_row *r,
                          const struct row_args *args)
{
    if (!isnan(work_number(r, "seq")) || args->n < 2 || args->at[0].rank != 4 ||
        args->at[1].rank != 4)
        return;
    const struct row_arg *q = &args->at[0], *k = &args->at[1];
    work_set_number(m->perm, r, "n_q", (double)q->dim[2]);
    work_set_number(m->perm, r, "n_kv", (double)k->dim[2]);
    work_set_number(m->perm, r, "seq", fmax((double)q->dim[2], (double)k->dim[2]));
    work_set_number(m->perm, r, "decode", q->dim[2] <= 16 && k->dim[2] > 16);
}

static struct str workload_of(double ctx_ratio)
{
    if (ctx_ratio > 0.8)
        return S("prefill_heavy");
    return ctx_ratio < 0.2 ? S("decode_heavy") : S("mixed");
}

static void add_workload(struct fact_maker *m, struct work_row *r)
{
    double ctx = cost_number(r->group->cost, "c_sq"),
           gen = cost_number(r->group->cost, "g_sq");
    if (isnan(ctx) || isnan(gen) || ctx + gen <= 0)
        return;
    work_set_number(m->perm, r, "ctx_tokens", ctx);
    work_set_number(m->perm, r, "gen_tokens", gen);
    work_set_number(m->perm, r, "ctx_ratio", ctx / (ctx + gen));
    work_set_text(m->perm, r, "workload", workload_of(ctx / (ctx + gen)));
}

static const char *const breakdown_keys[] = {"reshape_cache_pct", "paged_attention_pct",
                                             "fwd_kernel_pct", "other_kernel_pct"};

static void add_breakdown(struct fact_maker *m, struct work_row *r)
{
    double us[4] = {0, 0, 0, 0}, all_us = kernels_total_us(r->group);
    for (int32_t i = 0; i < r->group->n_kernels; i++) {
        struct str name = r->group->kernels[i].name;
        enum kernel_label l = kernel_label_of(name);
        int kind = l == KERNEL_CACHE_STORE                               ? 0
                   : name_has(name, "paged_attention|unified_attention") ? 1
                   : l == KERNEL_ATTENTION                               ? 2
                                                                         : 3;
        us[kind] += r->group->kernels[i].total_us;
    }
    for (int k = 0; k < 4 && all_us > 0; k++)
        work_set_number(m->perm, r, breakdown_keys[k], 100 * us[k] / all_us);
}

/* The same sides in any order: Q, K and V are copied to be transposed. */
static bool same_sides(const struct row_arg *x, const struct row_arg *y)
{
    if (x->rank != y->rank || row_arg_elements(x) != row_arg_elements(y))
        return false;
    for (int i = 0; i < x->rank; i++) {
        int in_x = 0, in_y = 0;
        for (int k = 0; k < x->rank; k++) {
            in_x += x->dim[k] == x->dim[i];
            in_y += y->dim[k] == x->dim[i];
        }
        if (in_x != in_y)
            return false;
    }
    return true;
}

bool op_is_attention(struct str name)
{
    return name_has(name, "scaled_dot_product|flash_attn|flash_attention|fmha|"
                          "efficient_attention");
}

bool op_is_copy(struct str name)
{
    return name_is(name_without_namespace(name), "copy_|contiguous|clone");
}

event_id row_operator_in(const struct tree_index *t, event_id i)
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

static bool is_copy_of(struct fact_maker *m, struct arena tmp, event_id beside,
                       const struct row_args *args)
{
    const struct event_store *s = m->a->tables->view->s;
    event_id i = row_operator_in(m->tree, beside);
    if (i < 0)
        return false;
    struct op_group one = {.texts = store_texts(s, i)};
    if (!op_is_copy(store_name(s, i)))
        return false;
    struct row_args copy = row_args_of(&tmp, s, &one);
    for (int k = 0; k < 3 && k < args->n && copy.n > 0; k++)
        if (args->at[k].rank > 2 && same_sides(&copy.at[0], &args->at[k]))
            return true;
    return false;
}

/* Beside the first call; the rest of the row is alike by its arguments. */
static void add_copies(struct fact_maker *m, struct work_row *r,
                       const struct row_args *args)
{
    enum { MOST = 64 };
    if (!m->tree || r->group->first->synthetic || r->group->first->event < 0)
        return;
    struct arena tmp = *m->perm; /* scratch behind what is kept */
    int32_t n, copies = 0;
    int64_t ns = 0;
    event_id *beside = tree_siblings(&tmp, m->tree, r->group->first->event, MOST, &n);
    for (int32_t i = 0; i < n; i++)
        if (is_copy_of(m, tmp, beside[i], args)) {
            copies++;
            ns += tree_gpu_ns(tmp, m->tree, beside[i]);
        }
    work_set_number(m->perm, r, "contiguous_copies", copies);
    work_set_number(m->perm, r, "contiguous_copies_ms",
                    (double)ns / 1e6 * (double)r->count);
}

void facts_attention_row(struct fact_maker *m, struct work_row *r,
                         const struct row_args *args)
{
    bool flash = is_flash(r), paged = is_paged(r);
    work_set_number(m->perm, r, "flash", flash);
    work_set_number(m->perm, r, "paged", paged);
    work_set_text(m->perm, r, "attention_type",
                  paged   ? S("paged")
                  : flash ? S("flash")
                          : S("standard"));
    work_set_text(m->perm, r, "direction",
                  r->category == WORK_SDPA_BWD ? S("bwd") : S("fwd"));
    add_lengths(m, r);
    guess_lengths(m, r, args);
    add_workload(m, r);
    add_breakdown(m, r);
    add_copies(m, r, args);
}

void facts_attention_category(struct fact_maker *m, struct category_result *c)
{
    int flash = 0, paged = 0, modelled = 0;
    double ctx = 0, gen = 0, sum[4] = {0, 0, 0, 0};
    for (int32_t i = 0; i < c->n_rows; i++) {
        const struct work_row *r = &c->rows[i];
        flash += work_number(r, "flash") > 0;
        paged += work_number(r, "paged") > 0;
        modelled += !isnan(r->efficiency.percent);
        if (!isnan(work_number(r, "ctx_ratio"))) {
            ctx += work_number(r, "ctx_tokens") * (double)r->count;
            gen += work_number(r, "gen_tokens") * (double)r->count;
        }
        for (int k = 0; k < 4; k++)
            sum[k] += fmax(0, work_number(r, breakdown_keys[k]));
    }
    work_category_set_number(m->perm, c, "flash_attention_count", flash);
    work_category_set_number(m->perm, c, "paged_attention_count", paged);
    work_category_set_number(m->perm, c, "flash_attention_detected", flash > 0);
    work_category_set_number(m->perm, c, "paged_attention_detected", paged > 0);
    work_category_set_number(m->perm, c, "has_perf_model_count", modelled);
    for (int k = 0; k < 4 && c->n_rows > 0; k++)
        work_category_set_number(m->perm, c, breakdown_keys[k], sum[k] / c->n_rows);
    if (ctx + gen <= 0)
        return;
    work_category_set_number(m->perm, c, "ctx_tokens", ctx);
    work_category_set_number(m->perm, c, "gen_tokens", gen);
    work_category_set_number(m->perm, c, "ctx_ratio", ctx / (ctx + gen));
    work_category_set_text(m->perm, c, "workload", workload_of(ctx / (ctx + gen)));
}
