/* cost_rope.c - rotary position embedding: three FLOP for each element turned. */
#include "perf/cost.h"

#include "perf/dtype.h"

#include <math.h>

/* Read and written in the type of slot `type`, or in 16 bits. */
static void turn(struct op_args *a, struct cost *c, double elements, int type)
{
    param_int(&c->params, "num_elements", elements);
    c->precision = dtype_precision(args_type_or(a, type, S("")));
    c->flop = 3 * elements;
    c->byte = 2 * elements * args_bytes_or(a, type, 2);
}

void cost_rope(struct op_args *a, struct cost *c)
{
    struct shape s = args_shape_rank(a, 0, 4);
    param_ints(&c->params, {"seq_len", s.dim[0]}, {"batch", s.dim[1]},
               {"heads", s.dim[2]}, {"head_dim", s.dim[3]});
    turn(a, c, shape_count(&s), 0);
}

void cost_rope_cached(struct op_args *a, struct cost *c)
{
    struct shape x = args_shape(a, 2), y = args_shape(a, 3);
    param_shape(&c->params, "x_shape", &x);
    param_shape(&c->params, "y_shape", &y);
    turn(a, c, shape_count(&x) + shape_count(&y), 0);
}

/* Query and key are flat; the head size is given, or the query is one head. */
void cost_rope_sgl(struct op_args *a, struct cost *c)
{
    struct shape query = args_shape(a, 1), cache;
    double head = args_int_or(a, 3, (double)NAN);
    if (isnan(head))
        head = shape_at(a, &query, -1);
    bool has_cache = shape_read(args_dims(a, 4), &cache) && cache.rank > 1;
    double turned = has_cache ? cache.dim[1] : head;
    args_need(a, head != 0);
    if (!args_ok(a))
        return;
    double heads =
        floor(shape_at(a, &query, 1) / head) + floor(args_dim(a, 2, 1) / head);
    turn(a, c, query.dim[0] * heads * turned, 1);
}

/* Turns the positional part of query and key, joins it to the latent part, and writes
 * both, the key in the type of the cache. */
void cost_rope_mla_cache(struct op_args *a, struct cost *c)
{
    bool concat = a->model->key == MODEL_FUSED_QK_ROPE_CONCAT_AND_CACHE_MLA;
    struct shape s = args_shape_rank(a, 0, 3);
    double t = s.dim[0], qh = s.dim[1], lora = s.dim[2], pe = args_dim(a, 1, 2);
    double kh = concat ? 1 : args_dim(a, 2, 1);
    struct str in = args_type(a, 0), kv = args_type_or(a, 4, in);
    struct str out = concat ? args_type_or(a, 5, in) : in;
    kv = kv.n ? kv : in;
    out = out.n ? out : in;
    double bytes = dtype_bytes(in);
    double kv_bytes = dtype_bytes(kv), out_bytes = dtype_bytes(out);
    kv_bytes = isnan(kv_bytes) ? bytes : kv_bytes;
    out_bytes = isnan(out_bytes) ? bytes : out_bytes;
    param_ints(&c->params, {"T", t}, {"QH", qh}, {"KH", kh}, {"D_lora", lora},
               {"D_pe", pe});
    type_param(c, "dtype_in", in);
    param_text(&c->params, "dtype_kv", kv);
    if (concat)
        param_text(&c->params, "dtype_out", out);
    c->flop = 3 * (t * qh * pe + t * kh * pe);
    c->byte = t * (qh + kh) * (lora + pe) * bytes + t * qh * (lora + pe) * out_bytes +
              t * kh * (lora + pe) * kv_bytes;
}
