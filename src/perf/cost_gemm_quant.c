/* cost_gemm_quant.c - products of quantised operands: vendor libraries, 4 and 8 bits.
 *
 * Scales are counted for the 4-bit block formats only, as the reference does. */
#include "perf/cost.h"

#include "perf/cost_gemm.h"
#include "perf/dtype.h"

#include <math.h>

static const struct str bf16 = {"c10::bfloat16", 13};

/* Any text but these is true. */
static bool flag(const struct op_args *a, int i)
{
    struct str s = str_trim(args_concrete_or(a, i, S("")));
    return s.n > 0 && !str_eq_nocase(s, S("false")) && !str_eq(s, S("0"));
}

static double scale_bytes(struct str type)
{
    double bytes = dtype_bytes(type);
    return isnan(bytes) ? 1 : bytes;
}

/* Two 4-bit values in a byte, and one scale for each 32 along k; the result is 16 bits.
 */
static double mxfp4_byte(const struct gemm *g, struct str scale_a, struct str scale_b)
{
    double half = floor(g->k / 2), blocks = ceil(g->k / 32);
    return g->m * half * g->a_bytes + g->n * half * g->b_bytes +
           g->m * blocks * scale_bytes(scale_a) + g->n * blocks * scale_bytes(scale_b) +
           2 * g->m * g->n;
}

/* Operands in slots x and y, their scales in sx and sy. */
static void scaled_params(struct op_args *a, struct cost *c, struct gemm *g, int x,
                          int y, int sx, int sy)
{
    struct str types[] = {args_type(a, x), args_type(a, y)};
    g->a_bytes = dtype_bytes(types[0]);
    g->b_bytes = dtype_bytes(types[1]);
    args_need(a, !isnan(g->a_bytes) && !isnan(g->b_bytes));
    gemm_params(c, g, false);
    param_value(&c->params, "stride_A", args_strides_or(a, x));
    param_value(&c->params, "stride_B", args_strides_or(a, y));
    types_param(c, "dtype_A_B", types, 2);
    param_text(&c->params, "dtype_scaleA", args_type_or(a, sx, (struct str){0}));
    param_text(&c->params, "dtype_scaleB", args_type_or(a, sy, (struct str){0}));
}

/* A transposed result swaps the operands and turns them: (AB)' = B'A'. The types stay
 * where they are, as in the reference. */
void cost_gemm_hipblaslt(struct op_args *a, struct cost *c)
{
    bool fp4 = a->model->key == MODEL_HIPBLASLT_GEMM_FP4;
    bool ta = flag(a, 5), tb = flag(a, 6), tc = flag(a, 7);
    struct shape left = args_shape(a, tc ? 2 : 0), right = args_shape(a, tc ? 0 : 2);
    if (tc) {
        bool was = ta;
        ta = !tb;
        tb = !was;
    }
    struct gemm g = {.batch = 1,
                     .m = shape_at(a, &left, ta ? 1 : 0),
                     .n = shape_at(a, &right, tb ? 0 : 1),
                     .k = shape_at(a, &left, ta ? 0 : 1) * (fp4 ? 2 : 1)};
    scaled_params(a, c, &g, 0, 2, 1, 3);
    g.bias_bytes = g.out_bytes = g.a_bytes == 1 ? 2 : g.a_bytes;
    gemm_finish(a, c, &g);
    if (fp4)
        c->byte = mxfp4_byte(&g, args_type_or(a, 1, S("")), args_type_or(a, 3, S("")));
}

void cost_gemm_a4w4(struct op_args *a, struct cost *c)
{
    struct gemm g = gemm_plain(a, 0);
    g.k *= 2;
    scaled_params(a, c, &g, 0, 1, 2, 3);
    gemm_finish(a, c, &g);
    c->byte = mxfp4_byte(&g, args_type_or(a, 2, S("")), args_type_or(a, 3, S("")));
}

/* Elements that share a scale; NaN where the shape of the scales does not tell. */
static double block(double elements, double scales)
{
    return scales == 0 ? (double)NAN : ceil(elements / scales);
}

static void blockscale_params(struct op_args *a, struct cost *c, const struct gemm *g)
{
    struct shape sa = args_shape(a, 2), sb = args_shape(a, 3);
    struct str type = args_type_or(a, 2, S(""));
    double k_scales = sa.rank ? sa.dim[sa.rank - 1] : 0;
    param_text(&c->params, "quant_scheme", S("a8w8_blockscale"));
    param_text(&c->params, "quant_granularity", S("per_block"));
    param_ints(&c->params, {"block_k", block(g->k, k_scales)},
               {"block_n", block(g->n, sb.rank ? sb.dim[0] : 0)});
    param_text(&c->params, "scale_dtype", type.n ? type : S("float32"));
}

void cost_gemm_blockscale(struct op_args *a, struct cost *c)
{
    struct gemm g = gemm_plain(a, 0);
    struct str types[] = {args_type_or(a, 0, S("")), args_type_or(a, 1, S("")), bf16};
    g.a_bytes = dtype_bytes(types[0]);
    g.b_bytes = dtype_bytes(types[1]);
    g.bias_bytes = g.out_bytes = 2;
    gemm_params(c, &g, true);
    types_param(c, "dtype_A_B", types, 3);
    if (args_n_dims(a) > 3)
        blockscale_params(a, c, &g);
    struct shape out = {2, {g.m, g.n}};
    param_shape(&c->params, "output_shape", &out);
    param_text(&c->params, "output_dtype", bf16);
    gemm_finish(a, c, &g);
}

static void batched_finish(struct op_args *a, struct cost *c, struct gemm *g,
                           struct str precision)
{
    struct str types[] = {args_type(a, 0), args_type(a, 1), bf16};
    g->bias_bytes = g->out_bytes = 2;
    gemm_params(c, g, true);
    param_texts(&c->params, "dtype_A_B", types, 3);
    c->precision = precision;
    gemm_finish(a, c, g);
}

void cost_gemm_batched_wfp4(struct op_args *a, struct cost *c)
{
    struct shape left = args_shape_rank(a, 0, 3);
    struct gemm g = {.batch = left.dim[0],
                     .m = left.dim[1],
                     .n = args_dim(a, 1, 1),
                     .k = left.dim[2],
                     .a_bytes = args_bytes(a, 0),
                     .b_bytes = 0.5};
    batched_finish(a, c, &g, S("fp4"));
}

/* The activation comes as [b, m, k] or [m, b, k]. */
void cost_gemm_batched_a8w8(struct op_args *a, struct cost *c)
{
    struct shape left = args_shape(a, 0);
    struct gemm g = {.batch = args_dim(a, 1, 0),
                     .n = args_dim(a, 1, 1),
                     .k = shape_at(a, &left, 2),
                     .a_bytes = args_bytes(a, 0),
                     .b_bytes = args_bytes(a, 1)};
    g.m = left.dim[left.dim[0] == g.batch ? 1 : 0];
    batched_finish(a, c, &g, dtype_precision(args_type(a, 1)));
}

void cost_gemm_afp4wfp4(struct op_args *a, struct cost *c)
{
    struct gemm g = gemm_plain(a, 0);
    g.k *= 2;
    g.a_bytes = g.b_bytes = 0.5;
    batched_finish(a, c, &g, S("fp4"));
}
