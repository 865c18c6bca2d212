#include "formats/rocprof_json.h"

#include "base/arena.h"
#include "base/out.h"
#include "formats/copy_name.h"
#include "formats/json_walk.h"
#include "formats/nvtx_name.h"
#include "formats/rocprof_names.h"
#include "kernels/event_role.h"
#include "trace/json_value.h"

#include <stdio.h>
#include <stdlib.h>

/* What the records of one list are. */
enum record_kind {
    RECORD_KERNEL,
    RECORD_COPY,
    RECORD_CALL,
    RECORD_MARKER,
    RECORD_COLLECTIVE,
    RECORD_KINDS
};

static const struct {
    const char *list;
    enum event_cat cat;
} records[] = {[RECORD_KERNEL] = {"kernel_dispatch", CAT_KERNEL},
               [RECORD_COPY] = {"memory_copy", CAT_MEMCPY},
               [RECORD_CALL] = {"hip_api", CAT_RUNTIME},
               [RECORD_MARKER] = {"marker_api", CAT_ANNOTATION},
               [RECORD_COLLECTIVE] = {"rccl_api", CAT_CPU_OP}};

struct rocprof_reader {
    struct json_walk walk;
    struct rocprof_names names;
    struct arena values; /* of one record */
    char *values_start;
    struct event event;
    char pid[32], tid[32];
    struct out rest;
    int64_t process; /* -1: not said yet */
    int32_t n;
};

enum { RECORDS_MOST = INT32_MAX / 2 };

/* Containers around: the document, the list of tools, a tool, its section of records, a
 * list of them. */
enum { IN_TOOL = 3, IN_SECTION = 4, IN_LIST = 5, TOOL = IN_TOOL - 1 };

/* Into lists of records, of names and of messages; metadata is read whole. */
static bool goes_into(const struct json_walk *w, bool is_list)
{
    bool of_records = json_walk_is(w, TOOL, "buffer_records") ||
                      json_walk_is(w, TOOL, "callback_records");
    bool of_strings = json_walk_is(w, TOOL, "strings");
    switch (w->depth) {
    case IN_TOOL:
        return is_list || of_records || of_strings;
    case IN_SECTION:
        return is_list &&
               (of_records || (of_strings && json_walk_is(w, TOOL + 1, "marker_api")));
    default:
        return w->depth < IN_TOOL;
    }
}

static int record_kind_of(const struct json_walk *w)
{
    int k = 0;
    if (w->depth != IN_LIST || !json_walk_is(w, TOOL, "buffer_records"))
        return RECORD_KINDS;
    while (k < RECORD_KINDS && !json_walk_is(w, TOOL + 1, records[k].list))
        k++;
    return k;
}

static void read_other(struct rocprof_reader *r, const struct value *v)
{
    const struct json_walk *w = &r->walk;
    if (w->depth == IN_SECTION && json_walk_is(w, TOOL, "kernel_symbols"))
        rocprof_add_kernel(&r->names, v);
    else if (w->depth == IN_SECTION && json_walk_is(w, TOOL, "agents"))
        rocprof_add_agent(&r->names, v);
    else if (w->depth == IN_SECTION && json_walk_is(w, TOOL, "strings") &&
             json_walk_is(w, TOOL + 1, "buffer_records"))
        rocprof_add_operations(&r->names, v);
    else if (w->depth == IN_LIST && json_walk_is(w, TOOL, "strings"))
        rocprof_add_message(&r->names, v);
    else if (w->depth == IN_TOOL && json_walk_is(w, TOOL, "metadata")) {
        rocprof_add_metadata(&r->names, v);
        r->process = rocprof_number(v, "pid");
    }
}

static struct str text_or(const struct rocprof_reader *r, name_id id, struct str other)
{
    return id < 0 ? other : pool_text(&r->names.texts, id);
}

static void put_three(struct out *o, const char *before, const int64_t *n)
{
    out_c(o, before);
    for (int k = 0; k < 3; k++) {
        if (k)
            out_char(o, ',');
        out_i64(o, n[k]);
    }
}

/* rocprofiler counts work items; a grid is in blocks everywhere else. */
static void put_sizes(struct rocprof_reader *r, const struct value *dispatch)
{
    static const char *const axes[] = {"x", "y", "z"};
    int64_t grid[3], block[3];
    for (int k = 0; k < 3; k++) {
        grid[k] = rocprof_inner(dispatch, "grid_size", axes[k]);
        block[k] = rocprof_inner(dispatch, "workgroup_size", axes[k]);
        if (grid[k] <= 0 || block[k] <= 0)
            return;
        grid[k] = blocks_of_items(grid[k], block[k]);
    }
    put_three(&r->rest, "{\"grid\":[", grid);
    put_three(&r->rest, "],\"block\":[", block);
    out_char(&r->rest, ']');
    int64_t shared = rocprof_number(dispatch, "group_segment_size");
    if (shared != NO_ID)
        out_printf(&r->rest, ",\"shared memory\":%lld", (long long)shared);
    out_char(&r->rest, '}');
}

static struct str number_text(char buf[32], int64_t v)
{
    return (struct str){buf, snprintf(buf, 32, "%lld", (long long)v)};
}

/* A stream if it is recorded, else the queue that it ran on. */
static void set_lane(struct rocprof_reader *r, struct event *ev, int64_t agent,
                     int64_t stream, int64_t queue)
{
    int gpu = rocprof_gpu(&r->names, agent);
    ev->args.stream = stream != NO_ID ? stream : queue != NO_ID ? queue : 0;
    ev->pid = number_text(r->pid, gpu < 0 ? 0 : gpu);
    ev->tid = number_text(r->tid, ev->args.stream);
}

static void read_kernel(struct rocprof_reader *r, struct event *ev,
                        const struct value *v)
{
    const struct value *d = value_get(v, "dispatch_info");
    ev->name = text_or(r, rocprof_kernel(&r->names, rocprof_number(d, "kernel_id")),
                       S("a kernel without a name"));
    set_lane(r, ev, rocprof_inner(d, "agent_id", "handle"),
             rocprof_inner(v, "stream_id", "handle"),
             rocprof_inner(d, "queue_id", "handle"));
    r->rest.n = 0;
    put_sizes(r, d);
    ev->args.rest = out_view(&r->rest);
}

static void read_copy(struct rocprof_reader *r, struct event *ev, const struct value *v)
{
    int64_t to = rocprof_inner(v, "dst_agent_id", "handle"),
            from = rocprof_inner(v, "src_agent_id", "handle");
    copy_of_type(ev, ev->name);
    ev->args.bytes = rocprof_number(v, "bytes");
    set_lane(r, ev, rocprof_gpu(&r->names, to) >= 0 ? to : from,
             rocprof_inner(v, "stream_id", "handle"), NO_ID);
}

static void read_host(struct rocprof_reader *r, struct event *ev, const struct value *v)
{
    ev->pid = number_text(r->pid, r->process < 0 ? 0 : r->process);
    ev->tid = number_text(r->tid, rocprof_number(v, "thread_id"));
    if (ev->cat != CAT_ANNOTATION)
        return;
    name_id message = int_map_get(&r->names.messages, ev->args.correlation);
    ev->args.correlation = NO_ID; /* no launch */
    nvtx_name(ev, text_or(r, message, ev->name));
}

static struct event *read_record(struct rocprof_reader *r, int kind,
                                 const struct value *v)
{
    struct event *ev = &r->event;
    int64_t start_ns = rocprof_number(v, "start_timestamp"),
            end_ns = rocprof_number(v, "end_timestamp");
    event_clear(ev);
    event_args_set(ev);
    ev->uid = r->n++;
    ev->ph = 'X';
    ev->cat = records[kind].cat;
    ev->args.correlation = rocprof_inner(v, "correlation_id", "internal");
    ev->name = text_or(r,
                       rocprof_operation(&r->names, rocprof_number(v, "kind"),
                                         rocprof_number(v, "operation")),
                       S("a call without a name"));
    ev->has_start = start_ns != NO_ID;
    ev->has_dur = ev->has_start && end_ns != NO_ID;
    ev->start_ns = start_ns;
    ev->dur_ns = ev->has_dur ? (int64_t)((uint64_t)end_ns - (uint64_t)start_ns) : 0;
    if (kind == RECORD_KERNEL)
        read_kernel(r, ev, v);
    else if (kind == RECORD_COPY)
        read_copy(r, ev, v);
    else
        read_host(r, ev, v);
    return ev;
}

static struct event *reader_next(void *state, struct err *e)
{
    struct rocprof_reader *r = state;
    struct str text;
    while (json_walk_next(&r->walk, &text, e)) {
        int kind = record_kind_of(&r->walk);
        struct arena values = r->values; /* free again with the next value */
        if (kind < RECORD_KINDS && r->n == RECORDS_MOST) {
            err_set(e, ERR_INPUT, r->walk.path, r->walk.end_offset,
                    "more than %d records, which is the limit; record a shorter trace",
                    RECORDS_MOST);
            return NULL;
        }
        const struct value *v = json_value(&values, text);
        if (kind < RECORD_KINDS)
            return read_record(r, kind, v);
        read_other(r, v);
    }
    if (e->kind == ERR_NONE && r->n == 0)
        err_set(e, ERR_INPUT, r->walk.path, 0,
                "no record of GPU work or calls in this file of rocprofv3; record with "
                "rocprofv3 --kernel-trace --memory-copy-trace --hip-trace "
                "--output-format json");
    return NULL;
}

static struct source_progress reader_progress(void *state)
{
    const struct byte_source *s = ((struct rocprof_reader *)state)->walk.source;
    int64_t size = source_file_size(s);
    double frac = size > 0 ? (double)source_file_bytes(s) / (double)size : -1.0;
    return (struct source_progress){source_bytes(s), frac};
}

static struct source_end reader_end(void *state, struct arena *perm)
{
    struct rocprof_reader *r = state;
    struct source_end end = {.machine = no_machine,
                             .n_elements = r->n,
                             .bytes = source_bytes(r->walk.source)};
    struct machine_device *devices =
        arena_new(perm, struct machine_device, r->names.n_devices);
    for (int k = 0; k < r->names.n_devices; k++) {
        devices[k] = r->names.devices[k];
        devices[k].name = str_copy(perm, devices[k].name);
    }
    end.machine.devices = devices;
    end.machine.n_devices = r->names.n_devices;
    end.machine.host = str_copy(perm, pool_text(&r->names.texts, r->names.host));
    source_digest(r->walk.source, end.sha256);
    return end;
}

static void reader_close(void *state)
{
    struct rocprof_reader *r = state;
    json_walk_close(&r->walk);
    rocprof_names_close(&r->names);
    arena_release(r->values_start, &r->values);
    out_free(&r->rest);
    free(r);
}

bool rocprof_json_open(struct event_source *events, const char *path,
                       struct source_options o, struct err *e)
{
    struct rocprof_reader *r = calloc(1, sizeof *r);
    if (!r)
        arena_full();
    r->walk.goes_into = goes_into;
    if (!json_walk_open(&r->walk, path, o, e)) {
        free(r);
        return false;
    }
    rocprof_names_open(&r->names);
    r->values = arena_reserve(arena_machine_bytes());
    r->values_start = r->values.at;
    r->process = -1;
    out_memory(&r->rest);
    *events = (struct event_source){
        r,          reader_next,  json_value,         reader_progress,
        reader_end, reader_close, &rocprof_abilities, NULL};
    return true;
}

__attribute__((hot)) bool rocprof_json_is(struct str head)
{
    head = str_trim(head);
    return str_starts(head, S("{")) &&
           str_starts(str_trim(str_skip(head, 1)), S("\"rocprofiler-sdk-tool\""));
}
