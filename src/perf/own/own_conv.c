/* own_conv.c - convolutions that are one launch with what follows them, and gradients
 * that launch apart. */
#include "perf/own/own_parts.h"

#include <math.h>

/* Winograd's algorithm multiplies less than the plain sum: for a 3 x 3 filter 2.25
 * times less by tiles of 2 x 2 outputs, 4 times by tiles of 4 x 4 (Lavin, Gray, CVPR
 * 2016). The kernel's name tells; its transforms are additions, and not counted. */
static double winograd_saving(const struct op_call *call)
{
    double saving = 1;
    for (int i = 0; i < call->n_kernels; i++)
        if (str_has(call->kernels[i], S("winograd")))
            saving = fmax(saving, str_has(call->kernels[i], S("4x4")) ? 4 : 2.25);
    return saving;
}

/* The caller has what these lack: (input, grad_output, weight, ..). Each output element
 * meets the weights of one of its channels. */
void own_conv_gradient(struct op_args *a, struct cost *c)
{
    const struct op_call *caller = a->call->caller;
    args_need(a,
              caller && (str_eq(caller->name, S("aten::cudnn_convolution_backward")) ||
                         str_eq(caller->name, S("aten::miopen_convolution_backward"))));
    if (!args_ok(a))
        return;
    struct op_args of = {.perm = a->perm, .call = caller, .model = a->model};
    struct shape x = args_shape(&of, 0), y = args_shape(&of, 1), w = args_shape(&of, 2);
    double filters = shape_at(&of, &w, 0),
           bytes = own_size(&of, 0) + own_size(&of, 1) + own_size(&of, 2);
    args_need(a, args_ok(&of) && filters > 0 && x.rank == w.rank && y.rank == w.rank);
    bool of_weight = str_has(a->call->name, S("weight"));
    double written = own_size(&of, of_weight ? 2 : 0);
    param_shape(&c->params, "input_shape", &x);
    param_shape(&c->params, "filter_shape", &w);
    param_shape(&c->params, "output_shape", &y);
    double saving = winograd_saving(a->call);
    param_real(&c->params, "winograd_saving", saving);
    own_moved(c, bytes - written, written,
              2 * shape_count(&y) * shape_count(&w) / filters / saving,
              args_type(&of, 0));
}

/* A number for each dimension, or one for all. */
static double along(const struct shape *list, int i)
{
    return list->dim[list->rank > 1 ? i : 0];
}

/* (input, weight, bias, stride, padding, dilation, groups), for add_relu with what is
 * added and its factor before the bias. The weights have channels / groups already. */
void own_conv(struct op_args *a, struct cost *c)
{
    bool adds = str_has(a->call->name, S("_add_"));
    int bias = adds ? 4 : 2;
    struct shape x = args_shape(a, 0), w = args_shape(a, 1), y = x;
    struct shape stride = args_int_list(a, bias + 1),
                 padding = args_int_list(a, bias + 2),
                 dilation = args_int_list(a, bias + 3);
    int n = x.rank - 2;
    args_need(a, n >= 1 && w.rank == x.rank);
    const struct shape *lists[] = {&stride, &padding, &dilation};
    for (int k = 0; k < 3; k++)
        args_need(a, lists[k]->rank == 1 || lists[k]->rank == n);
    for (int i = 0; i < n && args_ok(a); i++) {
        double reach = along(&dilation, i) * (w.dim[i + 2] - 1) + 1;
        args_need(a, along(&stride, i) > 0);
        y.dim[i + 2] =
            floor((x.dim[i + 2] + 2 * along(&padding, i) - reach) / along(&stride, i)) +
            1;
    }
    if (!args_ok(a))
        return;
    y.dim[1] = w.dim[0];
    double outputs = shape_count(&y), saving = winograd_saving(a->call);
    double read = own_size(a, 0) + own_size(a, 1) + (adds ? own_size(a, 2) : 0) +
                  (args_has_shape(a, bias) ? own_size(a, bias) : 0);
    param_shape(&c->params, "input_shape", &x);
    param_shape(&c->params, "filter_shape", &w);
    param_shape(&c->params, "output_shape", &y);
    param_real(&c->params, "winograd_saving", saving);
    own_moved(c, read, outputs * own_bytes(args_type(a, 0)),
              2 * outputs * shape_count(&w) / w.dim[0] / saving, args_type(a, 0));
}
