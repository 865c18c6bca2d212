#include "analysis/system/fusion_pattern.h"

#include "analysis/model/name_match.h"

/* Is the kernel's operator one of these? Trailing '_' of in-place forms does not count.
 */
static bool op_is(const struct kernel_group *g, int k, const char *names)
{
    struct str op = g->ops[k];
    while (op.n && op.p[op.n - 1] == '_')
        op.n--;
    while (op.n && op.p[0] == '_')
        op = str_skip(op, 1);
    return name_is(op, names);
}

static bool has(const struct kernel_group *g, const char *names)
{
    for (int k = 0; k < g->n_kernels; k++)
        if (op_is(g, k, names))
            return true;
    return false;
}

static bool only(const struct kernel_group *g, const char *names)
{
    for (int k = 0; k < g->n_kernels; k++)
        if (!op_is(g, k, names))
            return false;
    return true;
}

static int matrix_count(const struct kernel_group *g)
{
    int n = 0;
    for (int k = 0; k < g->n_kernels; k++)
        n += kernel_label_is_matrix(g->labels[k]) || g->labels[k] == KERNEL_CONVOLUTION;
    return n;
}

#define CASTS "copy|to|to_copy|contiguous|clone|"

static bool is_attention(const struct kernel_group *g)
{
    int first, last;
    return attention_span(g->labels, g->n_kernels, &first, &last);
}

static bool is_rms_norm(const struct kernel_group *g)
{
    return has(g, "pow|square|mul") && has(g, "mean") && has(g, "rsqrt") &&
           has(g, "mul") && !has(g, "sub") &&
           only(g, CASTS "pow|square|mean|add|rsqrt|mul");
}

static bool is_layer_norm(const struct kernel_group *g)
{
    return has(g, "mean") && has(g, "sub") && has(g, "pow|var|square|std") &&
           has(g, "rsqrt|sqrt|div|reciprocal") && matrix_count(g) == 0;
}

static bool is_batch_norm(const struct kernel_group *g)
{
    return has(g, "mul") && has(g, "add") &&
           only(g, CASTS "mul|add|sub|rsqrt|addcmul|reshape|div|sqrt");
}

static bool is_rotary(const struct kernel_group *g)
{
    return has(g, "neg") && has(g, "cat") && has(g, "mul") && has(g, "add") &&
           matrix_count(g) == 0;
}

static bool is_gated(const struct kernel_group *g)
{
    return has(g, "silu|sigmoid") && has(g, "mul"); /* silu(x) is x sigmoid(x) */
}

static bool is_optimizer(const struct kernel_group *g)
{
    return (op_is(g, g->n_kernels - 1, "addcdiv") && has(g, "addcmul")) ||
           (g->in_optimizer && g->n_kernels > 1 && matrix_count(g) == 0 &&
            only(g, "mul|add|sub|lerp|addcmul|addcdiv|div|sqrt|pow|sign|maximum|clamp_"
                    "min"));
}

static bool is_cross_entropy(const struct kernel_group *g)
{
    return has(g, "log_softmax|log_softmax_backward_data") &&
           has(g, "nll_loss|nll_loss_nd|nll_loss_forward|nll_loss_backward|"
                  "nll_loss2d_forward|cross_entropy_loss|log_softmax_backward_data") &&
           g->n_kernels > 2 && matrix_count(g) == 0;
}

static bool is_gelu(const struct kernel_group *g)
{
    if (matrix_count(g))
        return false;
    bool quick = g->n_kernels == 3 && op_is(g, 0, "mul") && op_is(g, 1, "sigmoid") &&
                 op_is(g, 2, "mul");
    return quick || has(g, "erf") || (has(g, "tanh") && has(g, "pow") && has(g, "mul"));
}

static bool is_epilogue(const struct kernel_group *g)
{
    if (g->n_kernels > 3 || matrix_count(g) != 1 ||
        !kernel_label_is_matrix(g->labels[0]))
        return false;
    for (int k = 1; k < g->n_kernels; k++)
        if (g->labels[k] != KERNEL_ELEMENTWISE)
            return false;
    return true;
}

static bool is_chain(const struct kernel_group *g)
{
    return g->n_kernels >= 3 && matrix_count(g) == 0;
}

struct fusion_pattern fusion_pattern_of(const struct kernel_group *g)
{
    static const struct {
        enum fusion_kind kind;
        struct str name;
        bool (*composed)(const struct kernel_group *g);
        const char *hints;
        bool needs_hint; /* its parts are too common to decide */
    } patterns[] = {
        {FUSION_OF_ATTENTION, S_INIT("Unfused attention"), is_attention,
         "attention|sdpa|self_attn", false},
        {FUSION_OF_OTHER, S_INIT("Unfused RMSNorm"), is_rms_norm, "rmsnorm|rms_norm",
         false},
        {FUSION_OF_OTHER, S_INIT("Unfused LayerNorm"), is_layer_norm,
         "layernorm|layer_norm", false},
        {FUSION_OF_OTHER, S_INIT("Unfused BatchNorm"), is_batch_norm,
         "batchnorm|batch_norm", true},
        {FUSION_OF_OPTIMIZER, S_INIT("Unfused optimizer"), is_optimizer, "", false},
        {FUSION_OF_LOSS, S_INIT("Unfused cross entropy"), is_cross_entropy, "", false},
        {FUSION_OF_OTHER, S_INIT("Unfused rotary embedding"), is_rotary,
         "rotary|rope|apply_rotary", false},
        {FUSION_OF_OTHER, S_INIT("Unfused GELU"), is_gelu, "gelu", false},
        {FUSION_OF_OTHER, S_INIT("Unfused gated activation"), is_gated,
         "silu|swiglu|mlp", false},
        {FUSION_OF_OTHER, S_INIT("Matmul epilogue"), is_epilogue, "linear|conv2d|addmm",
         false},
        {FUSION_OF_CHAIN, S_INIT("Elementwise chain"), is_chain, "", false}};
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
        bool hint = patterns[k].hints[0] && name_has(g->place, patterns[k].hints);
        if (!patterns[k].composed(g) || (patterns[k].needs_hint && !hint))
            continue;
        return (struct fusion_pattern){patterns[k].kind, patterns[k].name,
                                       hint ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM};
    }
    return (struct fusion_pattern){FUSION_OF_NOTHING, S(""), CONFIDENCE_LOW};
}
