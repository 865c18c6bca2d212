#include "formats/nsys_nccl.h"

#include "kernels/event_role.h"

#include <stdlib.h>
#include <string.h>

/* Calls of a group that are added up; a larger group has no size. */
enum { GROUP_MOST = 4096, SCHEMAS_MOST = 1024, HEADER_BYTES = 32 };
#define BYTES_MOST ((int64_t)1 << 50)

enum field { COMMUNICATOR, BYTES, RANKS, ROOT, PEER, FIELDS };

struct place { /* of a member of a payload; width 0: it has none */
    int at, width;
};

struct schema {
    int64_t domain, id;
    struct place fields[FIELDS];
};

enum kind { OTHER, GROUP_START, GROUP_END, SEND, RECV, COLLECTIVE };

struct range {
    int64_t thread, start_ns, end_ns;
    int64_t fields[FIELDS]; /* NO_ID: not recorded */
    int64_t launched_ns;    /* when its last launch ended */
    int32_t launches;
    enum kind kind;
    const char *name; /* of a collective, as PyTorch calls it */
};

struct nsys_nccl {
    struct schema schemas[SCHEMAS_MOST];
    struct range *ranges;
    struct sqlite_rows kernels; /* by correlation: the range that launched them */
    struct sqlite_rows ranks;   /* by communicator: how many it has */
    int32_t n_schemas, n;
    bool sorted;
};

/* Bytes of the numbers that nvToolsExtPayload.h lists; 0: any other type. */
static int width_of(int64_t type)
{
    static const char widths[] = {
        [5] = 4,  [6] = 4,  [7] = 8,  [8] = 8,  [9] = 8, [10] = 8,
        [15] = 4, [16] = 4, [17] = 8, [18] = 8, [22] = 8};
    return type >= 0 && type < (int64_t)sizeof widths ? widths[type] : 0;
}

static struct schema *schema_of(struct nsys_nccl *n, int64_t domain, int64_t id)
{
    for (int32_t k = 0; k < n->n_schemas; k++)
        if (n->schemas[k].id == id && n->schemas[k].domain == domain)
            return &n->schemas[k];
    return NULL;
}

static enum field field_of(struct str name)
{
    static const struct str names[FIELDS] = {[COMMUNICATOR] =
                                                 S_INIT("NCCL communicator ID"),
                                             [BYTES] = S_INIT("Message size [bytes]"),
                                             [RANKS] = S_INIT("No. of ranks"),
                                             [ROOT] = S_INIT("Root"),
                                             [PEER] = S_INIT("Peer rank")};
    int k = 0;
    while (k < FIELDS && !str_eq(names[k], name))
        k++;
    return (enum field)k;
}

bool nsys_nccl_open(struct sqlite_source *s, struct nsys_nccl **out, struct err *e)
{
    enum { DOMAIN, SCHEMA, TYPE, NAME, OFFSET, INDEX, OFFSET_MOST = 1 << 16 };
    *out = NULL;
    struct sqlite3_stmt *r =
        sqlite_has(&s->file, "NVTX_PAYLOAD_SCHEMA_ENTRIES", "schemaId")
            ? sqlite_select(&s->file, "NVTX_PAYLOAD_SCHEMA_ENTRIES",
                            "domainId schemaId type name offset idx", NULL, 0, e)
            : NULL;
    struct nsys_nccl *n = r ? arena_new(&s->perm, struct nsys_nccl, 1) : NULL;
    while (sqlite_step(&s->file, r, e)) {
        int64_t domain = sqlite_int(r, DOMAIN), id = sqlite_int(r, SCHEMA),
                at = sqlite_int(r, OFFSET);
        enum field f = field_of(sqlite_text(r, NAME));
        struct schema *to = schema_of(n, domain, id);
        if (f == FIELDS || (!to && n->n_schemas == SCHEMAS_MOST))
            continue;
        if (!to) {
            to = &n->schemas[n->n_schemas++];
            *to = (struct schema){.domain = domain, .id = id};
        }
        at = at == NO_ID && sqlite_int(r, INDEX) == 0 ? 0 : at; /* the first has none */
        if (at >= 0 && at < OFFSET_MOST)
            to->fields[f] = (struct place){(int)at, width_of(sqlite_int(r, TYPE))};
    }
    sqlite_done(r);
    *out = n && n->n_schemas ? n : NULL;
    return e->kind == ERR_NONE;
}

/* A number of the machine that recorded, the lowest byte first. */
static int64_t number_at(struct str bytes, int64_t at, int width)
{
    uint64_t v = 0;
    if (width == 0 || at > bytes.n - width)
        return NO_ID;
    for (int k = width; k-- > 0;)
        v = v << 8 | (unsigned char)bytes.p[at + k];
    return width == 4 ? (int64_t)(int32_t)v : (int64_t)v;
}

static void read_payload(struct nsys_nccl *n, struct range *r, struct str payload)
{
    for (int f = 0; f < FIELDS; f++)
        r->fields[f] = NO_ID;
    if (payload.n < HEADER_BYTES)
        return;
    const struct schema *s =
        schema_of(n, number_at(payload, 0, 8), number_at(payload, 8, 8));
    int64_t size = number_at(payload, 16, 8), from = number_at(payload, 24, 8);
    if (!s || from < HEADER_BYTES || from > payload.n || size < 0 ||
        size > payload.n - from)
        return;
    struct str body = {payload.p + from, (ptrdiff_t)size};
    for (int f = 0; f < FIELDS; f++)
        r->fields[f] = number_at(body, s->fields[f].at, s->fields[f].width);
}

/* The function of NCCL that has opened a range. */
static enum kind kind_of(struct str name, const char **word)
{
    static const struct {
        struct str name;
        enum kind kind;
        const char *word;
    } calls[] = {{S_INIT("ncclGroupStart"), GROUP_START, NULL},
                 {S_INIT("ncclGroupEnd"), GROUP_END, NULL},
                 {S_INIT("ncclSend"), SEND, "send"},
                 {S_INIT("ncclRecv"), RECV, "recv"},
                 {S_INIT("ncclAllReduce"), COLLECTIVE, "allreduce"},
                 {S_INIT("ncclAllGather"), COLLECTIVE, "allgather"},
                 {S_INIT("ncclReduceScatter"), COLLECTIVE, "reduce_scatter"},
                 {S_INIT("ncclBroadcast"), COLLECTIVE, "broadcast"},
                 {S_INIT("ncclReduce"), COLLECTIVE, "reduce"},
                 {S_INIT("ncclAlltoAll"), COLLECTIVE, "all_to_all"},
                 {S_INIT("ncclGather"), COLLECTIVE, "gather"},
                 {S_INIT("ncclScatter"), COLLECTIVE, "scatter"}};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
        if (str_eq(calls[k].name, name)) {
            *word = calls[k].word;
            return calls[k].kind;
        }
    *word = NULL;
    return OTHER;
}

void nsys_nccl_range(struct sqlite_source *s, struct nsys_nccl *n, int64_t thread,
                     const struct event *ev, struct str payload)
{
    if (!n || !str_starts(ev->name, S("nccl")) || ev->dur_ns < 0 ||
        n->n == INT32_MAX / 2)
        return;
    struct range r = {.thread = thread, .start_ns = ev->start_ns};
    r.end_ns = r.start_ns + ev->dur_ns;
    r.kind = kind_of(ev->name, &r.name);
    r.launched_ns = INT64_MIN;
    read_payload(n, &r, payload);
    if (r.fields[RANKS] > 0 && r.fields[COMMUNICATOR] != NO_ID &&
        sqlite_row_at(&n->ranks, r.fields[COMMUNICATOR]) < 0) {
        n->ranks.width = 1;
        *sqlite_row_add(s, &n->ranks, r.fields[COMMUNICATOR]) = r.fields[RANKS];
    }
    if (r.kind == OTHER)
        return;
    arena_grow(&s->perm, n->ranges, n->n);
    n->ranges[n->n++] = r;
}

static int by_thread_and_start(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns); /* outer ones first */
}

/* The range of a thread that began last before a time; -1. */
static int32_t range_at(const struct nsys_nccl *n, int64_t thread, int64_t at_ns)
{
    int32_t low = 0, high = n->n;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        const struct range *r = &n->ranges[mid];
        if (r->thread < thread || (r->thread == thread && r->start_ns <= at_ns))
            low = mid + 1;
        else
            high = mid;
    }
    return low && n->ranges[low - 1].thread == thread ? low - 1 : -1;
}

void nsys_nccl_call(struct sqlite_source *s, struct nsys_nccl *n, int64_t thread,
                    const struct event *ev)
{
    int64_t id = event_args(ev)->correlation;
    if (!n || !n->n || id == NO_ID || !ev->has_dur || ev->dur_ns < 0)
        return;
    if (!n->sorted)
        qsort(n->ranges, (size_t)n->n, sizeof *n->ranges, by_thread_and_start);
    n->sorted = true;
    int32_t at = range_at(n, thread, ev->start_ns);
    struct range *r = at < 0 ? NULL : &n->ranges[at];
    if (!r || r->kind == GROUP_START || ev->start_ns >= r->end_ns ||
        !(role_of_name(ev->name) & ROLE_LAUNCHES_KERNEL))
        return;
    r->launches +=
        ev->start_ns >= r->launched_ns; /* or the driver's, in the runtime's */
    int64_t end_ns = ev->start_ns + ev->dur_ns;
    r->launched_ns = end_ns > r->launched_ns ? end_ns : r->launched_ns;
    n->kernels.width = 1;
    if (sqlite_row_at(&n->kernels, id) < 0)
        *sqlite_row_add(s, &n->kernels, id) = at;
}

struct message { /* of one kernel: bytes; -1: not recorded */
    int64_t in, out, communicator, root, peer;
    const char *name;
};

static bool is_size(int64_t bytes)
{
    return bytes >= 0 && bytes < BYTES_MOST;
}

/* What all calls of a group move together, if they are sends and receives of one
 * communicator. False: nothing that can be said. */
static bool sum_group(const struct nsys_nccl *n, int32_t end, struct message *m)
{
    int depth = 0, seen = 0;
    for (int32_t k = end - 1; k >= 0 && n->ranges[k].thread == n->ranges[end].thread;
         k--) {
        const struct range *r = &n->ranges[k];
        if (++seen > GROUP_MOST)
            return false;
        if (r->kind == GROUP_END)
            depth++;
        else if (r->kind == GROUP_START && depth-- == 0)
            return m->in >= 0 || m->out >= 0;
        if (r->kind == GROUP_END || r->kind == GROUP_START)
            continue;
        int64_t *to = r->kind == SEND ? &m->in : r->kind == RECV ? &m->out : NULL;
        bool same =
            m->communicator == NO_ID || m->communicator == r->fields[COMMUNICATOR];
        if (!to || !same || !is_size(r->fields[BYTES]) || !is_size(*to + 1))
            return false;
        *to = (*to < 0 ? 0 : *to) + r->fields[BYTES];
        m->communicator = r->fields[COMMUNICATOR];
    }
    return false;
}

/* NCCL gives the smaller of both sides: an all-gather's input, a reduce-scatter's
 * output. */
static bool message_of(const struct nsys_nccl *n, int32_t at, struct message *m)
{
    const struct range *r = &n->ranges[at];
    *m = (struct message){-1, -1, NO_ID, r->fields[ROOT], r->fields[PEER], r->name};
    if (r->kind == GROUP_END)
        return sum_group(n, at, m);
    m->communicator = r->fields[COMMUNICATOR];
    if (is_size(r->fields[BYTES])) {
        int64_t ranks = sqlite_value_of(&n->ranks, m->communicator);
        int64_t all =
            ranks > 0 && ranks < 1 << 20 && r->fields[BYTES] < BYTES_MOST / ranks
                ? ranks * r->fields[BYTES]
                : -1;
        bool scatters = strcmp(r->name, "reduce_scatter") == 0,
             gathers = strcmp(r->name, "allgather") == 0;
        m->in = r->kind == RECV ? -1 : scatters ? all : r->fields[BYTES];
        m->out = r->kind == SEND ? -1 : gathers ? all : r->fields[BYTES];
    }
    return true;
}

/* Of the list "nccl" of a kernel; the first is what PyTorch calls the collective. */
enum item {
    ITEM_NAME,
    ITEM_IN,
    ITEM_OUT,
    ITEM_COMMUNICATOR,
    ITEM_RANKS,
    ITEM_ROOT,
    ITEM_SOURCE,
    ITEM_TARGET
};

static void put_number(struct out *o, bool is_known, int64_t v)
{
    if (is_known)
        out_printf(o, ",%lld", (long long)v);
    else
        out_lit(o, ",null");
}

void nsys_nccl_put(struct out *o, struct nsys_nccl *n, int64_t correlation)
{
    int64_t at = n && n->n ? sqlite_value_of(&n->kernels, correlation) : NO_ID;
    struct message m;
    if (at == NO_ID || n->ranges[at].launches != 1 || !message_of(n, (int32_t)at, &m))
        return;
    bool sends = n->ranges[at].kind == SEND;
    int64_t ranks = sqlite_value_of(&n->ranks, m.communicator);
    out_printf(o, "\"nccl\":[\"%s\"", m.name ? m.name : "");
    put_number(o, m.in >= 0, m.in);
    put_number(o, m.out >= 0, m.out);
    put_number(o, m.communicator != NO_ID, m.communicator);
    put_number(o, ranks >= 0, ranks);
    put_number(o, m.root >= 0, m.root);
    put_number(o, !sends && m.peer >= 0, m.peer);
    put_number(o, sends && m.peer >= 0, m.peer);
    out_lit(o, "],");
}

/* All digits of it: communicators are addresses. */
static int64_t number_of(const struct value *list, enum item i)
{
    const struct value *v = value_at(list, (int)i);
    int64_t n;
    return value_is(v, VALUE_NUMBER) && str_int((struct str){v->text, v->n}, &n)
               ? n
               : NO_ID;
}

void nsys_nccl_collective(struct arena *perm, const struct value *rest,
                          struct collective *c)
{
    const struct value *list = value_get(rest, "nccl");
    struct str name = value_text(value_at(list, ITEM_NAME));
    int64_t group = number_of(list, ITEM_COMMUNICATOR);
    c->kind = collective_kind_of(name);
    if (name.n)
        c->name = name;
    c->in_elements = number_of(list, ITEM_IN);
    c->out_elements = number_of(list, ITEM_OUT);
    if (c->in_elements >= 0 || c->out_elements >= 0)
        c->dtype = S("bytes");
    if (group != NO_ID)
        c->group_name = str_printf(perm, "0x%016llx", (unsigned long long)group);
    c->group_size = number_of(list, ITEM_RANKS);
    c->root = number_of(list, ITEM_ROOT);
    c->source = number_of(list, ITEM_SOURCE);
    c->target = number_of(list, ITEM_TARGET);
}
