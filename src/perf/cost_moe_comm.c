#include "perf/cost_moe_comm.h"

#include <math.h>

/* Nothing is computed, and what is missing only leaves the bytes unknown. */
void cost_moe_comm(struct op_args *a, struct cost *c)
{
    struct shape s;
    int rank = shape_read(args_dims(a, 0), &s) ? s.rank : 0;
    double tokens = rank > 0 ? s.dim[0] : (double)NAN;
    double hidden = rank > 1 ? s.dim[1] : (double)NAN;
    double bytes = args_bytes_or(a, 0, (double)NAN);
    param_int(&c->params, "num_tokens", tokens);
    param_int(&c->params, "hidden_dim", hidden);
    param_int(&c->params, "bpe", bytes);
    c->flop = 0;
    c->byte = tokens * hidden * bytes;
}
