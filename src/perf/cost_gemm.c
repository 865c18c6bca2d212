#include "perf/cost_gemm.h"

#include "perf/dtype.h"

#include "base/arena.h"

#include <math.h>

double gemm_flop(const struct gemm *g)
{
    return g->batch * (2 * g->m * g->n * g->k + (g->bias ? g->m * g->n : 0));
}

/* An unknown width of the bias makes the bytes unknown even where there is no bias. */
double gemm_byte(const struct gemm *g)
{
    double bias = (g->bias ? 1 : 0) * g->n * g->bias_bytes;
    return g->batch * (g->m * g->k * g->a_bytes + g->k * g->n * g->b_bytes +
                       g->m * g->n * g->out_bytes + bias);
}

void gemm_one_width(struct gemm *g, double bytes)
{
    g->a_bytes = g->b_bytes = g->bias_bytes = g->out_bytes = bytes;
}

struct gemm gemm_plain(struct op_args *a, int n)
{
    return (struct gemm){.batch = 1,
                         .m = args_dim(a, 0, 0),
                         .n = args_dim(a, 1, n),
                         .k = args_dim(a, 0, 1)};
}

void gemm_params(struct cost *c, const struct gemm *g, bool batch_first)
{
    if (batch_first)
        param_int(&c->params, "B", g->batch);
    param_ints(&c->params, {"M", g->m}, {"N", g->n}, {"K", g->k});
    param_bool(&c->params, "bias", g->bias);
}

static bool has_param(const struct cost *c, struct str key)
{
    for (int i = 0; i < c->params.n; i++)
        if (str_eq(str_of(c->params.at[i].key), key))
            return true;
    return false;
}

static struct str transpose_text(enum gemm_transpose t)
{
    return t == GEMM_UNKNOWN ? S("None") : python_bool(t == GEMM_TRANSPOSED);
}

/* The first kernel whose name is conclusive wins. */
static void transpose_param(const struct op_args *a, struct cost *c)
{
    enum gemm_transpose ta, tb;
    for (int i = 0; i < a->call->n_kernels; i++)
        if (gemm_kernel_transpose(a->call->kernels[i], &ta, &tb)) {
            struct str text =
                str_printf(a->perm, "(%.*s, %.*s)", STRF(transpose_text(ta)),
                           STRF(transpose_text(tb)));
            param_python(&c->params, "transpose", text);
            return;
        }
}

void gemm_finish(const struct op_args *a, struct cost *c, const struct gemm *g)
{
    if (!has_param(c, S("B")))
        param_int(&c->params, "B", g->batch);
    transpose_param(a, c);
    c->flop = gemm_flop(g);
    c->byte = gemm_byte(g);
}

/* Strides, then the types, of the operands in slots x and y. */
static void pair_params(struct op_args *a, struct cost *c, int x, int y)
{
    struct str types[] = {args_type(a, x), args_type(a, y)};
    param_value(&c->params, "stride_A", args_strides_if(a, x));
    param_value(&c->params, "stride_B", args_strides_if(a, y));
    types_param(c, "dtype_A_B", types, 2);
}

/* mm and bmm multiply operands 0 and 1; addmm and baddbmm add operand 0 to 1 times 2,
 * and the sum counts as a bias of n elements whatever its shape. */
void cost_gemm_dense(struct op_args *a, struct cost *c)
{
    enum model_key key = a->model->key;
    bool bias = key == MODEL_ATEN_ADDMM || key == MODEL_ATEN_BADDBMM;
    bool batched = key == MODEL_ATEN_BMM || key == MODEL_ATEN_BADDBMM;
    int x = bias ? 1 : 0, row = batched ? 1 : 0;
    struct shape left = args_shape(a, x);
    struct gemm g = {.batch = 1, .bias = bias};
    if (batched) {
        args_need(a, left.rank == 3);
        g.batch = left.dim[0];
    }
    g.m = shape_at(a, &left, row);
    g.k = shape_at(a, &left, row + 1);
    g.n = args_dim(a, x + 1, row + 1);
    gemm_one_width(&g, args_bytes(a, x));
    gemm_params(c, &g, batched);
    pair_params(a, c, x, x + 1);
    gemm_finish(a, c, &g);
}

/* An 8-bit product is written in 16 bits; exactly 3 operands mean a bias.
 */
void cost_gemm_scaled(struct op_args *a, struct cost *c)
{
    double bytes = args_bytes(a, 0);
    args_need(a, !isnan(bytes) && !isnan(args_bytes(a, 1)));
    struct gemm g = gemm_plain(a, 1);
    g.bias = args_n_dims(a) == 3;
    gemm_one_width(&g, bytes);
    g.out_bytes = bytes == 1 ? 2 : bytes == 2 || bytes == 4 ? bytes : (double)NAN;
    gemm_params(c, &g, false);
    pair_params(a, c, 0, 1);
    gemm_finish(a, c, &g);
}

/* Transformer Engine: A, B, D and bias in slots 0, 5, 10, 18; flags in 4, 9 and 14. */
void cost_gemm_te(struct op_args *a, struct cost *c)
{
    bool ta = str_eq(args_concrete(a, 4), S("1"));
    bool tb = str_eq(args_concrete(a, 9), S("1"));
    args_need(a, args_dims(a, 10) != NULL);
    struct gemm g = {.batch = 1,
                     .m = args_dim(a, 0, ta ? 0 : 1),
                     .n = args_dim(a, 5, tb ? 1 : 0),
                     .k = args_dim(a, 0, ta ? 1 : 0),
                     .bias = args_concrete(a, 14).n > 0};
    struct str types[] = {args_type(a, 0), args_type(a, 5), args_type(a, 10),
                          args_type(a, 18)};
    g.a_bytes = dtype_bytes(types[0]);
    g.b_bytes = dtype_bytes(types[1]);
    g.out_bytes = dtype_bytes(types[2]);
    g.bias_bytes = dtype_bytes(types[3]);
    gemm_params(c, &g, false);
    param_value(&c->params, "stride_A", args_strides_if(a, 0));
    param_value(&c->params, "stride_B", args_strides_if(a, 5));
    types_param(c, "dtype_A_B", types, 4);
    gemm_finish(a, c, &g);
}

void cost_gemm_te_pseudo(struct op_args *a, struct cost *c)
{
    struct gemm g = gemm_plain(a, 1);
    args_need(a, str_eq(args_type(a, 0), args_type(a, 1)));
    gemm_one_width(&g, args_bytes(a, 0));
    g.out_bytes = 2;
    gemm_params(c, &g, false);
    pair_params(a, c, 0, 1);
    gemm_finish(a, c, &g);
}

/* The matrices are the first two operands of rank 2, wherever they are; a missing one
 * is sought in its usual slot. */
void cost_gemm_vllm_dynamic(struct op_args *a, struct cost *c)
{
    int slot[2] = {0, 1}, found = 0, n = args_n_dims(a);
    for (int i = 0; i < n && found < 2; i++)
        if (value_count(args_dims(a, i)) == 2)
            slot[found++] = i;
    struct shape left = args_shape_rank(a, slot[0], 2);
    struct shape weight = args_shape_rank(a, slot[1], 2);
    struct gemm g = {
        .batch = 1, .m = left.dim[0], .n = weight.dim[0], .k = left.dim[1]};
    gemm_one_width(&g, args_bytes(a, 0));
    gemm_params(c, &g, false);
    pair_params(a, c, 0, 1);
    gemm_finish(a, c, &g);
}

static void triple_params(struct cost *c, struct gemm *g, const struct str types[3])
{
    g->a_bytes = dtype_bytes(types[0]);
    g->b_bytes = dtype_bytes(types[1]);
    types_param(c, "dtype_A_B", types, 3);
}

void cost_gemm_vllm_rocm(struct op_args *a, struct cost *c)
{
    struct gemm g = gemm_plain(a, 0);
    g.bias = args_has_shape(a, 2);
    struct str types[] = {args_type(a, 0), args_type(a, 1), args_type_or(a, 2, S(""))};
    gemm_params(c, &g, false);
    triple_params(c, &g, types);
    g.out_bytes = g.bias_bytes = g.bias ? dtype_bytes(types[2]) : g.b_bytes;
    gemm_finish(a, c, &g);
}

/* The three differ in where the type of the result is found. */
void cost_gemm_a16w16(struct op_args *a, struct cost *c)
{
    enum model_key key = a->model->key;
    struct gemm g = gemm_plain(a, 0);
    struct str types[] = {args_type(a, 0), args_type(a, 1), args_type(a, 0)};
    if (key == MODEL_GEMM_A16W16_ATOMIC)
        types[2] = args_type_or(a, 3, S("c10::bfloat16"));
    else if (key == MODEL_GEMM_A16W16)
        g.bias = args_has_shape(a, 2);
    else if (!isnan(args_bytes_or(a, 2, (double)NAN)))
        types[2] = args_type(a, 2);
    gemm_params(c, &g, true);
    triple_params(c, &g, types);
    g.out_bytes = g.bias_bytes = dtype_bytes(types[2]);
    gemm_finish(a, c, &g);
}
