#include "report/replay_fill.h"

enum rule {
    HIGH_DIM_0,     /* below the size of dimension 0 of `of` */
    HIGH_DIM_NAMED, /* ... of the dimension that argument "dim" names */
    HIGH_CLASSES,   /* ... of dimension 1, or 0 where there is only one */
    HIGH_PLANE,     /* below the product of the last two */
    HIGH_ELEMENTS,  /* below the product of all */
    HIGH_VALUE,     /* below the number that argument `of` holds */
    ZEROS,
    ONES,
    OVERWRITTEN
};

/* Operator (without "aten::"), argument, rule, and the argument that the rule looks at.
 */
static const struct {
    struct str op, arg;
    enum rule rule;
    struct str of;
} rules[] = {
    /* clang-format off */
    {S_INIT("embedding"),                S_INIT("indices"), HIGH_DIM_0, S_INIT("weight")},
    {S_INIT("embedding_renorm_"),        S_INIT("indices"), HIGH_DIM_0, S_INIT("self")},
    {S_INIT("embedding_dense_backward"), S_INIT("indices"), HIGH_VALUE, S_INIT("num_weights")},
    {S_INIT("embedding_backward"),       S_INIT("indices"), HIGH_VALUE, S_INIT("num_weights")},
    {S_INIT("embedding_bag"),            S_INIT("indices"), HIGH_DIM_0, S_INIT("weight")},
    {S_INIT("embedding_bag"),            S_INIT("offsets"), ZEROS,      S_INIT("")},
    {S_INIT("_embedding_bag"),           S_INIT("indices"), HIGH_DIM_0, S_INIT("weight")},
    {S_INIT("_embedding_bag"),           S_INIT("offsets"), ZEROS,      S_INIT("")},
    {S_INIT("_embedding_bag_forward_only"), S_INIT("indices"), HIGH_DIM_0, S_INIT("weight")},
    {S_INIT("_embedding_bag_forward_only"), S_INIT("offsets"), ZEROS,   S_INIT("")},
    {S_INIT("_embedding_bag_dense_backward"), S_INIT("indices"), HIGH_VALUE, S_INIT("num_weights")},
    {S_INIT("_embedding_bag_dense_backward"), S_INIT("offset2bag"), ZEROS, S_INIT("")},
    {S_INIT("index_select"),   S_INIT("index"), HIGH_DIM_NAMED, S_INIT("self")},
    {S_INIT("index_add"),      S_INIT("index"), HIGH_DIM_NAMED, S_INIT("self")},
    {S_INIT("index_add_"),     S_INIT("index"), HIGH_DIM_NAMED, S_INIT("self")},
    {S_INIT("index_copy"),     S_INIT("index"), HIGH_DIM_NAMED, S_INIT("self")},
    {S_INIT("index_copy_"),    S_INIT("index"), HIGH_DIM_NAMED, S_INIT("self")},
    {S_INIT("index_fill"),     S_INIT("index"), HIGH_DIM_NAMED, S_INIT("self")},
    {S_INIT("index_fill_"),    S_INIT("index"), HIGH_DIM_NAMED, S_INIT("self")},
    {S_INIT("index_reduce_"),  S_INIT("index"), HIGH_DIM_NAMED, S_INIT("self")},
    {S_INIT("gather"),         S_INIT("index"), HIGH_DIM_NAMED, S_INIT("self")},
    {S_INIT("gather_backward"), S_INIT("index"), HIGH_DIM_NAMED, S_INIT("self")},
    {S_INIT("take_along_dim"), S_INIT("indices"), HIGH_DIM_NAMED, S_INIT("self")},
    {S_INIT("scatter"),        S_INIT("index"), HIGH_DIM_NAMED, S_INIT("self")},
    {S_INIT("scatter_"),       S_INIT("index"), HIGH_DIM_NAMED, S_INIT("self")},
    {S_INIT("scatter_add"),    S_INIT("index"), HIGH_DIM_NAMED, S_INIT("self")},
    {S_INIT("scatter_add_"),   S_INIT("index"), HIGH_DIM_NAMED, S_INIT("self")},
    {S_INIT("scatter_reduce"), S_INIT("index"), HIGH_DIM_NAMED, S_INIT("self")},
    {S_INIT("scatter_reduce_"), S_INIT("index"), HIGH_DIM_NAMED, S_INIT("self")},
    {S_INIT("index"),          S_INIT("indices"), HIGH_DIM_0, S_INIT("self")},
    {S_INIT("index_put"),      S_INIT("indices"), HIGH_DIM_0, S_INIT("self")},
    {S_INIT("index_put_"),     S_INIT("indices"), HIGH_DIM_0, S_INIT("self")},
    {S_INIT("_index_put_impl_"), S_INIT("indices"), HIGH_DIM_0, S_INIT("self")},
    {S_INIT("take"),           S_INIT("index"), HIGH_ELEMENTS, S_INIT("self")},
    {S_INIT("put_"),           S_INIT("index"), HIGH_ELEMENTS, S_INIT("self")},
    {S_INIT("nll_loss_forward"),   S_INIT("target"), HIGH_CLASSES, S_INIT("self")},
    {S_INIT("nll_loss_backward"),  S_INIT("target"), HIGH_CLASSES, S_INIT("self")},
    {S_INIT("nll_loss2d_forward"), S_INIT("target"), HIGH_CLASSES, S_INIT("self")},
    {S_INIT("nll_loss2d_backward"), S_INIT("target"), HIGH_CLASSES, S_INIT("self")},
    {S_INIT("nll_loss"),           S_INIT("target"), HIGH_CLASSES, S_INIT("self")},
    {S_INIT("nll_loss_nd"),        S_INIT("target"), HIGH_CLASSES, S_INIT("self")},
    {S_INIT("cross_entropy_loss"), S_INIT("target"), HIGH_CLASSES, S_INIT("self")},
    {S_INIT("max_pool2d_with_indices_backward"), S_INIT("indices"), HIGH_PLANE, S_INIT("self")},
    {S_INIT("adaptive_max_pool2d_backward"),     S_INIT("indices"), HIGH_PLANE, S_INIT("self")},
    {S_INIT("value_selecting_reduction_backward"), S_INIT("indices"), ZEROS, S_INIT("")},
    {S_INIT("one_hot"),        S_INIT("self"), HIGH_VALUE, S_INIT("num_classes")},
    {S_INIT("_grouped_mm"),        S_INIT("offs"), ZEROS, S_INIT("")},
    {S_INIT("_scaled_grouped_mm"), S_INIT("offs"), ZEROS, S_INIT("")},
    {S_INIT("_flash_attention_forward"), S_INIT("cum_seq_q"), ZEROS, S_INIT("")},
    {S_INIT("_flash_attention_forward"), S_INIT("cum_seq_k"), ZEROS, S_INIT("")},
    {S_INIT("multinomial"),    S_INIT("self"), ONES, S_INIT("")}, /* weights, not negative */
    {S_INIT("bernoulli"),      S_INIT("self"), ONES, S_INIT("")}, /* probabilities */
    {S_INIT("bernoulli_"),     S_INIT("p"),    ONES, S_INIT("")},
    {S_INIT("binary_cross_entropy"), S_INIT("self"), ONES, S_INIT("")},
    {S_INIT("normal"),         S_INIT("std"),  ONES, S_INIT("")},
    {S_INIT("fill_"),          S_INIT("self"), OVERWRITTEN, S_INIT("")},
    {S_INIT("zero_"),          S_INIT("self"), OVERWRITTEN, S_INIT("")},
    {S_INIT("copy_"),          S_INIT("self"), OVERWRITTEN, S_INIT("")},
    {S_INIT("normal_"),        S_INIT("self"), OVERWRITTEN, S_INIT("")},
    {S_INIT("uniform_"),       S_INIT("self"), OVERWRITTEN, S_INIT("")},
    {S_INIT("random_"),        S_INIT("self"), OVERWRITTEN, S_INIT("")},
    {S_INIT("exponential_"),   S_INIT("self"), OVERWRITTEN, S_INIT("")},
    {S_INIT("_foreach_zero_"), S_INIT("self"), OVERWRITTEN, S_INIT("")},
    {S_INIT("_foreach_copy_"), S_INIT("self"), OVERWRITTEN, S_INIT("")},
    /* clang-format on */
};

/* By the argument's name alone: these mean the same in every operator that has them. */
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
        t->high = 2; /* an index that no rule knows is within any size but 1 */
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

/* The sizes from dimension `first` on, multiplied; -1 where that is too much, as it can
 * be behind a dimension of size 0. */
static int64_t product(const struct replay_tensor *t, int32_t first)
{
    int64_t p = 1;
    for (int32_t d = first < 0 ? 0 : first; d < t->n_dims; d++)
        if (__builtin_mul_overflow(p, t->shape[d], &p))
            return -1;
    return p;
}

/* The bound, or -1 where the rule finds nothing to look at. */
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

/* An argument that may only be passed by name and is written to: `Tensor(a!) out`. */
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
                if (str_eq(rules[r].op, base) && str_eq(rules[r].arg, args[i].name))
                    apply(rules[r].rule, rules[r].of, args, n, &v->tensors[k]);
            if (is_output(&args[i]))
                v->tensors[k].fill = REPLAY_FILL_NONE;
        }
    }
}
