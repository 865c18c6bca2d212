#include "formats/perfetto_read.h"

#include "base/arena.h"
#include "formats/copy_name.h"
#include "formats/nvtx_name.h"
#include "formats/perfetto_counter.h"
#include "formats/perfetto_stage.h"
#include "formats/rocprof_names.h"
#include "trace/json_value.h"
#include "trace/kineto_collective.h"

#include <stdio.h>
#include <stdlib.h>

enum { PACKET_FIELD = 1, COUNTER_DESCRIPTOR = 47, ELEMENTS_MOST = INT32_MAX / 2 };

/* Interned texts: the field of InternedData, and the field of its entry that holds the
 * text. */
static const struct {
    uint32_t field, text;
    enum intern_kind kind;
} interned[] = {{1, 2, INTERN_CATEGORY},      {2, 2, INTERN_EVENT_NAME},
                {3, 2, INTERN_ARG_NAME},      {29, 2, INTERN_ARG_TEXT},
                {24, 2, INTERN_GPU_SPEC},     {1000, 3, INTERN_KERNEL},
                {1001, 2, INTERN_COMPUTE_ARG}};

static void read_interned_entry(struct perfetto_reader *r, uint32_t sequence,
                                const struct wire_field *entry)
{
    for (size_t k = 0; k < sizeof interned / sizeof *interned; k++) {
        if (interned[k].field != entry->number)
            continue;
        struct intern_key key = {0, sequence, interned[k].kind};
        struct wire w = wire_of(entry->bytes);
        struct wire_field f;
        struct str text = S("");
        bool has_text = false;
        while (wire_next(&w, &f)) {
            if (f.number == 1)
                key.iid = f.value;
            /* A kernel's name is mangled in 2, if 3 is not set. */
            else if (f.number == interned[k].text || (f.number == 2 && !has_text)) {
                text = f.bytes;
                has_text |= f.number == interned[k].text;
            }
        }
        intern_set(&r->intern, key, text);
    }
}

static void read_interned(struct perfetto_reader *r, uint32_t sequence, struct str all)
{
    struct wire w = wire_of(all);
    struct wire_field f;
    while (wire_next(&w, &f)) {
        if (f.type == WIRE_BYTES && f.number == COUNTER_DESCRIPTOR)
            perfetto_counter_describe(r, sequence, f.bytes);
        else if (f.type == WIRE_BYTES)
            read_interned_entry(r, sequence, &f);
    }
}

static void read_defaults(struct sequence *s, struct str message)
{
    struct wire_field f;
    if (wire_find(message, 58, &f))
        s->clocks.usual = (uint32_t)f.value;
    if (wire_find(message, 11, &f) && wire_find(f.bytes, 11, &f))
        s->track = f.value;
}

/* PyTorch's clock counts from 1970, and its JSON from a base near the first event; a
 * clock that counts from the start of the machine stays as it is. */
static void read_snapshot(struct perfetto_reader *r, struct sequence *s,
                          struct str message)
{
    struct clock_snapshot c = clock_snapshot_read(&s->clocks, message);
    if (r->has_base || r->has_events || !c.has_shared || !c.has_real)
        return;
    r->has_base = true;
    r->shift_ns = c.real_ns == c.shared_ns ? c.shared_ns : 0;
    r->base_ns =
        r->shift_ns ? (double)c.real_ns : (double)c.real_ns - (double)c.shared_ns;
}

/* rocprofv3's categories, and PyTorch's. */
static enum event_cat cat_of_text(struct perfetto_reader *r, struct str text)
{
    static const struct {
        struct str text;
        enum event_cat cat;
    } rocm[] = {{S_INIT("hip_api"), CAT_RUNTIME},
                {S_INIT("kernel_dispatch"), CAT_KERNEL},
                {S_INIT("memory_copy"), CAT_MEMCPY},
                {S_INIT("marker_api"), CAT_ANNOTATION},
                {S_INIT("rccl_api"), CAT_CPU_OP}};
    for (size_t k = 0; k < sizeof rocm / sizeof *rocm; k++)
        if (str_eq(text, rocm[k].text)) {
            r->is_rocm = true;
            return rocm[k].cat;
        }
    return kineto_cat(text);
}

static enum event_cat cat_of(struct perfetto_reader *r, name_id text)
{
    if (text < 0)
        return CAT_OTHER;
    if (text >= r->cats.max) {
        int32_t max = 2 * (text + 1);
        r->cats.of = realloc(r->cats.of, (size_t)max * sizeof *r->cats.of);
        if (!r->cats.of)
            arena_full();
        for (int32_t i = r->cats.max; i < max; i++)
            r->cats.of[i] = EVENT_CATS;
        r->cats.max = max;
    }
    if (r->cats.of[text] == EVENT_CATS)
        r->cats.of[text] = cat_of_text(r, pool_text(&r->texts, text));
    return r->cats.of[text];
}

/* The arguments of most events are not used, as in JSON. */
static bool uses_args(enum event_cat cat, struct str name)
{
    return cat != CAT_PYTHON && cat != CAT_OTHER && cat != CAT_OVERHEAD &&
           (cat != CAT_ANNOTATION || str_starts(name, S("nccl:")));
}

/* A launch whose annotations name no correlation names the first event that it
 * starts. */
static int64_t first_started(struct str correlation)
{
    struct wire_field f;
    uint64_t id;
    return wire_find(correlation, 1, &f) && wire_next_number(&f, &id) ? (int64_t)id
                                                                      : NO_ID;
}

static bool read_slice_args(struct perfetto_reader *r, const struct perfetto_packet *p,
                            const struct perfetto_event *v, enum event_cat cat)
{
    struct wire w = wire_of(v->annotations);
    struct wire_field f;
    struct arg_row row = no_arg_row;
    bool any = v->correlation.n > 0;
    perfetto_args_clear(&r->args);
    while (wire_next(&w, &f))
        if (f.number == PERFETTO_ANNOTATIONS) {
            perfetto_args_add(&r->args, &row, cat, p->sequence, f.bytes);
            any = true;
        }
    if (!any)
        return false;
    if (row.correlation == NO_ID && v->correlation.n)
        row.correlation = first_started(v->correlation);
    struct str rest = perfetto_args_rest(&r->args);
    if (rest.n)
        row.rest = pool_add(&r->texts, rest);
    packed_args_add(&r->slice_args, &row);
    return true;
}

static name_id text_or(struct perfetto_reader *r, const struct perfetto_packet *p,
                       enum intern_kind kind, uint64_t iid, struct str text)
{
    return text.p ? pool_add(&r->texts, text)
                  : perfetto_interned(r, p->sequence, kind, iid);
}

/* A range of rocTX, taken apart before its text is kept: as a whole each is another. */
static struct slice marker(struct perfetto_reader *r, const struct perfetto_packet *p,
                           const struct perfetto_event *v)
{
    name_id known = perfetto_interned(r, p->sequence, INTERN_EVENT_NAME, v->name_iid);
    struct event *ev = &r->event; /* lent to nobody now */
    struct arg_row row = no_arg_row;
    event_clear(ev);
    nvtx_name(ev, v->name.p ? v->name : pool_text(&r->texts, known));
    struct slice s = {pool_add(&r->texts, ev->name), (uint8_t)ev->cat, ev->has_args};
    if (s.has_args) {
        row.sequence = ev->args.sequence;
        if (ev->args.dims.n)
            row.dims = pool_add(&r->texts, ev->args.dims);
        packed_args_add(&r->slice_args, &row);
    }
    return s;
}

static void begin_slice(struct perfetto_reader *r, const struct perfetto_packet *p,
                        const struct perfetto_event *v)
{
    enum event_cat cat =
        cat_of(r, text_or(r, p, INTERN_CATEGORY, v->category_iid, v->category));
    struct slice s;
    if (cat == CAT_ANNOTATION && r->is_rocm)
        s = marker(r, p, v);
    else
        s = (struct slice){text_or(r, p, INTERN_EVENT_NAME, v->name_iid, v->name),
                           (uint8_t)cat, false};
    if (!s.has_args && uses_args(cat, pool_text(&r->texts, s.name)))
        s.has_args = read_slice_args(r, p, v, cat);
    r->n_known += cat != CAT_OTHER;
    *NEW_ROW(&r->slices, struct slice) = s;
}

static void read_event(struct perfetto_reader *r, const struct perfetto_packet *p)
{
    struct perfetto_event v;
    perfetto_event_read(&v, p->event);
    struct sequence *s = perfetto_sequence(r, p->sequence);
    int32_t track = tracks_of(&r->tracks, v.has_track ? v.track : s->track);
    struct slice_mark mark = {perfetto_time_ns(r, p), track, -1};
    if (v.type == PERFETTO_BEGIN) {
        mark.slice = r->slices.n;
        begin_slice(r, p, &v);
    } else if (v.type != PERFETTO_END) {
        r->n_void++;
        return;
    }
    marks_add(&r->marks, mark);
}

/* The event in a packet, if it is one at once. */
static struct event *read_packet(struct perfetto_reader *r,
                                 const struct perfetto_packet *p)
{
    struct sequence *s = perfetto_sequence(r, p->sequence);
    if (p->interned.n)
        read_interned(r, p->sequence, p->interned);
    if (p->defaults.n)
        read_defaults(s, p->defaults);
    if (p->snapshot.n)
        read_snapshot(r, s, p->snapshot);
    if (p->track.n)
        tracks_describe(&r->tracks, p->track);
    if (p->event.n)
        read_event(r, p);
    if (p->counters.n)
        perfetto_counter_begin(r, p);
    return p->stage.n ? perfetto_stage_event(r, p) : perfetto_counter_next(r);
}

static bool refuse(struct perfetto_reader *r, const char *what, struct err *e)
{
    r->phase = AT_END;
    return err_set(e, ERR_INPUT, r->stream.path, message_stream_offset(&r->stream),
                   "%s", what);
}

static struct event *next_in_file(struct perfetto_reader *r, struct err *e)
{
    struct wire_field f;
    struct perfetto_packet p;
    struct event *left = perfetto_counter_next(r);
    if (left)
        return left;
    while (message_stream_next(&r->stream, &f, e)) {
        if ((int64_t)r->uid + r->n_void + r->slices.n > ELEMENTS_MOST) {
            refuse(r, "more events than the limit; record a shorter trace", e);
            return NULL;
        }
        if (f.number != PACKET_FIELD)
            continue;
        if (!perfetto_packet_read(&p, f.bytes)) {
            refuse(r,
                   "not valid protobuf inside a packet; record or copy the trace "
                   "again",
                   e);
            return NULL;
        }
        if (p.is_packed) {
            refuse(r,
                   "its packets are compressed one by one; convert it first: "
                   "traceconv decompress_packets FILE",
                   e);
            return NULL;
        }
        struct event *ev = read_packet(r, &p);
        if (ev)
            return ev;
    }
    return NULL;
}

static bool all_read(struct perfetto_reader *r, struct err *e)
{
    if (e->kind != ERR_NONE)
        return false;
    if (!r->n_known)
        return refuse(
            r,
            "a Perfetto trace in which no GPU work and no calls of PyTorch or "
            "HIP are recorded; name a trace of a GPU profiler",
            e);
    r->phase = IN_SLICES;
    r->at = 0;
    r->end_ns = pages_reserve((ptrdiff_t)sizeof *r->end_ns * (r->slices.n + 1));
    marks_pair(&r->marks, r->tracks.n, r->end_ns);
    tracks_resolve(&r->tracks);
    return true;
}

/* What the slices before this one need, as the store now holds them. */
static void forget_before(struct perfetto_reader *r)
{
    enum { SLICES = 1 << 16 }; /* giving pages back takes long */
    if (r->at % SLICES || !r->at)
        return;
    pages_forget(r->end_ns, r->at * (ptrdiff_t)sizeof *r->end_ns);
    marks_forget(&r->marks, r->at_mark);
    perfetto_forget_rows(&r->slices, sizeof(struct slice), r->at);
    packed_args_forget(&r->slice_args);
}

static struct event *next_slice(struct perfetto_reader *r)
{
    if (r->at == r->slices.n)
        return NULL;
    const struct slice *s = ROW(r->slices, struct slice, r->at);
    forget_before(r);
    while (r->marks.marks[r->at_mark].slice < 0)
        r->at_mark++;
    const struct slice_mark *mark = &r->marks.marks[r->at_mark++];
    const struct perfetto_track *t = &r->tracks.all[mark->track];
    struct event *ev = perfetto_new_event(r, 'X', (enum event_cat)s->cat);
    int64_t end_ns = r->end_ns[r->at++];
    if (ev->cat == CAT_OTHER &&
        str_eq(pool_text(&r->texts, t->process_name), S("Overhead")))
        ev->cat = CAT_OVERHEAD;
    if (s->has_args) {
        struct arg_row row = packed_args_next(&r->slice_args);
        if (t->stream != NO_ID)
            row.stream = t->stream;
        perfetto_set_args(r, ev, &row);
    }
    ev->name = pool_text(&r->texts, s->name);
    if (ev->cat == CAT_MEMCPY)
        copy_of_type(ev, ev->name);
    ev->pid = pool_text(&r->texts, t->pid_text);
    ev->tid = pool_text(&r->texts, t->tid_text);
    ev->start_ns = mark->at_ns;
    ev->has_start = true;
    ev->has_dur = end_ns != SLICE_OPEN;
    ev->dur_ns = ev->has_dur ? (int64_t)((uint64_t)end_ns - (uint64_t)mark->at_ns) : 0;
    return ev;
}

static struct event *label(struct perfetto_reader *r, const char *kind, name_id pid,
                           name_id tid, name_id text)
{
    struct event *ev = perfetto_new_event(r, 'M', CAT_OTHER);
    ev->name = str_of(kind);
    ev->pid = pool_text(&r->texts, pid);
    ev->tid = tid < 0 ? S("0") : pool_text(&r->texts, tid);
    if (text >= 0)
        event_args_set(ev)->text = pool_text(&r->texts, text);
    return ev;
}

static struct event *queue_label(struct perfetto_reader *r, const struct queue *q,
                                 int32_t which)
{
    char text[32];
    struct str pid = pool_text(&r->texts, q->pid_text);
    if (which)
        return label(r, "thread_name", q->pid_text, q->tid_text, q->label);
    int n = snprintf(text, sizeof text, "GPU %.*s", STRF(pid));
    name_id gpu = pool_add(&r->texts, (struct str){text, n});
    return label(r, "process_labels", q->pid_text, -1, gpu);
}

static struct event *track_label(struct perfetto_reader *r,
                                 const struct perfetto_track *t, int32_t which)
{
    bool host =
        t->has_process && !str_starts(pool_text(&r->texts, t->process_name), S("GPU "));
    switch (which) {
    case 0:
        return label(r, "process_name", t->pid_text, -1, t->process_name);
    case 1:
        return label(r, "process_labels", t->pid_text, -1,
                     host ? pool_add(&r->texts, S("CPU")) : -1);
    default:
        return label(r, "thread_name", t->pid_text, t->tid_text, t->name);
    }
}

/* Three labels for each track, then two for each queue: a device may have the number of
 * a process. */
static struct event *next_label(struct perfetto_reader *r)
{
    enum { OF_TRACK = 3, OF_QUEUE = 2 };
    int32_t i = r->at++, of_tracks = OF_TRACK * r->tracks.n;
    if (i < of_tracks)
        return track_label(r, &r->tracks.all[i / OF_TRACK], i % OF_TRACK);
    i -= of_tracks;
    return i < OF_QUEUE * r->queues.n
               ? queue_label(r, ROW(r->queues, struct queue, i / OF_QUEUE),
                             i % OF_QUEUE)
               : NULL;
}

static struct event *reader_next(void *state, struct err *e)
{
    struct perfetto_reader *r = state;
    struct event *ev = NULL;
    if (r->phase == IN_FILE && !(ev = next_in_file(r, e)) && !all_read(r, e))
        return NULL;
    if (!ev && r->phase == IN_SLICES && !(ev = next_slice(r))) {
        r->phase = IN_EDGES;
        perfetto_index_nodes(r);
    }
    if (!ev && r->phase == IN_EDGES && !(ev = perfetto_edge_event(r))) {
        r->phase = IN_LABELS;
        r->at = 0;
    }
    if (!ev && r->phase == IN_LABELS && !(ev = next_label(r)))
        r->phase = AT_END;
    return ev;
}

static struct source_progress reader_progress(void *state)
{
    const struct byte_source *s = ((struct perfetto_reader *)state)->stream.source;
    int64_t size = source_file_size(s);
    double frac = size > 0 ? (double)source_file_bytes(s) / (double)size : -1.0;
    return (struct source_progress){source_bytes(s), frac};
}

static void reader_close(void *state)
{
    struct perfetto_reader *r = state;
    pages_release(r->end_ns, (ptrdiff_t)sizeof *r->end_ns * (r->slices.n + 1));
    perfetto_free_rows(&r->sequences, sizeof(struct sequence));
    perfetto_free_rows(&r->slices, sizeof(struct slice));
    packed_args_close(&r->slice_args);
    perfetto_free_rows(&r->queues, sizeof(struct queue));
    perfetto_free_rows(&r->nodes, sizeof(struct graph_node));
    perfetto_free_rows(&r->waits, sizeof(struct graph_wait));
    if (r->memory_start)
        arena_release(r->memory_start, &r->memory);
    marks_close(&r->marks);
    tracks_close(&r->tracks);
    perfetto_args_close(&r->args);
    intern_close(&r->intern);
    pool_close(&r->sequence_keys);
    pool_close(&r->queue_keys);
    pool_close(&r->texts);
    free(r->cats.of);
    message_stream_close(&r->stream);
    free(r);
}

static struct source_end reader_end(void *state, struct arena *perm)
{
    struct perfetto_reader *r = state;
    struct source_end end = {.machine = no_machine,
                             .n_elements = r->uid + r->n_void,
                             .n_void = r->n_void,
                             .bytes = source_bytes(r->stream.source)};
    (void)perm;
    end.abilities = r->is_rocm ? &rocprof_abilities : NULL;
    end.machine.base_ns = r->base_ns;
    end.machine.base_exact_ns = r->shift_ns;
    source_digest(r->stream.source, end.sha256);
    return end;
}

bool perfetto_events_open(struct event_source *events, const char *path,
                          struct source_options o, struct err *e)
{
    struct perfetto_reader *r = calloc(1, sizeof *r);
    if (!r)
        arena_full();
    if (!message_stream_open(&r->stream, path, o, e)) {
        free(r);
        return false;
    }
    pool_open_large(&r->texts);
    intern_open(&r->intern, &r->texts);
    perfetto_args_open(&r->args, &r->texts, &r->intern);
    tracks_open(&r->tracks, &r->texts);
    pool_open(&r->queue_keys);
    pool_open(&r->sequence_keys);
    r->last_queue = r->last_sequence = -1;
    *events = (struct event_source){
        r,          reader_next,  json_value,       reader_progress,
        reader_end, reader_close, &torch_abilities, kineto_collective};
    return true;
}

/* The first packet holds none of what a message of another format begins with: numbers
 * and names are in its fields 1 to 5. */
bool perfetto_events_is(struct str head)
{
    const unsigned char *at = (const void *)head.p, *end = at + head.n;
    uint64_t key, n, inner;
    if (!(at = wire_varint(at, end, &key)) || key != (PACKET_FIELD << 3 | WIRE_BYTES) ||
        !(at = wire_varint(at, end, &n)) || n == 0 || !wire_varint(at, end, &inner))
        return false;
    enum { FIRST_OWN = 6, LAST = 2000 };
    uint64_t type = inner & 7;
    return inner >> 3 >= FIRST_OWN && inner >> 3 <= LAST &&
           (type == WIRE_VARINT || type == WIRE_BYTES);
}
