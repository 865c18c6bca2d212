/* cost_norm.c - batch, layer, group and instance normalisation of frameworks, and RMS.
 *
 * Absent weights are recorded as [], which the reference takes for present: affine and
 * bias are true wherever their slot exists, and `training` is true for any text. */
#include "perf/cost.h"

#include "base/arena.h"
#include "base/out.h"
#include "perf/cost_elementwise.h"
#include "perf/dtype.h"

#include <math.h>

struct norm {
    struct shape shape;
    struct str type;
    const struct value *strides;
    double channels;
    bool channels_real; /* a quotient, printed as Python prints one */
    bool bias, affine, training;
    bool mask[3]; /* which gradients are wanted: input, weight, bias */
    int n_mask;   /* recorded; 0: no such parameter */
};

static void read_input(struct op_args *a, struct norm *v, int slot, bool need_strides)
{
    v->shape = args_shape(a, slot);
    v->type = args_type(a, slot);
    v->strides = need_strides ? args_strides(a, slot) : args_strides_or(a, slot);
}

/* The slot must exist; what it holds does not matter. */
static bool present(struct op_args *a, int slot)
{
    args_need(a, args_dims(a, slot) != NULL);
    return true;
}

/* Whether it trains is not recorded with what is assumed dense; the bytes differ by a
 * few for each channel. */
static bool trains(struct op_args *a, int slot)
{
    return a->call->assume_dense ? args_concrete_or(a, slot, S("True")).n > 0
                                 : args_concrete(a, slot).n > 0;
}

static double list_product(struct op_args *a, int i)
{
    struct shape list = args_int_list(a, i);
    return shape_count(&list);
}

/* "[True, False, True]" */
static void read_mask(struct op_args *a, struct norm *v, int i)
{
    struct str s = str_trim(args_concrete(a, i));
    if (!str_starts(s, S("[")) || !str_ends(s, S("]"))) {
        args_fail(a);
        return;
    }
    s = str_skip(str_head(s, s.n - 1), 1);
    while (s.n > 0 && v->n_mask < 3) {
        struct str item = str_take(&s, S(","));
        args_need(a, python_truth(item, &v->mask[v->n_mask++]));
    }
}

static void add_params(struct op_args *a, struct cost *c, const struct norm *v)
{
    struct param_list *p = &c->params;
    unary_params(c, &v->shape, v->type, (struct str){0}, v->strides, NULL);
    if (v->channels_real)
        param_real(p, "num_channels", v->channels);
    else
        param_int(p, "num_channels", v->channels);
    param_bool(p, "has_bias", v->bias);
    param_bool(p, "is_affine", v->affine);
    param_bool(p, "is_training", v->training);
    if (v->n_mask == 0)
        return;
    struct out o;
    out_memory(&o);
    for (int i = 0; i < v->n_mask; i++)
        out_printf(&o, "%s%.*s", i ? ", " : "[", STRF(python_bool(v->mask[i])));
    out_char(&o, ']');
    param_python(p, "output_mask", out_text(&o, a->perm));
}

static double width(struct op_args *a, const struct norm *v)
{
    double bytes = dtype_bytes(v->type);
    args_need(a, a->backward ||
                     !isnan(bytes)); /* declined before the bytes are computed */
    return bytes;
}

void cost_norm(struct op_args *a, struct cost *c)
{
    enum model_key key = a->model->key;
    struct norm v = {.bias = true, .affine = true, .training = true};
    read_input(a, &v, 0, true);
    present(a, 2);
    if (key == MODEL_LAYERNORM) {
        present(a, 3);
        v.channels = list_product(a, 1);
    } else {
        v.channels = shape_at(a, &v.shape, 1);
    }
    if (key == MODEL_BATCHNORM || key == MODEL_INSTANCENORM)
        v.training = trains(a, 5);
    add_params(a, c, &v);
    double e = shape_count(&v.shape), n = v.channels, bytes = width(a, &v);
    c->flop = 6 * n + 2 * e + (v.training ? 3 * e : 0);
    c->byte = 2 * e * bytes + (v.training ? 6 : 4) * n * bytes;
}

/* cuDNN and MIOpen put the input first and say nothing of training. */
static void read_batch_backward(struct op_args *a, struct norm *v)
{
    bool vendor =
        str_has(a->call->name, S("::cudnn_")) || str_has(a->call->name, S("::miopen_"));
    int slot = vendor ? 0 : 1;
    read_input(a, v, slot, true);
    v->channels = shape_at(a, &v->shape, 1);
    v->affine = present(a, 2);
    v->bias = true;
    v->training = !vendor && trains(a, 7);
    v->mask[0] = true;
    v->n_mask = 1;
}

static void read_layer_backward(struct op_args *a, struct norm *v)
{
    read_input(a, v, 1, true);
    v->channels = list_product(a, 2);
    v->training = true;
    read_mask(a, v, 7);
    args_need(a, v->n_mask == 3);
    v->affine = v->mask[1];
    v->bias = v->mask[2];
}

/* Channels of a group here, all channels in the forward: the reference's own
 * disagreement. */
static void read_group_backward(struct op_args *a, struct norm *v)
{
    read_input(a, v, 1, true);
    double groups = args_int(a, 8);
    args_need(a, groups != 0);
    v->channels = shape_at(a, &v->shape, 1) / (groups != 0 ? groups : 1);
    v->channels_real = true;
    v->affine = present(a, 5);
    v->bias = v->training = true;
    read_mask(a, v, 9);
    args_need(a, v->n_mask > 0);
}

void cost_norm_backward(struct op_args *a, struct cost *c)
{
    struct norm v = {0};
    if (a->model->key == MODEL_INSTANCENORMBWD)
        args_drop(a);
    else if (a->model->key == MODEL_BATCHNORMBWD)
        read_batch_backward(a, &v);
    else if (a->model->key == MODEL_LAYERNORMBWD)
        read_layer_backward(a, &v);
    else
        read_group_backward(a, &v);
    if (!args_ok(a))
        return;
    add_params(a, c, &v);
    double e = shape_count(&v.shape), n = v.channels, bytes = width(a, &v);
    double each = e / n, train = v.training ? 1 : 0; /* elements of a channel */
    args_need(a, n != 0);
    c->flop = n * ((1 - train) * 3 + 4 * each + (v.mask[0] ? train * 5 : 2) * each);
    c->byte =
        e * bytes + e * bytes * (v.mask[0] && v.training ? 2 : 1) + train * n * bytes;
    if (v.affine)
        c->byte += n * bytes + train * n * bytes * (v.bias ? 2 : 1);
}

void cost_rms_norm_aten(struct op_args *a, struct cost *c)
{
    struct norm v = {.affine = true};
    read_input(a, &v, 0, true);
    v.channels = list_product(a, 1);
    present(a, 2);
    add_params(a, c, &v);
    double e = shape_count(&v.shape), n = v.channels, bytes = width(a, &v);
    args_need(a, n != 0);
    c->flop = e / n * (2 * n + 2) + 2 * e;
    c->byte = 2 * e * bytes + n * bytes;
}

void cost_rms_norm_aten_backward(struct op_args *a, struct cost *c)
{
    struct norm v = {0};
    read_input(a, &v, 1, true);
    v.channels = list_product(a, 2);
    v.affine = present(a, 4);
    read_mask(a, &v, 5);
    args_need(a, v.n_mask >= 2 && v.channels != 0);
    add_params(a, c, &v);
    double e = shape_count(&v.shape), n = v.channels, bytes = width(a, &v);
    c->flop = 2 * e + (v.mask[0] ? 6 * e : 0) + (v.mask[1] ? e + (e / n > 1) * e : 0);
    c->byte = 3 * e * bytes + 2 * n * bytes;
}

/* [tokens, batch, hidden]: a layer norm whose scale and shift come for each batch
 * entry. */
void cost_ln_modulate(struct op_args *a, struct cost *c)
{
    bool gradient = a->model->key == MODEL_FUSEDLNMODULATEBACKWARD;
    struct norm v = {.bias = true, .affine = true, .training = true};
    read_input(a, &v, 0, false);
    args_need(a, v.shape.rank == 3);
    double tokens = v.shape.dim[0], batch = v.shape.dim[1], hidden = v.shape.dim[2];
    v.channels = hidden;
    if (gradient) {
        v.mask[0] = v.mask[1] = v.mask[2] = true;
        v.n_mask = 3;
    }
    add_params(a, c, &v);
    double e = shape_count(&v.shape), bytes = width(a, &v), vectors = batch * hidden;
    c->flop = (gradient ? 15 : 12) * e;
    c->byte = (gradient ? 3 : 2) * (e + vectors) * bytes + 8 * tokens * batch;
}
