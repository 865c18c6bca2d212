#include "report/replay/replay_fill.h"

enum rule {
    HIGH_DIM_0,     /* below the size of dimension 0 of `of` */
    HIGH_DIM_NAMED, /* ... of the dimension that argument "dim" names */
    HIGH_CLASSES,   /* ... of dimension 1, or 0 if there is only one */
    HIGH_PLANE,     /* below the product of the last two */
    HIGH_ELEMENTS,  /* below the product of all */
    HIGH_VALUE,     /* below the number that argument `of` holds */
    ZEROS,
    ONES,
    OVERWRITTEN
};

/* Operators (without "aten::"), argument, rule, and the argument that the rule reads.
 * Weights to draw by are not negative, and probabilities at most 1. */
static const struct {
    const char *ops, *arg;
    enum rule rule;
    const char *of;
} rules[] = {
    {"embedding embedding_bag _embedding_bag _embedding_bag_forward_only", "indices",
     HIGH_DIM_0, "weight"},
    {"embedding_renorm_ index index_put index_put_ _index_put_impl_", "indices",
     HIGH_DIM_0, "self"},
    {"embedding_dense_backward embedding_backward _embedding_bag_dense_backward",
     "indices", HIGH_VALUE, "num_weights"},
    {"embedding_bag _embedding_bag _embedding_bag_forward_only", "offsets", ZEROS, ""},
    {"_embedding_bag_dense_backward", "offset2bag", ZEROS, ""},
    {"index_select index_add index_add_ index_copy index_copy_ index_fill index_fill_ "
     "index_reduce_ gather gather_backward scatter scatter_ scatter_add scatter_add_ "
     "scatter_reduce scatter_reduce_",
     "index", HIGH_DIM_NAMED, "self"},
    {"take_along_dim", "indices", HIGH_DIM_NAMED, "self"},
    {"take put_", "index", HIGH_ELEMENTS, "self"},
    {"nll_loss_forward nll_loss_backward nll_loss2d_forward nll_loss2d_backward "
     "nll_loss nll_loss_nd cross_entropy_loss",
     "target", HIGH_CLASSES, "self"},
    {"max_pool2d_with_indices_backward adaptive_max_pool2d_backward", "indices",
     HIGH_PLANE, "self"},
    {"value_selecting_reduction_backward", "indices", ZEROS, ""},
    {"one_hot", "self", HIGH_VALUE, "num_classes"},
    {"_grouped_mm _scaled_grouped_mm", "offs", ZEROS, ""},
    {"_flash_attention_forward", "cum_seq_q", ZEROS, ""},
    {"_flash_attention_forward", "cum_seq_k", ZEROS, ""},
    {"multinomial bernoulli binary_cross_entropy", "self", ONES, ""},
    {"bernoulli_", "p", ONES, ""},
    {"normal", "std", ONES, ""},
    {"fill_ zero_ copy_ normal_ uniform_ random_ exponential_ _foreach_zero_ "
     "_foreach_copy_",
     "self", OVERWRITTEN, ""},
};

/* By argument name alone: these mean the same in every operator. */
static const struct {
    struct str arg;
    struct replay_value value;
} indifferent[] = {
    {S_INIT("alpha"), {.kind = REPLAY_INT, .i = 1}},
    {S_INIT("beta"), {.kind = REPLAY_INT, .i = 1}},
    {S_INIT("eps"), {.kind = REPLAY_REAL, .r = 1e-5}},
    {S_INIT("epsilon"), {.kind = REPLAY_REAL, .r = 1e-5}},
    {S_INIT("keepdim"), {.kind = REPLAY_BOOL, .b = false}},
    {S_INIT("max"), {.kind = REPLAY_INT, .i = 1}},
    {S_INIT("max_val"), {.kind = REPLAY_INT, .i = 1}},
    {S_INIT("min"), {.kind = REPLAY_INT, .i = 0}},
    {S_INIT("min_val"), {.kind = REPLAY_INT, .i = 0}},
    {S_INIT("momentum"), {.kind = REPLAY_REAL, .r = 0.1}},
    {S_INIT("negative_slope"), {.kind = REPLAY_REAL, .r = 0.01}},
    {S_INIT("non_blocking"), {.kind = REPLAY_BOOL, .b = false}},
    {S_INIT("other"), {.kind = REPLAY_INT, .i = 1}},
    {S_INIT("threshold"), {.kind = REPLAY_INT, .i = 0}},
    {S_INIT("value"), {.kind = REPLAY_INT, .i = 1}},
};

bool replay_assume(struct str arg, struct replay_value *v)
{
    for (size_t i = 0; i < sizeof indifferent / sizeof *indifferent; i++)
        if (str_eq(arg, indifferent[i].arg)) {
            *v = indifferent[i].value;
            return true;
        }
    return false;
}

static void fill_by_type(struct replay_tensor *t)
{
    if (str_eq(t->dtype, S("bool"))) {
        t->fill = REPLAY_FILL_BERNOULLI;
    } else if (str_ends(t->dtype, S("int")) || str_starts(t->dtype, S("short")) ||
               str_ends(t->dtype, S("char")) || str_eq(t->dtype, S("long"))) {
        t->fill = REPLAY_FILL_RANDINT;
        t->high = 2; /* without a rule, an index is valid for any size but 1 */
    } else {
        t->fill = REPLAY_FILL_NORMAL;
    }
}

static const struct replay_arg *arg_named(const struct replay_arg *args, int32_t n,
                                          struct str name)
{
    for (int32_t i = 0; i < n; i++)
        if (str_eq(args[i].name, name))
            return &args[i];
    return NULL;
}

/* The sizes from dimension `first` on, multiplied; -1 on overflow, which is possible
 * after a dimension of size 0. */
static int64_t product(const struct replay_tensor *t, int32_t first)
{
    int64_t p = 1;
    for (int32_t d = first < 0 ? 0 : first; d < t->n_dims; d++)
        if (__builtin_mul_overflow(p, t->shape[d], &p))
            return -1;
    return p;
}

/* The bound, or -1 if the rule does not apply. */
static int64_t high_of(enum rule rule, struct str of, const struct replay_arg *args,
                       int32_t n)
{
    const struct replay_arg *a = arg_named(args, n, of),
                            *dim = arg_named(args, n, S("dim"));
    if (a && rule == HIGH_VALUE)
        return a->value.kind == REPLAY_INT && a->value.i > 0 ? a->value.i : -1;
    if (!a || a->value.kind != REPLAY_TENSOR || a->value.tensors[0].n_dims == 0)
        return -1;
    const struct replay_tensor *t = a->value.tensors;
    int64_t d;
    switch (rule) {
    case HIGH_DIM_0:
        return t->shape[0];
    case HIGH_CLASSES:
        return t->shape[t->n_dims > 1];
    case HIGH_PLANE:
        return product(t, t->n_dims - 2);
    case HIGH_ELEMENTS:
        return product(t, 0);
    case HIGH_DIM_NAMED:
        d = dim && dim->value.kind == REPLAY_INT ? dim->value.i : INT64_MAX;
        if (d < 0 && d >= -t->n_dims)
            d += t->n_dims;
        return d >= 0 && d < t->n_dims ? t->shape[d] : -1;
    default:
        return -1;
    }
}

static void apply(enum rule rule, struct str of, const struct replay_arg *args,
                  int32_t n, struct replay_tensor *t)
{
    if (rule == OVERWRITTEN) {
        t->fill = REPLAY_FILL_NONE;
    } else if (rule == ZEROS || rule == ONES) {
        t->fill = rule == ZEROS ? REPLAY_FILL_ZEROS : REPLAY_FILL_ONES;
    } else if (t->fill == REPLAY_FILL_RANDINT) {
        int64_t high = high_of(rule, of, args, n);
        t->high = high > 0 ? high : t->high;
    }
}

/* A keyword-only argument that is written to: `Tensor(a!) out`. */
static bool is_output(const struct replay_arg *a)
{
    return a->keyword && str_has(a->type, S("!"));
}

void replay_fill_args(struct str op, struct replay_arg *args, int32_t n)
{
    struct str base = str_starts(op, S("aten::")) ? str_skip(op, 6) : S("");
    for (int32_t i = 0; i < n; i++) {
        struct replay_value *v = &args[i].value;
        for (int32_t k = 0; k < v->n && v->tensors; k++) {
            fill_by_type(&v->tensors[k]);
            for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
                if (str_eq(str_of(rules[r].arg), args[i].name) &&
                    str_among(base, rules[r].ops))
                    apply(rules[r].rule, str_of(rules[r].of), args, n, &v->tensors[k]);
            if (is_output(&args[i]))
                v->tensors[k].fill = REPLAY_FILL_NONE;
        }
    }
}
