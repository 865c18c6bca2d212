#include "formats/rpd_json.h"

#include "base/int_map.h"
#include "base/name_pool.h"
#include "base/sort.h"
#include "formats/nvtx_name.h"
#include "formats/rpd_names.h"
#include "trace/event_read.h"
#include "trace/json_value.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    US = 1000,
    LEAD_US = 2,       /* by which an arrow begins before its call ends */
    LOOK_BACK = 16,    /* calls that are compared with an arrow */
    TWINS_MOST = 64,   /* device work of one queue that begins in one microsecond */
    LANE_TEXT_MAX = 64 /* of a process and a thread */
};

/* Device work, until its call is known. */
struct work {
    int64_t start_ns, dur_ns, stream, call; /* NO_ID: not known */
    name_id name, pid, tid;                 /* of `texts` */
    int32_t lane;
    enum event_cat cat;
    bool has_dur;
};

struct call {
    int64_t from_us, to_us, id;
    bool launches;
};

struct lane {
    struct call *calls; /* by start, once sorted */
    int32_t n;
    bool is_host, sorted;
};

struct rpd_json {
    struct event_source all;
    struct name_pool texts, keys; /* "pid tid" of each lane */
    struct arena memory;
    char *memory_start;
    struct lane *lanes;
    int32_t n_lanes;
    struct int_map gpus; /* by the id of a text of `texts` */
    struct work *work;
    int32_t n_work, at;
    struct sort_row *by_start; /* of work; NULL: not sorted yet */
    struct event arrow;        /* the begin of one; ph 0: none */
    struct event event;        /* device work that is passed on */
    int64_t calls;
    int32_t uid;
    char name[64];
};

__attribute__((hot)) bool rpd_json_is(struct str head)
{
    return json_events_is(head) &&
           str_has(head, S("[ {}\n,{\"name\": \"process_name\", \"ph\": \"M\"")) &&
           str_has(head, S("\"args\":{\"name\":\"GPU"));
}

static int32_t lane_of(struct rpd_json *r, const struct event *ev)
{
    char key[LANE_TEXT_MAX];
    int n = snprintf(key, sizeof key, "%.*s %.*s", STRF(ev->pid), STRF(ev->tid));
    n = n < LANE_TEXT_MAX ? n : LANE_TEXT_MAX - 1;
    int32_t id = pool_add(&r->keys, (struct str){key, n});
    while (r->n_lanes <= id) {
        arena_grow(&r->memory, r->lanes, r->n_lanes);
        r->lanes[r->n_lanes++] = (struct lane){0};
    }
    return id;
}

/* Valid until a lane is added. */
static struct lane *lane_at(struct rpd_json *r, const struct event *ev)
{
    int32_t id = lane_of(r, ev);
    return &r->lanes[id];
}

static bool is_gpu(const struct rpd_json *r, struct str pid)
{
    name_id id = pool_find(&r->texts, pid);
    return id >= 0 && int_map_get(&r->gpus, id) > 0;
}

/* The type of an operation: {"desc":"KernelExecution"}. */
static struct str desc_of(const struct event *ev)
{
    static const struct str before = S_INIT("{\"desc\":\"");
    struct str rest = event_args(ev)->rest;
    if (!str_starts(rest, before))
        return S("");
    rest = str_skip(rest, before.n);
    ptrdiff_t n = str_find(rest, S("\""));
    return str_head(rest, n < 0 ? 0 : n);
}

/* Frames that the tool draws above the work, and graphs around theirs, are left out. */
static void keep_work(struct rpd_json *r, struct event *ev)
{
    struct event op;
    event_clear(&op);
    enum event_cat cat = rpd_op(&op, desc_of(ev));
    if (cat == CAT_OTHER || !ev->has_start)
        return;
    struct str text = cat == CAT_KERNEL ? ev->name : op.name;
    int32_t lane = lane_of(r, ev);
    arena_grow(&r->memory, r->work, r->n_work);
    struct work *w = &r->work[r->n_work++];
    *w = (struct work){.start_ns = ev->start_ns,
                       .dur_ns = ev->dur_ns,
                       .call = NO_ID,
                       .name = pool_add(&r->texts, text),
                       .pid = pool_add(&r->texts, ev->pid),
                       .tid = pool_add(&r->texts, ev->tid),
                       .lane = lane,
                       .cat = cat,
                       .has_dur = ev->has_dur};
    if (!str_int(ev->tid, &w->stream))
        w->stream = NO_ID;
}

static struct event *pass_work(struct rpd_json *r, const struct work *w)
{
    struct event *ev = &r->event;
    event_clear(ev);
    ev->ph = 'X';
    ev->cat = w->cat;
    ev->name = pool_text(&r->texts, w->name);
    ev->pid = pool_text(&r->texts, w->pid);
    ev->tid = pool_text(&r->texts, w->tid);
    ev->start_ns = w->start_ns;
    ev->dur_ns = w->dur_ns;
    ev->has_start = true;
    ev->has_dur = w->has_dur;
    event_args_set(ev)->stream = w->stream;
    ev->args.correlation = w->call;
    return ev;
}

/* A range, or a call that arrows may begin in. */
static void read_host(struct rpd_json *r, struct event *ev)
{
    struct str name = ev->name;
    if (!rpd_is_runtime(name)) {
        ev->has_args = false;
        nvtx_name(ev, name);
        bool framework = nvtx_is_operator(ev->name) && str_has(ev->name, S("::"));
        ev->cat = framework ? CAT_CPU_OP : ev->cat;
        return;
    }
    struct lane *lane = lane_at(r, ev);
    ev->cat = CAT_RUNTIME;
    ev->args = no_args;
    ev->args.correlation = r->calls;
    ev->has_args = true;
    arena_grow(&r->memory, lane->calls, lane->n);
    lane->calls[lane->n++] = (struct call){
        ev->start_ns / US,
        (int64_t)((uint64_t)ev->start_ns + (uint64_t)ev->dur_ns) / US, r->calls++,
        str_has(name, S("Launch")) || str_has(name, S("emcpy")) ||
            str_has(name, S("emset")) || str_has(name, S("hsa_amd_memory_async_copy"))};
    lane->sorted = false;
}

static void sort_calls(struct rpd_json *r, struct lane *lane)
{
    struct arena tmp = r->memory;
    struct sort_row *rows = arena_take_raw(&tmp, sizeof *rows, 8, lane->n);
    struct call *old = arena_take_raw(&tmp, sizeof *old, 8, lane->n);
    for (int32_t k = 0; k < lane->n; k++) {
        rows[k] = (struct sort_row){lane->calls[k].from_us, k};
        old[k] = lane->calls[k];
    }
    sort_rows(tmp, rows, lane->n);
    for (int32_t k = 0; k < lane->n; k++)
        lane->calls[k] = old[rows[k].row];
    lane->sorted = true;
}

/* The call that an arrow begins in: one that ends 2 us behind it, or, if the work began
 * earlier than that, around it. The end of a call is rounded down twice. NULL: none. */
static const struct call *call_of(struct rpd_json *r, int64_t from_us, int64_t to_us)
{
    struct lane *lane = lane_at(r, &r->arrow);
    if (!lane->sorted)
        sort_calls(r, lane);
    int64_t end_us = from_us + LEAD_US;
    int32_t low = 0, high = lane->n;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (lane->calls[mid].from_us <= end_us)
            low = mid + 1;
        else
            high = mid;
    }
    const struct call *around = NULL;
    for (int k = 0; k < LOOK_BACK && low > 0; k++) {
        const struct call *c = &lane->calls[--low];
        if (!c->launches)
            continue;
        if (c->to_us == end_us || c->to_us + 1 == end_us)
            return c;
        if (!around && from_us == to_us && c->from_us <= from_us &&
            c->to_us + 1 >= from_us)
            around = c;
    }
    return around;
}

static void sort_work(struct rpd_json *r)
{
    r->by_start = arena_take_raw(&r->memory, sizeof *r->by_start, 8, r->n_work);
    for (int32_t k = 0; k < r->n_work; k++)
        r->by_start[k] = (struct sort_row){r->work[k].start_ns / US, k};
    sort_rows(r->memory, r->by_start, r->n_work);
}

/* The first work without a call that begins at a time on a queue. */
static struct work *work_at(struct rpd_json *r, int32_t lane, int64_t at_us)
{
    int32_t low = 0, high = r->n_work;
    if (!r->by_start)
        sort_work(r);
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (r->by_start[mid].key < at_us)
            low = mid + 1;
        else
            high = mid;
    }
    for (int k = 0; low < r->n_work && k < TWINS_MOST && r->by_start[low].key == at_us;
         k++, low++) {
        struct work *w = &r->work[r->by_start[low].row];
        if (w->lane == lane && w->call == NO_ID)
            return w;
    }
    return NULL;
}

/* The begin of an arrow, then its end. */
static void read_arrow(struct rpd_json *r, const struct event *ev)
{
    if (ev->ph == 's') {
        r->arrow = *ev;
        r->arrow.pid = pool_text(&r->texts, pool_add(&r->texts, ev->pid));
        r->arrow.tid = pool_text(&r->texts, pool_add(&r->texts, ev->tid));
        return;
    }
    if (!r->arrow.ph || r->arrow.flow_id != ev->flow_id)
        return;
    int64_t to_us = ev->start_ns / US;
    const struct call *c = call_of(r, r->arrow.start_ns / US, to_us);
    struct work *w = c ? work_at(r, lane_of(r, ev), to_us) : NULL;
    if (w)
        w->call = c->id;
    r->arrow.ph = '\0';
}

/* What rocm-smi measured has no name, and is called by its one value; what the tool
 * counts itself has. */
static bool read_counter(struct rpd_json *r, struct event *ev)
{
    static const struct str before = S_INIT("{\"");
    struct str rest = str_skip(event_args(ev)->rest, before.n);
    ptrdiff_t n = str_find(rest, S("\""));
    if (ev->name.n || n <= 0 || n >= (ptrdiff_t)sizeof r->name)
        return false;
    n = snprintf(r->name, sizeof r->name, "%.*s", STRF(str_head(rest, n)));
    ev->name = (struct str){r->name, n};
    return true;
}

/* Whether an event is to be passed on as it is now. */
static bool take(struct rpd_json *r, struct event *ev)
{
    if (ev->ph == 'M') {
        struct str text = event_args(ev)->text;
        if (str_eq(ev->name, S("process_name")) && str_starts(text, S("GPU")))
            *int_map_at(&r->gpus, &r->memory, pool_add(&r->texts, ev->pid)) = 1;
        if (str_eq(ev->name, S("thread_name")))
            lane_at(r, ev)->is_host = true;
        return str_eq(ev->name, S("thread_name"));
    }
    if (ev->ph == 's' || ev->ph == 'f') {
        read_arrow(r, ev);
        return false;
    }
    if (ev->ph == 'C')
        return read_counter(r, ev);
    if (ev->ph != 'X' || !ev->name.n || rpd_is_own(ev->name))
        return false;
    if (is_gpu(r, ev->pid) && !lane_at(r, ev)->is_host) {
        keep_work(r, ev);
        return false;
    }
    read_host(r, ev);
    return true;
}

static struct event *rpd_json_next(void *state, struct err *e)
{
    struct rpd_json *r = state;
    struct event *ev = NULL;
    while (!r->at && (ev = r->all.next(r->all.state, e)))
        if (take(r, ev))
            break;
    if (!ev && e->kind == ERR_NONE && r->at < r->n_work)
        ev = pass_work(r, &r->work[r->at++]);
    if (ev)
        ev->uid = r->uid++;
    return ev;
}

static struct source_progress rpd_json_progress(void *state)
{
    struct rpd_json *r = state;
    return r->all.progress(r->all.state);
}

static struct source_end rpd_json_end(void *state, struct arena *perm)
{
    struct rpd_json *r = state;
    struct source_end end = r->all.end(r->all.state, perm);
    end.n_elements = r->uid;
    end.n_void = 0;
    return end;
}

static void rpd_json_close(void *state)
{
    struct rpd_json *r = state;
    r->all.close(r->all.state);
    pool_close(&r->texts);
    pool_close(&r->keys);
    arena_release(r->memory_start, &r->memory);
    free(r);
}

bool rpd_json_open(struct event_source *events, const char *path,
                   struct source_options o, struct err *e)
{
    struct event_source all;
    if (!json_described_open(&all, path, o, e))
        return false;
    struct rpd_json *r = calloc(1, sizeof *r);
    if (!r)
        arena_full();
    r->all = all;
    pool_open_large(&r->texts);
    pool_open(&r->keys);
    r->memory = arena_reserve(arena_machine_bytes() / 4);
    r->memory_start = r->memory.at;
    r->gpus = int_map_make(&r->memory, LOOK_BACK);
    *events = (struct event_source){r,
                                    rpd_json_next,
                                    json_value,
                                    rpd_json_progress,
                                    rpd_json_end,
                                    rpd_json_close,
                                    &rpd_json_abilities,
                                    NULL};
    return true;
}
