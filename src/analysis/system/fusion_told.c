#include "analysis/system/fusion_told.h"

#include "analysis/facts/logits_read.h"
#include "analysis/model/name_match.h"
#include "analysis/model/work_facts.h"
#include "base/value.h"
#include "ops/op_tables.h"

#include <math.h>

/* Copies that follow each other move a tensor each: there is no intermediate that a
 * fused kernel would keep. */
static bool copies_only(const struct kernel_group *g)
{
    for (int k = 0; k < g->n_kernels; k++)
        if (!name_is(g->ops[k], "copy_|clone|contiguous|_to_copy"))
            return false;
    return true;
}

/* Gathers rows by index and sums rows by index: a pattern of rows tells that, with the
 * backward pass. */
static bool passes_messages(const struct kernel_group *g)
{
    bool gathers = false, sums = false;
    for (int k = 0; k < g->n_kernels; k++) {
        gathers |= name_is(g->ops[k], "index_select|gather");
        sums |= name_is(g->ops[k], "scatter_add_|scatter_add|index_add_|index_add|"
                                   "scatter_reduce_");
    }
    return gathers && sums;
}

static bool casts(struct str op)
{
    return name_is(op, "copy_|_to_copy");
}

/* A normalisation between casts of what it reads and gives, with what else runs between
 * these: in the other type there is nothing to cast, which a pattern of rows tells. */
static bool casts_around_norm(const struct kernel_group *g)
{
    int n_casts = 0, norms = 0;
    for (int k = 0; k < g->n_kernels; k++) {
        n_casts += casts(g->ops[k]);
        norms += name_has(g->ops[k], "layer_norm|group_norm|batch_norm|instance_norm");
    }
    bool between = casts(g->ops[0]) && casts(g->ops[g->n_kernels - 1]);
    return n_casts > 0 && norms > 0 && (between || n_casts + norms == g->n_kernels);
}

/* A cast of a layer's input, where a pattern of rows tells that nothing had to be cast
 * if the weights, which are cast as often, were in 16 bits. */
static bool casts_for_autocast(const struct analysis *a, const struct kernel_rows *rows,
                               const struct kernel_group *g)
{
    const double LEAST_PCT = 3;
    const struct category_result *c = &a->categories[WORK_ELEMENTWISE];
    bool told = !a->tables->traits.training &&
                work_category_number(c, "weight_cast_pct") >= LEAST_PCT;
    for (int k = 0; k < g->n_kernels && told; k++) {
        const struct work_row *r =
            casts(g->ops[k]) ? kernel_row_of(rows, g->kernels[k]) : NULL;
        if (r && work_number(r, "input_casts") > 0)
            return true;
    }
    return false;
}

/* A matmul over a vocabulary of whose rows few are read: a pattern of rows says so, and
 * what goes over all of them then goes with it. */
static bool makes_unread_logits(const struct analysis *a,
                                const struct kernel_rows *rows,
                                const struct kernel_group *g)
{
    const double MANY = 16;
    for (int k = 0; k < g->n_kernels && !a->tables->traits.training; k++) {
        const struct work_row *r = kernel_label_is_matrix(g->labels[k])
                                       ? kernel_row_of(rows, g->kernels[k])
                                       : NULL;
        double read = r ? work_number(r, "logits_read") : (double)NAN;
        double positions = r ? work_number(r, "M") * fmax(1, work_number(r, "B")) : 0;
        if (read >= 1 && positions >= MANY * read)
            return true;
    }
    return false;
}

/* A part of the passes over logits, of which a pattern of rows tells all. */
static bool passes_logits(const struct analysis *a, const struct kernel_rows *rows,
                          const struct kernel_group *g)
{
    double vocabulary = work_trace_number(a, "logprob_vocabulary");
    for (int k = 0; k < g->n_kernels && vocabulary > 0; k++) {
        const struct work_row *r = kernel_row_of(rows, g->kernels[k]);
        if (r && row_passes_logits(r, vocabulary))
            return true;
    }
    return false;
}

/* As large as an operand of a matmul of 8 bits. */
static bool has_operand_size(const struct category_result *gemm,
                             const struct work_row *r)
{
    const struct value *dims = value_at(r->group->args.dims, 0);
    double elements = 1;
    for (int k = 0; k < value_count(dims); k++)
        elements *= value_at(dims, k)->number;
    for (int32_t i = 0; i < gemm->n_rows; i++) {
        const struct work_row *of = &gemm->rows[i];
        double k = work_number(of, "K");
        if (work_number(of, "quantized") > 0 && (elements == k * work_number(of, "M") ||
                                                 elements == k * work_number(of, "N")))
            return true;
    }
    return false;
}

/* A part of what quantises a tensor for a matmul, of which a pattern of rows tells all.
 */
static bool quantises(const struct analysis *a, const struct kernel_rows *rows,
                      const struct kernel_group *g)
{
    const struct category_result *gemm = &a->categories[WORK_GEMM];
    for (int k = 0;
         k < g->n_kernels && work_category_number(gemm, "quantized_count") > 0; k++) {
        const struct work_row *r =
            name_is(g->ops[k], "amax|aminmax|max|clamp|clamp_|round|round_")
                ? kernel_row_of(rows, g->kernels[k])
                : NULL;
        if (r && has_operand_size(gemm, r))
            return true;
    }
    return false;
}

struct str fusion_told_elsewhere(const struct analysis *a,
                                 const struct kernel_rows *rows,
                                 const struct kernel_group *g)
{
    return copies_only(g) ? S("copies of separate tensors")
           : passes_messages(g)
               ? S("it sums what it gathers by index, as a sparse matmul does")
           : casts_around_norm(g)
               ? S("it casts around a normalisation that could run in either type")
           : casts_for_autocast(a, rows, g)
               ? S("it casts what a model in 16 bits would not")
           : makes_unread_logits(a, rows, g)
               ? S("most logits that it makes are not read")
           : passes_logits(a, rows, g)
               ? S("the log-probabilities of these logits need none of its passes")
           : quantises(a, rows, g) ? S("it quantises what a matmul reads")
                                   : S("");
}
