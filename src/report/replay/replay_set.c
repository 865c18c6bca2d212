#include "report/replay/replay_set.h"

#include "base/name_pool.h"
#include "perf/perf_model.h"
#include "report/replay/replay_fill.h"
#include "report/replay/replay_schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_CALLS =
        2000, /* argument sets of one package; those with the least time are left out */
    STEM_BYTES = 85, /* with folder and ending, the longest name of our files */
    HASH_BYTES = 9   /* '_' and eight digits */
};

static uint32_t fnv_1a(struct str s)
{
    uint32_t h = 2166136261u;
    for (ptrdiff_t i = 0; i < s.n; i++)
        h = (h ^ (unsigned char)s.p[i]) * 16777619u;
    return h;
}

static bool is_plain(char c)
{
    char letter = (char)(c | 0x20);
    return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

struct str replay_file_stem(struct arena *perm, struct str op)
{
    char *p = arena_new(perm, char, op.n + 1);
    ptrdiff_t n = 0, first = 0;
    for (ptrdiff_t i = 0; i < op.n; i++)
        if (is_plain(op.p[i]))
            p[n++] = op.p[i];
        else if (i == 0 || is_plain(op.p[i - 1]))
            p[n++] = '_';
    while (first < n && (p[first] == '_' || p[first] == '.'))
        first++;
    while (n > first && (p[n - 1] == '_' || p[n - 1] == '.'))
        n--;
    if (n == first)
        return S("op");
    if (n - first <= STEM_BYTES)
        return (struct str){p + first, n - first};
    return str_printf(perm, "%.*s_%08x", STEM_BYTES - HASH_BYTES, p + first,
                      fnv_1a(op));
}

/* Different operations may share a stem: "a::b" and "a:b". Some file systems ignore
 * case. */
static struct str file_of(struct arena *perm, const struct replay_set *s, struct str op)
{
    struct str stem = replay_file_stem(perm, op), best = stem;
    for (int32_t i = 0; i < s->n_packages; i++) {
        struct str file = s->packages[i].file;
        file =
            str_skip(str_head(file, file.n - (ptrdiff_t)strlen("_replay_package.zip")),
                     (ptrdiff_t)strlen("replay_packages/"));
        if (!str_eq_nocase(file, stem))
            continue;
        stem = str_head(stem, STEM_BYTES - HASH_BYTES);
        best = str_printf(perm, "%.*s_%08x", STRF(stem), fnv_1a(op));
        break;
    }
    return str_printf(perm, "replay_packages/%.*s_replay_package.zip", STRF(best));
}

static bool is_word(struct str s)
{
    for (ptrdiff_t i = 0; i < s.n; i++)
        if (!is_plain(s.p[i]) || s.p[i] == '-' || s.p[i] == '.')
            return false;
    return s.n > 0 && !(s.p[0] >= '0' && s.p[0] <= '9');
}

/* ns::op or ns::op.overload */
static bool is_operator_name(struct str op)
{
    ptrdiff_t colons = str_find(op, S("::"));
    if (colons <= 0)
        return false;
    struct str overload = str_skip(op, colons + 2);
    bool has_overload = str_has(overload, S("."));
    return is_word(str_head(op, colons)) && is_word(str_take(&overload, S("."))) &&
           (!has_overload || is_word(overload));
}

/* "hipLaunchKernel": cu, cuda or hip before a capital. */
static bool is_runtime_call(struct str s)
{
    static const struct str libraries[] = {S_INIT("cuda"), S_INIT("hip"), S_INIT("cu")};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        ptrdiff_t n = libraries[i].n;
        if (str_starts(s, libraries[i]) && s.n > n && s.p[n] >= 'A' && s.p[n] <= 'Z')
            return true;
    }
    return false;
}

/* Why a row that is a kernel, "parent->kernel", has nothing to call. */
static struct str kernel_reason(struct str parent)
{
    if (str_has(parent, S("GraphLaunch")))
        return S("a kernel of a captured graph: the trace does not say which operator "
                 "it came from, nor its arguments");
    if (is_runtime_call(parent))
        return S(
            "a kernel launched outside any operator: there is nothing to call by name");
    if (is_operator_name(parent))
        return S("a kernel that an operator launches besides the operators it calls, "
                 "which count on their own: it cannot be called alone");
    return S("a kernel of compiled code or of an annotated region: no operator that "
             "could be called by name launched it");
}

/* The trace names what a package calls, so only of operators that compute on tensors:
 * those of aten that write and map files are not, and others may do anything. */
static bool may_touch_files(struct str op)
{
    struct str space = str_take(&op, S("::")), name = str_take(&op, S("."));
    return !str_among(space,
                      "aten prims quantized fbgemm torchvision torchao vllm _C "
                      "_C_cache_ops _moe_C _rocm_C _vllm_fa2_C _vllm_fa3_C sglang "
                      "sgl_kernel aiter xformers xformers_flash flash_attn "
                      "flash_attn_2 flash_attn_3 flashinfer") ||
           str_among(name, "save load from_file");
}

struct str replay_name_reason(struct str op)
{
    static const struct str collective[] = {
        S_INIT("c10d::"),
        S_INIT("_c10d_functional::"),
        S_INIT("c10d_functional::"),
        S_INIT("symm_mem::"),
        S_INIT("nccl:"),
        S_INIT("gloo:"),
        S_INIT("record_param_comms"),
    };
    for (size_t i = 0; i < sizeof collective / sizeof *collective; i++)
        if (str_starts(op, collective[i]))
            return S("communication: it needs the other ranks");
    ptrdiff_t arrow = str_find(op, S("->"));
    if (arrow >= 0 || str_has(op, S("(Synthetic Op)")))
        return kernel_reason(str_head(op, arrow < 0 ? 0 : arrow));
    if (str_starts(op, S("pseudo_op::")))
        return S("a step inside a fused kernel, not an operator");
    if (str_starts(op, S("triton_")))
        return S(
            "a kernel generated for one compiled model: its code is not in the trace");
    if (str_starts(op, S("torch::autograd::")) || str_starts(op, S("autograd::")))
        return S("an autograd node: only the backward pass can run it");
    if (is_runtime_call(op))
        return S("a runtime call, not an operator");
    if (str_starts(op, S("void ")) || str_has(op, S("<")) || str_starts(op, S("Cijk_")))
        return S("a kernel alone: the trace does not say which operator it came from");
    if (!is_operator_name(op))
        return S("not the name of an operator: an annotation, or code that is not in "
                 "the framework's registry");
    if (may_touch_files(op))
        return S("it may read or write files: packages hold operators of aten and of "
                 "known libraries of kernels, which do not");
    return S("");
}

/* The type that a signature would have, for a call whose signature we do not know. */
static struct str inferred_type(const struct replay_input *in)
{
    static const struct str words[] = {
        [REPLAY_NULL] = S_INIT("None"),        [REPLAY_TENSOR] = S_INIT("Tensor"),
        [REPLAY_TENSORS] = S_INIT("Tensor[]"), [REPLAY_INT] = S_INIT("int"),
        [REPLAY_REAL] = S_INIT("float"),       [REPLAY_BOOL] = S_INIT("bool"),
        [REPLAY_TEXT] = S_INIT("Scalar")};
    static const struct str lists[] = {[REPLAY_INT] = S_INIT("int[]"),
                                       [REPLAY_REAL] = S_INIT("float[]"),
                                       [REPLAY_BOOL] = S_INIT("bool[]"),
                                       [REPLAY_TEXT] = S_INIT("float[]")};
    if (in->value.kind == REPLAY_LIST)
        return in->value.n ? lists[in->value.items[0].kind] : S("int[]");
    return words[in->value.kind];
}

/* What to pass for a scalar of unknown value: nothing if there is a default. */
static void assume_value(const struct schema_arg *from, const struct replay_input *in,
                         struct replay_arg *a)
{
    a->is_default = from->has_default && !from->optional;
    a->value_assumed = !a->is_default && replay_assume(from->name, &a->value);
    bool is_real = from->base == SCHEMA_FLOAT || str_eq(in->type, S("Double"));
    if (is_real && a->value.kind == REPLAY_INT)
        a->value = (struct replay_value){.kind = REPLAY_REAL, .r = (double)a->value.i};
}

static void bind(struct arena *perm, const struct replay_inputs *in,
                 const struct schema *s, struct replay_call *c)
{
    c->args = arena_new(perm, struct replay_arg, in->n);
    c->n_args = in->n;
    for (int32_t i = 0; i < in->n; i++) {
        struct replay_arg *a = &c->args[i];
        a->value = in->at[i].value;
        if (!s) {
            a->name = str_printf(perm, "arg%d", i);
            a->type = inferred_type(&in->at[i]);
            continue;
        }
        const struct schema_arg *from = &s->args[i];
        a->name = from->name;
        a->type = from->type;
        a->keyword = from->keyword;
        a->is_default = in->at[i].kind == REPLAY_INPUT_ABSENT && !from->optional;
        if (in->at[i].kind == REPLAY_INPUT_SCALAR && a->value.kind == REPLAY_NULL) {
            assume_value(from, &in->at[i], a);
            c->values_assumed = true;
        }
        /* `Tensor?` given as an empty list is None. */
        if (!from->list && a->value.kind == REPLAY_LIST)
            a->value = (struct replay_value){.kind = REPLAY_NULL};
    }
}

/* The names of copies between host and device say which side was where; a copy_ within
 * the device would be a thousand times faster. */
static void place_copy(struct replay_call *c)
{
    static const struct str ways[] = {S_INIT("Memcpy DtoH"), S_INIT("Memcpy HtoD")};
    if (!str_eq(c->op, S("aten::copy_")) || c->n_args < 2)
        return;
    for (int32_t k = 0; k < c->n_kernels; k++)
        for (int side = 0; side < 2; side++) { /* self is written, src is read */
            struct replay_value *v = &c->args[side].value;
            if (v->kind == REPLAY_TENSOR && str_starts(c->kernels[k], ways[side]))
                v->tensors[0].place = str_has(c->kernels[k], S("Pinned"))
                                          ? REPLAY_PINNED
                                          : REPLAY_ON_HOST;
        }
}

/* Empty, with the arguments in `c`, or why they cannot be recreated. */
static struct str describe(struct arena *perm, const struct schema_index *x,
                           struct replay_call *c)
{
    struct replay_inputs in = replay_inputs_read(perm, c->recorded);
    struct schema s;
    struct schema_arg missing = {0};
    if (in.reason.n)
        return in.reason;
    switch (schema_find(perm, x, c->op, &in, &s, &missing)) {
    case SCHEMA_FITS:
        c->schema = s.text;
        bind(perm, &in, &s, c);
        break;
    case SCHEMA_NOT_RECORDED:
        return str_printf(perm, "its argument '%.*s' (%.*s) is not recorded",
                          STRF(missing.name), STRF(missing.type));
    default:
        in.reason = replay_missing_value(perm, &in);
        if (in.reason.n)
            return in.reason;
        bind(perm, &in, NULL, c);
    }
    c->strides_assumed = in.no_strides;
    struct str overload = c->op;
    replay_fill_args(str_take(&overload, S(".")), c->args, c->n_args);
    place_copy(c);
    return S("");
}

static struct replay_call call_of(struct arena *perm, const struct op_group *g)
{
    struct replay_call c = {
        .op = g->first->name,
        .source_uid = g->first->uid,
        .count = g->n,
        .total_us = g->direct_us.sum,
        .mean_us = g->direct_us.mean,
        .min_us = g->direct_us.min,
        .max_us = g->direct_us.max,
        .flop = g->cost ? g->cost->flop : (double)NAN,
        .byte = g->cost ? g->cost->byte : (double)NAN,
        .n_kernels = g->n_placed,
        .recorded = g->args,
        .folded = g->n_folded > 0,
    };
    c.kernels = arena_new(perm, struct str, g->n_placed);
    for (int32_t k = 0; k < g->n_placed; k++)
        c.kernels[k] = g->placed[k].name;
    return c;
}

/* The same arguments on another thread: one call of the package. */
static void merge(struct replay_call *into, const struct replay_call *c)
{
    into->count += c->count;
    into->total_us += c->total_us;
    into->mean_us = into->total_us / (double)into->count;
    into->min_us = fmin(into->min_us, c->min_us);
    into->max_us = fmax(into->max_us, c->max_us);
}

static int by_time_then_uid(const void *a, const void *b)
{
    const struct replay_call *x = a, *y = b;
    if (x->total_us != y->total_us)
        return x->total_us > y->total_us ? -1 : 1;
    return (x->source_uid > y->source_uid) - (x->source_uid < y->source_uid);
}

/* Argument sets of one operation, each once, longest first. */
static struct replay_call *distinct_calls(struct arena *perm, const struct op_tables *t,
                                          struct str op, int32_t *n_calls)
{
    const struct op_groups *gs = &t->judged;
    struct name_pool sets;
    int32_t n = 0;
    for (int32_t g = 0; g < gs->n; g++)
        n += str_eq(gs->rows[g].first->name, op);
    struct replay_call *calls = arena_new(perm, struct replay_call, n);
    *n_calls = 0;
    pool_open(&sets);
    for (int32_t g = 0; g < gs->n; g++) {
        const struct op_group *row = &gs->rows[g];
        if (!str_eq(row->first->name, op))
            continue;
        /* Equal arguments are at one address. */
        const struct value *key[] = {row->args.dims, row->args.types, row->args.strides,
                                     row->args.concrete};
        name_id at = pool_add(&sets, (struct str){(const char *)key, sizeof key});
        struct replay_call c = call_of(perm, row);
        if (at < *n_calls)
            merge(&calls[at], &c);
        else
            calls[(*n_calls)++] = c;
    }
    pool_close(&sets);
    qsort(calls, (size_t)*n_calls, sizeof *calls, by_time_then_uid);
    return calls;
}

static void refuse(struct replay_set *s, struct str op, struct str reason,
                   double total_us, double share_pct)
{
    s->refusals[s->n_refusals++] =
        (struct replay_refusal){op, reason, total_us, share_pct};
}

static void add_operation(struct arena *perm, const struct op_tables *t,
                          const struct schema_index *x, double all_us, struct str op,
                          struct replay_set *s)
{
    int32_t n;
    struct replay_package p = {.op = op, .device = trace_device_name(&t->facts)};
    struct str reason = replay_name_reason(op);
    double asked_us = 0.0;
    p.calls = distinct_calls(perm, t, op, &n);
    for (int32_t i = 0; i < n; i++) {
        asked_us += p.calls[i].total_us;
        struct str why =
            reason.n            ? reason
            : p.calls[i].folded ? S("only the longest argument sets are kept apart")
            : p.n_calls == MAX_CALLS ? S("a package holds 2000 argument sets")
                                     : describe(perm, x, &p.calls[i]);
        if (why.n) {
            p.left_out_reason = p.n_left_out++ ? p.left_out_reason : why;
            continue;
        }
        p.count += p.calls[i].count;
        p.total_us += p.calls[i].total_us;
        p.calls[p.n_calls++] = p.calls[i];
    }
    if (p.n_calls == 0) {
        refuse(s, op, p.left_out_reason, asked_us,
               all_us > 0 ? asked_us / all_us * 100.0 : 0.0);
        return;
    }
    p.share_pct = all_us > 0 ? p.total_us / all_us * 100.0 : 0.0;
    p.file = file_of(perm, s, op);
    s->packages[s->n_packages++] = p;
}

struct operation {
    struct str name;
    double total_us;
    int32_t place; /* of its longest row */
};

static int by_operation_time(const void *a, const void *b)
{
    const struct operation *x = a, *y = b;
    if (x->total_us != y->total_us)
        return x->total_us > y->total_us ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static struct operation *operations(struct arena *a, const struct op_tables *t,
                                    int32_t *n)
{
    struct name_pool names;
    struct operation *ops = arena_new(a, struct operation, t->judged.n);
    pool_open(&names);
    for (int32_t g = 0; g < t->judged.n; g++) {
        const struct op_group *row = &t->judged.rows[g];
        name_id at = pool_add(&names, row->first->name);
        if (ops[at].name.p == NULL)
            ops[at] = (struct operation){row->first->name, 0.0, g};
        ops[at].total_us += row->direct_us.sum;
    }
    *n = names.n;
    pool_close(&names);
    qsort(ops, (size_t)*n, sizeof *ops, by_operation_time);
    return ops;
}

static double all_time_us(const struct op_tables *t)
{
    double us = 0.0;
    for (int32_t g = 0; g < t->judged.n; g++)
        us += t->judged.rows[g].direct_us.sum;
    return us;
}

struct replay_set replay_build(struct arena *perm, struct arena tmp,
                               const struct op_tables *t, struct str schemas,
                               const struct replay_request *requests, int32_t n)
{
    struct replay_set s = {0};
    int32_t n_ops;
    struct operation *ops = operations(&tmp, t, &n_ops);
    struct schema_index x = {0};
    if (n > 0) /* else this would only sort signatures */
        x = schema_index_build(perm, schemas);
    bool *taken = arena_new(&tmp, bool, n_ops);
    double all_us = all_time_us(t);
    s.packages = arena_new(perm, struct replay_package, n_ops);
    s.refusals = arena_new(perm, struct replay_refusal, n_ops + n);
    for (int32_t r = 0; r < n; r++) {
        bool exact = false, found = false;
        for (int32_t i = 0; i < n_ops; i++)
            exact = exact || str_eq(ops[i].name, requests[r].op);
        for (int32_t i = 0; i < n_ops; i++) {
            if (exact
                    ? !str_eq(ops[i].name, requests[r].op)
                    : !requests[r].op.n || !str_has_nocase(ops[i].name, requests[r].op))
                continue;
            found = true;
            if (!taken[i])
                add_operation(perm, t, &x, all_us, ops[i].name, &s);
            taken[i] = true;
        }
        if (!found)
            refuse(&s, requests[r].op,
                   S("no operation of that name has device work in this trace"), 0.0,
                   0.0);
    }
    return s;
}

struct replay_request *replay_requests(struct arena *perm, struct str list, int32_t *n)
{
    ptrdiff_t most = 1;
    for (ptrdiff_t i = 0; i < list.n; i++)
        most += list.p[i] == ',';
    struct replay_request *r = arena_new(perm, struct replay_request, most);
    *n = 0;
    while (list.n > 0) {
        r[*n].op = str_trim(str_take(&list, S(",")));
        *n += r[*n].op.n > 0;
    }
    return r;
}

struct replay_request *replay_top(struct arena *perm, struct arena tmp,
                                  const struct op_tables *t, int32_t n,
                                  int32_t *n_found)
{
    int32_t n_ops;
    struct operation *ops = operations(&tmp, t, &n_ops);
    *n_found = n < 0 || n > n_ops ? n_ops : n;
    struct replay_request *r = arena_new(perm, struct replay_request, *n_found);
    for (int32_t i = 0; i < *n_found; i++)
        r[i].op = ops[i].name;
    return r;
}

const struct replay_package *replay_package_of(const struct replay_set *s,
                                               struct str op)
{
    for (int32_t i = 0; i < s->n_packages; i++)
        if (str_eq(s->packages[i].op, op))
            return &s->packages[i];
    return NULL;
}
