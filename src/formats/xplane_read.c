#include "formats/xplane_read.h"

#include "base/arena.h"
#include "base/out.h"
#include "formats/copy_name.h"
#include "formats/hlo_module.h"
#include "formats/message_stream.h"
#include "formats/xplane_meta.h"
#include "kernels/kernel_name.h"
#include "trace/json_value.h"
#include "trace/kineto_collective.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PATH_LEVELS = 8,
    PLANE = 1,
    EVENTS_MOST = INT32_MAX / 2,
    PS_PER_NS = 1000,
    LAUNCHES_MOST = 16
};

/* Fields of XPlane, XLine and XEvent. */
enum { PLANE_NAME = 2, PLANE_LINE = 3, PLANE_STAT = 6 };
enum { LINE_ID = 1, LINE_NAME = 2, LINE_START = 3, LINE_EVENT = 4, LINE_SHOWN = 11 };
enum { EVENT_NAME = 1, EVENT_OFFSET = 2, EVENT_LENGTH = 3, EVENT_STAT = 4 };

/* A stream of a device, or a thread of the host. */
struct lane {
    name_id pid, tid, name;
    int64_t stream; /* NO_ID: a thread */
};

struct xplane_reader {
    struct message_stream stream;
    struct xplane_meta meta;
    struct wire plane, line;
    bool in_plane, in_line, is_gpu;
    bool saw_tpu;
    int64_t gpu;
    int64_t line_start_ns;
    struct lane lane, *lanes;
    int32_t n_lanes, at_label;

    /* Of the event that is read: operators around it come before it. */
    struct event event, behind;
    struct str path[PATH_LEVELS];
    int n_path, at_path;
    int64_t path_dur_ns; /* of these: of all the launches that they are around */
    int joined;          /* launches to come that they are around, too */
    struct hlo_modules hlo;
    const struct hlo_args *hlo_args; /* of the last; NULL: nothing is known */
    struct out rest;
    char name[256]; /* of a frame */

    struct machine_device *devices;
    int n_devices;
    struct arena memory; /* lanes and devices */
    char *memory_start;
    double base_ns;
    int32_t n;
    int64_t n_device;
    bool ended;
};

static name_id digits(struct xplane_reader *r, int64_t v)
{
    char buf[32];
    int n = snprintf(buf, sizeof buf, "%lld", (long long)v);
    return pool_add(&r->meta.texts, (struct str){buf, n});
}

/* The number that a text ends with or that follows `mark` in it; `none` without. */
static int64_t number_behind(struct str text, struct str mark, int64_t none)
{
    ptrdiff_t at = str_find(text, mark), n = 0;
    if (at < 0)
        return none;
    text = str_skip(text, at + mark.n);
    while (n < text.n && text.p[n] >= '0' && text.p[n] <= '9')
        n++;
    int64_t v;
    return str_int(str_head(text, n), &v) ? v : none;
}

/* What the plane of a GPU says of it. */
static void read_device(struct xplane_reader *r, struct str plane)
{
    struct machine_device d = {.generation = (double)NAN};
    struct wire w = wire_of(plane);
    struct wire_field f;
    double major = 0, minor = 0;
    bool nvidia = false;
    while (wire_next(&w, &f)) {
        if (f.number != PLANE_STAT)
            continue;
        struct xplane_value v = xplane_value_of(&r->meta, f.bytes);
        double number = (double)v.number;
        nvidia |= v.kind == XSTAT_VENDOR && str_has_nocase(v.text, S("nvidia"));
        d.compute_units =
            v.kind == XSTAT_CORES && number < INT32_MAX ? (int)number : d.compute_units;
        d.memory_bytes =
            v.kind == XSTAT_MEMORY && number < 1e18 ? number : d.memory_bytes;
        major = v.kind == XSTAT_MAJOR ? number : major;
        minor = v.kind == XSTAT_MINOR ? number : minor;
    }
    if (nvidia && major > 0 && major < 1000)
        d.generation = 10 * major + minor;
    arena_grow(&r->memory, r->devices, r->n_devices);
    r->devices[r->n_devices++] = d;
}

static void read_start(struct xplane_reader *r, struct str plane)
{
    struct wire w = wire_of(plane);
    struct wire_field f;
    while (wire_next(&w, &f)) {
        if (f.number != PLANE_STAT)
            continue;
        struct xplane_value v = xplane_value_of(&r->meta, f.bytes);
        if (v.kind == XSTAT_START)
            r->base_ns = (double)v.number;
    }
}

/* The programs of XLA, each the metadata of an event that never occurs. */
static void read_programs(struct xplane_reader *r, struct str plane)
{
    enum { METADATA = 4, VALUE = 2, ID = 1, STAT = 5 };
    struct wire w = wire_of(plane);
    struct wire_field entry, value, f;
    xplane_meta_read(&r->meta, plane);
    while (wire_next(&w, &entry)) {
        if (entry.number != METADATA || !wire_find(entry.bytes, VALUE, &value))
            continue;
        int64_t id = wire_find(value.bytes, ID, &f) ? (int64_t)f.value : 0;
        struct wire stats = wire_of(value.bytes);
        while (wire_next(&stats, &f)) {
            if (f.number != STAT)
                continue;
            struct xplane_value v = xplane_value_of(&r->meta, f.bytes);
            if (v.kind == XSTAT_HLO)
                hlo_read(&r->hlo, id, v.text);
        }
    }
}

/* GPUs and the host; others, such as "/host:metadata", hold no events of a run. */
static void begin_plane(struct xplane_reader *r, struct str plane)
{
    struct wire_field f;
    struct str name = wire_find(plane, PLANE_NAME, &f) ? f.bytes : S("");
    r->gpu = number_behind(name, S("/device:GPU:"), -1);
    r->is_gpu = r->gpu >= 0;
    bool is_task = str_eq(name, S("Task Environment"));
    r->saw_tpu |= str_starts(name, S("/device:TPU:"));
    r->in_plane = r->is_gpu || str_eq(name, S("/host:CPU"));
    r->in_line = false;
    if (str_eq(name, S("/host:metadata")))
        read_programs(r, plane);
    if (!r->in_plane && !is_task)
        return;
    xplane_meta_read(&r->meta, plane);
    if (r->is_gpu)
        read_device(r, plane);
    if (is_task)
        read_start(r, plane);
    r->plane = wire_of(plane);
}

/* Streams hold what ran; other lines of a GPU are drawn from these by viewers. */
static bool begin_line(struct xplane_reader *r, struct str line)
{
    struct wire_field f;
    struct str name = wire_find(line, LINE_NAME, &f) ? f.bytes : S("");
    int64_t id = wire_find(line, LINE_ID, &f) ? (int64_t)f.value : 0;
    r->line_start_ns = wire_find(line, LINE_START, &f) ? (int64_t)f.value : 0;
    if (wire_find(line, LINE_SHOWN, &f) && f.bytes.n && !name.n)
        name = f.bytes;
    int64_t stream = r->is_gpu ? number_behind(name, S("Stream #"), -1) : 0;
    if (stream < 0)
        return false;
    struct name_pool *texts = &r->meta.texts;
    r->lane = (struct lane){r->is_gpu ? digits(r, r->gpu) : pool_add(texts, S("host")),
                            digits(r, r->is_gpu ? stream : id), pool_add(texts, name),
                            r->is_gpu ? stream : NO_ID};
    arena_grow(&r->memory, r->lanes, r->n_lanes);
    r->lanes[r->n_lanes++] = r->lane;
    r->line = wire_of(line);
    r->joined = 0;
    return true;
}

/* "$train.py:12 step", a frame of Python's own tracer, as PyTorch writes it:
 * "train.py(12): step". */
static struct str frame_name(struct xplane_reader *r, struct str name)
{
    struct str rest = str_skip(name, 1), file = str_take(&rest, S(" "));
    ptrdiff_t colon = str_find(file, S(":"));
    if (colon < 0 || !rest.n)
        return str_skip(name, 1);
    struct str line = str_skip(file, colon + 1);
    int n = snprintf(r->name, sizeof r->name, "%.*s(%.*s): %.*s",
                     STRF(str_head(file, colon)), STRF(line), STRF(rest));
    return (struct str){r->name, n < (int)sizeof r->name ? n : (int)sizeof r->name - 1};
}

/* The three numbers behind a mark, "grid:219,40,1 ". */
static bool sizes_behind(struct str details, struct str mark, int64_t size[3])
{
    ptrdiff_t at = str_find(details, mark);
    struct str rest = at < 0 ? S("") : str_skip(details, at + mark.n),
               list = str_take(&rest, S(" "));
    for (int k = 0; k < 3; k++)
        if (!str_int(str_take(&list, S(",")), &size[k]) || size[k] <= 0)
            return false;
    return !list.n;
}

/* " grid:219,40,1 block:256,1,1 ...", and what a collective is given. */
static void put_rest(struct xplane_reader *r, struct str details, struct str collective)
{
    static const struct str marks[] = {S_INIT("grid:"), S_INIT("block:")};
    static const char *const keys[] = {"grid", "block"};
    int64_t size[3];
    r->rest.n = 0;
    for (int k = 0; k < 2; k++)
        if (sizes_behind(details, marks[k], size))
            out_printf(&r->rest, "%s\"%s\":[%lld,%lld,%lld]", r->rest.n ? "," : "{",
                       keys[k], (long long)size[0], (long long)size[1],
                       (long long)size[2]);
    if (collective.n) {
        out_char(&r->rest, r->rest.n ? ',' : '{');
        out_str(&r->rest, collective);
    }
    if (r->rest.n)
        out_char(&r->rest, '}');
}

/* "MemcpyH2D", as PyTorch calls it. */
static void name_copy(struct event *ev)
{
    static const struct {
        struct str mark, type;
    } ways[] = {{S_INIT("H2D"), S_INIT("CopyHostToDevice")},
                {S_INIT("D2H"), S_INIT("CopyDeviceToHost")},
                {S_INIT("D2D"), S_INIT("CopyDeviceToDevice")},
                {S_INIT("P2P"), S_INIT("CopyDeviceToDevice")}};
    struct str type = S("Copy");
    for (size_t k = sizeof ways / sizeof *ways; k-- > 0;)
        if (str_has(ev->name, ways[k].mark))
            type = ways[k].type;
    copy_of_type(ev, type);
}

struct stats {
    int64_t correlation, program;
    int64_t step; /* of StepTraceAnnotation; NO_ID: no step */
    struct str kernel, copy, fill, tf_op, hlo_op;
    bool is_launch; /* of the host */
};

static struct stats stats_of(const struct xplane_reader *r, struct str event)
{
    struct stats s = {.correlation = NO_ID, .step = NO_ID};
    struct wire w = wire_of(event);
    struct wire_field f;
    while (wire_next(&w, &f)) {
        if (f.number != EVENT_STAT)
            continue;
        struct xplane_value v = xplane_value_of(&r->meta, f.bytes);
        if (v.kind == XSTAT_CORRELATION)
            s.correlation = (int64_t)v.number;
        else if (v.kind == XSTAT_KERNEL)
            s.kernel = v.text;
        else if (v.kind == XSTAT_COPY)
            s.copy = v.text;
        else if (v.kind == XSTAT_FILL)
            s.fill = v.text;
        else if (v.kind == XSTAT_TF_OP)
            s.tf_op = v.text;
        else if (v.kind == XSTAT_PROGRAM)
            s.program = (int64_t)v.number;
        else if (v.kind == XSTAT_HLO_OP)
            s.hlo_op = v.text;
        else if (v.kind == XSTAT_STEP)
            s.step = (int64_t)v.number;
    }
    return s;
}

/* What the program says of the collective that a kernel is of; empty: nothing. */
static struct str collective_of(struct xplane_reader *r, const struct event *ev,
                                const struct stats *s)
{
    if (!s->hlo_op.n || !kernel_has(ev->name, MARK_COMMUNICATES))
        return S("");
    const struct hlo_args *h = hlo_args_of(&r->hlo, s->program, s->hlo_op);
    return h && h->collective >= 0 ? pool_text(&r->meta.texts, h->collective) : S("");
}

static void describe_device(struct xplane_reader *r, struct event *ev,
                            const struct stats *s)
{
    bool copies = s->copy.p || str_starts(ev->name, S("Memcpy"));
    bool fills = s->fill.p || str_starts(ev->name, S("Memset"));
    ev->cat = copies ? CAT_MEMCPY : fills ? CAT_MEMSET : CAT_KERNEL;
    ev->args.stream = r->lane.stream;
    if (str_ends(ev->name, S(".kd")))
        ev->name.n -= 3;
    if (copies) {
        name_copy(ev);
        ev->args.bytes = number_behind(s->copy, S("size:"), NO_ID);
    } else if (fills) {
        ev->args.bytes = number_behind(s->fill, S("size:"), NO_ID);
    } else {
        put_rest(r, s->kernel, collective_of(r, ev, s));
        ev->args.rest = out_view(&r->rest);
    }
    r->n_device++;
}

/* Operators around a launch: the path of the framework's operation, then XLA's own. */
static void set_path(struct xplane_reader *r, const struct stats *s)
{
    struct str rest = s->tf_op;
    if (str_ends(rest, S(":")))
        rest.n--;
    while (rest.n && r->n_path < PATH_LEVELS - 1) {
        struct str part = r->n_path == PATH_LEVELS - 2 ? rest : str_take(&rest, S("/"));
        if (r->n_path == PATH_LEVELS - 2)
            rest = S("");
        if (part.n)
            r->path[r->n_path++] = part;
    }
    r->hlo_args = NULL;
    if (!s->hlo_op.n)
        return;
    r->path[r->n_path++] = s->hlo_op;
    r->hlo_args = hlo_args_of(&r->hlo, s->program, s->hlo_op);
}

/* When an event is, in ns from the start of its line. The end is rounded as the begin
 * is, so that what nests still does. */
struct span {
    uint64_t name, from_ns, to_ns;
};

static struct span span_of(struct str event)
{
    struct wire w = wire_of(event);
    struct wire_field f;
    uint64_t offset_ps = 0, length_ps = 0;
    struct span s = {0};
    while (wire_next(&w, &f)) {
        if (f.number == EVENT_NAME)
            s.name = f.value;
        else if (f.number == EVENT_OFFSET)
            offset_ps = f.value;
        else if (f.number == EVENT_LENGTH)
            length_ps = f.value;
    }
    s.from_ns = offset_ps / PS_PER_NS;
    s.to_ns = (offset_ps + length_ps) / PS_PER_NS;
    return s;
}

/* A library may launch several kernels for one operation, one right after the other:
 * its operators are around all of them. Of very many nobody knows whether they are of
 * one. */
static void join_launches(struct xplane_reader *r, const struct stats *s,
                          uint64_t to_ns)
{
    struct wire rest = r->line;
    struct wire_field f;
    uint64_t end_ns = to_ns;
    int n = 0;
    while (n < LAUNCHES_MOST && wire_next(&rest, &f)) {
        struct stats next = {.correlation = NO_ID};
        if (f.number == LINE_EVENT)
            next = stats_of(r, f.bytes);
        if (next.correlation == NO_ID || !next.hlo_op.n)
            continue;
        struct span at = span_of(f.bytes);
        if (at.from_ns < end_ns || next.program != s->program ||
            !str_eq(next.hlo_op, s->hlo_op))
            break;
        end_ns = at.to_ns;
        n++;
    }
    if (n == LAUNCHES_MOST) {
        r->hlo_args = NULL;
        return;
    }
    r->joined = n;
    r->path_dur_ns += (int64_t)(end_ns - to_ns);
}

static void describe_host(struct xplane_reader *r, struct event *ev,
                          const struct stats *s, uint64_t to_ns)
{
    if (s->correlation != NO_ID) {
        ev->cat = CAT_RUNTIME;
        if (s->hlo_op.n && r->joined > 0) {
            r->joined--;
            return;
        }
        set_path(r, s);
        if (r->hlo_args && r->hlo_args->is_call)
            join_launches(r, s, to_ns);
    } else if (str_starts(ev->name, S("$"))) {
        ev->cat = CAT_PYTHON;
        ev->name = frame_name(r, ev->name);
    } else if (s->step != NO_ID) {
        int n =
            snprintf(r->name, sizeof r->name, "ProfilerStep#%lld", (long long)s->step);
        ev->cat = CAT_ANNOTATION; /* as PyTorch calls it */
        ev->name = (struct str){r->name, n};
    } else if (ev->dur_ns > 0) {
        ev->cat = CAT_CPU_OP;
    }
}

static void read_event(struct xplane_reader *r, struct str event)
{
    struct event *ev = &r->behind;
    struct span at = span_of(event);
    struct stats s = stats_of(r, event);
    event_clear(ev);
    event_args_set(ev)->correlation = s.correlation;
    ev->ph = 'X';
    ev->name = xplane_event_name(&r->meta, at.name);
    ev->pid = pool_text(&r->meta.texts, r->lane.pid);
    ev->tid = pool_text(&r->meta.texts, r->lane.tid);
    ev->start_ns = (int64_t)((uint64_t)r->line_start_ns + at.from_ns);
    ev->dur_ns = (int64_t)(at.to_ns - at.from_ns);
    ev->has_start = ev->has_dur = true;
    r->path_dur_ns = ev->dur_ns;
    r->n_path = r->at_path = 0;
    if (r->is_gpu)
        describe_device(r, ev, &s);
    else
        describe_host(r, ev, &s, at.to_ns);
}

/* What the operation of XLA itself, the last of the path, is given. */
static void set_hlo_args(struct xplane_reader *r)
{
    const struct hlo_args *h = r->hlo_args;
    if (!h)
        return;
    r->event.args.dims = pool_text(&r->meta.texts, h->dims);
    r->event.args.types = pool_text(&r->meta.texts, h->types);
    r->event.args.rest = pool_text(&r->meta.texts, h->rest);
}

static struct event *next_of_path(struct xplane_reader *r)
{
    if (r->at_path > r->n_path)
        return NULL;
    r->event = r->behind;
    r->event.uid = r->n++;
    if (r->at_path < r->n_path) {
        r->event.cat = CAT_CPU_OP;
        r->event.name = r->path[r->at_path];
        r->event.args = no_args;
        r->event.dur_ns = r->path_dur_ns;
        if (r->at_path == r->n_path - 1)
            set_hlo_args(r);
    }
    r->at_path++;
    return &r->event;
}

static bool refuse(struct xplane_reader *r, const char *what, struct err *e)
{
    r->ended = true;
    return err_set(e, ERR_INPUT, r->stream.path, message_stream_offset(&r->stream),
                   "%s", what);
}

/* Goes on to the next event; false at the end of the planes. */
static bool next_event(struct xplane_reader *r, struct err *e)
{
    struct wire_field f;
    while (!r->ended) {
        if (r->in_line && wire_next(&r->line, &f)) {
            if (f.number == LINE_EVENT) {
                read_event(r, f.bytes);
                return true;
            }
        } else if (r->in_plane && wire_next(&r->plane, &f)) {
            if (f.number == PLANE_LINE)
                r->in_line = begin_line(r, f.bytes);
        } else if (r->line.broken || r->plane.broken) {
            return refuse(r,
                          "not valid protobuf inside a plane; record or copy the "
                          "profile again",
                          e);
        } else if (!message_stream_next(&r->stream, &f, e)) {
            r->ended = true;
        } else if (f.number == PLANE) {
            begin_plane(r, f.bytes);
        }
    }
    return false;
}

static struct event *next_label(struct xplane_reader *r)
{
    enum { KINDS = 2 };
    static const char *const kinds[KINDS] = {"process_labels", "thread_name"};
    int32_t i = r->at_label / KINDS, which = r->at_label % KINDS;
    if (i >= r->n_lanes)
        return NULL;
    const struct lane *l = &r->lanes[i];
    struct name_pool *texts = &r->meta.texts;
    struct event *ev = &r->event;
    r->at_label++;
    event_clear(ev);
    ev->uid = r->n++;
    ev->ph = 'M';
    ev->name = str_of(kinds[which]);
    ev->pid = pool_text(texts, l->pid);
    ev->tid = which ? pool_text(texts, l->tid) : S("0");
    struct str text = pool_text(texts, l->name);
    if (!which) {
        int n = snprintf(r->name, sizeof r->name, "GPU %.*s", STRF(ev->pid));
        text = l->stream == NO_ID ? S("CPU") : (struct str){r->name, n};
    }
    event_args_set(ev)->text = text;
    return ev;
}

static struct event *reader_next(void *state, struct err *e)
{
    struct xplane_reader *r = state;
    struct event *ev;
    if ((ev = next_of_path(r)))
        return ev;
    if (r->n > EVENTS_MOST) {
        refuse(r, "more events than the limit; record a shorter profile", e);
        return NULL;
    }
    if (next_event(r, e))
        return next_of_path(r);
    if (e->kind != ERR_NONE)
        return NULL;
    if (!r->n_device) {
        refuse(r,
               r->saw_tpu
                   ? "a profile of XLA on a TPU, of which nothing is read: only GPUs "
                     "are"
                   : "a profile of XLA without work of a GPU; record on a machine "
                     "with one",
               e);
        return NULL;
    }
    return next_label(r);
}

static struct source_progress reader_progress(void *state)
{
    const struct byte_source *s = ((struct xplane_reader *)state)->stream.source;
    int64_t size = source_file_size(s);
    double frac = size > 0 ? (double)source_file_bytes(s) / (double)size : -1.0;
    return (struct source_progress){source_bytes(s), frac};
}

static struct source_end reader_end(void *state, struct arena *perm)
{
    struct xplane_reader *r = state;
    struct source_end end = {.machine = no_machine,
                             .n_elements = r->n,
                             .bytes = source_bytes(r->stream.source)};
    struct machine_device *devices =
        arena_new(perm, struct machine_device, r->n_devices);
    for (int k = 0; k < r->n_devices; k++)
        devices[k] = r->devices[k];
    end.machine.devices = devices;
    end.machine.n_devices = r->n_devices;
    end.machine.base_ns = r->base_ns;
    source_digest(r->stream.source, end.sha256);
    return end;
}

static void reader_close(void *state)
{
    struct xplane_reader *r = state;
    message_stream_close(&r->stream);
    hlo_close(&r->hlo);
    xplane_meta_close(&r->meta);
    arena_release(r->memory_start, &r->memory);
    out_free(&r->rest);
    free(r);
}

bool xplane_events_open(struct event_source *events, const char *path,
                        struct source_options o, struct err *e)
{
    struct xplane_reader *r = calloc(1, sizeof *r);
    if (!r)
        arena_full();
    if (!message_stream_open(&r->stream, path, o, e)) {
        free(r);
        return false;
    }
    r->stream.bytes_most = INT32_MAX; /* no message of protobuf is longer */
    xplane_meta_open(&r->meta);
    hlo_open(&r->hlo, &r->meta.texts);
    r->memory = arena_reserve(arena_machine_bytes() / 4);
    r->memory_start = r->memory.at;
    r->at_path = 1; /* behind an event that is none */
    out_memory(&r->rest);
    *events = (struct event_source){
        r,          reader_next,  json_value,     reader_progress,
        reader_end, reader_close, &jax_abilities, kineto_collective};
    return true;
}

/* The first plane has a number, a name like "/host:CPU", or both. */
bool xplane_events_is(struct str head)
{
    const unsigned char *at = (const void *)head.p, *end = at + head.n;
    uint64_t key, n;
    if (!(at = wire_varint(at, end, &key)) || key != (PLANE << 3 | WIRE_BYTES) ||
        !(at = wire_varint(at, end, &n)) || !(at = wire_varint(at, end, &key)))
        return false;
    if (key == 1 << 3 &&
        (!(at = wire_varint(at, end, &n)) || !(at = wire_varint(at, end, &key))))
        return false;
    return key == (PLANE_NAME << 3 | WIRE_BYTES) && (at = wire_varint(at, end, &n)) &&
           at < end && (*at == '/' || *at == '#' || (*at >= 'A' && *at <= 'Z'));
}
