#include "perf/cost_grouped_gemm.h"

#include "base/arena.h"
#include "base/out.h"
#include "perf/dtype.h"

#include <cjson/cJSON.h>
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
static bool read_pair(const cJSON *v, struct pair *p)
{
    struct shape s;
    if (!shape_read(v, &s) || s.rank != 2 || !positive(&s))
        return false;
    *p = (struct pair){s.dim[0], s.dim[1]};
    return true;
}

/* The node after `v` in pre-order inside `root`; a pair has nothing below it. */
static const cJSON *next_node(const cJSON *v, const cJSON *root, const cJSON **stack,
                              int *depth, bool below)
{
    enum { DEPTH = 8 };
    if (below && cJSON_IsArray(v) && v->child && *depth < DEPTH) {
        stack[(*depth)++] = v;
        return v->child;
    }
    while (v != root && !v->next && *depth > 0)
        v = stack[--*depth];
    return v == root ? NULL : v->next;
}

/* All pairs at or below `root`, left to right. */
static struct pairs collect(struct arena *perm, const cJSON *root)
{
    const cJSON *stack[8];
    for (int pass = 0, n = 0;; pass++) {
        struct pairs found = {pass ? arena_new(perm, struct pair, n) : NULL, 0};
        int depth = 0;
        struct pair p;
        for (const cJSON *v = root; v;) {
            bool is = read_pair(v, &p);
            if (is && pass)
                found.at[found.n] = p;
            found.n += is;
            v = next_node(v, root, stack, &depth, !is);
        }
        if (pass)
            return found;
        n = found.n;
    }
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
    param_int(&c->params, "M", m);
    param_int(&c->params, "K", k);
    param_int(&c->params, "N", n);
    param_int(&c->params, "G", g);
    param_int(&c->params, "bpe_in", in);
    param_int(&c->params, "bpe_out", out);
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
    if (one) /* the weight gradient: its inner size is the tokens', whatever is said */
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
    param_int(&c->params, "M", m);
    param_int(&c->params, "K", left.at[0].cols);
    param_int(&c->params, "N", right.at[0].cols);
    param_int(&c->params, "G", left.n);
    param_int(&c->params, "bpe_in", in);
    param_int(&c->params, "bpe_out", out);
    param_python(&c->params, "group_pairs", pairs_text(a->perm, &left, &right));
    c->precision = dtype_precision(args_type(a, 0));
}
