/* Facts of fused attention: lengths, heads, what its kernels do, copies beside it. */
#include "analysis/facts/fact_maker.h"

#include "analysis/facts/matrix_facts.h"
#include "analysis/facts/work_category.h"
#include "analysis/model/name_match.h"
#include "analysis/stack/tree_index.h"
#include "ops/op_tables.h"

#include <math.h>

static bool is_paged(const struct work_row *r)
{
    if (name_has(r->name, "unified_attention|paged_attention|vllm"))
        return true;
    for (int32_t i = 0; i < r->group->n_kernels; i++)
        if (kernel_has(r->group->kernels[i].name, MARK_PAGED_ATTENTION))
            return true;
    return false;
}

/* By the operator, or by what it launches: cuDNN's operator does not say it. AOTriton's
 * kernels are its too. */
static bool is_flash(const struct work_row *r)
{
    bool flash = name_has(r->name, "flash|fmha") ||
                 cost_number(r->group->cost, "flash_impl") > 0;
    for (int32_t i = 0; i < r->group->n_kernels && !flash; i++) {
        struct str kernel = r->group->kernels[i].name;
        flash = kernel_label_of(kernel) == KERNEL_ATTENTION &&
                name_has(kernel, "flash|attn_fwd|attn_bwd|bwd_kernel_");
    }
    return flash;
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
        work_set(m->perm, r, FACT(same[i].key, cost_number(c, same[i].param)));
    /* Of several sequences in one tensor, N is of all together. */
    double n_q = cost_number(c, "max_seqlen_q"), n_kv = cost_number(c, "max_seqlen_kv");
    if (!isnan(n_q) && !isnan(n_kv))
        work_set(m->perm, r, FACT("n_q", n_q), FACT("n_kv", n_kv));
    n_q = work_number(r, "n_q");
    n_kv = work_number(r, "n_kv");
    double h_q = work_number(r, "h_q"), h_kv = work_number(r, "h_kv");
    work_set(m->perm, r, FACT("seq", fmax(n_q, n_kv)));
    if (!isnan(n_q) && !isnan(n_kv))
        work_set(m->perm, r, FACT("decode", n_q <= 16 && n_kv > 16));
    if (h_kv > 0 && h_q >= h_kv) {
        work_set(m->perm, r, FACT("gqa_ratio", floor(h_q / h_kv)),
                 FACT("attention_pattern", h_kv < h_q ? S("GQA") : S("MHA")));
    }
}

/* A model may not know the lengths: packed sequences, or none at all. A query of four
 * dimensions has one, beside the head size; the libraries of attention put heads
 * between them. The backward has the gradient before Q. */
static void guess_lengths(struct fact_maker *m, struct work_row *r,
                          const struct row_args *args)
{
    int q = r->category == WORK_SDPA_BWD && args->n > 2;
    if (!isnan(work_number(r, "seq")) || args->n < q + 2 || args->at[q].rank != 4 ||
        args->at[q + 1].rank != 4)
        return;
    int at = name_has(r->name, "scaled_dot_product|npu_") ? 2 : 1;
    double n_q = (double)args->at[q].dim[at], n_kv = (double)args->at[q + 1].dim[at];
    work_set(m->perm, r, FACT("n_q", n_q), FACT("n_kv", n_kv),
             FACT("seq", fmax(n_q, n_kv)), FACT("decode", n_q <= 16 && n_kv > 16));
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
    work_set(m->perm, r, FACT("ctx_tokens", ctx), FACT("gen_tokens", gen),
             FACT("ctx_ratio", ctx / (ctx + gen)),
             FACT("workload", workload_of(ctx / (ctx + gen))));
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
    if (us[1] + us[2] <= 0) /* it stores the cache for attention elsewhere */
        return;
    for (int k = 0; k < 4 && all_us > 0; k++)
        work_set(m->perm, r, FACT(breakdown_keys[k], 100 * us[k] / all_us));
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

static bool is_copy_of(struct fact_maker *m, struct arena tmp, event_id beside,
                       const struct row_args *args)
{
    const struct event_store *s = m->a->tables->view->s;
    event_id i = row_operator_in(m->tree, beside);
    if (i < 0)
        return false;
    if (!op_is_copy(store_name(s, i)))
        return false;
    struct row_args copy = row_args_of(&tmp, store_args(s, store_texts(s, i)));
    for (int k = 0; k < 3 && k < args->n && copy.n > 0; k++)
        if (args->at[k].rank > 2 && same_sides(&copy.at[0], &args->at[k]))
            return true;
    return false;
}

/* Around the first call; the row's other calls have the same arguments. */
static void add_copies(struct fact_maker *m, struct work_row *r,
                       const struct row_args *args)
{
    enum { MOST = 64 };
    if (!m->tree || r->group->first->synthetic || r->group->first->event < 0)
        return;
    struct arena tmp = *m->perm; /* scratch after what is kept */
    int32_t n, copies = 0;
    int64_t ns = 0;
    event_id *beside = tree_siblings(&tmp, m->tree, r->group->first->event, MOST, &n);
    for (int32_t i = 0; i < n; i++)
        if (is_copy_of(m, tmp, beside[i], args)) {
            copies++;
            ns += tree_gpu_ns(tmp, m->tree, beside[i]);
        }
    work_set(m->perm, r, FACT("contiguous_copies", copies),
             FACT("contiguous_copies_ms", (double)ns / 1e6 * (double)r->count));
}

/* An operand with an element for each pair of positions; flash kernels take none. */
static bool has_dense_mask(const struct work_row *r, const struct row_args *args)
{
    double seq = work_number(r, "seq");
    const struct row_arg *mask = args->n > 3 ? &args->at[3] : NULL;
    return name_has(r->name, "scaled_dot_product") && mask && mask->rank >= 2 &&
           (double)mask->dim[mask->rank - 2] >= seq &&
           (double)mask->dim[mask->rank - 1] >= seq;
}

void facts_attention_row(struct fact_maker *m, struct work_row *r,
                         const struct row_args *args)
{
    bool flash = is_flash(r), paged = is_paged(r);
    work_set(m->perm, r, FACT("flash", flash), FACT("paged", paged),
             FACT("attention_type", paged   ? S("paged")
                                    : flash ? S("flash")
                                            : S("standard")),
             FACT("direction", r->category == WORK_SDPA_BWD ? S("bwd") : S("fwd")));
    add_lengths(m, r);
    guess_lengths(m, r, args);
    work_set(m->perm, r, FACT("dense_mask", has_dense_mask(r, args)));
    add_workload(m, r);
    add_breakdown(m, r);
    add_copies(m, r, args);
    matrix_facts_precision(m, r);
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
    work_set(m->perm, c, FACT("flash_attention_count", flash),
             FACT("paged_attention_count", paged),
             FACT("flash_attention_detected", flash > 0),
             FACT("paged_attention_detected", paged > 0),
             FACT("has_perf_model_count", modelled));
    for (int k = 0; k < 4 && c->n_rows > 0; k++)
        work_set(m->perm, c, FACT(breakdown_keys[k], sum[k] / c->n_rows));
    if (ctx + gen <= 0)
        return;
    work_set(m->perm, c, FACT("ctx_tokens", ctx), FACT("gen_tokens", gen),
             FACT("ctx_ratio", ctx / (ctx + gen)),
             FACT("workload", workload_of(ctx / (ctx + gen))));
}
