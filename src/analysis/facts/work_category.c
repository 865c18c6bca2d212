#include "analysis/facts/work_category.h"

#include "analysis/model/kernel_label.h"
#include "analysis/model/name_match.h"
#include "base/name_memo.h"
#include "ops/op_groups.h"
#include "ops/op_parts.h"

#include <math.h>

static bool is_communication(struct str base, const struct str_pairs *op)
{
    return name_is(base, "record_param_comms|customcollective") ||
           pairs_have(
               op, "c10d::|allreduce|all_reduce|allgather|all_gather|reducescatter|"
                   "reduce_scatter|alltoall|all_toall|allto_all|all_to_all|broadcast_"
                   "coalesced|ncclkernel|rccl");
}

static bool all_communicate(const struct str *kernels, int n_kernels)
{
    for (int i = 0; i < n_kernels; i++)
        if (!kernel_has(kernels[i], MARK_COMMUNICATES))
            return false;
    return n_kernels > 0;
}

/* And it does nothing else: "aten::copy_" may run a kernel as well. */
static bool are_copies(const struct str *kernels, int n_kernels)
{
    for (int i = 0; i < n_kernels; i++)
        if (!kernel_label_is_copy(kernel_label_of(kernels[i])))
            return false;
    return n_kernels > 0;
}

/* (^|::|_)conv(olution|[123]d|_transpose|_depthwise|bias|_tbc) */
static bool is_convolution(struct str base, struct str op)
{
    static const char *const TAILS = "olution|1d|2d|3d|_transpose|_depthwise|bias|_tbc";
    if (name_is(base, "CONV_fwd|CONV_bwd") ||
        name_begins(op, "cudnn-conv|miopen-conv|conv_general_dilated")) /* of XLA */
        return true;
    if (name_has(op, "convert"))
        return false;
    for (ptrdiff_t i = 0; i + 4 <= op.n; i++) {
        bool starts = i == 0 || op.p[i - 1] == '_' ||
                      (i > 1 && op.p[i - 1] == ':' && op.p[i - 2] == ':');
        struct str rest = str_skip(op, i);
        if (starts && name_begins(rest, "conv") &&
            name_begins(str_skip(rest, 4), TAILS))
            return true;
    }
    return false;
}

/* (^|::|_)gemm|_mm($|_) */
static bool has_gemm_word(struct str op)
{
    for (ptrdiff_t i = 0; i < op.n; i++) {
        struct str rest = str_skip(op, i);
        bool starts = i == 0 || op.p[i - 1] == '_' || op.p[i - 1] == ':' ||
                      op.p[i - 1] == '-'; /* "cublas-gemm" of XLA */
        if (starts && name_begins(rest, "gemm"))
            return true;
        if (name_begins(rest, "_mm") && (rest.n == 3 || rest.p[3] == '_'))
            return true;
    }
    return false;
}

static bool is_gemm(struct str base, struct str op)
{
    return name_is(base, "GEMM") || name_begins(base, "GroupedGEMM") ||
           name_is(op, "aten::mm|aten::addmm|aten::bmm|aten::baddbmm|aten::matmul|aten:"
                       ":linear|aten::_scaled_mm|aten::_int_mm|aten::addbmm|aten::"
                       "addmv|aten::mv|aten::dot|dot_general") ||
           has_gemm_word(op);
}

/* Without namespace, leading '_' and trailing '_'. */
static struct str bare(struct str op)
{
    op = name_without_namespace(op);
    while (op.n > 1 && op.p[0] == '_')
        op = str_skip(op, 1);
    while (op.n > 1 && op.p[op.n - 1] == '_')
        op.n--;
    return op;
}

static bool is_reduce(struct str base, const struct str_pairs *op,
                      struct str first_kernel)
{
    return pairs_have(op, "softmax|logsumexp") || name_is(base, "reduce") ||
           name_begins(op->text, "input_reduce_fusion") ||
           name_is(bare(op->text),
                   "sum|mean|max|min|amax|amin|prod|argmax|argmin|norm|linalg_norm|"
                   "linalg_vector_norm|std|var|var_mean|cumsum|cumprod|all|any") ||
           name_has(first_kernel, "reduce_kernel|softmax");
}

/* Fusions of XLA whose kernel is one loop over elements, whatever it fuses. */
static bool is_loop_of_xla(struct str op)
{
    bool loops = name_begins(op, "loop_|input_transpose_|input_concatenate_");
    return loops && name_has(op, "fusion");
}

/* What an Ascend device runs for a call of its library, "aclnnMm_MatMulCommon_MatMulV2"
 * or "trans_TransData_9", is its last word; a call alone, "aclnnInplaceAddcmul", is
 * named as PyTorch's operator is. "aclnnMuls" takes a number in place of a tensor. */
static struct str ascend_operation(struct str op)
{
    ptrdiff_t at = str_find(op, S("->"));
    op = at < 0 ? op : str_skip(op, at + 2);
    op = str_take(&op, S(" ")); /* "(Synthetic Op)" */
    while (op.n > 1 &&
           ((op.p[op.n - 1] >= '0' && op.p[op.n - 1] <= '9') || op.p[op.n - 1] == '_'))
        op.n--;
    for (ptrdiff_t i = op.n; i > 0; i--)
        if (op.p[i - 1] == '_')
            return str_skip(op, i);
    op = name_begins(op, "aclnn") ? str_skip(op, 5) : op;
    return name_begins(op, "inplace") ? str_skip(op, 7) : op;
}

/* Its formats of tensors are changed, or memory is set, or the operator is one of those
 * that run on the device's own CPU: no arithmetic of the model's. */
static struct str ascend_upkeep(struct str op)
{
    struct str name = ascend_operation(op);
    return name_has(op, "aicpu")        ? S("ai_cpu")
           : name_is(name, "transdata") ? S("layout")
           : name_is(name, "memset")    ? S("memory")
                                        : S("");
}

static enum work_category ascend_category(struct str op)
{
    struct str name = ascend_operation(op);
    if (ascend_upkeep(op).n)
        return WORK_OTHER;
    if (name_has(name, "matmul") ||
        name_is(name, "mm|bmm|addmm|baddbmm|addbmm|mv|addmv|dot|linear"))
        return WORK_GEMM;
    if (name_has(name, "softmax") || name_begins(name, "reduce|argmax|argmin|cumsum") ||
        name_is(name, "sum|mean|prod|max|min|maxdim|mindim|amax|amin|norm|std|var|"
                      "varmean|all|any"))
        return WORK_REDUCE;
    if (name_begins(name, "fill|eq|ne|gt|ge|lt|le|pow|clamp|threshold|gelu|silu|relu|"
                          "sigmoid|tanh|leakyrelu|logical|bitwise|zeros|ones|trans") ||
        name_is(name,
                "add|adds|sub|subs|mul|muls|div|divs|realdiv|axpy|addcmul|addcdiv|"
                "sqrt|rsqrt|cast|copy|exp|log|neg|abs|sin|cos|reciprocal|zero|one|"
                "where|swhere|maskedfill|lerp|lerps|erf|floor|ceil|round|sign"))
        return WORK_ELEMENTWISE;
    return WORK_OTHER;
}

/* PyTorch's, which read or write the places that indices name. */
static bool is_indexing(struct str op)
{
    return name_begins(op, "aten::") &&
           name_is(bare(op),
                   "index|index_put|index_put_impl|index_add|index_copy|index_fill|"
                   "index_reduce|index_select|gather|scatter|scatter_add|"
                   "scatter_reduce|take|take_along_dim|put");
}

bool work_is_backward(struct str base, struct str op)
{
    return str_ends(base, S("_bwd")) || name_has(op, "backward|bwd");
}

enum kernels_say { SAY_NOTHING, SAY_COMMUNICATION, SAY_COPIES };

static enum work_category decide(struct str base, struct str op, struct str first,
                                 enum kernels_say kernels)
{
    struct str_pairs pairs = str_pairs_of(op);
    if (kernels == SAY_COMMUNICATION || is_communication(base, &pairs))
        return WORK_COMMUNICATION;
    if (kernels == SAY_COPIES)
        return WORK_COPY;
    if (name_begins(base, "MoE") ||
        pairs_have(&pairs, "moe|topk_softmax|topk_sigmoid|grouped_topk"))
        return WORK_MOE_FUSED;
    if (pairs_have(&pairs, "batch_norm|batchnorm") || name_is(base, "BN_fwd|BN_bwd"))
        return WORK_BATCHNORM;
    if (is_convolution(base, op))
        return WORK_CONVOLUTION;
    if (name_is(base, "SDPA_fwd|SDPA_bwd|InferenceAttention") ||
        pairs_have(&pairs, "scaled_dot_product|flash_attn|flashattn|flash_attention|"
                           "flashattention|inferattention|fmha|unified_attention|"
                           "paged_attention|efficient_attention"))
        return work_is_backward(base, op) ? WORK_SDPA_BWD : WORK_SDPA_FWD;
    if (name_begins(op, "triton"))
        return WORK_TRITON;
    if (is_gemm(base, op))
        return WORK_GEMM;
    if (name_begins(base, "NORM_") || name_is(base, "RMSNorm") ||
        pairs_have(&pairs, "layer_norm|layernorm|group_norm|groupnorm|instance_norm|"
                           "instancenorm|rms_norm|rmsnorm"))
        return WORK_NORM;
    if (is_reduce(base, &pairs, first))
        return WORK_REDUCE;
    if (name_begins(op, "aclnn|aclop"))
        return ascend_category(op);
    if (name_is(bare(op), "cat|concat") || is_indexing(op)) /* by whatever kernel */
        return WORK_OTHER;
    if (name_is(base, "elementwise") || is_loop_of_xla(op) ||
        (name_is(base, "other|") && name_has(first, "elementwise|copy_kernel|fill")))
        return WORK_ELEMENTWISE;
    return WORK_OTHER;
}

/* Rows ask alike, first to be analysed and then to be captured. */
enum work_category work_category_of(struct str base, struct str op,
                                    const struct str *kernels, int n_kernels)
{
    static struct name_memo memo;
    struct str first = n_kernels > 0 ? kernels[0] : S("");
    enum kernels_say says = all_communicate(kernels, n_kernels) ? SAY_COMMUNICATION
                            : are_copies(kernels, n_kernels)    ? SAY_COPIES
                                                                : SAY_NOTHING;
    uint64_t of, names = key_mix(str_table_hash(base), str_table_hash(op)),
                 hash = key_mix(key_mix(names, str_table_hash(first)), says) | 1;
    if (!name_memo_has(&memo, hash, &of)) {
        of = decide(base, op, first, says);
        name_memo_keep(&memo, hash, of);
    }
    return (enum work_category)of;
}

/* Kernels that serve one kind of operator. */
static bool is_definite(enum work_category of)
{
    return of == WORK_GEMM || of == WORK_SDPA_FWD || of == WORK_SDPA_BWD ||
           of == WORK_CONVOLUTION || of == WORK_NORM || of == WORK_BATCHNORM ||
           of == WORK_MOE_FUSED;
}

/* What an operator of Ascend has its device set or lay out for it bears its name,
 * "aclnnMm_MatMulCommon_MemSet", and is none of its arithmetic. */
static enum work_category category_of_kernel(struct str name)
{
    bool of_operator = str_find(name, S("_")) > 0; /* not "Memset (Device)" */
    return of_operator && ascend_upkeep(name).n ? WORK_OTHER
                                                : kernel_label_category(name);
}

/* Of the kernels that take most of a row's time; WORK_CATEGORIES: their names say
 * nothing. */
static enum work_category category_of_kernels(const struct op_group *g)
{
    double us[WORK_CATEGORIES + 1] = {0};
    int best = WORK_CATEGORIES;
    for (int32_t i = 0; i < g->n_kernels; i++)
        us[category_of_kernel(g->kernels[i].name)] +=
            fmax(g->kernels[i].total_us, 1e-6);
    for (int c = 0; c < WORK_CATEGORIES; c++)
        best = us[c] > us[best] ? c : best;
    return (enum work_category)best;
}

/* Of an operator named after attention that launches nothing but fills, copies of
 * elements or writes of the cache: while a graph is captured, it attends to nothing. */
static bool none_attends(const struct op_group *g)
{
    for (int32_t i = 0; i < g->n_kernels; i++) {
        enum kernel_label label = kernel_label_of(g->kernels[i].name);
        if (label != KERNEL_ELEMENTWISE && label != KERNEL_CACHE_STORE &&
            !kernel_label_is_copy(label))
            return false;
    }
    return g->n_kernels > 0;
}

/* The kernels' names decide where no operator names the work: no launch call, a launch
 * call alone, a compiled region. Elsewhere the operator does, and the kernels only if
 * the operator's name says nothing. */
enum work_category work_category_of_group(const struct op_group *g)
{
    enum {
        MOST = 64
    }; /* names of one row's kernels; more would not change the result */
    struct str names[MOST] = {{0}};
    int n = 0;
    bool told = !g->computes; /* else the first call's kernels are not those of most */
    for (int32_t i = 0; told && i < g->n_kernels && n < MOST; i++)
        names[n++] = g->kernels[i].name;
    const struct op_call_row *first = g->first;
    bool by_kernel =
        first->unlinked || first->synthetic || op_runs_anything(first->name);
    enum work_category of = category_of_kernels(g);
    if (by_kernel && of != WORK_CATEGORIES)
        return of;
    enum work_category c = work_category_of(first->category, first->name, names, n);
    if (c == WORK_SDPA_FWD && none_attends(g))
        return of;
    return c == WORK_OTHER && is_definite(of) ? of : c;
}

bool work_is_quantized_name(struct str op)
{
    return name_has(op, "w8a8|int8|fp8|w4a16|w4a4|fp4|mxfp4");
}

struct kind {
    const char *names;
    struct str kind;
};

struct str elementwise_class(struct str op)
{
    static const struct kind kinds[] = {
        {"add|mul|copy|fill", S_INIT("baseline")},
        {"sub|div|remainder|fmod|neg|abs|clamp", S_INIT("arithmetic")},
        {"sigmoid|relu|gelu|silu|tanh|mish|hardswish|leaky_relu", S_INIT("activation")},
        {"to|to_copy|type_as", S_INIT("cast")},
        {"exp|log|pow|sqrt|rsqrt|reciprocal|erf", S_INIT("math")},
        {"where|masked_fill|eq|ne|gt|lt|ge|le", S_INIT("mask")},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (name_is(bare(op), kinds[i].names))
            return kinds[i].kind;
    return S("other");
}

static struct str kind_by_part(struct str op, const struct kind *kinds, size_t n,
                               struct str otherwise)
{
    struct str_pairs pairs = str_pairs_of(op);
    for (size_t i = 0; i < n; i++)
        if (pairs_have(&pairs, kinds[i].names))
            return kinds[i].kind;
    return otherwise;
}
#define BY_PART(op, kinds, otherwise)                                                  \
    kind_by_part(op, kinds, sizeof(kinds) / sizeof *(kinds), otherwise)

struct str reduce_class(struct str op, struct str first_kernel)
{
    static const struct kind kinds[] = {
        {"softmax", S_INIT("softmax")}, {"sum", S_INIT("sum")},
        {"mean|avg", S_INIT("mean")},   {"max", S_INIT("max")},
        {"min", S_INIT("min")},
    };
    if (name_has(first_kernel, "softmax"))
        return S("softmax");
    return BY_PART(op, kinds, S("other"));
}

struct str triton_class(struct str op)
{
    static const struct kind kinds[] = {
        {"triton_poi_", S_INIT("pointwise")},
        {"triton_red_", S_INIT("reduction")},
        {"triton_per_", S_INIT("persistent")},
        {"triton_tem_", S_INIT("template")},
    };
    return BY_PART(op, kinds, S("other"));
}

/* Expert before routing: "fused_experts_gate_up" is an expert product. */
struct str moe_class(struct str op)
{
    static const struct kind kinds[] = {
        {"expert|stage1|stage2|gemm1|gemm2", S_INIT("expert")},
        {"gate|router|topk|sort|align", S_INIT("routing")},
    };
    return BY_PART(op, kinds, S("fused"));
}

struct str norm_type(struct str op)
{
    static const struct kind kinds[] = {
        {"batch_norm|batchnorm", S_INIT("batch_norm")},
        {"layer_norm|layernorm", S_INIT("layer_norm")},
        {"group_norm|groupnorm", S_INIT("group_norm")},
        {"instance_norm|instancenorm", S_INIT("instance_norm")},
        {"rms_norm|rmsnorm", S_INIT("rms_norm")},
    };
    return BY_PART(op, kinds, S("other_norm"));
}

/* "cudaGraphLaunch->kernel (Synthetic Op)" is about the kernel. */
static struct str kernel_part(struct str op)
{
    ptrdiff_t at = str_find(op, S("->"));
    return at < 0 ? op : str_skip(op, at + 2);
}

struct str other_subcategory(struct str op)
{
    static const struct kind kinds[] = {
        {"c10d::|all_reduce|allreduce|all_gather|allgather|reduce_scatter|all_to_all",
         S_INIT("communication")},
        {"memcpy|memset|empty|zero_|fill_", S_INIT("memory")},
        {"synchronize|_local_scalar_dense|item", S_INIT("synchronization")},
        {"embedding|index|gather|scatter|take", S_INIT("embedding_index")},
        {"sort|topk|unique", S_INIT("sort_topk")},
        {"_foreach|multi_tensor|adam|sgd", S_INIT("optimizer")},
        {"rand|dropout|multinomial|bernoulli|normal_", S_INIT("sampling")},
        {"cross_entropy|nll|mse_loss", S_INIT("loss")},
        {"pool", S_INIT("pooling")},
        {"graph", S_INIT("graph")},
    };
    struct str kernel = kernel_part(op), upkeep = S("");
    if (name_begins(op, "aclnn|aclop"))
        upkeep = ascend_upkeep(op);
    if (upkeep.n)
        return upkeep;
    bool launches_graph =
        kernel.n < op.n && str_has(str_head(op, op.n - kernel.n), S("GraphLaunch"));
    enum kernel_label label = kernel_label_of(kernel);
    if (label == KERNEL_EMBEDDING)
        return S("embedding_index");
    if (label == KERNEL_OPTIMIZER)
        return S("optimizer");
    if (name_begins(bare(kernel), "cat|concat|stack|hstack|vstack|split|chunk"))
        return S("cat_split");
    return BY_PART(kernel, kinds, launches_graph ? S("graph") : S("miscellaneous"));
}

struct str work_library(struct str op, const struct str *kernels, int n_kernels)
{
    static const struct kind by_op[] = {
        {"aiter::|rocm_aiter", S_INIT("AITER")},
        {"fbgemm", S_INIT("FBGEMM")},
        {"miopen", S_INIT("MIOpen")},
        {"triton", S_INIT("Triton")},
    };
    struct str found = BY_PART(op, by_op, S(""));
    enum kernel_family first = FAMILY_NONE; /* that any kernel is of */
    for (int i = 0; i < n_kernels && found.n == 0; i++) {
        enum kernel_family f = kernel_family_of(kernels[i]);
        first = f < first ? f : first;
    }
    return found.n ? found : kernel_family_word(first);
}
