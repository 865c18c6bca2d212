#include "formats/hlo_module.h"

#include "base/arena.h"
#include "formats/hlo_collective.h"
#include "formats/json_put.h"
#include "formats/wire.h"

#include <stdio.h>
#include <stdlib.h>

/* Fields of HloProto, HloModuleProto and HloComputationProto. */
enum { PROTO_MODULE = 1, MODULE_COMPUTATION = 3, COMPUTATION_INSTRUCTION = 2 };
enum { COMPUTATION_ID = 5 };

/* Fields of HloInstructionProto. */
enum {
    NAME = 1,
    OPCODE = 2,
    SHAPE = 3,
    CONVOLUTION_NUMBERS = 16,
    TARGET = 28,
    DOT_NUMBERS = 30,
    ID = 35,
    OPERANDS = 36,
    CALLED = 38,
    BACKEND_CONFIG = 43
};

/* Fields of ShapeProto, and of the two messages of numbers of dimensions. */
enum { SHAPE_TYPE = 2, SHAPE_DIMS = 3, SHAPE_TUPLE = 4 };
enum { DOT_LEFT_SUMMED = 1, KERNEL_OUTPUT = 4 };

enum { ROWS_FIRST = 64, DIMS_MOST = 16, OPERANDS_MOST = 64, TUPLE_MOST = 64 };
enum { SHAPE_BYTES_MOST = 4096 };

/* One instruction, its fields apart; all bytes are the module's. */
struct instruction {
    struct str name, opcode, shape, target, dot, convolution, config;
    int64_t id, called; /* called: the last computation; -1: none */
};

static struct instruction instruction_of(struct str bytes)
{
    struct instruction i = {.called = -1};
    struct wire w = wire_of(bytes);
    struct wire_field f;
    uint64_t v;
    while (wire_next(&w, &f))
        switch (f.number) {
        case NAME:
            i.name = f.bytes;
            break;
        case OPCODE:
            i.opcode = f.bytes;
            break;
        case SHAPE:
            i.shape = f.bytes;
            break;
        case TARGET:
            i.target = f.bytes;
            break;
        case DOT_NUMBERS:
            i.dot = f.bytes;
            break;
        case CONVOLUTION_NUMBERS:
            i.convolution = f.bytes;
            break;
        case BACKEND_CONFIG:
            i.config = f.bytes;
            break;
        case ID:
            i.id = (int64_t)f.value;
            break;
        case CALLED:
            while (wire_next_number(&f, &v))
                i.called = (int64_t)v;
            break;
        default:
            break;
        }
    return i;
}

/* As PyTorch names the types of tensors; NULL: it has none such. */
static const char *type_name(uint64_t type)
{
    static const char *const names[] = {[1] = "bool",
                                        [2] = "signed char",
                                        [3] = "short int",
                                        [4] = "int",
                                        [5] = "long int",
                                        [6] = "unsigned char",
                                        [7] = "unsigned short",
                                        [8] = "unsigned int",
                                        [9] = "unsigned long",
                                        [10] = "c10::Half",
                                        [11] = "float",
                                        [12] = "double",
                                        [15] = "c10::complex<float>",
                                        [16] = "c10::BFloat16",
                                        [18] = "c10::complex<double>",
                                        [19] = "c10::Float8_e5m2",
                                        [20] = "c10::Float8_e4m3fn",
                                        [24] = "c10::Float8_e5m2fnuz",
                                        [25] = "c10::Float8_e4m3fnuz"};
    return type < sizeof names / sizeof *names ? names[type] : NULL;
}

struct array_shape {
    const char *type; /* NULL: no array */
    int64_t dim[DIMS_MOST];
    int rank;
};

static struct array_shape array_of(struct str shape)
{
    struct array_shape a = {0};
    struct wire w = wire_of(shape);
    struct wire_field f;
    uint64_t v;
    while (wire_next(&w, &f)) {
        if (f.number == SHAPE_TYPE)
            a.type = type_name(f.value);
        while (f.number == SHAPE_DIMS && wire_next_number(&f, &v)) {
            if (a.rank == DIMS_MOST || v > INT32_MAX)
                return (struct array_shape){0};
            a.dim[a.rank++] = (int64_t)v;
        }
    }
    return a;
}

/* The arrays of a result: itself, or those of a tuple. False: something else. */
static bool put_arrays(struct out *dims, struct out *types, struct str shape, int most)
{
    struct wire w = wire_of(shape);
    struct wire_field f;
    int n = 0;
    bool tuple = wire_find(shape, SHAPE_TUPLE, &f);
    while (!tuple || wire_next(&w, &f)) {
        if (tuple && f.number != SHAPE_TUPLE)
            continue;
        struct array_shape a = array_of(tuple ? f.bytes : shape);
        if (!a.type)
            return false;
        if (n == most)
            break;
        out_c(dims, n ? ",[" : "[");
        for (int k = 0; k < a.rank; k++)
            out_printf(dims, "%s%lld", k ? "," : "", (long long)a.dim[k]);
        out_c(dims, "]");
        out_printf(types, "%s\"%s\"", n++ ? "," : "", a.type);
        if (!tuple)
            break;
    }
    return n > 0;
}

/* The rows of one module, by their numbers. */
struct module {
    struct hlo_modules *h;
    struct int_map row; /* by id of an instruction */
    struct str *shape;  /* of each */
    int32_t n;
    struct int_map body;  /* by id of a computation: what its instructions do */
    struct int_map inner; /* computations that an instruction runs as one */
    int64_t number;       /* that launches name it by */
    struct hlo_devices devices;
    struct int_map collective; /* by id of a computation: what its only one is given;
                                  SEVERAL */
};

enum { SEVERAL = -2 };

/* What a fusion's body does with what it is given. */
enum { BODY_PLAIN, BODY_PART, BODY_PRODUCT };

static bool is_part(struct str opcode)
{
    return str_among(opcode, "dynamic-slice dynamic-update-slice slice gather scatter "
                             "while conditional call custom-call sort");
}

static bool is_product(struct str opcode)
{
    return str_eq(opcode, S("dot")) || str_eq(opcode, S("convolution"));
}

/* A collective, a loop or a call runs instructions of its own; these are part of one.
 */
static bool runs_as_one(struct str opcode)
{
    return !str_among(opcode, "while conditional call async-start");
}

/* The first of a name stays. */
static void set_args(struct module *m, struct str name, struct hlo_args args)
{
    struct hlo_modules *h = m->h;
    int32_t known = h->keys.n;
    h->key.n = 0;
    out_printf(&h->key, "%lld ", (long long)m->number);
    out_str(&h->key, name);
    name_id key = pool_add(&h->keys, out_view(&h->key));
    if (key != known)
        return;
    if (key >= h->max) {
        h->max = h->max ? 2 * h->max : ROWS_FIRST;
        h->args = realloc(h->args, (size_t)h->max * sizeof *h->args);
        if (!h->args)
            arena_full();
    }
    h->args[key] = args;
}

/* Of an array: a tuple may be as large as the module, and be named as often. */
static struct str operand_shape(const struct module *m, uint64_t id)
{
    int32_t row = int_map_get(&m->row, (int64_t)id);
    struct str shape = row < 0 ? S("") : m->shape[row];
    struct wire_field f;
    return shape.n > SHAPE_BYTES_MOST || wire_find(shape, SHAPE_TUPLE, &f) ? S("")
                                                                           : shape;
}

/* A collective, or what starts one that another computation holds. Callees come first.
 */
static void add_collective(struct module *m, int64_t computation,
                           const struct instruction *i, struct str bytes)
{
    struct hlo_modules *h = m->h;
    struct wire_field f;
    int32_t text = -1;
    uint64_t first;
    if (str_eq(i->opcode, S("async-start"))) {
        text = int_map_get(&m->collective, i->called);
    } else if (hlo_is_collective(i->opcode)) {
        bool has = wire_find(bytes, OPERANDS, &f) && wire_next_number(&f, &first);
        h->rest.n = 0;
        hlo_collective_put(&h->rest, bytes, has ? operand_shape(m, first) : S(""),
                           m->devices);
        text = pool_add(h->texts, out_view(&h->rest));
        bool several = int_map_get(&m->collective, computation) != -1;
        *int_map_at(&m->collective, &h->memory, computation) = several ? SEVERAL : text;
    }
    name_id none = pool_add(h->texts, S(""));
    if (text >= 0 && i->name.n)
        set_args(m, i->name, (struct hlo_args){none, none, none, text, false});
}

static void read_computation(struct module *m, struct str computation)
{
    struct wire w = wire_of(computation);
    struct wire_field f;
    int64_t id = wire_find(computation, COMPUTATION_ID, &f) ? (int64_t)f.value : -1;
    int32_t does = BODY_PLAIN;
    struct arena *a = &m->h->memory;
    while (wire_next(&w, &f)) {
        if (f.number != COMPUTATION_INSTRUCTION || f.type != WIRE_BYTES)
            continue;
        struct instruction i = instruction_of(f.bytes);
        arena_grow(a, m->shape, m->n);
        m->shape[m->n] = i.shape;
        *int_map_at(&m->row, a, i.id) = m->n++;
        does = is_part(i.opcode) || does == BODY_PART ? BODY_PART
               : is_product(i.opcode)                 ? BODY_PRODUCT
                                                      : does;
        if (i.called >= 0 && runs_as_one(i.opcode))
            *int_map_at(&m->inner, a, i.called) = 1;
        add_collective(m, id, &i, f.bytes);
    }
    *int_map_at(&m->body, a, id) = does;
}

/* Shapes of operands; the first two are kept. False: too many, or no arrays. */
static bool put_operands(struct module *m, struct str bytes, struct array_shape two[2])
{
    struct hlo_modules *h = m->h;
    struct wire w = wire_of(bytes);
    struct wire_field f;
    uint64_t id;
    int n = 0;
    while (wire_next(&w, &f))
        while (f.number == OPERANDS && wire_next_number(&f, &id)) {
            struct str shape = operand_shape(m, id);
            if (n)
                out_lit(&h->dims, ",");
            if (n)
                out_lit(&h->types, ",");
            if (n == OPERANDS_MOST || !put_arrays(&h->dims, &h->types, shape, 1))
                return false;
            if (n < 2)
                two[n] = array_of(shape);
            n++;
        }
    return n > 0;
}

static double dim_of(const struct array_shape *s, uint64_t k)
{
    return k < (uint64_t)s->rank ? (double)s->dim[k] : 0;
}

/* "lhs_contracting_dimensions":["1"] of the text that calls of cuBLAS are set up by. */
static double summed_by_config(const struct array_shape *left, struct str config)
{
    struct str key = S("\"lhs_contracting_dimensions\":[");
    ptrdiff_t at = str_find(config, key);
    struct str rest = at < 0 ? S("") : str_skip(config, at + key.n),
               list = str_take(&rest, S("]"));
    double n = list.n ? 1 : 0;
    while (list.n) {
        struct str item = str_trim(str_take(&list, S(",")));
        int64_t k;
        if (str_starts(item, S("\"")) && item.n > 2)
            item = (struct str){item.p + 1, item.n - 2};
        n *= str_int(item, &k) && k >= 0 ? dim_of(left, (uint64_t)k) : 0;
    }
    return n;
}

/* How many products each element of the result is the sum of; 0: it is none, or this is
 * not known. */
static double summed_of(const struct instruction *i, const struct array_shape two[2])
{
    struct wire w = wire_of(i->dot);
    struct wire_field f;
    uint64_t k;
    double n = 1;
    if (str_eq(i->opcode, S("dot"))) {
        while (wire_next(&w, &f))
            while (f.number == DOT_LEFT_SUMMED && wire_next_number(&f, &k))
                n *= dim_of(&two[0], k);
        return n;
    }
    bool forward = str_eq(i->opcode, S("convolution")) ||
                   str_among(i->target, "__cudnn$convForward "
                                        "__cudnn$convBiasActivationForward");
    if (forward && i->convolution.n) {
        uint64_t out = wire_find(i->convolution, KERNEL_OUTPUT, &f) ? f.value : 0;
        for (int d = 0; d < two[1].rank; d++)
            n *= (uint64_t)d == out ? 1 : (double)two[1].dim[d];
        return n;
    }
    bool blas = str_starts(i->target, S("__cublas$"));
    return blas ? summed_by_config(&two[0], i->config) : 0;
}

/* Those that read all they are given and write their result. */
static bool has_figures(const struct module *m, const struct instruction *i)
{
    if (str_eq(i->opcode, S("fusion")))
        return int_map_get(&m->body, i->called) == BODY_PLAIN;
    return is_product(i->opcode) || i->target.n ||
           str_among(i->opcode,
                     "add subtract multiply divide maximum minimum exponential "
                     "tanh convert copy transpose reduce concatenate select");
}

static void add_args(struct module *m, const struct instruction *i, struct str bytes)
{
    struct hlo_modules *h = m->h;
    struct array_shape two[2] = {{0}, {0}};
    struct out *const parts[] = {&h->dims, &h->types, &h->rest};
    for (int k = 0; k < 3; k++)
        parts[k]->n = 0;
    out_lit(&h->dims, "[");
    out_lit(&h->types, "[");
    if (!put_operands(m, bytes, two))
        return;
    double summed = summed_of(i, two);
    if (summed <= 0 && (i->target.n || is_product(i->opcode)))
        return;
    out_lit(&h->dims, "]");
    out_lit(&h->types, "]");
    ptrdiff_t operands = h->dims.n, types = h->types.n;
    if (!put_arrays(&h->dims, &h->types, i->shape, i->target.n ? 1 : TUPLE_MOST))
        return;
    out_lit(&h->rest, "{\"Result Dims\":[");
    out_str(&h->rest, str_skip(out_view(&h->dims), operands));
    out_lit(&h->rest, "],\"Result type\":[");
    out_str(&h->rest, str_skip(out_view(&h->types), types));
    out_printf(&h->rest, "],\"summed\":%.0f}", summed);
    struct hlo_args args = {pool_add(h->texts, str_head(out_view(&h->dims), operands)),
                            pool_add(h->texts, str_head(out_view(&h->types), types)),
                            pool_add(h->texts, out_view(&h->rest)), -1,
                            i->target.n > 0};
    set_args(m, i->name, args);
}

/* Of computations that are not part of one instruction. */
static void add_computation(struct module *m, struct str computation)
{
    struct wire w = wire_of(computation);
    struct wire_field f;
    int64_t id = wire_find(computation, COMPUTATION_ID, &f) ? (int64_t)f.value : -1;
    if (int_map_get(&m->inner, id) >= 0)
        return;
    while (wire_next(&w, &f)) {
        if (f.number != COMPUTATION_INSTRUCTION || f.type != WIRE_BYTES)
            continue;
        struct instruction i = instruction_of(f.bytes);
        if (i.name.n && has_figures(m, &i))
            add_args(m, &i, f.bytes);
    }
}

void hlo_read(struct hlo_modules *h, int64_t module, struct str proto)
{
    struct wire_field whole, f;
    if (!wire_find(proto, PROTO_MODULE, &whole) || whole.type != WIRE_BYTES)
        return;
    h->memory.at = h->start;
    struct module m = {
        .h = h, .number = module, .devices = hlo_devices_of(whole.bytes)};
    m.collective = int_map_make(&h->memory, ROWS_FIRST);
    m.row = int_map_make(&h->memory, ROWS_FIRST);
    m.body = int_map_make(&h->memory, ROWS_FIRST);
    m.inner = int_map_make(&h->memory, ROWS_FIRST);
    struct wire w = wire_of(whole.bytes);
    while (wire_next(&w, &f))
        if (f.number == MODULE_COMPUTATION && f.type == WIRE_BYTES)
            read_computation(&m, f.bytes);
    w = wire_of(whole.bytes);
    while (wire_next(&w, &f))
        if (f.number == MODULE_COMPUTATION && f.type == WIRE_BYTES)
            add_computation(&m, f.bytes);
}

const struct hlo_args *hlo_args_of(struct hlo_modules *h, int64_t module,
                                   struct str operation)
{
    if (!h->keys.n)
        return NULL;
    h->key.n = 0;
    out_printf(&h->key, "%lld ", (long long)module);
    out_str(&h->key, operation);
    name_id key = pool_find(&h->keys, out_view(&h->key));
    return key < 0 ? NULL : &h->args[key];
}

void hlo_open(struct hlo_modules *h, struct name_pool *texts)
{
    *h = (struct hlo_modules){.texts = texts,
                              .memory = arena_reserve(arena_machine_bytes() / 4)};
    h->start = h->memory.at;
    pool_open(&h->keys);
    struct out *const parts[] = {&h->key, &h->dims, &h->types, &h->rest};
    for (int k = 0; k < 4; k++)
        out_memory(parts[k]);
}

void hlo_close(struct hlo_modules *h)
{
    struct out *const parts[] = {&h->key, &h->dims, &h->types, &h->rest};
    for (int k = 0; k < 4; k++)
        out_free(parts[k]);
    free(h->args);
    pool_close(&h->keys);
    h->memory.at = h->start;
    arena_release(h->start, &h->memory);
}
