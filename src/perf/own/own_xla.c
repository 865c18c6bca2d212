/* own_xla.c - operations of XLA, whose profile says the sizes of what they are given
 * and of what they make. */
#include "perf/own/own_parts.h"

/* Each operand read once, each result written once; of a product, each element of the
 * result is the sum of so many ("summed"). */
void own_xla(struct op_args *a, struct cost *c)
{
    const struct value *dims = args_extra(a, "Result Dims"),
                       *types = args_extra(a, "Result type");
    double summed = args_extra_int_or(a, "summed", 0), read = 0, written = 0, first = 0;
    struct shape s;
    if (!dims)
        args_drop(a);
    for (int i = 0; i < args_n_dims(a) && args_ok(a); i++)
        read += own_size(a, i);
    for (int i = 0; i < value_count(dims) && args_ok(a); i++) {
        args_need(a, shape_read(value_at(dims, i), &s));
        written += shape_count(&s) * own_bytes(value_text(value_at(types, i)));
        first = i == 0 ? shape_count(&s) : first;
    }
    param_int(&c->params, "num_output_elems", first);
    if (summed > 0)
        param_int(&c->params, "summed", summed);
    own_moved(c, read, written, 2 * first * summed, args_type(a, 0));
}
