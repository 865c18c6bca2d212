#include "formats/perfetto_args.h"

#include "formats/json_put.h"
#include "formats/wire.h"

#include <stddef.h>
#include <stdlib.h>

/* Fields of DebugAnnotation. */
enum {
    ARG_NAME_IID = 1,
    ARG_BOOL = 2,
    ARG_UINT = 3,
    ARG_INT64 = 4,
    ARG_DOUBLE = 5,
    ARG_STRING = 6,
    ARG_POINTER = 7,
    ARG_LEGACY_JSON = 9,
    ARG_NAME_TEXT = 10,
    ARG_DICT = 11,
    ARG_ARRAY = 12,
    ARG_STRING_IID = 17
};

enum { DEPTH_MOST = 64, KEYS_FIRST = 64 };

/* Members that a row has a place for: those of PyTorch and those of rocprofv3. */
static const struct arg_term {
    struct str key;
    enum arg_kind kind;
    size_t at; /* in struct arg_row */
} terms[] = {
#define TERM(key, kind, member)                                                        \
    {                                                                                  \
        S_INIT(key), kind, offsetof(struct arg_row, member)                            \
    }
    {S_INIT(""), ARG_REST, 0}, /* any other key */
    {S_INIT(""), ARG_NOISE, 0},
    TERM("Input Dims", ARG_TEXT, dims),
    TERM("Input type", ARG_TEXT, types),
    TERM("Input Strides", ARG_TEXT, strides),
    TERM("Concrete Inputs", ARG_TEXT, concrete),
    TERM("Call stack", ARG_STACK, call_stack),
    TERM("External id", ARG_INT, external_id),
    TERM("external id", ARG_INT, external_id),
    TERM("correlation", ARG_INT, correlation),
    TERM("corr_id", ARG_INT, correlation),
    TERM("Sequence number", ARG_INT, sequence),
    TERM("Seq", ARG_INT, comms_sequence),
    TERM("stream", ARG_INT, stream),
    TERM("stream id", ARG_INT, stream),
    TERM("bytes", ARG_INT, bytes),
    TERM("Bytes", ARG_INT, bytes),
    TERM("copy_bytes", ARG_INT, bytes),
    TERM("begin_ns", ARG_INT, begin_ns),
    TERM("end_ns", ARG_INT, end_ns),
#undef TERM
};
enum { TERM_REST, TERM_NOISE, TERMS = sizeof terms / sizeof *terms };

/* Of no use, and different from event to event or the same in all of them. */
static const char noise[] =
    "arch process_id process_name delta_ns kind operation tid kernel_id queue agent "
    "device_id context_id ancestor_id logical_node_id node_id";

static uint8_t meaning_of(struct str key)
{
    for (int k = TERM_NOISE + 1; k < TERMS; k++)
        if (str_eq(terms[k].key, key))
            return (uint8_t)k;
    if (str_eq(key, S("device id")) || str_eq(key, S("context id")) ||
        str_eq(key, S("Record function id")) || str_among(key, noise))
        return TERM_NOISE;
    return kineto_args[kineto_arg_of(key)].kind == ARG_NOISE ? TERM_NOISE : TERM_REST;
}

void perfetto_args_open(struct perfetto_args *a, struct name_pool *texts,
                        struct perfetto_intern *intern)
{
    *a = (struct perfetto_args){.texts = texts, .intern = intern};
    pool_open(&a->keys);
    pool_open(&a->raw);
    out_memory(&a->json);
    out_memory(&a->rest);
}

void perfetto_args_close(struct perfetto_args *a)
{
    pool_close(&a->keys);
    pool_close(&a->raw);
    out_free(&a->json);
    out_free(&a->rest);
    free(a->meaning);
    free(a->values);
}

static void *grown(void *list, int32_t *max, size_t size)
{
    *max = *max ? 2 * *max : KEYS_FIRST;
    list = realloc(list, (size_t)*max * size);
    if (!list)
        arena_full();
    return list;
}

static const struct arg_term *term_of(struct perfetto_args *a, struct str key)
{
    int32_t known = a->keys.n;
    const unsigned char *p = (const void *)key.p;
    size_t n = (size_t)key.n,
           at = n ? (n + 7U * p[0] + 3U * p[n - 1] + 5U * p[n / 2]) % ARG_KEYS_RECENT
                  : 0;
    if (a->recent[at].key < known && str_eq(a->keys.name[a->recent[at].key], key))
        return &terms[a->recent[at].meaning];
    name_id k = pool_add(&a->keys, key);
    if (k >= a->max_keys)
        a->meaning = grown(a->meaning, &a->max_keys, sizeof *a->meaning);
    if (k == known)
        a->meaning[k] = meaning_of(key);
    a->recent[at].key = k;
    a->recent[at].meaning = a->meaning[k];
    return &terms[a->meaning[k]];
}

/* One annotation, its fields apart. */
struct annotation {
    struct str name, text;
    struct wire_field value; /* the last; number 0: none */
    bool by_number;          /* what it means depends on where it stands */
    bool has_list, has_map;
};

static inline struct annotation annotation_of(struct perfetto_args *a,
                                              uint32_t sequence, struct str bytes)
{
    struct annotation n;
    n.name = n.text = n.value.bytes = (struct str){0};
    n.value.number = 0;
    n.value.type = WIRE_VARINT;
    n.value.value = 0;
    n.by_number = n.has_list = n.has_map = false;
    struct wire w = wire_of(bytes);
    struct wire_field f;
    while (wire_next(&w, &f)) {
        if (f.number == ARG_NAME_TEXT) {
            n.name = f.bytes;
        } else if (f.number == ARG_NAME_IID) {
            struct intern_key key = {f.value, sequence, INTERN_ARG_NAME};
            n.name = pool_text(a->texts, intern_get(a->intern, key));
            n.by_number = true;
        } else {
            n.has_map |= f.number == ARG_DICT;
            n.has_list |= f.number == ARG_ARRAY;
            n.value = f;
        }
    }
    n.text = n.value.bytes;
    if (n.value.number == ARG_STRING_IID) {
        struct intern_key key = {n.value.value, sequence, INTERN_ARG_TEXT};
        n.text = pool_text(a->texts, intern_get(a->intern, key));
        n.value.number = ARG_STRING;
        n.by_number = true;
    }
    return n;
}

static bool put_annotation(struct perfetto_args *a, struct out *o, uint32_t sequence,
                           const struct annotation *n, struct str bytes, int depth);

/* The entries of a list or map, which are annotations themselves. */
static bool put_entries(struct perfetto_args *a, struct out *o, uint32_t sequence,
                        struct str bytes, bool is_map, int depth)
{
    bool by_number = false, first = true;
    struct wire w = wire_of(bytes);
    struct wire_field f;
    out_char(o, is_map ? '{' : '[');
    while (wire_next(&w, &f)) {
        if (f.number != (is_map ? ARG_DICT : ARG_ARRAY))
            continue;
        struct annotation n = annotation_of(a, sequence, f.bytes);
        if (!first)
            out_char(o, ',');
        first = false;
        if (is_map) {
            json_put_string(o, n.name);
            out_char(o, ':');
        }
        by_number |= put_annotation(a, o, sequence, &n, f.bytes, depth);
    }
    out_char(o, is_map ? '}' : ']');
    return by_number;
}

static void put_scalar(struct out *o, const struct annotation *n)
{
    switch (n->value.number) {
    case ARG_BOOL:
        out_c(o, n->value.value ? "true" : "false");
        break;
    case ARG_UINT:
    case ARG_POINTER:
        out_printf(o, "%llu", (unsigned long long)n->value.value);
        break;
    case ARG_INT64:
        out_i64(o, (int64_t)n->value.value);
        break;
    case ARG_DOUBLE:
        json_put_real(o, wire_double(n->value.value));
        break;
    case ARG_STRING:
    case ARG_LEGACY_JSON:
        json_put_string(o, n->text);
        break;
    default:
        out_lit(o, "null");
    }
}

/* True: the same bytes may be another value elsewhere. An empty list has no field to
 * tell it by: PyTorch's encoder writes an annotation of a name alone. */
static bool put_annotation(struct perfetto_args *a, struct out *o, uint32_t sequence,
                           const struct annotation *n, struct str bytes, int depth)
{
    bool empty = n->value.number == 0;
    if (depth < DEPTH_MOST && (n->has_map || n->has_list || empty))
        return put_entries(a, o, sequence, bytes, n->has_map, depth + 1) ||
               n->by_number;
    put_scalar(o, n);
    return n->by_number;
}

/* The text of an annotation as JSON, and the same as a member of a map. */
static struct arg_value value_of(struct perfetto_args *a, uint32_t sequence,
                                 const struct annotation *n, struct str bytes)
{
    name_id k = n->by_number ? -1 : pool_find(&a->raw, bytes);
    if (k >= 0)
        return a->values[k];
    a->json.n = 0;
    json_put_string(&a->json, n->name);
    out_char(&a->json, ':');
    ptrdiff_t at = a->json.n;
    bool by_number = put_annotation(a, &a->json, sequence, n, bytes, 0);
    struct str pair = out_view(&a->json);
    struct arg_value v = {pool_add(a->texts, str_skip(pair, at)),
                          pool_add(a->texts, pair)};
    if (by_number)
        return v;
    k = pool_add(&a->raw, bytes);
    if (k >= a->max_values)
        a->values = grown(a->values, &a->max_values, sizeof *a->values);
    return a->values[k] = v;
}

static bool number_of(const struct annotation *n, int64_t *v)
{
    if (n->value.number == ARG_INT64 || n->value.number == ARG_UINT)
        *v = (int64_t)n->value.value;
    else if (n->value.number != ARG_STRING || !str_int(n->text, v))
        return false;
    return *v != NO_ID;
}

static void add_rest(struct perfetto_args *a, struct str pair)
{
    out_char(&a->rest, a->rest.n ? ',' : '{');
    out_str(&a->rest, pair);
}

void perfetto_args_add(struct perfetto_args *a, struct arg_row *row, enum event_cat cat,
                       uint32_t sequence, struct str bytes)
{
    struct annotation n = annotation_of(a, sequence, bytes);
    const struct arg_term *t = term_of(a, n.name);
    void *member = (char *)row + t->at;
    int64_t v;
    /* A Triton op's "stream" is a pointer, not a GPU stream. */
    if (t->kind == ARG_INT && !(member == &row->stream && cat == CAT_CPU_OP)) {
        if (number_of(&n, &v))
            *(int64_t *)member = v;
    } else if (t->kind == ARG_STACK) {
        row->call_stack = pool_add(a->texts, n.text);
    } else if (t->kind == ARG_TEXT) {
        *(name_id *)member = value_of(a, sequence, &n, bytes).value;
    } else if (t->kind != ARG_NOISE && kineto_keeps(cat)) {
        add_rest(a, pool_text(a->texts, value_of(a, sequence, &n, bytes).pair));
    }
}

struct out *perfetto_args_put(struct perfetto_args *a, struct str key)
{
    out_char(&a->rest, a->rest.n ? ',' : '{');
    json_put_string(&a->rest, key);
    out_char(&a->rest, ':');
    return &a->rest;
}

/* All values are texts here, numbers too; but names are not numbers, even if they are
 * digits, and lists are texts in PyTorch's JSON as well. */
static void put_text_value(struct out *o, struct str key, struct str value)
{
    bool may_be = value.n > 0 && strchr("-0123456789", value.p[0]) != NULL;
    if (may_be && !str_has_nocase(key, S("name")) && json_is_value(value))
        out_str(o, value);
    else
        json_put_string(o, value);
}

void perfetto_args_add_text(struct perfetto_args *a, struct arg_row *row,
                            struct str key, struct str value)
{
    const struct arg_term *t = term_of(a, key);
    int64_t v;
    if (t->kind == ARG_INT) {
        if (str_int(value, &v) && v != NO_ID)
            *(int64_t *)(void *)((char *)row + t->at) = v;
    } else if (t->kind == ARG_REST) {
        put_text_value(perfetto_args_put(a, key), key, value);
    }
}

struct str perfetto_args_rest(struct perfetto_args *a)
{
    if (!a->rest.n)
        return S("");
    out_char(&a->rest, '}');
    return out_view(&a->rest);
}

void perfetto_args_clear(struct perfetto_args *a)
{
    a->rest.n = 0;
}
