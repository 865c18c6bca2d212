/* own_move.c - operators that only move elements: joining, gathering, scattering,
 * embeddings, and filling the caches of serving engines. */
#include "perf/own/own_parts.h"

#include <math.h>

static bool is_list(const struct value *v)
{
    return value_is(value_at(v, 0), VALUE_LIST);
}

/* The tensors of a list all have one type, named only by the kernel. */
static double listed_elements(struct op_args *a, const struct value *list)
{
    double n = 0;
    struct shape s;
    for (int i = 0; i < value_count(list); i++) {
        args_need(a, shape_read(value_at(list, i), &s));
        n += shape_count(&s);
    }
    return n;
}

void own_cat(struct op_args *a, struct cost *c)
{
    const struct value *list = args_dims(a, 0);
    args_need(a, is_list(list));
    double n = listed_elements(a, list), bytes = own_kernel_bytes(a->call);
    args_need(a, bytes > 0);
    param_int(&c->params, "num_tensors", value_count(list));
    param_int(&c->params, "num_elems", n);
    own_moved(c, n * bytes, n * bytes, 0, S(""));
}

/* One index for each of the leading dimensions, broadcast against each other. */
static double indexed_count(struct op_args *a, const struct shape *self)
{
    const struct value *list = args_dims(a, 1);
    struct shape s, rest = *self;
    double most = 1;
    int k = 0;
    args_need(a, is_list(list) && value_count(list) <= self->rank);
    for (; args_ok(a) && k < value_count(list); k++) {
        args_need(a, shape_read(value_at(list, k), &s) && s.rank > 0);
        rest.dim[k] = 1;
        most = fmax(most, shape_count(&s));
    }
    return most * shape_count(&rest);
}

static double gathered_count(struct op_args *a, const struct shape *self)
{
    struct str name = own_bare(a->call->name);
    if (str_eq(name, S("index")))
        return indexed_count(a, self);
    bool embedding = str_eq(name, S("embedding"));
    bool by_dim = str_among(name, "gather index_select");
    struct shape index = args_shape(a, by_dim ? 2 : 1);
    double n = shape_count(&index);
    if (embedding)
        return n * shape_at(a, self, -1);
    if (str_eq(name, S("index_select")))
        return own_replaced(a, self, self->rank == 1 ? 0 : args_int(a, 1), n);
    return n;
}

/* Bytes of the indices; 0 where they are a list, whose types are not recorded. */
static double index_size(const struct op_args *a)
{
    double bytes = 0;
    for (int i = 1; i <= 2; i++) {
        struct str type = args_type_or(a, i, S(""));
        struct shape s;
        if (str_among(type, "int") || str_eq(type, S("long int")))
            bytes += shape_read(args_dims(a, i), &s)
                         ? own_stored(a, i, &s) * own_bytes(type)
                         : 0;
    }
    return bytes;
}

void own_gather(struct op_args *a, struct cost *c)
{
    struct shape self = args_shape(a, 0);
    struct str type = args_type(a, 0);
    double n = gathered_count(a, &self), bytes = own_bytes(type);
    param_int(&c->params, "num_output_elems", n);
    own_moved(c, n * bytes + index_size(a), n * bytes, 0, type);
}

/* What goes into self: the source, or for each index one value. */
static double scattered_count(struct op_args *a, struct str name)
{
    bool put = str_has(name, S("index_put"));
    struct shape s = args_shape(a, put ? 2 : 3);
    if (!put && s.rank == 0)
        s = args_shape(a, 2);
    args_need(a, s.rank > 0);
    return shape_count(&s);
}

/* Read the source and the indices, write the places; adding reads these as well, and a
 * result apart from self is first a copy of it. */
void own_scatter(struct op_args *a, struct cost *c)
{
    struct str name = a->call->name, type = args_type(a, 0);
    double n = scattered_count(a, name), bytes = own_bytes(type);
    bool adds = str_has(name, S("_add")) || str_has(name, S("reduce")) ||
                str_eq_nocase(args_concrete_or(a, 3, S("")), S("true"));
    double whole = own_in_place(name) ? 0 : own_size(a, 0);
    double index = str_has(name, S("index_put")) ? 0 : index_size(a);
    param_int(&c->params, "num_source_elems", n);
    own_moved(c, (adds ? 2 : 1) * n * bytes + index + whole, n * bytes + whole,
              adds ? n : 0, type);
}

/* weight[V, D] at n indices, summed into one row for each offset. */
void own_embedding_bag(struct op_args *a, struct cost *c)
{
    struct shape weight = args_shape(a, 0);
    double width = shape_at(a, &weight, -1), n = args_dim(a, 1, 0);
    double bags = args_dim(a, 2, 0), bytes = own_bytes(args_type(a, 0));
    param_ints(&c->params, {"num_indices", n}, {"num_bags", bags}, {"width", width});
    own_moved(c, n * width * bytes + own_size(a, 1) + own_size(a, 2),
              bags * width * bytes, n * width, args_type(a, 0));
}

/* grad[.., D] at the indices into a gradient of all `num_weights` rows. */
void own_embedding_backward(struct op_args *a, struct cost *c)
{
    struct shape grad = args_shape(a, 0);
    double rows = args_int(a, 2), width = shape_at(a, &grad, -1);
    param_ints(&c->params, {"num_weights", rows}, {"width", width});
    own_moved(c, own_size(a, 0) + own_size(a, 1),
              rows * width * own_bytes(args_type(a, 0)), shape_count(&grad),
              args_type(a, 0));
}

/* One logarithm of each target's row, and the target. */
void own_nll(struct op_args *a, struct cost *c)
{
    struct shape target = args_shape(a, 1);
    double n = shape_count(&target), bytes = own_bytes(args_type(a, 0));
    param_int(&c->params, "num_targets", n);
    own_moved(c, n * bytes + own_size(a, 1), bytes, n, args_type(a, 0));
}

/* (grad_output, self, target, ..): a gradient like self, all but the targets zero. */
void own_nll_backward(struct op_args *a, struct cost *c)
{
    own_moved(c, own_size(a, 2), own_size(a, 1), 0, args_type(a, 1));
}

/* Keys and values [tokens, heads, width] to the slots of their tokens. */
void own_cache_store(struct op_args *a, struct cost *c)
{
    struct shape key = args_shape(a, 0), value = args_shape(a, 1);
    double rows = shape_at(a, &key, 0), tokens = args_dim(a, 4, 0);
    args_need(a, rows > 0);
    double n = tokens / rows * (shape_count(&key) + shape_count(&value));
    struct str cached = args_type(a, 2);
    param_ints(&c->params, {"num_tokens", tokens}, {"num_elems", n});
    own_moved(c, n * own_bytes(args_type(a, 0)) + own_size(a, 4), n * own_bytes(cached),
              0, args_type(a, 0));
}

/* Lists of tensors: the first `most` operands that are recorded as such. */
struct lists {
    double elements[8];
    int n;
};

static struct lists lists_of(struct op_args *a, int most)
{
    struct lists l = {0};
    for (int i = 0; i < args_n_dims(a) && l.n < most; i++) {
        const struct value *list = args_dims(a, i);
        bool empty = str_eq(args_type_or(a, i, S("")), S("TensorList"));
        if (is_list(list))
            l.elements[l.n++] = listed_elements(a, list);
        else if (empty && value_count(list) == 0)
            l.elements[l.n++] = 0;
    }
    args_need(a, l.n > 0 && l.elements[0] > 0);
    return l;
}

static void set_lists(struct op_args *a, struct cost *c, double read, double written,
                      double elements)
{
    double bytes = own_kernel_bytes(a->call);
    args_need(a, bytes > 0);
    param_int(&c->params, "num_elems", elements);
    param_int(&c->params, "elem_bytes", bytes);
    own_moved(c, read * bytes, written * bytes, own_row(a)->flop * elements, S(""));
}

/* Parameters and state are read and written, gradients read; an absent state is an
 * empty list. The step counts of each tensor weigh nothing. */
void own_optimizer(struct op_args *a, struct cost *c)
{
    struct lists l = lists_of(a, own_row(a)->reads);
    double read = 0;
    for (int i = 0; i < l.n; i++)
        read += l.elements[i];
    set_lists(a, c, read, l.n > 1 ? read - l.elements[1] : 0, l.elements[0]);
}

/* All lists are read and one like the first written; a norm writes next to nothing. */
void own_foreach(struct op_args *a, struct cost *c)
{
    enum { MOST_LISTS = 4 };
    struct str name = own_bare(a->call->name);
    struct lists l = lists_of(a, MOST_LISTS);
    double read = 0, written = str_eq(name, S("_foreach_norm")) ? 0 : l.elements[0];
    int from = str_among(name, "_foreach_copy _foreach_zero") ? 1 : 0;
    for (int i = from; i < l.n; i++)
        read += l.elements[i];
    set_lists(a, c, read, written, l.elements[0]);
}
