#include "formats/rocpd_source.h"

#include "formats/copy_name.h"
#include "formats/nvtx_name.h"
#include "kernels/event_role.h"
#include "trace/json_value.h"

#include <math.h>
#include <string.h>

enum region_kind { KIND_UNREAD, KIND_MARKER, KIND_HIP, KIND_HSA, KIND_OTHER };

struct rocpd {
    struct sqlite_rows times;  /* where they have a table of their own */
    struct sqlite_rows tracks; /* the same: process, thread, agent, queue, stream */
    struct sqlite_rows events; /* category, stack id */
    struct sqlite_rows agents; /* number among its kind */
    struct sqlite_texts kinds; /* of agents: "CPU", "GPU" */
    struct sqlite_texts kernels, categories, messages;
    int64_t last_category;
    enum region_kind last_kind; /* of regions of that category */
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
    int64_t start_ns, end_ns, pid, tid, stack, category, event;
    const int64_t *track; /* values that the row itself may lack */
};

static const int64_t none[SQLITE_VALUES] = {NO_ID, NO_ID, NO_ID, NO_ID, NO_ID, NO_ID};

static int64_t or_else(int64_t a, int64_t b)
{
    return a != NO_ID ? a : b;
}

static int64_t time_of(const struct rocpd *own, struct sqlite3_stmt *r, int at,
                       int at_id)
{
    int64_t ns = sqlite_int(r, at);
    return ns != NO_ID ? ns : sqlite_value_of(&own->times, sqlite_int(r, at_id));
}

/* Without agent, queue and stream, which calls do not have. */
static struct place place_of(const struct rocpd *own, struct sqlite3_stmt *r)
{
    int64_t event = sqlite_int(r, AT_EVENT);
    const int64_t *ev = sqlite_row_of(&own->events, event),
                  *t = own->tracks.n
                           ? sqlite_row_of(&own->tracks, sqlite_int(r, AT_TRACK))
                           : NULL;
    t = t ? t : none;
    ev = ev ? ev : none;
    return (struct place){.start_ns = time_of(own, r, AT_START, AT_START_ID),
                          .end_ns = time_of(own, r, AT_END, AT_END_ID),
                          .pid = or_else(sqlite_int(r, AT_PID), t[0]),
                          .tid = or_else(sqlite_int(r, AT_TID), t[1]),
                          .track = t,
                          .category = ev[0],
                          .stack = ev[1] > 0 ? ev[1] : NO_ID, /* 0: none */
                          .event = event};
}

static int64_t agent_of(struct sqlite3_stmt *r, const struct place *p)
{
    return or_else(sqlite_int(r, AT_AGENT), p->track[2]);
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

/* By the category, which most rows share with the last. */
static enum region_kind kind_of(struct sqlite_source *s, const struct place *p)
{
    struct rocpd *own = s->own;
    if (own->last_kind == KIND_UNREAD || own->last_category != p->category) {
        struct str category = category_of(s, p);
        own->last_category = p->category;
        own->last_kind = str_has_nocase(category, S("marker")) ? KIND_MARKER
                         : str_has_nocase(category, S("hip"))  ? KIND_HIP
                         : str_has_nocase(category, S("hsa"))  ? KIND_HSA
                                                               : KIND_OTHER;
    }
    return own->last_kind;
}

static bool region_row(struct sqlite_source *s, struct sqlite3_stmt *r,
                       struct event *ev)
{
    struct place p = place_of(s->own, r);
    struct str name = sqlite_text_of(&s->texts, sqlite_int(r, AT_OWN));
    enum region_kind kind = kind_of(s, &p);
    if (s->n_parts > 1 && p.pid != s->parts[s->part].id)
        return false;
    sqlite_span(ev, p.start_ns, p.end_ns);
    sqlite_lane(s, ev, p.pid, p.tid);
    ev->name = name;
    ev->cat = CAT_ANNOTATION;
    if (kind == KIND_MARKER)
        nvtx_name(ev, marker_text(s, &p, name));
    else if (str_starts(name, S("hip")) || kind == KIND_HIP)
        ev->cat = CAT_RUNTIME;
    else if (str_starts(name, S("hsa_")) || kind == KIND_HSA)
        ev->cat = CAT_DRIVER;
    if (ev->cat == CAT_RUNTIME || ev->cat == CAT_DRIVER)
        event_args_set(ev)->correlation = p.stack;
    return true;
}

static void on_device(struct sqlite_source *s, struct sqlite3_stmt *r, struct event *ev,
                      const struct place *p, int64_t agent)
{
    const struct rocpd *own = s->own;
    int64_t stream = or_else(sqlite_int(r, AT_STREAM), p->track[4]);
    if (stream == NO_ID)
        stream = or_else(sqlite_int(r, AT_QUEUE), p->track[3]);
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
    on_device(s, r, ev, &p, agent_of(r, &p));
    ev->cat = CAT_KERNEL;
    ev->name = sqlite_text_of(&own->kernels, sqlite_int(r, KERNEL));
    for (int i = 0; i < 3; i++) { /* the grid is recorded in work items */
        grid[3 + i] = sqlite_int(r, BLOCK + i);
        if (grid[3 + i] <= 0)
            return true;
        grid[i] = blocks_of_items(sqlite_int(r, GRID + i), grid[3 + i]);
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
    on_device(s, r, ev, &p, to_gpu ? to : from);
    ev->cat = CAT_MEMCPY;
    ev->args.bytes = sqlite_int(r, BYTES);
    if (!copy_of_type(ev, sqlite_text_of(&s->texts, sqlite_int(r, NAME))))
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
                            or_else(sqlite_value_of(&own->agents, agent_of(r, &p)), 0));
    }
    sqlite_done(r);
    return e->kind == ERR_NONE;
}

/* Of {"message":"..."}, which most often is plain text. Valid until `perm` is used. */
static struct str message_of(const struct sqlite_source *s, struct str json)
{
    static const struct str before = S_INIT("{\"message\":"), behind = S_INIT("\"}");
    struct str rest = str_trim(str_skip(json, before.n));
    if (str_starts(json, before) && str_starts(rest, S("\"")) &&
        str_ends(rest, behind) && rest.n > behind.n) {
        struct str text = {rest.p + 1, rest.n - 1 - behind.n};
        if (!memchr(text.p, '"', (size_t)text.n) &&
            !memchr(text.p, '\\', (size_t)text.n))
            return text;
    }
    struct arena scratch = s->perm; /* the text is copied over its tree */
    return value_text(value_get(json_value(&scratch, json), "message"));
}

/* And the texts of markers, which are in the events that their regions are of. */
static bool read_events(struct sqlite_source *s, struct err *e)
{
    enum { ID, CATEGORY, STACK, EXTDATA };
    struct rocpd *own = s->own;
    struct sqlite3_stmt *r =
        sqlite_rows_of(s, "rocpd_event", "id category_id stack_id extdata", e);
    own->events.width = 2;
    struct place p = {.category = NO_ID};
    bool is_marker = false; /* of this category; most rows have that of the last */
    while (own->events.n < INT32_MAX / 2 && sqlite_step(&s->file, r, e)) {
        int64_t category = sqlite_int(r, CATEGORY), id = sqlite_int(r, ID);
        int64_t *value = sqlite_row_add(s, &own->events, id);
        value[0] = category;
        value[1] = sqlite_int(r, STACK);
        if (category != p.category) {
            p.category = category;
            is_marker = str_has_nocase(category_of(s, &p), S("marker"));
        }
        if (!is_marker)
            continue;
        out_str(&s->name, message_of(s, sqlite_text(r, EXTDATA)));
        sqlite_text_add(s, &own->messages, id, out_view(&s->name));
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
           read_events(s, e) && find_device(s, e) && find_host(s, e) &&
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
