#include "formats/nsys_source.h"

#include "formats/kernel_spelling.h"
#include "formats/nsys_nccl.h"
#include "formats/nvtx_name.h"

#include <math.h>
#include <string.h>

/* A number that names a process has 24 bits of thread below it, and what names the
 * machine above. */
enum { THREAD_BITS = 24, THREAD_MASK = (1 << THREAD_BITS) - 1 };

struct nsys {
    struct sqlite_texts spelt;   /* names of kernels */
    struct sqlite_texts metrics; /* names of counters, by number */
    struct nsys_nccl *nccl;
};

static int64_t process_of(int64_t global)
{
    return global >> THREAD_BITS & THREAD_MASK;
}

bool nsys_is(struct sqlite_file *file)
{
    return sqlite_has(file, "StringIds", "value") &&
           (sqlite_has(file, "CUPTI_ACTIVITY_KIND_KERNEL", "start") ||
            sqlite_has(file, "CUPTI_ACTIVITY_KIND_RUNTIME", "start") ||
            sqlite_has(file, "NVTX_EVENTS", "start") ||
            sqlite_has(file, "TARGET_INFO_SESSION_START_TIME", NULL));
}

/* "cudaLaunchKernel" of "cudaLaunchKernel_v7000"; "cuMemcpyHtoD_v2" stays. */
static struct str call_name(struct str name)
{
    ptrdiff_t at = name.n;
    while (at > 0 && name.p[at - 1] >= '0' && name.p[at - 1] <= '9')
        at--;
    bool version = name.n - at >= 4 && str_ends(str_head(name, at), S("_v"));
    return version ? str_head(name, at - 2) : name;
}

static bool runtime_row(struct sqlite_source *s, struct sqlite3_stmt *r,
                        struct event *ev)
{
    int64_t by = sqlite_int(r, 2);
    ev->name = call_name(sqlite_text_of(&s->texts, sqlite_int(r, 4)));
    bool driver = str_starts(ev->name, S("cu")) && !str_starts(ev->name, S("cuda"));
    ev->cat = driver ? CAT_DRIVER : CAT_RUNTIME;
    sqlite_span(ev, sqlite_int(r, 0), sqlite_int(r, 1));
    sqlite_lane(s, ev, process_of(by), by & THREAD_MASK);
    event_args_set(ev)->correlation = sqlite_int(r, 3);
    nsys_nccl_call(s, ((struct nsys *)s->own)->nccl, by, ev);
    return true;
}

static bool nvtx_row(struct sqlite_source *s, struct sqlite3_stmt *r, struct event *ev)
{
    enum { PAYLOAD = 6 };
    enum { PUSH_POP = 59, START_END = 60, PUSH_POP_LEGACY = 70, START_END_LEGACY = 71 };
    int64_t kind = sqlite_int(r, 3), by = sqlite_int(r, 2);
    struct str text = sqlite_text(r, 4);
    if (kind != PUSH_POP && kind != START_END && kind != PUSH_POP_LEGACY &&
        kind != START_END_LEGACY)
        return false;
    if (!text.n)
        text = sqlite_text_of(&s->texts, sqlite_int(r, 5));
    sqlite_span(ev, sqlite_int(r, 0), sqlite_int(r, 1));
    sqlite_lane(s, ev, process_of(by), by & THREAD_MASK);
    nvtx_name(ev, text);
    nsys_nccl_range(s, ((struct nsys *)s->own)->nccl, by, ev, sqlite_text(r, PAYLOAD));
    return ev->has_dur;
}

static void on_device(struct sqlite_source *s, struct sqlite3_stmt *r, struct event *ev)
{
    int64_t device = sqlite_int(r, 2), stream = sqlite_int(r, 3);
    sqlite_span(ev, sqlite_int(r, 0), sqlite_int(r, 1));
    sqlite_lane(s, ev, device, stream);
    struct event_args *a = event_args_set(ev);
    a->correlation = sqlite_int(r, 4);
    a->stream = stream;
}

/* Members as Kineto's kernels have them. */
static void add_shape(struct sqlite_source *s, struct sqlite3_stmt *r, int at)
{
    static const char *const keys[] = {"\"grid\":[", "],\"block\":["};
    for (int k = 0; k < 6; k++) {
        out_c(&s->rest, k % 3 ? "," : keys[k / 3]);
        out_printf(&s->rest, "%lld", (long long)sqlite_int(r, at + k));
    }
    out_lit(&s->rest, "]");
}

/* Each is spelt once. */
static struct str kernel_name_of_id(struct sqlite_source *s, int64_t id)
{
    struct sqlite_texts *spelt = &((struct nsys *)s->own)->spelt;
    struct str name = sqlite_text_of(spelt, id);
    if (name.n)
        return name;
    s->name.n = 0;
    kernel_spell(&s->name, sqlite_text_of(&s->texts, id));
    sqlite_text_add(s, spelt, id, out_view(&s->name));
    return sqlite_text_of(spelt, id);
}

static bool kernel_row(struct sqlite_source *s, struct sqlite3_stmt *r,
                       struct event *ev)
{
    enum { NAME = 5, GRID = 6, REGISTERS = 12, STATIC, DYNAMIC, NODE };
    on_device(s, r, ev);
    ev->cat = CAT_KERNEL;
    ev->name = kernel_name_of_id(s, sqlite_int(r, NAME));
    if (sqlite_int(r, GRID) == NO_ID)
        return true;
    out_printf(&s->rest, "{\"registers per thread\":%lld,\"shared memory\":%lld,",
               (long long)sqlite_int(r, REGISTERS),
               (long long)(sqlite_int(r, STATIC) == NO_ID ? 0 : sqlite_int(r, STATIC)) +
                   (sqlite_int(r, DYNAMIC) == NO_ID ? 0 : sqlite_int(r, DYNAMIC)));
    if (sqlite_int(r, NODE) != NO_ID)
        out_printf(&s->rest, "\"graph node id\":%lld,", (long long)sqlite_int(r, NODE));
    nsys_nccl_put(&s->rest, ((struct nsys *)s->own)->nccl, ev->args.correlation);
    add_shape(s, r, GRID);
    out_lit(&s->rest, "}");
    ev->args.rest = out_view(&s->rest);
    return true;
}

static struct str word_of(const struct str *words, int64_t n, int64_t i,
                          struct str other)
{
    return i >= 0 && i < n ? words[i] : other;
}

/* CUpti_ActivityMemcpyKind says between what, CUpti_ActivityMemoryKind of which kind
 * the memory of the host is. Those of unified memory move pages. */
static event_role copy_role(int64_t kind, int64_t from, int64_t to)
{
    enum { H = PLACE_HOST, D = PLACE_DEVICE, P = PLACE_PEER, X = PLACE_UNKNOWN };
    static const uint8_t ends[][2] = {{X, X}, {H, D}, {D, H}, {X, X}, {X, X},
                                      {X, X}, {X, X}, {X, X}, {D, D}, {H, H},
                                      {D, P}, {H, D}, {D, H}, {D, D}};
    static const uint8_t host[] = {PLACE_PAGEABLE, PLACE_PINNED};
    bool known = kind >= 0 && kind < (int64_t)(sizeof ends / sizeof *ends);
    int64_t of[2] = {from, to};
    enum memory_place place[2];
    for (int k = 0; k < 2; k++) {
        place[k] = known ? (enum memory_place)ends[kind][k] : PLACE_UNKNOWN;
        if (place[k] == PLACE_HOST && of[k] >= 0 && of[k] < 2)
            place[k] = (enum memory_place)host[of[k]];
    }
    return role_of_copy(place[0], place[1]);
}

/* As Kineto calls it: "Memcpy HtoD (Pageable -> Device)". */
static bool copy_row(struct sqlite_source *s, struct sqlite3_stmt *r, struct event *ev)
{
    enum { BYTES = 5, KIND, FROM, TO };
    static const struct str kinds[] = {
        S_INIT("Unknown"), S_INIT("HtoD"), S_INIT("DtoH"), S_INIT("HtoA"),
        S_INIT("AtoH"),    S_INIT("AtoA"), S_INIT("AtoD"), S_INIT("DtoA"),
        S_INIT("DtoD"),    S_INIT("HtoH"), S_INIT("PtoP"), S_INIT("HtoD"),
        S_INIT("DtoH"),    S_INIT("DtoD")};
    static const struct str memory[] = {
        S_INIT("Pageable"),      S_INIT("Pinned"),  S_INIT("Device"),
        S_INIT("Array"),         S_INIT("Managed"), S_INIT("Device Static"),
        S_INIT("Managed Static")};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    enum { MEMORY = sizeof memory / sizeof *memory };
    on_device(s, r, ev);
    ev->cat = CAT_MEMCPY;
    ev->args.bytes = sqlite_int(r, BYTES);
    int64_t number = sqlite_int(r, KIND);
    struct str kind = word_of(kinds, KINDS, number, kinds[0]);
    ev->role = copy_role(number, sqlite_int(r, FROM), sqlite_int(r, TO));
    struct str from = word_of(memory, MEMORY, sqlite_int(r, FROM), S("Unknown")),
               to = word_of(memory, MEMORY, sqlite_int(r, TO), S("Unknown"));
    out_printf(&s->name, "Memcpy %.*s (%.*s -> %.*s)", STRF(kind), STRF(from),
               STRF(to));
    ev->name = out_view(&s->name);
    return true;
}

static bool set_row(struct sqlite_source *s, struct sqlite3_stmt *r, struct event *ev)
{
    on_device(s, r, ev);
    ev->cat = CAT_MEMSET;
    ev->args.bytes = sqlite_int(r, 5);
    ev->name = S("Memset (Device)");
    return true;
}

/* The whole of a graph, which is all that --cuda-graph-trace=graph records. */
static bool graph_row(struct sqlite_source *s, struct sqlite3_stmt *r, struct event *ev)
{
    on_device(s, r, ev);
    ev->cat = CAT_KERNEL;
    out_printf(&s->name, "CUDA graph %lld", (long long)sqlite_int(r, 5));
    ev->name = out_view(&s->name);
    return true;
}

static bool label(struct sqlite_source *s, struct event *ev, int64_t by,
                  const char *kind, struct str text)
{
    int64_t tid = by & THREAD_MASK;
    sqlite_lane(s, ev, process_of(by), strcmp(kind, "thread_name") == 0 ? tid : 0);
    ev->ph = 'M';
    ev->name = str_of(kind);
    event_args_set(ev)->text = text;
    return text.n > 0;
}

static bool process_row(struct sqlite_source *s, struct sqlite3_stmt *r,
                        struct event *ev)
{
    return label(s, ev, sqlite_int(r, 0), "process_name", sqlite_text(r, 1));
}

static bool thread_row(struct sqlite_source *s, struct sqlite3_stmt *r,
                       struct event *ev)
{
    return label(s, ev, sqlite_int(r, 0), "thread_name",
                 sqlite_text_of(&s->texts, sqlite_int(r, 1)));
}

/* Metrics have a name for each kind of device; the kind of a row holds the device in
 * its lowest byte. */
static bool read_metrics(struct sqlite_source *s, struct err *e)
{
    struct nsys *own = s->own;
    struct sqlite3_stmt *r = sqlite_select(&s->file, "TARGET_INFO_GPU_METRICS",
                                           "metricId metricName", NULL, 0, e);
    while (sqlite_step(&s->file, r, e))
        sqlite_text_add(s, &own->metrics, sqlite_int(r, 0), sqlite_text(r, 1));
    sqlite_done(r);
    return e->kind == ERR_NONE;
}

static bool metric_row(struct sqlite_source *s, struct sqlite3_stmt *r,
                       struct event *ev)
{
    enum { TIME, TYPE, METRIC, VALUE };
    enum { DEVICE_MASK = 0xff };
    const struct nsys *own = s->own;
    struct str name = sqlite_text_of(&own->metrics, sqlite_int(r, METRIC));
    int64_t type = sqlite_int(r, TYPE);
    return name.n && type != NO_ID &&
           sqlite_counter(s, ev, sqlite_int(r, TIME), type & DEVICE_MASK, name,
                          sqlite_text(r, VALUE));
}

#define OF_PROCESS "globalPid = ?1"
#define OF_THREADS "globalTid >> 24 = ?1 >> 24"
#define ON_DEVICE  "start end deviceId streamId correlationId "
static const struct sqlite_feed feeds[] = {
    {"PROCESSES", "globalPid name", OF_PROCESS, process_row},
    {"ThreadNames", "globalTid nameId", OF_THREADS, thread_row},
    {"NVTX_EVENTS", "start end globalTid eventType text textId binaryData", OF_THREADS,
     nvtx_row},
    {"CUPTI_ACTIVITY_KIND_RUNTIME", "start end globalTid correlationId nameId",
     OF_THREADS, runtime_row},
    {"CUPTI_ACTIVITY_KIND_DRIVER", "start end globalTid correlationId nameId",
     OF_THREADS, runtime_row},
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     ON_DEVICE "demangledName|shortName gridX gridY gridZ blockX blockY blockZ "
               "registersPerThread staticSharedMemory dynamicSharedMemory graphNodeId",
     OF_PROCESS, kernel_row},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", ON_DEVICE "bytes copyKind srcKind dstKind",
     OF_PROCESS, copy_row},
    {"CUPTI_ACTIVITY_KIND_MEMSET", ON_DEVICE "bytes", OF_PROCESS, set_row},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", ON_DEVICE "graphId", OF_PROCESS, graph_row},
    {"GPU_METRICS", "timestamp typeId metricId value", NULL, metric_row},
};

/* Processes with device work, each with the first device that it uses. */
static bool find_parts_in(struct sqlite_source *s, const char *table, struct err *e)
{
    struct sqlite3_stmt *rows =
        sqlite_has(&s->file, table, "deviceId")
            ? sqlite_select(&s->file, table, "globalPid deviceId", NULL, 0, e)
            : NULL;
    while (sqlite_step(&s->file, rows, e)) {
        int64_t id = sqlite_int(rows, 0);
        if (id != NO_ID)
            sqlite_part_add(s, id, process_of(id), sqlite_int(rows, 1));
    }
    sqlite_done(rows);
    return e->kind == ERR_NONE;
}

static bool find_device(struct sqlite_source *s, struct err *e)
{
    enum { ID, NAME, MEMORY, UNITS, MAJOR, MINOR };
    int64_t wanted = s->n_parts ? s->parts[s->part].device : 0;
    struct sqlite3_stmt *r = sqlite_select(
        &s->file, "TARGET_INFO_GPU",
        "id name totalMemory smCount computeMajor computeMinor", NULL, 0, e);
    while (sqlite_step(&s->file, r, e)) {
        if (s->machine.n_devices && sqlite_int(r, ID) != wanted)
            continue;
        int64_t memory = sqlite_int(r, MEMORY), units = sqlite_int(r, UNITS),
                major = sqlite_int(r, MAJOR), minor = sqlite_int(r, MINOR);
        struct machine_device *d = arena_new(&s->perm, struct machine_device, 1);
        d->name = str_copy(&s->perm, sqlite_text(r, NAME));
        d->memory_bytes = memory > 0 && memory < (int64_t)1 << 50 ? (double)memory : 0;
        d->compute_units = units > 0 && units < 1000000 ? (int)units : 0;
        d->generation = major > 0 && major < 1000 && minor >= 0 && minor < 10
                            ? (double)(10 * major + minor)
                            : (double)NAN;
        s->machine.devices = d;
        s->machine.n_devices = 1;
    }
    sqlite_done(r);
    return e->kind == ERR_NONE;
}

static bool find_base(struct sqlite_source *s, struct err *e)
{
    struct sqlite3_stmt *r = sqlite_select(&s->file, "TARGET_INFO_SESSION_START_TIME",
                                           "utcEpochNs", NULL, 0, e);
    if (sqlite_step(&s->file, r, e) && sqlite_int(r, 0) > 0) {
        s->machine.base_exact_ns = sqlite_int(r, 0);
        s->machine.base_ns = (double)s->machine.base_exact_ns;
    }
    sqlite_done(r);
    return e->kind == ERR_NONE;
}

static bool prepare(struct sqlite_source *s, const char *part, struct err *e)
{
    s->own = arena_new(&s->perm, struct nsys, 1);
    return sqlite_texts_read(s, &s->texts, "StringIds", "id value", e) &&
           find_parts_in(s, "CUPTI_ACTIVITY_KIND_KERNEL", e) &&
           find_parts_in(s, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", e) &&
           find_parts_in(s, "CUPTI_ACTIVITY_KIND_MEMCPY", e) &&
           sqlite_part_choose(s, part, e) && find_device(s, e) && find_base(s, e) &&
           read_metrics(s, e) && nsys_nccl_open(s, &((struct nsys *)s->own)->nccl, e);
}

bool nsys_events(struct event_source *events, struct sqlite_source *s,
                 const struct source_options *o, struct err *e)
{
    if (!prepare(s, o->part, e)) {
        sqlite_source_close(s);
        return false;
    }
    *events = sqlite_source_events(s, feeds, (int)(sizeof feeds / sizeof *feeds),
                                   &nsys_abilities);
    events->collective = nsys_nccl_collective;
    return true;
}
