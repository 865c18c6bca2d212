#include "formats/rpd_source.h"

#include "formats/nvtx_name.h"
#include "formats/rpd_names.h"
#include "kernels/event_role.h"

#include <string.h>

struct rpd {
    struct sqlite_rows call_of;   /* of device work: its number to that of the call */
    struct sqlite_rows calls;     /* their process and name */
    struct sqlite_rows launches;  /* grid and block */
    struct sqlite_rows copies;    /* bytes */
    struct sqlite_rows operators; /* sequence */
    struct str *sizes;            /* of operators, beside */
};

bool rpd_is(struct sqlite_file *file)
{
    return sqlite_has(file, "rocpd_api", "apiName_id") &&
           sqlite_has(file, "rocpd_op", "gpuId") &&
           sqlite_has(file, "rocpd_string", "string");
}

static bool read_sizes(struct sqlite_source *s, struct rpd *own, struct err *e)
{
    struct sqlite3_stmt *r =
        sqlite_select(&s->file, "ext_autogradapi", "api_ptr_id sizes", NULL, 0, e);
    own->sizes = arena_new(&s->perm, struct str, own->operators.n);
    while (sqlite_step(&s->file, r, e)) {
        int32_t at = sqlite_row_at(&own->operators, sqlite_int(r, 0));
        if (at >= 0)
            own->sizes[at] = str_copy(&s->perm, sqlite_text(r, 1));
    }
    sqlite_done(r);
    return e->kind == ERR_NONE;
}

static void marker(const struct rpd *own, struct event *ev, int64_t id, struct str text)
{
    int32_t at = sqlite_row_at(&own->operators, id);
    nvtx_name(ev, text);
    if (at < 0 || ev->cat == CAT_CPU_OP)
        return;
    ev->cat = nvtx_is_operator(ev->name) ? CAT_CPU_OP : CAT_ANNOTATION;
    int64_t sequence = sqlite_value_of(&own->operators, id);
    struct event_args *a = event_args_set(ev);
    a->sequence = sequence > 0 ? sequence : NO_ID;
    a->dims = own->sizes[at];
}

static bool api_row(struct sqlite_source *s, struct sqlite3_stmt *r, struct event *ev)
{
    enum { ID, PID, TID, START, END, NAME, ARGS };
    int64_t id = sqlite_int(r, ID);
    struct str name = sqlite_text_of(&s->texts, sqlite_int(r, NAME));
    sqlite_span(ev, sqlite_int(r, START), sqlite_int(r, END));
    sqlite_lane(s, ev, sqlite_int(r, PID), sqlite_int(r, TID));
    if (rpd_is_own(name))
        return false;
    ev->name = name;
    ev->cat = CAT_ANNOTATION;
    if (str_eq(name, S("UserMarker"))) {
        marker(s->own, ev, id, sqlite_text_of(&s->texts, sqlite_int(r, ARGS)));
    } else if (rpd_is_runtime(name)) {
        ev->cat = CAT_RUNTIME;
        event_args_set(ev)->correlation = id;
    }
    return true;
}

static void put_grid(struct sqlite_source *s, struct event *ev, int64_t call)
{
    enum { NAME = 1, AXES = 3 };
    const struct rpd *own = s->own;
    const int64_t *size = sqlite_row_of(&own->launches, call),
                  *by = sqlite_row_of(&own->calls, call);
    int64_t grid[2 * AXES];
    if (!size)
        return;
    memcpy(grid, size, sizeof grid);
    bool items = by && call_counts_items(sqlite_text_of(&s->texts, by[NAME]));
    for (int k = 0; k < AXES && items; k++)
        if (grid[AXES + k] > 0)
            grid[k] = blocks_of_items(grid[k], grid[AXES + k]);
    sqlite_put_grid(s, ev, grid);
}

static bool op_row(struct sqlite_source *s, struct sqlite3_stmt *r, struct event *ev)
{
    enum { ID, DEVICE, QUEUE, START, END, NAME, TYPE };
    const struct rpd *own = s->own;
    int64_t call = sqlite_value_of(&own->call_of, sqlite_int(r, ID));
    int64_t device = sqlite_int(r, DEVICE), queue = sqlite_int(r, QUEUE);
    struct str type = sqlite_text_of(&s->texts, sqlite_int(r, TYPE));
    if (!sqlite_is_of_part(s, sqlite_value_of(&own->calls, call), device))
        return false;
    sqlite_span(ev, sqlite_int(r, START), sqlite_int(r, END));
    sqlite_lane(s, ev, device, queue);
    event_args_set(ev)->correlation = call;
    ev->args.stream = queue;
    ev->cat = rpd_op(ev, type);
    if (ev->cat == CAT_MEMCPY)
        ev->args.bytes = sqlite_value_of(&own->copies, call);
    if (ev->cat == CAT_KERNEL) {
        ev->name = sqlite_text_of(&s->texts, sqlite_int(r, NAME));
        put_grid(s, ev, call);
    }
    return ev->cat != CAT_OTHER;
}

/* rocm-smi's clock, "sclk", in MHz. Of devices that do nothing it is of no use. */
static bool monitor_row(struct sqlite_source *s, struct sqlite3_stmt *r,
                        struct event *ev)
{
    enum { DEVICE, KIND, START, VALUE, TYPE };
    if (!str_eq(sqlite_text(r, TYPE), S("gpu")))
        return false;
    return sqlite_counter(s, ev, sqlite_int(r, START), sqlite_int(r, DEVICE),
                          sqlite_text(r, KIND), sqlite_text(r, VALUE));
}

static const struct sqlite_feed feeds[] = {
    {"rocpd_api", "id pid tid start end apiName_id args_id", "pid = ?1", api_row},
    {"rocpd_op", "id gpuId queueId start end description_id opType_id", NULL, op_row},
    {"rocpd_monitor", "deviceId monitorType start value deviceType", NULL, monitor_row},
};

/* Processes that started device work, in the order of the devices that each used first
 * in the file. */
static bool find_parts(struct sqlite_source *s, const struct rpd *own, struct err *e)
{
    struct sqlite3_stmt *r =
        sqlite_select(&s->file, "rocpd_op", "id gpuId", NULL, 0, e);
    while (sqlite_step(&s->file, r, e)) {
        int64_t call = sqlite_value_of(&own->call_of, sqlite_int(r, 0));
        int64_t process = sqlite_value_of(&own->calls, call);
        if (process != NO_ID)
            sqlite_part_add(s, process, process, sqlite_int(r, 1));
    }
    sqlite_done(r);
    return e->kind == ERR_NONE;
}

static bool prepare(struct sqlite_source *s, const char *part, struct err *e)
{
    struct rpd *own = arena_new(&s->perm, struct rpd, 1);
    s->own = own;
    return sqlite_texts_read(s, &s->texts, "rocpd_string", "id string", e) &&
           sqlite_rows_read(s, &own->call_of, "rocpd_api_ops", "op_id api_id", 1, e) &&
           sqlite_rows_read(s, &own->calls, "rocpd_api", "id pid apiName_id", 2, e) &&
           sqlite_rows_read(s, &own->copies, "rocpd_copyapi", "api_ptr_id size", 1,
                            e) &&
           sqlite_rows_read(
               s, &own->launches, "rocpd_kernelapi",
               "api_ptr_id gridX gridY gridZ workgroupX workgroupY workgroupZ", 6, e) &&
           sqlite_rows_read(s, &own->operators, "ext_autogradapi", "api_ptr_id seq", 1,
                            e) &&
           read_sizes(s, own, e) && find_parts(s, own, e) &&
           sqlite_part_choose(s, part, e);
}

bool rpd_events(struct event_source *events, struct sqlite_source *s,
                const struct source_options *o, struct err *e)
{
    if (!prepare(s, o->part, e)) {
        sqlite_source_close(s);
        return false;
    }
    *events = sqlite_source_events(s, feeds, (int)(sizeof feeds / sizeof *feeds),
                                   &rpd_abilities);
    return true;
}
