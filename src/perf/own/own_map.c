/* own_map.c - operators that treat each element alone, or each row: element-wise
 * arithmetic, softmax, dropout, reductions and selections. */
#include "perf/own/own_parts.h"

#include "perf/cost_elementwise.h"

/* What the tensors of a call add up to. */
struct mapped {
    struct shape shape;               /* that all broadcast to */
    struct str first, widest, result; /* types; result: of a tensor after those read */
    double read;
    int n; /* tensors */
};

static void widen(struct mapped *m, const struct shape *s, struct str type)
{
    bool wider = own_bytes(type) > own_bytes(m->widest);
    if (m->widest.n == 0 || (s->rank > 0 && wider))
        m->widest = type;
}

/* One operand: read, or where the result goes. */
static void add_operand(struct op_args *a, struct mapped *m, int i, int reads)
{
    struct shape s = args_shape(a, i), both;
    struct str type = args_type_or(a, i, S(""));
    if (m->n == 0) {
        m->shape = s;
        m->first = type;
    }
    if (m->n < reads) {
        args_need(a, broadcast(&m->shape, &s, &both));
        m->shape = both;
        m->read += own_size(a, i);
        widen(m, &s, type);
    } else if (m->n == reads) {
        m->result = type;
    }
    m->n++;
}

static struct mapped map_of(struct op_args *a)
{
    struct mapped m = {0};
    for (int i = 0; i < args_n_dims(a) && args_ok(a); i++)
        if (own_is_tensor(a, i))
            add_operand(a, &m, i, own_row(a)->reads);
    args_need(a, m.n > 0);
    if (m.result.n == 0)
        m.result = own_in_place(a->call->name) ? m.first : m.widest;
    return m;
}

static void set_map(struct op_args *a, struct cost *c, const struct mapped *m,
                    double result_bytes)
{
    double n = shape_count(&m->shape);
    param_shape(&c->params, "op_shape", &m->shape);
    own_moved(c, m->read, n * result_bytes, n * own_row(a)->flop,
              m->widest.n ? m->widest : m->first);
}

void own_map(struct op_args *a, struct cost *c)
{
    struct mapped m = map_of(a);
    set_map(a, c, &m, own_bytes(m.result));
}

/* (destination, source, ..). */
void own_copy(struct op_args *a, struct cost *c)
{
    struct shape s = args_shape(a, 0);
    param_shape(&c->params, "op_shape", &s);
    own_moved(c, own_size(a, 1), own_size(a, 0), 0, args_type(a, 0));
}

/* A truth value for each element. */
void own_test(struct op_args *a, struct cost *c)
{
    struct mapped m = map_of(a);
    set_map(a, c, &m, own_in_place(a->call->name) ? own_bytes(m.first) : 1);
}

/* Maximum, subtraction, exponential, sum, division; half_to_float widens the result. */
void own_softmax(struct op_args *a, struct cost *c)
{
    struct mapped m = map_of(a);
    bool widened = str_eq_nocase(args_concrete_or(a, 2, S("")), S("true"));
    set_map(a, c, &m, widened ? 4 : own_bytes(m.result));
}

/* The result, and a mask of one byte an element. */
void own_dropout(struct op_args *a, struct cost *c)
{
    struct mapped m = map_of(a);
    set_map(a, c, &m, own_bytes(m.first) + 1);
}

/* What is reduced over: a list "[1]", or a number; false if neither is recorded. */
static bool reduced_dims(struct op_args *a, struct shape *dims)
{
    bool norm = str_has(a->call->name, S("norm"));
    struct str text = args_concrete_or(a, norm ? 2 : 1, S(""));
    if (python_int_list(text, dims))
        return true;
    *dims = (struct shape){.rank = 1};
    return python_int(text, &dims->dim[0]);
}

static double kept_count(struct op_args *a, const struct shape *in)
{
    struct shape dims, kept = *in;
    if (!reduced_dims(a, &dims) || dims.rank == 0)
        return 1;
    for (int i = 0; i < dims.rank; i++) {
        double d = dims.dim[i] < 0 ? dims.dim[i] + in->rank : dims.dim[i];
        args_need(a, d >= 0 && d < in->rank);
        if (args_ok(a))
            kept.dim[(int)d] = 1;
    }
    return shape_count(&kept);
}

/* Bytes of one result: the place of an extremum is a whole number of 8 bytes. */
static double reduced_bytes(struct op_args *a, double in_bytes, double kept)
{
    struct str name = own_bare(a->call->name);
    if (str_among(name, "all any"))
        return 1;
    if (str_among(name, "argmax argmin count_nonzero"))
        return 8;
    if (str_among(name, "sum prod nansum cumsum cumprod") && in_bytes == 1)
        return 8; /* truth values and bytes are counted */
    bool pairs = str_among(name, "max min _cummax_helper _cummin_helper") && kept > 1;
    return pairs ? in_bytes + 8 : in_bytes;
}

void own_reduce(struct op_args *a, struct cost *c)
{
    struct shape in = args_shape(a, 0);
    struct str type = args_type(a, 0);
    double n = shape_count(&in), read = own_size(a, 0);
    bool scan = str_has(a->call->name, S("cum"));
    double kept = scan ? n : kept_count(a, &in);
    param_ints(&c->params, {"num_input_elems", n}, {"num_output_elems", kept});
    own_moved(c, read, kept * reduced_bytes(a, own_bytes(type), kept), n, type);
}

/* The least that any algorithm moves: the values once, and those kept with their
 * places.
 */
void own_select(struct op_args *a, struct cost *c)
{
    struct shape in = args_shape(a, 0);
    struct str type = args_type(a, 0);
    double n = shape_count(&in), kept = n;
    if (str_has(a->call->name, S("topk")))
        kept = own_replaced(a, &in, args_int_or(a, 2, -1), args_int(a, 1));
    param_ints(&c->params, {"num_input_elems", n}, {"num_output_elems", kept});
    own_moved(c, own_size(a, 0), kept * (own_bytes(type) + 8), 0, type);
}

/* How many places are found is not recorded: the reading alone. */
void own_read(struct op_args *a, struct cost *c)
{
    own_moved(c, own_size(a, 0), 0, 0, args_type(a, 0));
}
