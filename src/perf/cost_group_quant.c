/* cost_group_quant.c - activations scaled and rounded to 8 or 4 bits, in groups. */
#include "perf/cost.h"

#include "perf/cost_elementwise.h"
#include "perf/dtype.h"

#include <math.h>

static const struct str none = {NULL, 0};

void cost_quantize_fp8(struct op_args *a, struct cost *c)
{
    struct shape s = args_shape(a, 0);
    struct str in = args_type(a, 0), out = S("c10::Float8_e4m3fnuz");
    unary_params(c, &s, in, out, args_strides_or(a, 0), NULL);
    c->flop = shape_count(&s);
    c->byte = shape_count(&s) * (dtype_bytes(in) + 1);
}

/* Twice, along rows and along columns: packed values, and a scale for each block of 32.
 */
void cost_quantize_mxfp4_dual(struct op_args *a, struct cost *c)
{
    struct shape s = args_shape_rank(a, 0, 2);
    struct str in = args_type(a, 0);
    double m = s.dim[0], n = s.dim[1];
    unary_params(c, &s, in, S("c10::Float4_e2m1fn_x2"), args_strides_or(a, 0), NULL);
    c->flop = m * n;
    c->byte = m * n * dtype_bytes(in) + 2 * floor((m * n + 1) / 2) + m * ceil(n / 32) +
              n * ceil(m / 32);
}

/* The models differ in the slot of the activation, and in whether strides are needed.
 */
void cost_mxfp4_quant(struct op_args *a, struct cost *c)
{
    int slot = 0;
    bool strides = false;
    switch (a->model->key) {
    case MODEL_FUSED_FLATTEN_MXFP4_QUANT:
        strides = true;
        break;
    case MODEL_FUSED_DYNAMIC_MX_QUANT_MOE_SORT_HIP:
        strides = true;
        slot = 2;
        break;
    case MODEL_AITER_FUSED_DYNAMIC_MXFP4_QUANT_MOE_SORT_HIP:
        slot = 2;
        break;
    case MODEL_AITER_DYNAMIC_PER_GROUP_SCALED_QUANT_FP4:
        slot = 1;
        break;
    default:
        break;
    }
    struct shape s = args_shape(a, slot);
    struct str type = args_type(a, slot);
    unary_params(c, &s, type, type, strides ? args_strides(a, slot) : NULL, NULL);
    double n = shape_count(&s);
    c->flop = 2 * n;
    c->byte = n * dtype_bytes(type) + 0.5 * n + floor(n / 32);
}

/* A maximum, a scale and a rounding; 2.59375 = 2 + 19/32 is the reference's figure. */
void cost_per_group_quant(struct op_args *a, struct cost *c)
{
    struct shape out = args_shape(a, 0), x = args_shape(a, 1), scale = args_shape(a, 2);
    struct str types[] = {args_type(a, 1), args_type(a, 2), args_type(a, 0)};
    const struct value *strides[] = {args_strides(a, 1), args_strides(a, 2),
                                     args_strides(a, 0)};
    binary_params(c, &x, &scale, &out, types, strides);
    c->flop = 2.59375 * shape_count(&out);
    c->byte = shape_count(&out) * dtype_bytes(types[2]) +
              shape_count(&x) * dtype_bytes(types[0]) +
              shape_count(&scale) * dtype_bytes(types[1]);
    args_need(a, !isnan(c->byte));
}

static const struct value *const no_strides[3];

void cost_token_group_quant(struct op_args *a, struct cost *c)
{
    struct shape x = args_shape(a, 0), scalar = {0};
    double m = x.rank > 1 ? x.dim[0] : 1, n = x.dim[x.rank > 1 ? 1 : 0];
    args_need(a, x.rank > 0);
    double group = args_int_or(a, 1, 128);
    args_need(a, group != 0);
    double groups = fmax(1, ceil(n / group));
    struct str type = args_type(a, 0);
    struct str types[] = {type, none, S("c10::float8_e4m3fn")};
    param_ints(&c->params, {"M", m}, {"N", n}, {"group_size", group},
               {"num_groups", groups});
    param_shape(&c->params, "shape_x", &x);
    param_text(&c->params, "dtype_x", type);
    binary_params(c, &x, &scalar, &x, types, no_strides);
    c->flop = 6 * m * n;
    c->byte = m * n * dtype_bytes(type) + m * n + 4 * m * groups;
}

/* Ids and weights of the routed experts, with those of the shared ones appended. */
void cost_append_shared_experts(struct op_args *a, struct cost *c)
{
    struct shape ids = args_shape(a, 0), out;
    struct shape weights = args_has_shape(a, 1) ? args_shape(a, 1) : ids;
    struct str types[] = {args_type(a, 0), args_type(a, 1), args_type(a, 1)};
    args_need(a, broadcast(&ids, &weights, &out));
    binary_params(c, &ids, &weights, NULL, types, no_strides);
    c->precision = dtype_precision(types[1]);
    c->flop = shape_count(&ids);
    c->byte = 2 * (shape_count(&ids) * args_bytes_or(a, 0, 4) +
                   shape_count(&weights) * args_bytes_or(a, 1, 4));
}
