#include "analysis/system/lanes_build.h"

#include "analysis/facts/kernel_grid.h"
#include "analysis/system/host_time.h"
#include "base/int_map.h"
#include "ops/timeline_data.h"
#include "whatif/path_parts.h"

enum {
    STREAM_BOXES = 9000, /* of all streams together */
    HOST_BOXES = 12000,
    PATH_BOXES = 1500,
    THREADS_MAX = LANE_THREADS,
    CALL_LANES = 3,
    DEPTH_MAX = 60
};

struct laying {
    struct arena *perm, tmp;
    const struct tree_index *tree;
    const struct trace_view *v;
    const struct event_store *s;
    const struct timeline_data *d;
    struct run_lanes *r;
    struct int_map name_of, shape_of;
    struct host_time host;
    const int32_t *op;            /* of each device event; NULL: no streams */
    int32_t threads[THREADS_MAX]; /* lanes of those that launch */
};

static int32_t name_at(struct laying *l, event_id i, int8_t kind)
{
    enum { KINDS = 256 };
    int32_t *at = int_map_at(&l->name_of, &l->tmp,
                             (int64_t)l->s->name[i] * KINDS + kind - LANE_NOTE);
    if (*at < 0) {
        *at = l->r->n_names;
        arena_grow(l->perm, l->r->names, l->r->n_names);
        l->r->names[l->r->n_names++] = (struct lane_name){store_name(l->s, i), kind};
    }
    return *at;
}

static struct run_lane *lane_add(struct laying *l, enum run_lane_kind kind,
                                 struct str name, int32_t room)
{
    arena_grow(l->perm, l->r->at, l->r->n);
    struct run_lane *lane = &l->r->at[l->r->n++];
    *lane = (struct run_lane){
        .kind = kind, .name = name, .boxes = lane_boxes_make(l->perm, room)};
    return lane;
}

/* Lanes with boxes, and their sums. */
static void keep_filled(struct run_lanes *r)
{
    int n = 0;
    for (int k = 0; k < r->n; k++) {
        struct run_lane lane = r->at[k];
        for (int32_t i = 0; i < lane.boxes.n; i++) {
            lane.busy_ns += lane.boxes.at[i].busy_ns;
            lane.n_events += lane.boxes.at[i].n;
        }
        if (lane.boxes.n)
            r->at[n++] = lane;
    }
    r->n = n;
}

/* From the start of the timeline, within it. */
static void clip(const struct laying *l, event_id i, int64_t *from, int64_t *to)
{
    *from = l->s->start_ns[i] - l->d->origin_ns;
    *to = *from + store_dur_ns(l->s, i);
    *from = *from < 0 ? 0 : *from;
    *to = *to > l->d->total_ns ? l->d->total_ns : *to;
}

static int8_t device_kind(const struct laying *l, const int8_t *class, event_id g)
{
    enum gpu_class of = view_class(l->v, g);
    if (of != GPU_COMPUTE)
        return of == GPU_MEMCPY ? LANE_COPY : LANE_COMMUNICATION;
    int8_t c = class[launch_place(&l->v->launch, g)];
    return c < 0 ? LANE_OTHER : c;
}

/* Room for each of n lanes that want so much: the small ones take what they need. */
static void share_room(const int64_t *want, int n, int32_t all, int32_t *room)
{
    int64_t left = all;
    int open = n;
    for (int k = 0; k < n; k++)
        room[k] = 0;
    for (bool more = true; more;) {
        int64_t each = open ? left / open : 0;
        more = false;
        for (int k = 0; k < n; k++)
            if (!room[k] && want[k] <= each) {
                room[k] = (int32_t)want[k] + 1;
                left -= want[k];
                open--;
                more = true;
            }
    }
    for (int k = 0; k < n; k++)
        if (!room[k])
            room[k] = (int32_t)(left / open);
}

/* The streams by busy time, those of a device together where there are several. */
static void streams_by_device(const struct laying *l, int order[TIMELINE_STREAMS_MAX])
{
    const struct device_uses *of = l->v->devices;
    const struct timeline_data *d = l->d;
    int n = 0;
    for (int k = 0; k < d->n_streams && !of->n; k++)
        order[n++] = k;
    for (int i = 0; i < of->n; i++)
        for (int k = 0; k < d->n_streams; k++)
            if (l->s->lanes[d->streams[k].lane].pid == of->of[i].pid)
                order[n++] = k;
}

static struct str size_text(struct arena *a, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    int k = 0;
    while (k < 3 && bytes >= 1024) {
        bytes /= 1024;
        k++;
    }
    return str_printf(a, "%.*f %s", k && bytes < 100, bytes, units[k]);
}

/* "grid 4 x 4 x 1, block 128 x 1 x 1"; empty: not recorded. */
static struct str launch_text(struct arena *a, const struct event_store *s, event_id g)
{
    struct kernel_grid grid = kernel_grid_of(s, g), block = kernel_block_of(s, g);
    struct str of_grid = kernel_grid_text(a, &grid), of = kernel_grid_text(a, &block);
    return !of_grid.n ? S("")
           : !of.n    ? str_printf(a, "grid %.*s", STRF(of_grid))
                      : str_printf(a, "grid %.*s, block %.*s", STRF(of_grid), STRF(of));
}

/* How a kernel was launched, or what a copy moves: each distinct one once; -1: not
 * recorded. */
static int32_t shape_at(struct laying *l, event_id g)
{
    enum { NONE = INT32_MAX };
    bool kernel = l->s->cat[g] == CAT_KERNEL;
    int64_t bytes = kernel ? -1 : store_bytes(l->s, g);
    int32_t row = kernel ? store_texts_row(l->s, g) : -1;
    if (row < 0 && bytes < 0)
        return -1;
    int32_t *at = int_map_at(&l->shape_of, &l->tmp, kernel ? row : -1 - bytes);
    if (*at < 0) {
        struct str text =
            kernel ? launch_text(l->perm, l->s, g) : size_text(l->perm, (double)bytes);
        *at = NONE;
        if (text.n) {
            *at = l->r->n_shapes;
            arena_grow(l->perm, l->r->shapes, l->r->n_shapes);
            l->r->shapes[l->r->n_shapes++] = text;
        }
    }
    return *at == NONE ? -1 : *at;
}

/* Where a device event comes from, kept for its box. */
static int32_t start_add(struct laying *l, event_id g)
{
    struct run_lanes *r = l->r;
    event_id call = launch_call(&l->v->launch, g);
    struct lane_start start = {.thread = -1,
                               .op = l->op[launch_place(&l->v->launch, g)],
                               .shape = shape_at(l, g)};
    for (int k = 0; k < r->n_threads && call >= 0; k++)
        if (l->s->lane[call] == l->threads[k])
            start.thread = (int8_t)k;
    if (start.thread >= 0)
        start.call_ns = l->s->start_ns[call] - l->d->origin_ns;
    arena_grow(l->perm, r->starts, r->n_starts);
    r->starts[r->n_starts] = start;
    return r->n_starts++;
}

/* The streams by name, and the rest as one. */
static void add_streams(struct laying *l, const int8_t *class)
{
    const struct timeline_data *d = l->d;
    struct arena tmp = l->tmp;
    int n = d->n_streams + (d->n_streams_left > 0);
    int64_t want[TIMELINE_STREAMS_MAX + 1] = {0};
    int32_t room[TIMELINE_STREAMS_MAX + 1];
    int8_t *lane_of = arena_new(&tmp, int8_t, l->s->n_lanes + 1);
    for (int32_t i = 0; i < l->s->n_lanes; i++)
        lane_of[i] = (int8_t)(n - 1);
    int order[TIMELINE_STREAMS_MAX] = {0};
    streams_by_device(l, order);
    for (int k = 0; k < d->n_streams; k++)
        lane_of[d->streams[order[k]].lane] = (int8_t)k;
    event_id *events = arena_take_raw(&tmp, sizeof *events, 4, l->v->n_counted);
    for (int32_t k = 0; k < l->v->n_counted; k++) {
        events[k] = l->v->counted[k];
        want[lane_of[l->s->lane[events[k]]]]++;
    }
    view_sort_by_start(tmp, l->s, events, l->v->n_counted);
    share_room(want, n, STREAM_BOXES, room);
    for (int k = 0; k < n; k++)
        lane_add(l, RUN_STREAM,
                 k < d->n_streams
                     ? d->streams[order[k]].name
                     : str_printf(l->perm, "%d more streams", d->n_streams_left),
                 room[k]);
    int64_t covered_ns[TIMELINE_STREAMS_MAX + 1] = {0};
    l->tmp = tmp; /* names are kept beside these */
    for (int32_t k = 0; k < l->v->n_counted; k++) {
        int64_t from, to;
        int lane = lane_of[l->s->lane[events[k]]];
        clip(l, events[k], &from, &to);
        from = from < covered_ns[lane] ? covered_ns[lane] : from;
        if (from >= to)
            continue;
        covered_ns[lane] = to;
        lane_boxes_add(&l->r->at[lane].boxes, from, to, events[k]);
    }
    for (int lane = 0; lane < n; lane++) {
        struct lane_boxes *b = &l->r->at[lane].boxes;
        for (int32_t i = 0; i < b->n; i++) {
            event_id g = b->at[i].name;
            b->at[i].more = b->at[i].n == 1 ? start_add(l, g) : -1;
            b->at[i].name = name_at(l, g, device_kind(l, class, g));
        }
    }
}

static int8_t host_kind(struct laying *l, event_id i)
{
    int cat = l->s->cat[i];
    if (cat == CAT_PYTHON)
        return LANE_PYTHON;
    if (!cat_is_runtime(cat))
        return LANE_DISPATCH;
    return host_time_call_class(&l->host, i) == IDLE_SYNC ? LANE_WAITING : LANE_RUNTIME;
}

/* Until here the name of a box is its event: few of those added name one. */
static void name_host_boxes(struct laying *l, struct lane_boxes *b)
{
    for (int32_t i = 0; i < b->n; i++)
        b->at[i].name = name_at(l, b->at[i].name, host_kind(l, b->at[i].name));
}

/* -1: nothing recorded. Loading and compiling count for whoever does it. */
static int part_of(struct laying *l, const struct host_piece *p)
{
    static const int8_t of[] = {[LANE_PYTHON - LANE_NOTE] = HOST_PYTHON,
                                [LANE_DISPATCH - LANE_NOTE] = HOST_DISPATCH,
                                [LANE_RUNTIME - LANE_NOTE] = HOST_RUNTIME,
                                [LANE_WAITING - LANE_NOTE] = HOST_WAITING};
    if (p->event < 0 || p->class == IDLE_NOTHING)
        return -1;
    return of[host_kind(l, p->event) - LANE_NOTE];
}

/* What one lane of the host is filled with, in the order of time. */
struct host_lane {
    struct run_lane *to;
    int bin;
    event_id last;
    int64_t end_ns;
};

static void add_piece(struct laying *l, struct host_lane *x, const struct host_piece *p,
                      int part)
{
    int64_t origin = l->d->origin_ns;
    l->r->host_ns[part][x->bin] += p->end_ns - p->start_ns;
    if (p->event == x->last && p->start_ns == x->end_ns)
        lane_boxes_extend(&x->to->boxes, p->end_ns - origin);
    else
        lane_boxes_add(&x->to->boxes, p->start_ns - origin, p->end_ns - origin,
                       p->event);
    x->last = p->event;
    x->end_ns = p->end_ns;
}

/* Where the first thread has nothing but marks, the other one counts. */
static void add_pieces(struct laying *l, struct host_lane *x, struct host_time *host,
                       int32_t other, struct host_time *instead)
{
    for (int32_t k = 0; k < host->n_pieces; k++) {
        const struct host_piece *p = &host->pieces[k];
        int part = part_of(l, p);
        if (p->end_ns <= p->start_ns)
            continue;
        if (part >= 0) {
            add_piece(l, x, p, part);
            continue;
        }
        instead->n_pieces = 0;
        if (other >= 0)
            host_time_split(instead, other, -1, p->start_ns, p->end_ns);
        for (int32_t i = 0; i < instead->n_pieces; i++)
            if (part_of(l, &instead->pieces[i]) >= 0)
                add_piece(l, x, &instead->pieces[i], part_of(l, &instead->pieces[i]));
    }
}

/* What the thread does, bin by bin; another one where this one waits for it. */
static void add_host(struct laying *l, int32_t lane, int32_t other, struct str name)
{
    struct host_lane x = {
        .to = lane_add(l, RUN_HOST, name, HOST_BOXES / 2), .last = -1, .end_ns = -1};
    struct host_time instead = l->host;
    instead.pieces = NULL;
    instead.n_pieces = instead.room = 0;
    for (int p = 0; p < HOST_PARTS; p++)
        l->r->host_ns[p] = arena_new(l->perm, int64_t, l->d->n_bins);
    for (x.bin = 0; x.bin < l->d->n_bins; x.bin++) {
        host_time_split(&l->host, lane, other,
                        l->d->origin_ns + timeline_bin_ns(l->d, x.bin),
                        l->d->origin_ns + timeline_bin_ns(l->d, x.bin + 1));
        add_pieces(l, &x, &l->host, other, &instead);
    }
    l->r->host_known = x.to->boxes.n > 0;
    name_host_boxes(l, &x.to->boxes);
}

/* Annotations that no other one is around. */
static void add_notes(struct laying *l, int32_t lane, struct str name)
{
    enum { NOTE_BOXES = 500 };
    const struct call_tree *t = &l->host.notes;
    struct run_lane *to = NULL;
    for (int32_t k = l->host.note_at[lane]; k < l->host.note_at[lane + 1]; k++) {
        int64_t from, to_ns;
        clip(l, t->order[k], &from, &to_ns);
        if (tree_parent(t, t->order[k]) >= 0 || from >= to_ns)
            continue;
        to = to ? to : lane_add(l, RUN_NOTES, name, NOTE_BOXES);
        lane_boxes_add(&to->boxes, from, to_ns, name_at(l, t->order[k], LANE_NOTE));
    }
}

struct levels {     /* of the calls of one thread */
    uint8_t *depth; /* by position from the first */
    int64_t covered_ns[DEPTH_MAX + 1], longest_ns[DEPTH_MAX + 1], n[DEPTH_MAX + 1];
};

static struct levels find_levels(struct laying *l, struct arena *tmp, int32_t lane)
{
    const struct call_tree *t = &l->tree->frames;
    int32_t first = l->host.frame_at[lane], end = l->host.frame_at[lane + 1];
    struct levels x = {.depth = arena_take_raw(tmp, sizeof *x.depth, 1, end - first)};
    struct arena scratch = *tmp;
    int32_t *ends = arena_take_raw(&scratch, sizeof *ends, 4, end - first), n = 0;
    for (int32_t k = first; k < end; k++) {
        int64_t from, to;
        while (n && ends[n - 1] <= k)
            n--;
        int depth = n < DEPTH_MAX ? n : DEPTH_MAX;
        ends[n++] = t->after[k]; /* of the calls that are open */
        clip(l, t->order[k], &from, &to);
        x.depth[k - first] = (uint8_t)depth;
        if (from >= to)
            continue;
        x.n[depth]++;
        x.covered_ns[depth] += to - from;
        if (to - from > x.longest_ns[depth])
            x.longest_ns[depth] = to - from;
    }
    return x;
}

/* The first level that one call does not fill. */
static int branching_level(const struct levels *x)
{
    int depth = 0;
    while (depth < DEPTH_MAX - CALL_LANES && x->n[depth + 1] &&
           x->longest_ns[depth] >= x->covered_ns[0] / 10 * 9 &&
           x->covered_ns[depth + 1] >= x->covered_ns[0] / 2)
        depth++;
    return depth;
}

static void add_calls(struct laying *l, int32_t lane, struct str name, int32_t all)
{
    const struct call_tree *t = &l->tree->frames;
    struct arena tmp = l->tmp;
    struct levels x = find_levels(l, &tmp, lane);
    l->tmp = tmp;
    int top = branching_level(&x), first_lane = l->r->n;
    int32_t room[CALL_LANES];
    share_room(x.n + top, CALL_LANES, all, room);
    for (int k = 0; k < CALL_LANES && x.n[top + k]; k++) {
        struct run_lane *to = lane_add(l, RUN_CALLS, name, room[k]);
        to->depth = k + 1;
        to->skipped = top;
    }
    int32_t first = l->host.frame_at[lane], end = l->host.frame_at[lane + 1];
    for (int32_t k = first; k < end; k++) {
        int64_t from, to;
        int at = x.depth[k - first] - top;
        if (at < 0 || at >= l->r->n - first_lane)
            continue;
        clip(l, t->order[k], &from, &to);
        if (from >= to)
            continue;
        struct lane_boxes *boxes = &l->r->at[first_lane + at].boxes;
        int64_t covered = boxes->n ? boxes->at[boxes->n - 1].end_ns : 0;
        lane_boxes_add(boxes, from < covered ? covered : from, to, t->order[k]);
    }
    for (int k = first_lane; k < l->r->n; k++)
        name_host_boxes(l, &l->r->at[k].boxes);
}

/* Host threads by what they launched, most first. */
static int launching_lanes(struct laying *l, int32_t lanes[THREADS_MAX])
{
    struct arena tmp = l->tmp;
    int64_t *n = arena_new(&tmp, int64_t, l->s->n_lanes + 1);
    int found = 0;
    for (int32_t k = 0; k < l->v->n_counted; k++) {
        event_id call = launch_call(&l->v->launch, l->v->counted[k]);
        if (call >= 0)
            n[l->s->lane[call]]++;
    }
    while (found < THREADS_MAX) {
        int32_t best = -1;
        for (int32_t i = 0; i < l->s->n_lanes; i++)
            if (n[i] > (best < 0 ? 0 : n[best]))
                best = i;
        if (best < 0)
            break;
        lanes[found++] = best;
        n[best] = 0;
    }
    return found;
}

static struct str thread_name(struct laying *l, int32_t lane)
{
    struct str tid = pool_text(&l->s->names, l->s->lanes[lane].tid);
    return str_printf(l->perm, "thread %.*s", STRF(str_head(tid, 40)));
}

static void add_threads(struct laying *l)
{
    int32_t lanes[THREADS_MAX];
    int n = launching_lanes(l, lanes);
    if (!n)
        return;
    /* The thread that says most of what runs, where the backward pass has its own. */
    if (n > 1 && lanes[1] == l->host.main_lane) {
        lanes[1] = lanes[0];
        lanes[0] = l->host.main_lane;
    }
    add_host(l, lanes[0], n > 1 ? lanes[1] : -1, thread_name(l, lanes[0]));
    for (int k = 0; k < n; k++) {
        struct str name = thread_name(l, lanes[k]);
        add_notes(l, lanes[k], name);
        add_calls(l, lanes[k], name, HOST_BOXES / 2 / n);
    }
}

struct run_lanes *run_lanes_of_host(struct arena *perm, struct arena tmp,
                                    const struct host_time *host,
                                    const struct timeline_data *d)
{
    const struct tree_index *tree = host->t;
    struct run_lanes *r = arena_new(perm, struct run_lanes, 1);
    struct laying l = {.perm = perm,
                       .tmp = tmp,
                       .tree = tree,
                       .v = tree->v,
                       .s = tree->v->s,
                       .d = d,
                       .r = r,
                       .host = host_time_again(host, perm)};
    if (!d->n_bins)
        return r;
    l.name_of = int_map_make(&l.tmp, 1024);
    add_threads(&l);
    keep_filled(r);
    return r;
}

/* Steps are from the end back; between them is latency. */
static void add_path(struct laying *l, const int8_t *class,
                     const struct critical_path *path)
{
    struct run_lane *lane =
        lane_add(l, RUN_PATH, S("critical path"),
                 path->n_steps < PATH_BOXES ? path->n_steps + 1 : PATH_BOXES);
    int64_t covered = 0;
    for (int32_t k = path->n_steps - 1; k >= 0; k--) {
        const struct path_step *s = &path->steps[k];
        int64_t from = s->from_ns - l->d->origin_ns, to = s->to_ns - l->d->origin_ns;
        from = from < covered ? covered : from;
        to = to > l->d->total_ns ? l->d->total_ns : to;
        if (s->kind == PATH_LATENCY || from >= to)
            continue;
        covered = to;
        lane_boxes_add(&lane->boxes, from, to, s->event);
    }
    for (int32_t i = 0; i < lane->boxes.n; i++) {
        event_id e = lane->boxes.at[i].name;
        int cat = l->s->cat[e];
        lane->boxes.at[i].name = name_at(l, e,
                                         cat_is_gpu(cat) ? device_kind(l, class, e)
                                         : cat_is_runtime(cat) ? LANE_RUNTIME
                                                               : LANE_DISPATCH);
    }
}

struct run_lanes *run_lanes_with_streams(struct arena *perm, struct arena tmp,
                                         const struct run_lanes *host,
                                         const struct trace_view *v,
                                         const struct timeline_data *d,
                                         const int8_t *class, const int32_t *op,
                                         const struct critical_path *path)
{
    struct run_lanes *r = arena_new(perm, struct run_lanes, 1);
    struct laying l = {
        .perm = perm, .tmp = tmp, .v = v, .s = v->s, .d = d, .r = r, .op = op};
    *r = *host;
    r->at = NULL;
    r->names = NULL;
    r->n = r->n_names = 0;
    for (int32_t i = 0; i < host->n_names; i++) { /* their boxes are shared */
        arena_grow(perm, r->names, i);
        r->names[r->n_names++] = host->names[i];
    }
    if (!d->n_bins)
        return r;
    l.name_of = int_map_make(&l.tmp, 1024);
    l.shape_of = int_map_make(&l.tmp, 1024);
    r->n_threads = launching_lanes(&l, l.threads);
    for (int k = 0; k < r->n_threads; k++)
        r->threads[k] = thread_name(&l, l.threads[k]);
    add_streams(&l, class);
    if (path && path->n_steps)
        add_path(&l, class, path);
    keep_filled(r);
    for (int k = 0; k < host->n; k++) {
        arena_grow(perm, r->at, r->n);
        r->at[r->n++] = host->at[k];
    }
    return r;
}
