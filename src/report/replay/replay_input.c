#include "report/replay/replay_input.h"

#include "base/arena.h"
#include "perf/op_args.h"

enum { MAX_INPUTS = 256, MAX_LIST = 4096 };
static const double MAX_SIZE = 9007199254740992.0; /* 2^53: beyond it a double skips */

static const struct str dtypes[] = {
    S_INIT("float"),
    S_INIT("double"),
    S_INIT("c10::Half"),
    S_INIT("c10::BFloat16"),
    S_INIT("long int"),
    S_INIT("long"),
    S_INIT("int"),
    S_INIT("short int"),
    S_INIT("short"),
    S_INIT("signed char"),
    S_INIT("unsigned char"),
    S_INIT("bool"),
    S_INIT("c10::Float8_e4m3fn"),
    S_INIT("c10::Float8_e4m3fnuz"),
    S_INIT("c10::Float8_e5m2"),
    S_INIT("c10::Float8_e5m2fnuz"),
    S_INIT("c10::complex<float>"),
    S_INIT("c10::complex<double>"),
    S_INIT("c10::complex<c10::Half>"),
};

bool replay_is_dtype(struct str type)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (str_eq(type, dtypes[i]))
            return true;
    return false;
}

static bool is_word_number(struct str s)
{
    if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
        s = str_skip(s, 1);
    return str_eq_nocase(s, S("inf")) || str_eq_nocase(s, S("nan"));
}

/* re+imj as the profiler prints it: the sign of the imaginary part separates the
 * two. */
static bool is_complex(struct str s)
{
    if (s.n < 2 || s.p[s.n - 1] != 'j')
        return false;
    s.n--;
    for (ptrdiff_t i = s.n - 1; i > 0; i--) {
        double part;
        struct str re = str_head(s, i), im = str_skip(s, i);
        if ((s.p[i] == '+' || s.p[i] == '-') &&
            (python_real(re, &part) || is_word_number(re)) &&
            (python_real(im, &part) || is_word_number(im)))
            return true;
    }
    return false;
}

struct replay_value replay_scalar(struct str text)
{
    struct replay_value v = {.kind = REPLAY_NULL};
    struct str s = str_trim(text);
    if (str_eq_nocase(s, S("true")) || str_eq_nocase(s, S("false"))) {
        v.kind = REPLAY_BOOL;
        v.b = s.n == 4;
    } else if (str_int(s, &v.i)) {
        v.kind = REPLAY_INT;
    } else if (python_real(s, &v.r)) {
        v.kind = REPLAY_REAL;
    } else if (is_word_number(s) || is_complex(s)) {
        v.kind = REPLAY_TEXT;
        v.text = s;
    }
    return v;
}

/* "[1, 1]" */
static struct replay_value scalar_list(struct arena *perm, struct str text)
{
    struct replay_value list = {.kind = REPLAY_NULL};
    struct str s = str_trim(text);
    if (s.n < 2 || s.p[0] != '[' || s.p[s.n - 1] != ']')
        return list;
    s = str_trim((struct str){s.p + 1, s.n - 2});
    int32_t n = s.n > 0;
    for (ptrdiff_t i = 0; i < s.n; i++)
        n += s.p[i] == ',';
    if (n > MAX_LIST)
        return list;
    struct replay_value *items = arena_new(perm, struct replay_value, n);
    for (int32_t i = 0; i < n; i++) {
        items[i] = replay_scalar(str_take(&s, S(",")));
        if (items[i].kind == REPLAY_NULL)
            return list;
    }
    return (struct replay_value){.kind = REPLAY_LIST, .items = items, .n = n};
}

/* Whether the number of elements and the storage size do not overflow. */
static bool is_plausible(const struct replay_tensor *t)
{
    int64_t elements = 1, reach = 1, step;
    for (int32_t d = 0; d < t->n_dims; d++) {
        if (__builtin_mul_overflow(elements, t->shape[d], &elements) ||
            (t->shape[d] > 0 &&
             (__builtin_mul_overflow(t->shape[d] - 1, t->strides[d], &step) ||
              __builtin_add_overflow(reach, step, &reach))))
            return false;
    }
    return (double)elements <= MAX_SIZE && (double)reach <= MAX_SIZE;
}

/* The strides of a new tensor of this shape: the last dimension is contiguous. */
static bool dense_strides(struct arena *perm, struct replay_tensor *t)
{
    int64_t *strides = arena_new(perm, int64_t, t->n_dims), step = 1;
    t->strides = strides;
    t->strides_assumed = true;
    for (int32_t d = t->n_dims - 1; d >= 0; d--) {
        strides[d] = step;
        if (__builtin_mul_overflow(step, t->shape[d] > 1 ? t->shape[d] : 1, &step))
            return false;
    }
    return true;
}

/* `strides` NULL: the trace has none. */
static bool tensor_of(struct arena *perm, const struct value *dims,
                      const struct value *strides, struct str dtype,
                      struct replay_tensor *t)
{
    int64_t *shape = arena_new(perm, int64_t, value_count(dims));
    int64_t *steps = arena_new(perm, int64_t, value_count(strides));
    *t = (struct replay_tensor){.dtype = dtype, .shape = shape, .strides = steps};
    t->n_dims = shape_sizes(dims, shape, SHAPE_DIMS);
    if (t->n_dims < 0)
        return false;
    if (!strides)
        return dense_strides(perm, t) && is_plausible(t);
    return shape_sizes(strides, steps, SHAPE_DIMS) == t->n_dims && is_plausible(t);
}

/* [[16, 32], [16, 32]]; an empty list means that the profiler kept no shapes. */
static struct replay_value tensor_list(struct arena *perm, const struct value *dims,
                                       const struct value *strides)
{
    struct replay_value v = {.kind = REPLAY_NULL};
    int n = value_count(dims);
    if (n == 0 || n > MAX_LIST || (strides && value_count(strides) != n))
        return v;
    v.tensors = arena_new(perm, struct replay_tensor, n);
    for (int i = 0; i < n; i++) {
        const struct value *s = value_at(strides, i);
        if (!tensor_of(perm, value_at(dims, i), s, S("c10::BFloat16"), &v.tensors[i]))
            return v;
        v.tensors[i].dtype_assumed = true;
    }
    v.kind = REPLAY_TENSORS;
    v.n = n;
    return v;
}

/* The types of list members are not recorded: the type of the row's first tensor is the
 * best guess. */
static void assume_dtypes(struct replay_inputs *in)
{
    struct str dtype = S("");
    for (int32_t i = 0; i < in->n && !dtype.n; i++)
        if (in->at[i].kind == REPLAY_INPUT_TENSOR)
            dtype = in->at[i].type;
    for (int32_t i = 0; i < in->n && dtype.n; i++)
        for (int32_t k = 0;
             in->at[i].kind == REPLAY_INPUT_TENSORS && k < in->at[i].value.n; k++)
            in->at[i].value.tensors[k].dtype = dtype;
}

/* Since PyTorch 2.0 or so the first word of each; before, one for every kind. */
static const struct str scalar_words[] = {
    S_INIT("Scalar"), S_INIT("Int"), S_INIT("Double"), S_INIT("Bool"), {0}};
static const struct str list_words[] = {
    S_INIT("ScalarList"), S_INIT("GenericList"), {0}};

static bool is_one_of(struct str s, const struct str *words)
{
    for (; words->n; words++)
        if (str_eq(s, *words))
            return true;
    return false;
}

/* Empty, or why this argument cannot be recreated. */
static struct str read_input(struct arena *perm, const struct call_args *c, int32_t i,
                             struct replay_input *in)
{
    const struct value *dims = value_at(c->dims, i), *strides = value_at(c->strides, i);
    struct str value = value_text(value_at(c->concrete, i));
    in->type = value_text(value_at(c->types, i));
    if (in->type.n == 0) {
        in->kind = REPLAY_INPUT_ABSENT;
    } else if (is_one_of(in->type, scalar_words)) {
        in->kind = REPLAY_INPUT_SCALAR;
        in->value = replay_scalar(value);
    } else if (is_one_of(in->type, list_words)) {
        in->kind = REPLAY_INPUT_LIST;
        in->value = scalar_list(perm, value);
    } else if (str_eq(in->type, S("TensorList"))) {
        in->kind = REPLAY_INPUT_TENSORS;
        in->value = tensor_list(perm, dims, strides);
        if (in->value.kind == REPLAY_NULL)
            return str_printf(perm,
                              "the shapes of the tensor list at argument %d are not "
                              "recorded",
                              i + 1);
    } else if (replay_is_dtype(in->type)) {
        struct replay_tensor *t = arena_new(perm, struct replay_tensor, 1);
        in->kind = REPLAY_INPUT_TENSOR;
        in->value = (struct replay_value){.kind = REPLAY_TENSOR, .tensors = t, .n = 1};
        if (!tensor_of(perm, dims, strides, in->type, t))
            return str_printf(perm,
                              "argument %d has no shape and strides that a tensor can "
                              "have",
                              i + 1);
    } else {
        in->kind = REPLAY_INPUT_OTHER;
        return str_printf(perm,
                          "argument %d is of type '%.*s', which cannot be recreated",
                          i + 1, (int)(in->type.n < 60 ? in->type.n : 60), in->type.p);
    }
    return S("");
}

struct str replay_missing_value(struct arena *perm, const struct replay_inputs *in)
{
    for (int32_t i = 0; i < in->n; i++)
        if ((in->at[i].kind == REPLAY_INPUT_SCALAR ||
             in->at[i].kind == REPLAY_INPUT_LIST) &&
            in->at[i].value.kind == REPLAY_NULL)
            return str_printf(perm, "the value of argument %d is not recorded", i + 1);
    return S("");
}

static struct str read_columns(struct arena *perm, const struct call_args *c,
                               struct replay_inputs *in)
{
    int n = value_count(c->types);
    if (!value_is(c->types, VALUE_LIST) || !value_is(c->dims, VALUE_LIST) ||
        c->dims->n != n)
        return S("no shapes are recorded");
    in->no_strides = !value_is(c->strides, VALUE_LIST);
    in->no_values = !value_is(c->concrete, VALUE_LIST);
    if (!in->no_strides && c->strides->n != n)
        return S("its shapes and strides differ in number");
    if (n == 0 || n > MAX_INPUTS)
        return n ? S("it has too many arguments") : S("no arguments are recorded");
    in->at = arena_new(perm, struct replay_input, n);
    in->n = n;
    for (int32_t i = 0; i < n; i++) {
        struct str reason = read_input(perm, c, i, &in->at[i]);
        if (reason.n)
            return reason;
    }
    assume_dtypes(in);
    return in->no_values ? S("") : replay_missing_value(perm, in);
}

struct replay_inputs replay_inputs_read(struct arena *perm, struct call_args recorded)
{
    struct replay_inputs in = {0};
    in.reason = read_columns(perm, &recorded, &in);
    return in;
}
