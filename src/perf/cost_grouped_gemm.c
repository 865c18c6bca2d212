/* cost_grouped_gemm.c - many products of one weight stack, the tokens sorted by expert.
 */
#include "perf/cost.h"

#include "base/arena.h"
#include "base/out.h"
#include "perf/dtype.h"

#include <math.h>

struct pair {
    double rows, cols;
};

struct pairs {
    struct pair *at;
    int n;
};

static bool positive(const struct shape *s)
{
    for (int i = 0; i < s->rank; i++)
        if (s->dim[i] <= 0)
            return false;
    return true;
}

/* A list of exactly two positive integers. */
static bool read_pair(const struct value *v, struct pair *p)
{
    struct shape s;
    if (!shape_read(v, &s) || s.rank != 2 || !positive(&s))
        return false;
    *p = (struct pair){s.dim[0], s.dim[1]};
    return true;
}

/* Pairs at or below `v`, left to right, into `to` unless that is NULL. A pair has
 * nothing below it. */
static int find_pairs(const struct value *v, int depth, struct pair *to)
{
    enum { DEPTH = 8 };
    struct pair p;
    int n = 0;
    if (read_pair(v, &p)) {
        if (to)
            *to = p;
        return 1;
    }
    for (int i = 0; depth < DEPTH && i < value_count(v); i++)
        n += find_pairs(&v->items[i], depth + 1, to ? to + n : NULL);
    return n;
}

static struct pairs collect(struct arena *perm, const struct value *root)
{
    int n = find_pairs(root, 0, NULL);
    struct pairs found = {arena_new(perm, struct pair, n), n};
    find_pairs(root, 0, found.at);
    return found;
}

static void widths(struct op_args *a, double *in, double *out)
{
    *in = dtype_bytes(args_type(a, 0));
    *out = args_n_types(a) > 1 ? dtype_bytes(args_type(a, 1)) : *in;
}

/* One weight [g, x, y], either way round. */
static bool compact(const struct op_args *a, double *m, double *k, double *n, double *g)
{
    struct shape left, weight;
    if (!shape_read(args_dims(a, 0), &left) || left.rank < 2 || !positive(&left) ||
        !shape_read(args_dims(a, 1), &weight) || weight.rank != 3 || !positive(&weight))
        return false;
    *m = left.dim[0];
    *k = left.dim[1];
    *g = weight.dim[0];
    bool plain = weight.dim[1] == *k;
    *n = weight.dim[plain ? 2 : 1];
    return plain || weight.dim[2] == *k;
}

/* A list of activations and a list of weights, one product each. */
static bool zipped(const struct op_args *a, double *m, double *k, double *n, double *g)
{
    struct pairs left = collect(a->perm, args_dims(a, 0));
    struct pairs right = collect(a->perm, args_dims(a, 1));
    if (left.n == 0 || left.n != right.n)
        return false;
    *k = left.at[0].cols;
    *n = right.at[0].cols;
    *m = 0;
    *g = left.n;
    for (int i = 0; i < left.n; i++) {
        if (left.at[i].cols != *k || right.at[i].rows != *k || right.at[i].cols != *n)
            return false;
        *m += left.at[i].rows;
    }
    return true;
}

void cost_grouped_gemm(struct op_args *a, struct cost *c)
{
    double m = 0, k = 0, n = 0, g = 0, in, out;
    args_need(a, compact(a, &m, &k, &n, &g) || zipped(a, &m, &k, &n, &g));
    widths(a, &in, &out);
    args_need(a, !isnan(in) && !isnan(out));
    param_ints(&c->params, {"M", m}, {"K", k}, {"N", n}, {"G", g}, {"bpe_in", in},
               {"bpe_out", out});
    c->precision = dtype_precision(args_type(a, 0));
    c->flop = 2 * m * k * n;
    c->byte = (m * k + g * k * n) * in + m * n * out;
}

/* Left and right operands of each product, whose inner sizes must meet. */
static bool variable_pairs(const struct op_args *a, struct pairs *left,
                           struct pairs *right)
{
    struct pair x, y;
    bool one = read_pair(args_dims(a, 0), &x) && read_pair(args_dims(a, 1), &y);
    *left = collect(a->perm, args_dims(a, 0));
    *right = collect(a->perm, args_dims(a, 1));
    if (left->n == 0 || left->n != right->n)
        return false;
    if (one) /* the weight gradient: its inner size is always that of the tokens */
        right->at[0].rows = left->at[0].cols;
    for (int i = 0; i < left->n; i++)
        if (left->at[i].cols != right->at[i].rows)
            return false;
    return true;
}

static struct str pairs_text(struct arena *perm, const struct pairs *left,
                             const struct pairs *right)
{
    struct out o;
    out_memory(&o);
    out_char(&o, '[');
    for (int i = 0; i < left->n; i++)
        out_printf(&o, "%s((%.0f, %.0f), (%.0f, %.0f))", i ? ", " : "",
                   left->at[i].rows, left->at[i].cols, right->at[i].rows,
                   right->at[i].cols);
    out_char(&o, ']');
    return out_text(&o, perm);
}

void cost_grouped_gemm_variable_k(struct op_args *a, struct cost *c)
{
    struct pairs left, right;
    if (!variable_pairs(a, &left, &right)) {
        args_fail(a);
        return;
    }
    double in, out, m = 0;
    widths(a, &in, &out);
    c->flop = c->byte = 0;
    for (int i = 0; i < left.n; i++) {
        double mi = left.at[i].rows, ki = left.at[i].cols, ni = right.at[i].cols;
        m += mi;
        c->flop += 2 * mi * ki * ni;
        c->byte += (mi * ki + ki * ni) * in + mi * ni * out;
    }
    param_ints(&c->params, {"M", m}, {"K", left.at[0].cols}, {"N", right.at[0].cols},
               {"G", left.n}, {"bpe_in", in}, {"bpe_out", out});
    param_python(&c->params, "group_pairs", pairs_text(a->perm, &left, &right));
    c->precision = dtype_precision(args_type(a, 0));
}
