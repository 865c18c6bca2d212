#include "torch_ops.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

double product_roofline_ns(const struct simulator *s, struct product g)
{
    double m = (double)g.m, k = (double)g.k, n = (double)g.n;
    double b = g.b > 0 ? (double)g.b : 1;
    enum compute_unit fp32 = s->device->hip ? UNIT_MATRIX_FP32 : UNIT_VECTOR_FP32;
    return sim_roofline_ns(
        s,
        (struct work){b * 2 * m * n * k,
                      b * ((g.form & PRODUCT_FP32) ? 4 : 2) * (m * k + k * n + m * n),
                      (g.form & PRODUCT_FP32) ? fp32 : UNIT_MATRIX_BF16});
}

void ops_product(struct simulator *s, struct product g)
{
    char name[KERNEL_NAME];
    int64_t blocks;
    const char *type = (g.form & PRODUCT_FP32) ? F32 : BF16;
    kernel_gemm(name, s->device->hip, g.m, g.n, g.form & PRODUCT_WEIGHT, &blocks);
    if (g.form & PRODUCT_FP32)
        kernel_gemm_fp32(name, s->device->hip, g.form & PRODUCT_WEIGHT);
    if (g.form & PRODUCT_ALIGN1)
        kernel_gemm_align1(name, g.form & PRODUCT_WEIGHT);
    if (g.b > 0) {
        struct op_arg second = (g.form & PRODUCT_WEIGHT)
                                   ? tensor_transposed(tensor3(type, g.b, g.n, g.k))
                                   : tensor3(type, g.b, g.k, g.n);
        sim_op(s, "aten::bmm", ARGS(tensor3(type, g.b, g.m, g.k), second));
        blocks *= g.b;
    } else {
        struct op_arg second = (g.form & PRODUCT_WEIGHT)
                                   ? tensor_transposed(tensor2(type, g.n, g.k))
                                   : tensor2(type, g.k, g.n);
        sim_op(s, "aten::mm", ARGS(tensor2(type, g.m, g.k), second));
    }
    sim_launch(s, (struct kernel){.name = name,
                                  .time_ns = product_roofline_ns(s, g) / g.eff,
                                  .api = LAUNCH_MODULE,
                                  .grid = blocks,
                                  .defect = g.defect,
                                  .ideal_ns = g.ideal_ns});
    sim_end(s);
}

static void transposed_view(struct simulator *s, const char *name, struct op_arg x,
                            const char *as)
{
    if (name)
        sim_op(s, name, ARGS(x));
    sim_op(s, "aten::transpose", ARGS(x, scalar("0"), scalar("1")));
    sim_leaf(s, "aten::as_strided",
             ARGS(x, scalar_list(as), scalar_list(as), scalar("")));
    sim_end_n(s, name ? 2 : 1);
}

void ops_linear(struct simulator *s, const struct sample_plan *p, int64_t instance,
                int64_t k, int64_t n)
{
    int64_t tokens = p->batch * p->seq;
    char flat[48], back[64], as[48];
    struct op_arg x = tensor3(BF16, p->batch, p->seq, k), w = tensor2(BF16, n, k);
    snprintf(flat, sizeof flat, "[%" PRId64 ", %" PRId64 "]", tokens, k);
    snprintf(back, sizeof back, "[%" PRId64 ", %" PRId64 ", %" PRId64 "]", p->batch,
             p->seq, n);
    snprintf(as, sizeof as, "[%" PRId64 ", %" PRId64 "]", k, n);
    sim_module(s, "Linear", instance);
    sim_python(s, "torch/nn/modules/linear.py(124): forward");
    sim_python(s, "<built-in function linear>");
    sim_op(s, "aten::linear", ARGS(x, w, absent()));
    transposed_view(s, "aten::t", w, as);
    sim_op(s, "aten::matmul", ARGS(x, tensor_transposed(w)));
    sim_leaf(s, "aten::view", ARGS(x, scalar_list(flat)));
    ops_product(s, (struct product){.m = tokens,
                                    .k = k,
                                    .n = n,
                                    .form = PRODUCT_WEIGHT,
                                    .eff = p->eff.gemm,
                                    .defect = DEFECT_NONE});
    sim_leaf(s, "aten::_unsafe_view",
             ARGS(tensor2(BF16, tokens, n), scalar_list(back)));
    sim_end_n(s, 6);
}

void ops_rms_norm(struct simulator *s, const struct sample_plan *p, int64_t instance)
{
    char dims[32];
    double n = (double)(p->batch * p->seq * p->hidden);
    struct op_arg x = tensor3(BF16, p->batch, p->seq, p->hidden);
    struct op_arg w = tensor1(BF16, p->hidden);
    snprintf(dims, sizeof dims, "[%" PRId64 "]", p->hidden);
    sim_module(s, "RMSNorm", instance);
    sim_python(s, "torch/nn/modules/normalization.py(403): forward");
    sim_python(s, "<built-in method rms_norm of type object at 0x7f9a3dfe1d20>");
    sim_op(s, "aten::rms_norm",
           ARGS(x, scalar_list(dims), w, scalar("1.0000000000000001e-05")));
    sim_op(s, "aten::_fused_rms_norm",
           ARGS(x, scalar_list(dims), w, scalar("1.0000000000000001e-05")));
    sim_leaf(s, "aten::empty_like",
             ARGS(x, absent(), absent(), absent(), absent(), absent()));
    struct work k = {6 * n, 4 * n, UNIT_VECTOR_BF16};
    sim_launch(s, (struct kernel){.name = kernel_rms_norm,
                                  .time_ns = sim_roofline_ns(s, k) / p->eff.norm,
                                  .grid = p->batch * p->seq,
                                  .defect = DEFECT_NONE});
    sim_end_n(s, 6);
}

/* Bytes of the elementwise models: every tensor operand once, and the output. */
static struct work pointwise_work(const struct op_arg *arg, int n)
{
    double all = 0, largest = 0;
    for (int i = 0; i < n; i++) {
        double elements = arg[i].rank ? arg_elements(arg[i]) : 0;
        all += elements;
        largest = elements > largest ? elements : largest;
    }
    return (struct work){largest, 2 * (all + largest), UNIT_VECTOR_BF16};
}

void ops_pointwise(struct simulator *s, struct pointwise_op op,
                   const struct op_arg *arg, int n)
{
    char name[KERNEL_NAME];
    int tensors = 1;
    for (int i = 0; i < n; i++)
        tensors += arg[i].rank > 0;
    struct work k = pointwise_work(arg, n);
    if (op.kernel == POINT_COPY) /* the destination is among the arguments */
        k.byte = 4 * k.flop;
    sim_op(s, op.name, arg, n);
    sim_launch(s, (struct kernel){.name = kernel_pointwise(name, s->device->hip,
                                                           op.kernel, tensors),
                                  .time_ns = sim_roofline_ns(s, k) / op.eff,
                                  .grid = (int64_t)(k.flop / 2048) + 1,
                                  .defect = op.defect,
                                  .ideal_ns = op.ideal_ns});
    sim_end(s);
}

double triton_roofline_ns(const struct simulator *s, const struct op_arg *arg, int n)
{
    double bytes = 2 * arg_elements(arg[0]); /* written back */
    for (int i = 0; i < n; i++)
        if (arg[i].rank)
            bytes += 2 * arg_elements(arg[i]);
    return sim_roofline_ns(
        s, (struct work){4 * arg_elements(arg[0]), bytes, UNIT_VECTOR_BF16});
}

void ops_triton(struct simulator *s, const struct sample_plan *p, const char *name,
                const struct op_arg *arg, int n)
{
    char more[512];
    snprintf(more, sizeof more,
             "\"num_warps\": 8, \"stream\": %d, \"kernel_backend\": \"triton\", "
             "\"kernel_name\": \"%s\", \"kernel_kwargs\": \"XBLOCK=1024\", "
             "\"num_stages\": 1, "
             "\"kernel_file\": \"/tmp/torchinductor_root/5n/c5n4ij2mdnsn.py\", "
             "\"kernel_hash\": \"c5n4ij2mdnsn\"",
             s->device->main_stream, name);
    sim_python(s, "/tmp/torchinductor_root/xq/cxqk3f7t2o5m.py(61): call");
    sim_op_more(s, name, arg, n, more);
    sim_launch(s,
               (struct kernel){.name = name,
                               .time_ns = triton_roofline_ns(s, arg, n) / p->eff.triton,
                               .api = LAUNCH_TRITON,
                               .grid = (int64_t)(arg_elements(arg[0]) / 1024) + 1,
                               .defect = DEFECT_NONE});
    sim_end_n(s, 2);
}

static double attention_roofline_ns(const struct simulator *s,
                                    const struct sample_plan *p)
{
    double b = (double)p->batch, h = (double)p->heads, n = (double)p->seq;
    double kv = (double)p->kv_len, d2 = 2 * (double)p->head_dim;
    double causal = p->seq == p->kv_len ? 0.5 : 1.0;
    return sim_roofline_ns(
        s, (struct work){2 * b * h * n * kv * d2 * causal,
                         2 * b * (n * h + kv * (double)p->kv_heads) * d2,
                         UNIT_MATRIX_BF16});
}

static void fused_attention(struct simulator *s, const struct sample_plan *p)
{
    bool causal = p->seq == p->kv_len;
    const char *is_causal = causal ? "True" : "False";
    char scale[32], n_q[24], n_kv[24];
    struct op_arg q =
        tensor_swapped12(tensor4(BF16, p->batch, p->seq, p->heads, p->head_dim));
    struct op_arg k =
        tensor_swapped12(tensor4(BF16, p->batch, p->kv_len, p->kv_heads, p->head_dim));
    struct op_arg ql = tensor_swapped12(q), kl = tensor_swapped12(k);
    snprintf(scale, sizeof scale, "%.17g", 1 / sqrt((double)p->head_dim));
    snprintf(n_q, sizeof n_q, "%" PRId64, p->seq);
    snprintf(n_kv, sizeof n_kv, "%" PRId64, p->kv_len);
    sim_python(
        s, "transformers/integrations/sdpa_attention.py(40): sdpa_attention_forward");
    sim_python(s, "<built-in function scaled_dot_product_attention>");
    sim_op(s, "aten::scaled_dot_product_attention",
           ARGS(q, k, k, absent(), scalar("0."), scalar(is_causal), scalar(scale),
                scalar("False")));
    sim_op(
        s, "aten::_scaled_dot_product_flash_attention",
        ARGS(q, k, k, scalar("0."), scalar(is_causal), scalar("False"), scalar(scale)));
    sim_leaf(s, "aten::transpose", ARGS(q, scalar("1"), scalar("2")));
    sim_op(s, "aten::_flash_attention_forward",
           ARGS(ql, kl, kl, absent(), absent(), scalar(n_q), scalar(n_kv), scalar("0."),
                scalar(is_causal), scalar("False"), scalar(scale), absent(), absent(),
                absent(), absent()));
    sim_leaf(s, "aten::empty_like",
             ARGS(ql, absent(), absent(), absent(), absent(), absent()));
    sim_launch(
        s, (struct kernel){.name = kernel_attention(s->device->hip, p->head_dim),
                           .time_ns = attention_roofline_ns(s, p) / p->eff.attention,
                           .api = LAUNCH_TRITON,
                           .grid = p->batch * p->heads * ((p->seq + 127) / 128),
                           .defect = DEFECT_NONE});
    sim_end_n(s, 5);
}

/* aten::matmul of two four-dimensional tensors. */
static void matmul(struct simulator *s, struct op_arg a, struct op_arg b,
                   struct product g)
{
    sim_python(s, "<built-in method matmul of type object at 0x7f9a3dfe1d20>");
    sim_op(s, "aten::matmul", ARGS(a, b));
    sim_leaf(s, "aten::expand", ARGS(a, scalar_list(""), scalar("False")));
    sim_leaf(s, "aten::reshape", ARGS(a, scalar_list("")));
    sim_leaf(s, "aten::expand", ARGS(b, scalar_list(""), scalar("False")));
    sim_leaf(s, "aten::reshape", ARGS(b, scalar_list("")));
    ops_product(s, g);
    sim_leaf(s, "aten::_unsafe_view", ARGS(a, scalar_list("")));
    sim_end_n(s, 2);
}

/* Scores, scale, mask, softmax, values: each writes what the next reads again. */
static void eager_attention(struct simulator *s, const struct sample_plan *p)
{
    const enum defect mark = DEFECT_UNFUSED_ATTENTION;
    int64_t b = p->batch, h = p->heads, n = p->seq, d = p->head_dim;
    struct op_arg q = tensor4(BF16, b, h, n, d), score = tensor4(BF16, b, h, n, n);
    double ideal_ns = attention_roofline_ns(s, p) / p->eff.attention;
    struct product g = {b * h, n, d, n, PRODUCT_WEIGHT, p->eff.gemm * 0.9, mark, -1};
    sim_python(
        s, "transformers/models/llama/modeling_llama.py(177): eager_attention_forward");
    matmul(s, q, tensor_transposed(q), g);
    ops_pointwise(
        s, (struct pointwise_op){"aten::mul", POINT_MUL, p->eff.elementwise, mark, -1},
        ARGS(score, tensor0("double")));
    ops_pointwise(
        s, (struct pointwise_op){"aten::add", POINT_ADD, p->eff.elementwise, mark, -1},
        ARGS(score, tensor4(BF16, b, 1, n, n), scalar("1")));
    ops_softmax(s, &score, p->eff.softmax, mark, ideal_ns);
    g = (struct product){b * h, n, n, d, 0, p->eff.gemm * 0.9, mark, -1};
    matmul(s, score, q, g);
    sim_end(s);
}

void ops_attention(struct simulator *s, const struct sample_plan *p)
{
    if (plan_has(p, DEFECT_UNFUSED_ATTENTION))
        eager_attention(s, p);
    else
        fused_attention(s, p);
}

double softmax_roofline_ns(const struct simulator *s, struct op_arg x)
{
    double n = arg_elements(x);
    return sim_roofline_ns(s, (struct work){3 * n, 4 * n, UNIT_VECTOR_BF16});
}

double mean_roofline_ns(const struct simulator *s, struct op_arg x)
{
    double n = arg_elements(x);
    return sim_roofline_ns(
        s, (struct work){n, (x.type == F32 ? 4 : 2) * n, UNIT_VECTOR_FP32});
}

void ops_softmax(struct simulator *s, const struct op_arg *x, double eff,
                 enum defect defect, double ideal_ns)
{
    sim_python(s, "torch/nn/functional.py(2110): softmax");
    sim_op(s, "aten::softmax", ARGS(*x, scalar("-1"), absent()));
    sim_op(s, "aten::_softmax", ARGS(*x, scalar("-1"), scalar("False")));
    sim_launch(s,
               (struct kernel){.name = kernel_softmax,
                               .time_ns = softmax_roofline_ns(s, *x) / eff,
                               .grid = (int64_t)arg_elements(*x) / x->dim[x->rank - 1],
                               .block = 1024,
                               .defect = defect,
                               .ideal_ns = ideal_ns});
    sim_end_n(s, 3);
}

void ops_mean(struct simulator *s, const struct op_arg *x, double eff,
              enum defect defect, double ideal_ns)
{
    sim_python(s, "<built-in method mean of Tensor object at 0x7f8fee515770>");
    sim_op(s, "aten::mean", ARGS(*x, scalar_list("[-1]"), scalar("True"), absent()));
    sim_launch(s, (struct kernel){.name = kernel_mean,
                                  .time_ns = mean_roofline_ns(s, *x) / eff,
                                  .grid = (int64_t)(arg_elements(*x) / 4096) + 1,
                                  .block = 512,
                                  .defect = defect,
                                  .ideal_ns = ideal_ns});
    sim_end_n(s, 2);
}

const char *ops_moe_name(bool hip)
{
    return hip ? "vllm::rocm_aiter_fused_moe" : "vllm::fused_moe";
}

void ops_embedding(struct simulator *s, const struct sample_plan *p)
{
    struct op_arg w = tensor2(BF16, p->vocab, p->hidden);
    struct op_arg ids = tensor2(I64, p->batch, p->seq);
    double n = (double)(p->batch * p->seq * p->hidden);
    sim_module(s, "Embedding", 0);
    sim_python(s, "torch/nn/modules/sparse.py(190): forward");
    sim_op(s, "aten::embedding",
           ARGS(w, ids, scalar("-1"), scalar("False"), scalar("False")));
    sim_leaf(s, "aten::reshape", ARGS(ids, scalar_list("[-1]")));
    sim_op(s, "aten::index_select",
           ARGS(w, scalar("0"), tensor1(I64, p->batch * p->seq)));
    struct work k = {0, 4 * n, UNIT_VECTOR_BF16};
    sim_launch(s, (struct kernel){.name = kernel_index_select,
                                  .time_ns = sim_roofline_ns(s, k) / p->eff.elementwise,
                                  .grid = 2432,
                                  .block = 512,
                                  .defect = DEFECT_NONE});
    sim_end_n(s, 5);
}

void ops_argmax(struct simulator *s, const struct sample_plan *p)
{
    struct op_arg x = tensor2(BF16, p->batch, p->vocab);
    sim_python(s, "<built-in method argmax of type object at 0x7f9a3dfe1d20>");
    sim_op(s, "aten::argmax", ARGS(x, scalar("-1"), scalar("False")));
    struct work k = {arg_elements(x), 2 * arg_elements(x), UNIT_VECTOR_BF16};
    sim_launch(s, (struct kernel){.name = kernel_argmax,
                                  .time_ns = sim_roofline_ns(s, k) / p->eff.reduce,
                                  .grid = p->batch,
                                  .block = 512,
                                  .defect = DEFECT_NONE});
    sim_end_n(s, 2);
}

void ops_item(struct simulator *s)
{
    struct op_arg x = tensor0(BF16);
    sim_python(s, "<built-in method item of Tensor object at 0x7f8fee5157c0>");
    sim_op(s, "aten::item", ARGS(x));
    sim_op(s, "aten::_local_scalar_dense", ARGS(x));
    sim_copy(s, (struct copy){COPY_D2H, STREAM_MAIN, 2, false, DEFECT_NONE, 0});
    sim_stream_synchronize(s);
    sim_end_n(s, 3);
}

void ops_item_and_think(struct simulator *s, double frac)
{
    double think_ns = frac * s->work_since_sync_ns;
    s->tally[DEFECT_ITEM_SYNC].count++;
    ops_item(s);
    sim_python(s, "serving/early_exit.py(88): should_exit");
    sim_python(s, "serving/early_exit.py(41): update_statistics");
    sim_think(s, think_ns);
    sim_end_n(s, 2);
}

void ops_small_copies(struct simulator *s, int count)
{
    for (int i = 0; i < 2 * count; i++) {
        bool in = i % 2 == 0;
        int64_t n = 16384 + (int64_t)(random_next(&s->random) % 49152);
        struct op_arg x = tensor1(F32, n);
        sim_python(s, "<built-in method to of Tensor object at 0x7f8fee516120>");
        sim_op(s, "aten::to",
               ARGS(x, scalar("6"), scalar("0"), scalar(in ? "0" : ""), scalar(""),
                    scalar("True"), scalar("False"), absent()));
        sim_op(s, "aten::_to_copy",
               ARGS(x, scalar("6"), scalar("0"), scalar(""), scalar(""), scalar("True"),
                    absent()));
        sim_leaf(s, "aten::empty_strided",
                 ARGS(scalar_list("[1]"), scalar_list("[1]")));
        sim_op(s, "aten::copy_", ARGS(x, x, scalar("True")));
        sim_copy(s, (struct copy){in ? COPY_H2D : COPY_D2H, STREAM_MAIN, 4 * n, false,
                                  DEFECT_MANY_SMALL_COPIES, 0});
        sim_end_n(s, 4);
    }
}

static void batch_copy(struct simulator *s, struct op_arg x, bool pageable,
                       enum defect defect)
{
    int64_t bytes = (int64_t)(4 * arg_elements(x));
    double ideal_ns = 1800 + (double)bytes / s->device->host_byte_per_ns;
    struct sample_random kept = s->random;
    sim_python(s, "train_ddp.py(97): to_device");
    sim_python(s, "<built-in method to of Tensor object at 0x7f8fee516120>");
    sim_op(s, "aten::to",
           ARGS(x, scalar("6"), scalar("0"), scalar("0"), scalar(""), scalar("False"),
                scalar("False"), absent()));
    sim_op(s, "aten::_to_copy",
           ARGS(x, scalar("6"), scalar("0"), scalar(""), scalar(""), scalar("False"),
                absent()));
    sim_leaf(s, "aten::empty_strided", ARGS(scalar_list("[1]"), scalar_list("[1]")));
    sim_op(s, "aten::copy_", ARGS(x, x, scalar("False")));
    sim_copy(s,
             (struct copy){COPY_H2D, STREAM_MAIN, bytes, pageable, defect, ideal_ns});
    sim_end_n(s, 5);
    s->random = kept;
}

void ops_batch_copies(struct simulator *s, const struct sample_plan *p)
{
    struct op_arg images = tensor4(F32, p->batch, 3, 224, 224);
    if (plan_planted(p, DEFECT_PAGEABLE_COPIES))
        batch_copy(s, images, plan_has(p, DEFECT_PAGEABLE_COPIES),
                   plan_mark(p, DEFECT_PAGEABLE_COPIES));
    if (plan_has(p, DEFECT_PINNED_COPIES)) {
        s->tally[DEFECT_PINNED_COPIES].count++;
        batch_copy(s, images, false, DEFECT_NONE);
    }
}
