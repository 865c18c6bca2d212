#include "formats/execution_trace.h"

#include "base/arena.h"
#include "base/out.h"
#include "formats/json_put.h"
#include "formats/json_walk.h"
#include "trace/file_kind.h"
#include "trace/json_value.h"

#include <string.h>
#include <unistd.h>

enum { IN_DOCUMENT = 1, IN_NODES = 2, NODES_MOST = INT32_MAX / 2, FIRST_BYTES = 400 };

/* What is collected of one operator: JSON of each list. */
enum part { DIMS, TYPES, STRIDES, CONCRETE, PARTS };

__attribute__((hot)) bool execution_trace_is(struct str head)
{
    head = str_trim(head);
    struct str first = str_head(head, FIRST_BYTES);
    return str_starts(head, S("{")) && str_has(first, S("\"schema\"")) &&
           str_has(first, S("\"nodes\"")) && !str_has(first, S("\"traceEvents\""));
}

bool execution_trace_is_file(const char *path)
{
    struct source_options o = {.no_digest = true};
    struct file_kind k;
    struct err e = {0};
    int fd = strcmp(path, "-") == 0 ? -1 : source_fd(path, o, &e);
    if (fd < 0)
        return false;
    file_kind_look(&k, fd);
    bool is = k.is_file && execution_trace_is((struct str){k.plain, k.n_plain});
    file_kind_done(&k);
    close(fd);
    return is;
}

static bool goes_into(const struct json_walk *w, bool is_list)
{
    return w->depth == IN_DOCUMENT && is_list && json_walk_is(w, 0, "nodes");
}

static void put_plain(struct out *o, const struct value *v)
{
    if (value_is(v, VALUE_NUMBER))
        out_str(o, (struct str){v->text, v->n});
    else if (value_is(v, VALUE_BOOL))
        out_c(o, value_truth(v) ? "True" : "False");
    else
        out_str(o, value_text(v));
}

/* Sizes or strides: lists of whole numbers, or a list of such lists. */
static void put_sizes(struct out *o, const struct value *v, int depth)
{
    out_char(o, '[');
    for (int i = 0; i < value_count(v); i++) {
        const struct value *item = value_at(v, i);
        if (i)
            out_char(o, ',');
        if (value_is(item, VALUE_NUMBER))
            out_str(o, (struct str){item->text, item->n});
        else if (depth > 0)
            put_sizes(o, item, depth - 1);
        else
            out_lit(o, "0");
    }
    out_char(o, ']');
}

/* A scalar or a list of them as the profiler prints it: "-1", "[1, 2]". */
static void put_scalars(struct out *o, struct out *text, const struct value *v)
{
    text->n = 0;
    if (!value_is(v, VALUE_LIST)) {
        put_plain(text, v);
    } else {
        out_char(text, '[');
        for (int i = 0; i < value_count(v); i++) {
            if (i)
                out_lit(text, ", ");
            put_plain(text, value_at(v, i));
        }
        out_char(text, ']');
    }
    json_put_string(o, out_view(text));
}

/* "Tensor(c10::BFloat16)" -> "c10::BFloat16". */
static struct str inside(struct str type, struct str before)
{
    struct str rest = str_skip(type, before.n);
    return str_head(rest, rest.n - str_ends(rest, S(")")));
}

/* One input, at the end of each list. */
static void put_input(struct out part[PARTS], struct out *text, struct str type,
                      const struct value *shape, const struct value *stride,
                      const struct value *value)
{
    static const struct str tensor = S_INIT("Tensor("),
                            tensors = S_INIT("GenericList[Tensor(");
    bool is_tensor = str_starts(type, tensor), is_list = str_starts(type, tensors),
         numbers = str_starts(type, S("GenericList[")) && !is_list,
         number = str_among(type, "Int Double Bool");
    for (int k = 0; k < PARTS; k++)
        if (part[k].n > 1)
            out_char(&part[k], ',');
    if (is_tensor || is_list) {
        put_sizes(&part[DIMS], shape, is_list);
        put_sizes(&part[STRIDES], stride, is_list);
    } else {
        out_lit(&part[DIMS], "[]");
        out_lit(&part[STRIDES], "[]");
    }
    json_put_string(&part[TYPES], is_tensor ? inside(type, tensor)
                                  : is_list ? S("TensorList")
                                  : numbers ? S("ScalarList")
                                  : number  ? S("Scalar")
                                            : S(""));
    if (numbers || number)
        put_scalars(&part[CONCRETE], text, value);
    else
        out_lit(&part[CONCRETE], "\"\"");
}

/* An attribute of a node: since 1.0.3 in a list, before a member. */
static const struct value *attribute(const struct value *node, const char *name)
{
    const struct value *attrs = value_get(node, "attrs");
    for (int i = 0; i < value_count(attrs); i++) {
        const struct value *a = value_at(attrs, i);
        if (str_eq(value_text(value_get(a, "name")), str_of(name)))
            return value_get(a, "value");
    }
    return value_get(node, name);
}

static void read_node(struct execution_trace *x, struct out part[PARTS],
                      struct out *text, const struct value *node)
{
    const struct value *inputs = value_get(node, "inputs"),
                       *id = attribute(node, "rf_id");
    bool apart = !value_is(inputs, VALUE_MAP);
    const struct value *values = apart ? inputs : value_get(inputs, "values"),
                       *shapes = apart ? value_get(node, "input_shapes")
                                       : value_get(inputs, "shapes"),
                       *types = apart ? value_get(node, "input_types")
                                      : value_get(inputs, "types"),
                       *strides = apart ? NULL : value_get(inputs, "strides");
    int64_t number;
    if (!value_is(id, VALUE_NUMBER) ||
        !str_int((struct str){id->text, id->n}, &number) || number <= 0 ||
        value_count(types) == 0)
        return;
    for (int k = 0; k < PARTS; k++) {
        part[k].n = 0;
        out_char(&part[k], '[');
    }
    for (int i = 0; i < value_count(types); i++)
        put_input(part, text, value_text(value_at(types, i)), value_at(shapes, i),
                  value_at(strides, i), value_at(values, i));
    for (int k = 0; k < PARTS; k++)
        out_char(&part[k], ']');
    arena_grow(&x->memory, x->rows, x->n);
    x->rows[x->n] = (struct shape_row){
        .name = pool_add(&x->texts, value_text(value_get(node, "name"))),
        .dims = pool_add(&x->texts, out_view(&part[DIMS])),
        .types = pool_add(&x->texts, out_view(&part[TYPES])),
        .strides =
            value_count(strides) ? pool_add(&x->texts, out_view(&part[STRIDES])) : -1,
        .concrete = pool_add(&x->texts, out_view(&part[CONCRETE]))};
    *int_map_at(&x->by_id, &x->memory, number) = x->n++;
}

static bool read_nodes(struct execution_trace *x, struct json_walk *w, struct err *e)
{
    struct arena values = arena_reserve(arena_machine_bytes() / 4);
    char *start = values.at;
    struct out part[PARTS], text;
    struct str value;
    out_memory(&text);
    for (int k = 0; k < PARTS; k++)
        out_memory(&part[k]);
    while (x->n < NODES_MOST && json_walk_next(w, &value, e)) {
        struct arena scratch = values; /* free again with the next node */
        if (w->depth == IN_NODES)
            read_node(x, part, &text, json_value(&scratch, value));
    }
    out_free(&text);
    for (int k = 0; k < PARTS; k++)
        out_free(&part[k]);
    arena_release(start, &values);
    return e->kind == ERR_NONE;
}

bool execution_trace_read(struct execution_trace *x, const char *path,
                          struct source_options o, struct err *e)
{
    struct json_walk w = {.goes_into = goes_into};
    if (!json_walk_open(&w, path, o, e))
        return false;
    *x = (struct execution_trace){.memory = arena_reserve(arena_machine_bytes() / 4)};
    x->start = x->memory.at;
    x->by_id = int_map_make(&x->memory, 0);
    pool_open_large(&x->texts);
    bool done = read_nodes(x, &w, e);
    source_digest(w.source, x->sha256);
    json_walk_close(&w);
    if (!done)
        execution_trace_close(x);
    return done;
}

void execution_trace_close(struct execution_trace *x)
{
    pool_close(&x->texts);
    arena_release(x->start, &x->memory);
}

static struct event *next(void *state, struct err *e)
{
    struct shaped_source *s = state;
    const struct execution_trace *x = s->from;
    struct event *ev = s->trace.next(s->trace.state, e);
    if (!ev || ev->ph != 'X' || ev->cat != CAT_CPU_OP || event_args(ev)->dims.n)
        return ev;
    int64_t id = event_args(ev)->record_id;
    int32_t row = id > 0 ? int_map_get(&x->by_id, id) : -1;
    s->operators++;
    if (row < 0 || !str_eq(pool_text(&x->texts, x->rows[row].name), ev->name))
        return ev;
    const struct shape_row *r = &x->rows[row];
    ev->args.dims = pool_text(&x->texts, r->dims);
    ev->args.types = pool_text(&x->texts, r->types);
    ev->args.concrete = pool_text(&x->texts, r->concrete);
    if (r->strides >= 0)
        ev->args.strides = pool_text(&x->texts, r->strides);
    s->lent++;
    return ev;
}

static struct source_progress progress(void *state)
{
    struct shaped_source *s = state;
    return s->trace.progress(s->trace.state);
}

static struct source_end end(void *state, struct arena *perm)
{
    struct shaped_source *s = state;
    return s->trace.end(s->trace.state, perm);
}

static void close_source(void *state)
{
    struct shaped_source *s = state;
    s->trace.close(s->trace.state);
}

struct event_source shaped_source_open(struct shaped_source *s,
                                       struct event_source trace,
                                       const struct execution_trace *from)
{
    *s = (struct shaped_source){.trace = trace, .from = from};
    return (struct event_source){s,   next,         trace.decode,    progress,
                                 end, close_source, trace.abilities, trace.collective};
}
