#include "formats/hlo_collective.h"

#include "formats/wire.h"
#include "trace/event.h"

/* Fields of HloInstructionProto, and of HloModuleProto's DeviceAssignmentProto. */
enum {
    OPCODE = 2,
    SHAPE = 3,
    CHANNEL = 26,
    GROUPS = 49,
    GLOBAL = 71,
    DEVICE_LIST = 87
};
enum { ASSIGNMENT = 15, REPLICAS = 1, PARTITIONS = 2 };

/* Fields of ReplicaGroup, CollectiveDeviceListProto and IotaReplicaGroupListProto. */
enum { GROUP_IDS = 1, LIST_GROUPS = 1, LIST_IOTA = 2, IOTA_GROUPS = 1, IOTA_SIZE = 2 };

/* Fields of ShapeProto. */
enum { SHAPE_TYPE = 2, SHAPE_DIMS = 3, SHAPE_TUPLE = 4 };

enum { DEPTH_MOST = 3, DEVICES_MOST = 1 << 16, LISTED_MOST = 1024 };
#define ELEMENTS_MOST ((int64_t)1 << 48)

/* Of the arrays of a shape; elements -1: one of them has none. */
struct size {
    int64_t elements, bytes;
    uint64_t type; /* 0: none yet */
    bool is_mixed;
};

static const struct {
    const char *name;
    int bytes;
} types[] = {[1] = {"Bool", 1},
             [2] = {"Char", 1},
             [3] = {"Short", 2},
             [4] = {"Int", 4},
             [5] = {"Long", 8},
             [6] = {"Byte", 1},
             [7] = {"UInt16", 2},
             [8] = {"UInt32", 4},
             [9] = {"UInt64", 8},
             [10] = {"Half", 2},
             [11] = {"Float", 4},
             [12] = {"Double", 8},
             [15] = {"ComplexFloat", 8},
             [16] = {"BFloat16", 2},
             [18] = {"ComplexDouble", 16},
             [19] = {"Float8_e5m2", 1},
             [20] = {"Float8_e4m3fn", 1},
             [24] = {"Float8_e5m2fnuz", 1},
             [25] = {"Float8_e4m3fnuz", 1}};

static void add_array(struct size *s, struct str shape)
{
    struct wire w = wire_of(shape);
    struct wire_field f;
    uint64_t v, type = 0;
    int64_t n = 1;
    while (wire_next(&w, &f)) {
        if (f.number == SHAPE_TYPE)
            type = f.value;
        while (f.number == SHAPE_DIMS && wire_next_number(&f, &v))
            n = n < 0 || v > INT32_MAX || (v && n > ELEMENTS_MOST / (int64_t)v)
                    ? -1
                    : n * (int64_t)v;
    }
    bool known = type < sizeof types / sizeof *types && types[type].name;
    if (!known || n < 0 || s->elements < 0 || s->elements > ELEMENTS_MOST) {
        s->elements = -1;
        return;
    }
    s->is_mixed |= s->type && s->type != type;
    s->type = type;
    s->elements += n;
    s->bytes += n * types[type].bytes;
}

static void add_shape(struct size *s, struct str shape, int depth)
{
    struct wire w = wire_of(shape);
    struct wire_field f;
    bool is_tuple = false;
    while (wire_next(&w, &f)) {
        if (f.number != SHAPE_TUPLE || f.type != WIRE_BYTES)
            continue;
        is_tuple = true;
        if (depth < DEPTH_MOST)
            add_shape(s, f.bytes, depth + 1);
        else
            s->elements = -1;
    }
    if (!is_tuple)
        add_array(s, shape);
}

/* What starts to gather or to permute gives its operands too, before its results. */
static struct str result_of(struct str opcode, struct str shape)
{
    struct wire w = wire_of(shape);
    struct wire_field f;
    int n = 0;
    if (!str_among(opcode, "all-gather-start collective-permute-start"))
        return shape;
    while (wire_next(&w, &f))
        if (f.number == SHAPE_TUPLE && f.type == WIRE_BYTES && n++ == 1)
            return f.bytes;
    return S("");
}

/* Who takes part. */
struct members {
    int64_t size;    /* of each group; 0: not known, or not the same */
    struct str only; /* ReplicaGroup of the only one */
    int groups;
};

static void add_groups(struct members *m, struct str list, uint32_t field)
{
    struct wire w = wire_of(list);
    struct wire_field f;
    uint64_t id;
    while (wire_next(&w, &f)) {
        if (f.number != field || f.type != WIRE_BYTES)
            continue;
        struct wire ids = wire_of(f.bytes);
        struct wire_field g;
        int64_t n = 0;
        while (wire_next(&ids, &g))
            while (g.number == GROUP_IDS && wire_next_number(&g, &id))
                n++;
        m->size = m->groups == 0 || m->size == n ? n : 0;
        m->only = m->groups++ == 0 ? f.bytes : S("");
    }
}

static struct members members_of(struct str instruction, struct hlo_devices devices)
{
    struct members m = {.only = S("")};
    struct wire_field list, iota, f;
    bool has_list = wire_find(instruction, DEVICE_LIST, &list);
    add_groups(&m, instruction, GROUPS);
    if (has_list && !m.groups)
        add_groups(&m, list.bytes, LIST_GROUPS);
    if (has_list && !m.groups && wire_find(list.bytes, LIST_IOTA, &iota)) {
        m.groups = wire_find(iota.bytes, IOTA_GROUPS, &f) && f.value == 1 ? 1 : 2;
        m.size = wire_find(iota.bytes, IOTA_SIZE, &f) && f.value < DEVICES_MOST
                     ? (int64_t)f.value
                     : 0;
    }
    /* Without groups all take part. Those of replicas alone are joined over all
     * partitions if they share a channel. */
    bool one = devices.replicas == 1 || devices.partitions == 1;
    bool channel = wire_find(instruction, CHANNEL, &f) && (int64_t)f.value > 0;
    bool global = wire_find(instruction, GLOBAL, &f) && f.value;
    if (!m.groups) {
        m.groups = 1;
        m.size = one ? devices.replicas * devices.partitions : 0;
    } else if (channel && !global && devices.partitions != 1 &&
               wire_find(instruction, OPCODE, &f) &&
               !str_starts(f.bytes, S("all-to-all"))) {
        m.size = 0;
    }
    return m;
}

/* The ranks of the only group. */
static void put_ranks(struct out *o, const struct members *m)
{
    struct wire w = wire_of(m->only);
    struct wire_field f;
    uint64_t id;
    int n = 0;
    if (m->groups != 1 || m->size < 1 || m->size > LISTED_MOST)
        return;
    out_printf(o,
               ",\"Process Group Name\":\"all %lld devices\",\"Process Group "
               "Ranks\":\"[",
               (long long)m->size);
    while (wire_next(&w, &f))
        while (f.number == GROUP_IDS && wire_next_number(&f, &id))
            out_printf(o, "%s%llu", n++ ? ", " : "", (unsigned long long)id);
    for (; n < m->size; n++) /* as many from 0 where none is listed */
        out_printf(o, "%s%d", n ? ", " : "", n);
    out_lit(o, "]\"");
}

enum way { SAME, GATHERS, SCATTERS };

/* How many inputs one output is made of, or outputs one input: of one array each. */
static int64_t members_by_shapes(enum way way, const struct size *result,
                                 struct str operand)
{
    struct size in = {0};
    add_shape(&in, operand, 0);
    int64_t large = way == GATHERS ? result->elements : in.elements,
            small = way == GATHERS ? in.elements : result->elements;
    return small > 0 && large % small == 0 && large / small < DEVICES_MOST
               ? large / small
               : 0;
}

static void put_sizes(struct out *o, enum way way, const struct size *result,
                      int64_t members)
{
    if (result->elements < 0 || !result->type)
        return;
    int64_t out = result->is_mixed ? result->bytes : result->elements, in = out;
    if (way != SAME && members < 1)
        in = -1;
    else if (way == GATHERS)
        in = out / members;
    else if (way == SCATTERS)
        in = out * members;
    if (in >= 0)
        out_printf(o, ",\"In msg nelems\":%lld", (long long)in);
    out_printf(o, ",\"Out msg nelems\":%lld,\"dtype\":\"%s\"", (long long)out,
               result->is_mixed ? "bytes" : types[result->type].name);
}

bool hlo_is_collective(struct str opcode)
{
    return str_among(opcode,
                     "all-reduce all-reduce-start all-gather all-gather-start "
                     "reduce-scatter all-to-all ragged-all-to-all collective-permute "
                     "collective-permute-start collective-broadcast");
}

void hlo_collective_put(struct out *o, struct str instruction, struct str operand,
                        struct hlo_devices devices)
{
    struct wire_field f;
    struct str opcode = wire_find(instruction, OPCODE, &f) ? f.bytes : S("");
    struct str shape = wire_find(instruction, SHAPE, &f) ? f.bytes : S(""),
               result = result_of(opcode, shape);
    struct str name = str_ends(opcode, S("-start"))
                          ? str_head(opcode, opcode.n - S("-start").n)
                          : opcode;
    enum way way = str_eq(name, S("all-gather"))       ? GATHERS
                   : str_eq(name, S("reduce-scatter")) ? SCATTERS
                                                       : SAME;
    struct size size = {0};
    struct members m = {.only = S("")};
    add_shape(&size, result, 0);
    if (!str_eq(name, S("collective-permute")))
        m = members_of(instruction, devices);
    if (!m.size && way != SAME && !wire_find(result, SHAPE_TUPLE, &f))
        m = (struct members){members_by_shapes(way, &size, operand), S(""), 0};
    out_printf(o, "\"Collective name\":\"%.*s\"", STRF(name));
    put_sizes(o, way, &size, m.size);
    if (m.size)
        out_printf(o, ",\"Group size\":%lld", (long long)m.size);
    put_ranks(o, &m);
    out_lit(o, ",\"In split size\":\"[]\",\"Out split size\":\"[]\"");
}

struct hlo_devices hlo_devices_of(struct str module)
{
    struct wire_field assignment, f;
    struct hlo_devices d = {0, 0};
    if (!wire_find(module, ASSIGNMENT, &assignment))
        return d;
    if (wire_find(assignment.bytes, REPLICAS, &f) && f.value < DEVICES_MOST)
        d.replicas = (int64_t)f.value;
    if (wire_find(assignment.bytes, PARTITIONS, &f) && f.value < DEVICES_MOST)
        d.partitions = (int64_t)f.value;
    return d;
}
