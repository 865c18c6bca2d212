#include "report/replay_input.h"

#include "base/arena.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INPUTS = 256, MAX_DIMS = 64, MAX_LIST = 4096 };
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

/* ---- scalars
 * -------------------------------------------------------------------------- */

/* All of int64_t: the end of a slice is often its largest number. */
static bool whole_number(struct str s, int64_t *value)
{
    uint64_t v = 0;
    bool minus = s.n > 0 && s.p[0] == '-';
    s = str_skip(s, minus);
    if (s.n < 1 || s.n > 19) /* 19 digits cannot overflow 64 bits */
        return false;
    for (ptrdiff_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        v = 10 * v + (uint64_t)(s.p[i] - '0');
    }
    if (v > (uint64_t)INT64_MAX + minus)
        return false;
    *value = minus ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

/* A decimal number of C, "0." and "1e-05" included, hexadecimal and words not. */
static bool plain_real(struct str s, double *value)
{
    char buf[64];
    if (s.n <= 0 || s.n >= (ptrdiff_t)sizeof buf)
        return false;
    bool digit = false;
    for (ptrdiff_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        digit = digit || (c >= '0' && c <= '9');
        if (!(c >= '0' && c <= '9') && !memchr("+-.eE", c, 5))
            return false;
    }
    memcpy(buf, s.p, (size_t)s.n);
    buf[s.n] = 0;
    char *end;
    *value = strtod(buf, &end);
    return digit && end == buf + s.n && isfinite(*value);
}

static bool is_word_number(struct str s)
{
    if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
        s = str_skip(s, 1);
    return str_eq_nocase(s, S("inf")) || str_eq_nocase(s, S("nan"));
}

/* re+imj as the profiler prints it: the sign of the second part divides the two. */
static bool is_complex(struct str s)
{
    if (s.n < 2 || s.p[s.n - 1] != 'j')
        return false;
    s.n--;
    for (ptrdiff_t i = s.n - 1; i > 0; i--) {
        double part;
        struct str re = str_head(s, i), im = str_skip(s, i);
        if ((s.p[i] == '+' || s.p[i] == '-') &&
            (plain_real(re, &part) || is_word_number(re)) &&
            (plain_real(im, &part) || is_word_number(im)))
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
    } else if (whole_number(s, &v.i)) {
        v.kind = REPLAY_INT;
    } else if (plain_real(s, &v.r)) {
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
        ptrdiff_t comma = str_find(s, S(","));
        items[i] = replay_scalar(str_head(s, comma < 0 ? s.n : comma));
        s = str_skip(s, comma < 0 ? s.n : comma + 1);
        if (items[i].kind == REPLAY_NULL)
            return list;
    }
    return (struct replay_value){.kind = REPLAY_LIST, .items = items, .n = n};
}

/* ---- tensors
 * -------------------------------------------------------------------------- */

/* A list of sizes that a tensor can have; false if it is anything else. */
static bool sizes_of(struct arena *perm, const cJSON *list, const int64_t **sizes,
                     int32_t *n)
{
    *n = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : -1;
    if (*n < 0 || *n > MAX_DIMS)
        return false;
    int64_t *at = arena_new(perm, int64_t, *n);
    *sizes = at;
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        double v = item->valuedouble;
        if (!cJSON_IsNumber(item) || !(v >= 0 && v <= MAX_SIZE) || v != floor(v))
            return false;
        *at++ = (int64_t)v;
    }
    return true;
}

/* Whether the elements can be counted and their storage addressed. */
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

/* Those of a new tensor of this shape: the last dimension is next to itself. */
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
static bool tensor_of(struct arena *perm, const cJSON *dims, const cJSON *strides,
                      struct str dtype, struct replay_tensor *t)
{
    int32_t n_strides;
    *t = (struct replay_tensor){.dtype = dtype};
    if (!sizes_of(perm, dims, &t->shape, &t->n_dims))
        return false;
    if (!strides)
        return dense_strides(perm, t) && is_plausible(t);
    return sizes_of(perm, strides, &t->strides, &n_strides) && n_strides == t->n_dims &&
           is_plausible(t);
}

/* [[16, 32], [16, 32]]; an empty list means that the profiler kept no shapes. */
static struct replay_value tensor_list(struct arena *perm, const cJSON *dims,
                                       const cJSON *strides)
{
    struct replay_value v = {.kind = REPLAY_NULL};
    int n = cJSON_IsArray(dims) ? cJSON_GetArraySize(dims) : 0;
    if (n == 0 || n > MAX_LIST ||
        (strides && (!cJSON_IsArray(strides) || cJSON_GetArraySize(strides) != n)))
        return v;
    v.tensors = arena_new(perm, struct replay_tensor, n);
    const cJSON *d = dims->child, *s = strides ? strides->child : NULL;
    for (int i = 0; i < n; i++, d = d->next, s = s ? s->next : NULL) {
        if (!tensor_of(perm, d, s, S("c10::BFloat16"), &v.tensors[i]))
            return v;
        v.tensors[i].dtype_assumed = true;
    }
    v.kind = REPLAY_TENSORS;
    v.n = n;
    return v;
}

/* The types of list members are not recorded: that of the row's first tensor is the
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

/* ---- one row
 * -------------------------------------------------------------------------- */

struct columns {
    cJSON *dims, *types, *strides, *concrete;
};

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

static struct str text_of(struct arena *perm, const cJSON *item)
{
    return cJSON_IsString(item) ? str_copy(perm, str_of(item->valuestring)) : S("");
}

/* Empty, or why this argument cannot be made again. */
static struct str read_input(struct arena *perm, const struct columns *c, int32_t i,
                             struct replay_input *in)
{
    const cJSON *dims = cJSON_GetArrayItem(c->dims, i);
    const cJSON *strides =
        cJSON_IsArray(c->strides) ? cJSON_GetArrayItem(c->strides, i) : NULL;
    struct str value = text_of(perm, cJSON_GetArrayItem(c->concrete, i));
    in->type = text_of(perm, cJSON_GetArrayItem(c->types, i));
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
                          "argument %d is of type '%.*s', which cannot be made again",
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

static struct str read_columns(struct arena *perm, const struct columns *c,
                               struct replay_inputs *in)
{
    int n = cJSON_IsArray(c->types) ? cJSON_GetArraySize(c->types) : -1;
    if (n < 0 || !cJSON_IsArray(c->dims) || cJSON_GetArraySize(c->dims) != n)
        return S("no shapes are recorded");
    in->no_strides = !cJSON_IsArray(c->strides);
    in->no_values = !cJSON_IsArray(c->concrete);
    if (!in->no_strides && cJSON_GetArraySize(c->strides) != n)
        return S("its shapes and strides are not as many");
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

struct replay_inputs replay_inputs_read(struct arena *perm, struct replay_texts t)
{
    struct replay_inputs in = {0};
    struct columns c = {
        cJSON_ParseWithLength(t.dims.p, (size_t)t.dims.n),
        cJSON_ParseWithLength(t.types.p, (size_t)t.types.n),
        cJSON_ParseWithLength(t.strides.p, (size_t)t.strides.n),
        cJSON_ParseWithLength(t.concrete.p, (size_t)t.concrete.n),
    };
    in.reason = read_columns(perm, &c, &in);
    cJSON_Delete(c.dims);
    cJSON_Delete(c.types);
    cJSON_Delete(c.strides);
    cJSON_Delete(c.concrete);
    return in;
}
