#include "trace/rocpd_source.h"

#include "trace/copy_name.h"
#include "trace/json_value.h"
#include "trace/nvtx_name.h"

#include <math.h>

struct rocpd {
    struct sqlite_rows times;  /* where they have a table of their own */
    struct sqlite_rows tracks; /* the same: process, thread, agent, queue, stream */
    struct sqlite_rows events; /* category, stack id */
    struct sqlite_rows agents; /* number among its kind */
    struct sqlite_texts kinds; /* of agents: "CPU", "GPU" */
    struct sqlite_texts kernels, categories, messages;
};

bool rocpd_is(struct sqlite_file *file)
{
    struct arena a = arena_reserve(1 << 16);
    char *start = a.at;
    const char *dispatches = sqlite_table(file, &a, "rocpd_kernel_dispatch"),
               *regions = sqlite_table(file, &a, "rocpd_region");
    bool is = (dispatches && sqlite_has(file, dispatches, "kernel_id")) ||
              (regions && sqlite_has(file, regions, "name_id"));
    arena_release(start, &a);
    return is;
}

/* Columns that all three tables have, in either version. */
#define WHEN                                                                           \
    "id start end start_id end_id track_id pid tid agent_id queue_id stream_id "       \
    "event_id "
enum {
    AT_ID,
    AT_START,
    AT_END,
    AT_START_ID,
    AT_END_ID,
    AT_TRACK,
    AT_PID,
    AT_TID,
    AT_AGENT,
    AT_QUEUE,
    AT_STREAM,
    AT_EVENT,
    AT_OWN
};

struct place {
    int64_t start_ns, end_ns, pid, tid, agent, queue, stream, stack, category, event;
};

static int64_t or_else(int64_t a, int64_t b)
{
    return a != NO_ID ? a : b;
}

static struct place place_of(const struct rocpd *own, struct sqlite3_stmt *r)
{
    static const int64_t none[SQLITE_VALUES] = {NO_ID, NO_ID, NO_ID,
                                                NO_ID, NO_ID, NO_ID};
    const int64_t *t = sqlite_row_of(&own->tracks, sqlite_int(r, AT_TRACK)),
                  *ev = sqlite_row_of(&own->events, sqlite_int(r, AT_EVENT));
    t = t ? t : none;
    ev = ev ? ev : none;
    return (struct place){
        .start_ns = or_else(sqlite_int(r, AT_START),
                            sqlite_value_of(&own->times, sqlite_int(r, AT_START_ID))),
        .end_ns = or_else(sqlite_int(r, AT_END),
                          sqlite_value_of(&own->times, sqlite_int(r, AT_END_ID))),
        .pid = or_else(sqlite_int(r, AT_PID), t[0]),
        .tid = or_else(sqlite_int(r, AT_TID), t[1]),
        .agent = or_else(sqlite_int(r, AT_AGENT), t[2]),
        .queue = or_else(sqlite_int(r, AT_QUEUE), t[3]),
        .stream = or_else(sqlite_int(r, AT_STREAM), t[4]),
        .category = ev[0],
        .stack = ev[1] > 0 ? ev[1] : NO_ID, /* 0: none */
        .event = sqlite_int(r, AT_EVENT)};
}

static struct str category_of(const struct sqlite_source *s, const struct place *p)
{
    const struct rocpd *own = s->own;
    struct str named = sqlite_text_of(&own->categories, p->category);
    return named.n ? named : sqlite_text_of(&s->texts, p->category);
}

/* {"message":"..."} of a marker, else the name of the call that made it. */
static struct str marker_text(struct sqlite_source *s, const struct place *p,
                              struct str name)
{
    const struct rocpd *own = s->own;
    struct str text = sqlite_text_of(&own->messages, p->event);
    return text.n ? text : name;
}

static bool region_row(struct sqlite_source *s, struct sqlite3_stmt *r,
                       struct event *ev)
{
    struct place p = place_of(s->own, r);
    struct str name = sqlite_text_of(&s->texts, sqlite_int(r, AT_OWN)),
               category = category_of(s, &p);
    if (s->n_parts > 1 && p.pid != s->parts[s->part].id)
        return false;
    sqlite_span(ev, p.start_ns, p.end_ns);
    sqlite_lane(s, ev, p.pid, p.tid);
    ev->name = name;
    ev->cat = CAT_ANNOTATION;
    if (str_has_nocase(category, S("marker"))) {
        nvtx_name(ev, marker_text(s, &p, name));
    } else if (str_starts(name, S("hip")) || str_has_nocase(category, S("hip"))) {
        ev->cat = CAT_RUNTIME;
    } else if (str_starts(name, S("hsa_")) || str_has_nocase(category, S("hsa"))) {
        ev->cat = CAT_DRIVER;
    }
    if (ev->cat == CAT_RUNTIME || ev->cat == CAT_DRIVER)
        event_args_set(ev)->correlation = p.stack;
    return true;
}

static void on_device(struct sqlite_source *s, struct event *ev, const struct place *p,
                      int64_t agent)
{
    const struct rocpd *own = s->own;
    int64_t stream = or_else(p->stream, p->queue);
    sqlite_span(ev, p->start_ns, p->end_ns);
    sqlite_lane(s, ev, or_else(sqlite_value_of(&own->agents, agent), 0),
                or_else(stream, 0));
    event_args_set(ev)->correlation = p->stack;
    ev->args.stream = stream;
}

static bool kernel_row(struct sqlite_source *s, struct sqlite3_stmt *r,
                       struct event *ev)
{
    enum { KERNEL = AT_OWN, GRID, BLOCK = GRID + 3 };
    const struct rocpd *own = s->own;
    struct place p = place_of(own, r);
    int64_t grid[6];
    if (!sqlite_is_of_part(s, p.pid, NO_ID))
        return false;
    on_device(s, ev, &p, p.agent);
    ev->cat = CAT_KERNEL;
    ev->name = sqlite_text_of(&own->kernels, sqlite_int(r, KERNEL));
    for (int i = 0; i < 3; i++) { /* the grid is recorded in work items */
        grid[3 + i] = sqlite_int(r, BLOCK + i);
        if (grid[3 + i] <= 0)
            return true;
        grid[i] = sqlite_int(r, GRID + i) / grid[3 + i];
    }
    sqlite_put_grid(s, ev, grid);
    return true;
}

static bool copy_row(struct sqlite_source *s, struct sqlite3_stmt *r, struct event *ev)
{
    enum { NAME = AT_OWN, TO, FROM, BYTES };
    const struct rocpd *own = s->own;
    struct place p = place_of(own, r);
    int64_t to = sqlite_int(r, TO), from = sqlite_int(r, FROM);
    bool to_gpu = str_eq(sqlite_text_of(&own->kinds, to), S("GPU"));
    if (!sqlite_is_of_part(s, p.pid, NO_ID))
        return false;
    on_device(s, ev, &p, to_gpu ? to : from);
    ev->cat = CAT_MEMCPY;
    ev->args.bytes = sqlite_int(r, BYTES);
    if (!copy_of_type(&ev->name, sqlite_text_of(&s->texts, sqlite_int(r, NAME))))
        ev->name = copy_unknown;
    return true;
}

static const struct sqlite_feed feeds[] = {
    {"rocpd_region", WHEN "name_id", NULL, region_row},
    {"rocpd_kernel_dispatch",
     WHEN "kernel_id grid_size_x grid_size_y grid_size_z workgroup_size_x "
          "workgroup_size_y workgroup_size_z",
     NULL, kernel_row},
    {"rocpd_memory_copy", WHEN "name_id dst_agent_id src_agent_id size", NULL,
     copy_row},
};

static bool find_parts(struct sqlite_source *s, struct err *e)
{
    const struct rocpd *own = s->own;
    struct sqlite3_stmt *r = sqlite_rows_of(s, "rocpd_kernel_dispatch", WHEN, e);
    while (sqlite_step(&s->file, r, e)) {
        struct place p = place_of(own, r);
        if (p.pid != NO_ID)
            sqlite_part_add(s, p.pid, p.pid,
                            or_else(sqlite_value_of(&own->agents, p.agent), 0));
    }
    sqlite_done(r);
    return e->kind == ERR_NONE;
}

/* Texts of markers, which are in the events that their regions are of. */
static bool read_messages(struct sqlite_source *s, struct err *e)
{
    struct rocpd *own = s->own;
    struct sqlite3_stmt *r =
        sqlite_rows_of(s, "rocpd_event", "id category_id extdata", e);
    struct place p = {.category = NO_ID};
    bool is_marker = false; /* of this category; most rows have that of the last */
    while (sqlite_step(&s->file, r, e)) {
        int64_t category = sqlite_int(r, 1);
        if (category != p.category) {
            p.category = category;
            is_marker = str_has_nocase(category_of(s, &p), S("marker"));
        }
        if (!is_marker)
            continue;
        struct arena scratch = s->perm; /* the text is copied over its tree */
        const struct value *tree = json_value(&scratch, sqlite_text(r, 2));
        struct str text = value_text(value_get(tree, "message"));
        out_str(&s->name, text);
        sqlite_text_add(s, &own->messages, sqlite_int(r, 0), out_view(&s->name));
        s->name.n = 0;
    }
    sqlite_done(r);
    return e->kind == ERR_NONE;
}

/* The first GPU, which is what all devices of a node are. */
static bool find_device(struct sqlite_source *s, struct err *e)
{
    struct sqlite3_stmt *r = sqlite_rows_of(
        s, "rocpd_info_agent", "type product_name|model_name|name extdata", e);
    while (s->machine.n_devices == 0 && sqlite_step(&s->file, r, e)) {
        if (!str_eq(sqlite_text(r, 0), S("GPU")))
            continue;
        struct machine_device *d = arena_new(&s->perm, struct machine_device, 1);
        d->name = str_copy(&s->perm, sqlite_text(r, 1));
        d->generation = (double)NAN;
        struct arena scratch = s->perm;
        const struct value *units =
            value_get(json_value(&scratch, sqlite_text(r, 2)), "cu_count");
        if (value_is_whole(units) && units->number > 0 && units->number < 1e6)
            d->compute_units = (int)units->number;
        s->machine.devices = d;
        s->machine.n_devices = 1;
    }
    sqlite_done(r);
    return e->kind == ERR_NONE;
}

static bool find_host(struct sqlite_source *s, struct err *e)
{
    struct sqlite3_stmt *r = sqlite_rows_of(s, "rocpd_info_node", "hostname", e);
    if (sqlite_step(&s->file, r, e))
        s->machine.host = str_copy(&s->perm, sqlite_text(r, 0));
    sqlite_done(r);
    return e->kind == ERR_NONE;
}

static bool prepare(struct sqlite_source *s, const char *part, struct err *e)
{
    struct rocpd *own = arena_new(&s->perm, struct rocpd, 1);
    s->own = own;
    return sqlite_texts_read(s, &s->texts, "rocpd_string", "id string", e) &&
           sqlite_texts_read(s, &own->categories, "rocpd_info_category", "id name",
                             e) &&
           sqlite_texts_read(s, &own->kernels, "rocpd_info_kernel_symbol",
                             "id display_name|kernel_name", e) &&
           sqlite_texts_read(s, &own->kinds, "rocpd_info_agent", "id type", e) &&
           sqlite_rows_read(s, &own->agents, "rocpd_info_agent",
                            "id type_index|logical_index|absolute_index", 1, e) &&
           sqlite_rows_read(s, &own->times, "rocpd_timestamp", "id value", 1, e) &&
           sqlite_rows_read(s, &own->tracks, "rocpd_track",
                            "id pid tid agent_id queue_id stream_id", 5, e) &&
           sqlite_rows_read(s, &own->events, "rocpd_event", "id category_id stack_id",
                            2, e) &&
           read_messages(s, e) && find_device(s, e) && find_host(s, e) &&
           find_parts(s, e) && sqlite_part_choose(s, part, e);
}

bool rocpd_events(struct event_source *events, struct sqlite_source *s,
                  const struct source_options *o, struct err *e)
{
    if (!prepare(s, o->part, e)) {
        sqlite_source_close(s);
        return false;
    }
    *events = sqlite_source_events(s, feeds, (int)(sizeof feeds / sizeof *feeds),
                                   &rocprof_abilities);
    return true;
}
