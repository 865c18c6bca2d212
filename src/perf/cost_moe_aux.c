/* cost_moe_aux.c - choosing the experts of a token, sorting tokens by expert, and
 * sending them to the ranks of their experts and back. */
#include "perf/cost.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/python_text.h"
#include "perf/dtype.h"

#include <math.h>

/* Every tensor moves once; the largest is looked at once. */
void cost_moe_sort(struct op_args *a, struct cost *c)
{
    int n = args_n_dims(a), n_types = args_n_types(a), found = 0;
    double largest = 0, bytes = 0;
    struct out o;
    out_memory(&o);
    out_char(&o, '[');
    for (int i = 0; i < n && i < n_types; i++) {
        struct shape s;
        if (!shape_read(args_dims(a, i), &s) || s.rank == 0)
            continue;
        struct str type = args_type(a, i);
        double count = shape_count(&s), width = dtype_bytes(type);
        if (found++ == 0 || count > largest) {
            largest = count;
            c->precision = dtype_precision(type);
        }
        bytes += isnan(width) ? 0 : count * width;
        out_c(&o, found > 1 ? ", (" : "(");
        python_shape(&o, &s);
        out_lit(&o, ", ");
        if (type.p)
            python_string(&o, type);
        else
            out_lit(&o, "None");
        out_char(&o, ')');
    }
    out_char(&o, ']');
    param_python(&c->params, "operands", out_text(&o, a->perm));
    c->flop = largest;
    c->byte = bytes == 0 ? (double)NAN : bytes;
}

/* Scores read, a bias for each expert; a weight and an index out for each choice. */
void cost_topk_softplus(struct op_args *a, struct cost *c)
{
    struct shape s = args_shape_rank(a, 2, 2);
    double m = s.dim[0], experts = s.dim[1], top = args_dim(a, 0, 1);
    struct str type = args_type(a, 2);
    param_ints(&c->params, {"M", m}, {"n", 1}, {"C", experts}, {"E", experts},
               {"topk", top});
    type_param(c, "dtype_in", type);
    c->flop = 6 * m * experts;
    c->byte = m * experts * dtype_bytes(type) + 4 * experts + 4 * m * top + 4 * m * top;
}

/* Nothing is computed, and what is missing only leaves the bytes unknown. */
void cost_moe_comm(struct op_args *a, struct cost *c)
{
    struct shape s;
    int rank = shape_read(args_dims(a, 0), &s) ? s.rank : 0;
    double tokens = rank > 0 ? s.dim[0] : (double)NAN;
    double hidden = rank > 1 ? s.dim[1] : (double)NAN;
    double bytes = args_bytes_or(a, 0, (double)NAN);
    param_ints(&c->params, {"num_tokens", tokens}, {"hidden_dim", hidden},
               {"bpe", bytes});
    c->flop = 0;
    c->byte = tokens * hidden * bytes;
}
