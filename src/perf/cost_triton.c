#include "perf/cost.h"

#include "base/arena.h"
#include "base/out.h"
#include "perf/dtype.h"

static const struct {
    const char *op;
    double flop; /* for each element; an operator not listed costs nothing */
} op_costs[] = {
    {"add", 1},   {"sub", 1},     {"mul", 1},  {"div", 1},        {"relu", 1},
    {"mean", 1},  {"sum", 1},     {"abs", 1},  {"neg", 1},        {"ne", 1},
    {"eq", 1},    {"lt", 1},      {"gt", 1},   {"pow", 2},        {"sqrt", 2},
    {"rsqrt", 2}, {"var", 2},     {"exp", 4},  {"reciprocal", 2}, {"log", 4},
    {"tanh", 4},  {"sigmoid", 4}, {"silu", 4}, {"gelu", 8},
};

struct numel {
    double x, r;
};

static bool is_reduction(struct str name)
{
    return str_starts(name, S("triton_red_")) || str_starts(name, S("triton_per_"));
}

/* The integers among the concrete inputs: the last is a size, of a reduction the last
 * two. (A launch grid of two or three dimensions has more, which the reference passes
 * over.) */
static bool read_numel(const struct op_call *call, struct numel *n)
{
    double last[2] = {0, 0}, v;
    int count = 0;
    if (!value_count(call->args.dims) || !value_count(call->args.types))
        return false;
    for (int i = 0; i < value_count(call->args.concrete); i++) {
        const struct value *c = value_at(call->args.concrete, i);
        bool number = value_is_whole(c);
        if (number)
            v = c->number;
        else
            number = python_int(value_text(c), &v);
        if (!number)
            continue;
        last[0] = last[1];
        last[1] = v;
        count++;
    }
    bool two = is_reduction(call->name) && count >= 2;
    *n = (struct numel){last[two ? 0 : 1], two ? last[1] : 1};
    return count > 0;
}

bool triton_applies(const struct op_call *call)
{
    struct numel n;
    return (is_reduction(call->name) || str_starts(call->name, S("triton_poi_"))) &&
           read_numel(call, &n);
}

/* "triton_poi_fused_BODY_12": the body, or nothing. */
static struct str fused_body(struct str name)
{
    enum { PREFIX = 17 }; /* "triton_poi_fused_" */
    if (name.n <= PREFIX || !str_eq(str_skip(str_head(name, PREFIX), 10), S("_fused_")))
        return S("");
    ptrdiff_t end = name.n;
    while (end > PREFIX && name.p[end - 1] >= '0' && name.p[end - 1] <= '9')
        end--;
    if (end == name.n || end <= PREFIX || name.p[end - 1] != '_')
        return S("");
    return str_skip(str_head(name, end - 1), PREFIX);
}

/* Words end where a '_' or the end of the body follows. starts[e] is where the longest
 * word ending at e begins, such that the body before it is made of words too; -1: none.
 */
static ptrdiff_t *segment(struct arena *scratch, struct str body)
{
    ptrdiff_t *starts = arena_new(scratch, ptrdiff_t, body.n + 1);
    ptrdiff_t longest = triton_word_longest();
    for (ptrdiff_t end = 0; end <= body.n; end++) {
        starts[end] = -1;
        if (end < body.n && body.p[end] != '_')
            continue;
        for (ptrdiff_t from = end > longest ? end - longest : 0; from < end; from++) {
            bool open = from == 0 || (body.p[from - 1] == '_' && starts[from - 1] >= 0);
            if (open && triton_word((struct str){body.p + from, end - from})) {
                starts[end] = from;
                break;
            }
        }
    }
    return starts;
}

static double op_flop(struct str op)
{
    for (int i = 0; i < (int)(sizeof op_costs / sizeof *op_costs); i++)
        if (str_eq(op, str_of(op_costs[i].op)))
            return op_costs[i].flop;
    return 0;
}

/* What the name says is fused, as "aten.x, aten.y", and what that costs an element. One
 * unknown word leaves nothing, as in the reference. */
static struct str fused_ops(struct arena *perm, struct str name, double *flop)
{
    struct str body = fused_body(name);
    struct arena scratch = *perm;
    *flop = 0;
    if (body.n == 0)
        return S("");
    ptrdiff_t *starts = segment(&scratch, body);
    if (starts[body.n] < 0)
        return S("");
    /* Chained from the right; turned round by marking the ends of the words taken. */
    struct str *words = arena_new(&scratch, struct str, body.n + 1);
    ptrdiff_t n = 0;
    for (ptrdiff_t end = body.n; end > 0; end = starts[end] - 1)
        words[n++] = (struct str){body.p + starts[end], end - starts[end]};
    struct out o;
    out_memory(&o);
    for (ptrdiff_t i = n - 1; i >= 0; i--) {
        out_printf(&o, "%saten.%.*s", i < n - 1 ? ", " : "", STRF(words[i]));
        *flop += op_flop(words[i]);
    }
    return out_text(&o, perm);
}

/* "c10::BFloat16" gives "bfloat16": a name that no platform file has, which is why
 * these kernels have no roofline. */
static struct str long_precision(struct arena *perm, struct str type)
{
    ptrdiff_t colon;
    while ((colon = str_find(type, S("::"))) >= 0)
        type = str_skip(type, colon + 2);
    char *p = arena_copy(perm, type.p, type.n);
    for (ptrdiff_t i = 0; i < type.n; i++)
        if (p[i] >= 'A' && p[i] <= 'Z')
            p[i] = (char)(p[i] + 32);
    return (struct str){p, type.n};
}

/* Every tensor moves once; a pointwise kernel writes as many again as it has elements,
 * in the width of the first. */
static void move(struct op_args *a, struct cost *c, const struct numel *n)
{
    int operands = 0, count = args_n_dims(a), types = args_n_types(a);
    c->byte = 0;
    double extra = 0;
    for (int i = 0; i < count && i < types; i++) {
        struct shape s;
        struct str type = args_type_or(a, i, S(""));
        if (str_eq(type, S("Scalar")) || !shape_read(args_dims(a, i), &s) ||
            s.rank == 0)
            continue;
        double bytes = dtype_triton_bytes(type);
        if (operands++ == 0 && str_starts(a->call->name, S("triton_poi_")))
            extra = bytes * n->x;
        if (bytes > 0 && c->precision.n == 0)
            c->precision = long_precision(a->perm, type);
        c->byte += shape_count(&s) * bytes;
    }
    c->byte += extra;
}

void cost_triton(struct op_args *a, struct cost *c)
{
    struct numel n;
    double flop;
    if (!read_numel(a->call, &n)) {
        args_drop(a);
        return;
    }
    param_text(&c->params, "fused_ops", fused_ops(a->perm, a->call->name, &flop));
    param_ints(&c->params, {"xnumel", n.x}, {"rnumel", n.r});
    c->flop = flop * n.x * n.r;
    move(a, c, &n);
}
