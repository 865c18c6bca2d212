#include "analysis/system/host_time.h"

#include "analysis/model/name_match.h"
#include "analysis/system/cpu_work.h"
#include "analysis/system/idle_gaps.h"
#include "base/duration.h"

#include <assert.h>
#include <string.h>

enum {
    BIT_JUDGED = 1,
    BIT_MARKS = 2,   /* marks a step, as an annotation does */
    BIT_CLASSED = 4, /* its class is known: asked of calls alone */
    BIT_PLACED = 8,  /* whether it is plumbing is known: asked of few */
    /* These are said of an event too, beside its class. */
    BIT_COMPILES = 16, /* loads or builds code, with everything below */
    BIT_COMPILED = 32, /* runs compiled code */
    BIT_WAITS = 64,    /* waits for another host thread */
    BIT_PLUMBING = 128,
    BIT_WORK_KNOWN = 128, /* of an operator: whether it computes on the CPU */
    CLASS_SHIFT = 8,      /* of a runtime call */
    CLASS_MASK = 15,      /* in what is said of an event */
    BIT_WRITES = 4096,    /* writes or sends what no compiler can leave out */
};
static_assert(IDLE_CLASSES_OF_ALL <= CLASS_MASK + 1, "a class of the host fits");

enum idle_class host_call_class(event_role call)
{
    enum wait_kind waits = role_wait(call);
    return waits > WAITS_POLL && waits != WAITS_FREE ? IDLE_SYNC
           : call & ROLE_MEMORY                      ? IDLE_MEMORY
           : call & ROLE_LOADS                       ? IDLE_LOAD
           : call & ROLE_GRAPH                       ? IDLE_GRAPH
                                                     : IDLE_RUNTIME;
}

bool host_call_is_pool(event_role call)
{
    return (call & (ROLE_TAKES | ROLE_FREES)) && !(call & ROLE_HOST) &&
           host_call_class(call) == IDLE_MEMORY;
}

/* Triton's compiler module also holds what runs at each launch. */
static bool compiles(const struct str_pairs *name)
{
    if (pairs_have(name, "torch/_inductor/async_compile|torch/_inductor/graph.py|"
                         "torch/_inductor/scheduler.py|torch/_inductor/codegen/|"
                         "fx_codegen_and_compile|torch/_dynamo/symbolic_convert|"
                         "torch/_dynamo/convert_frame|torch/_dynamo/output_graph|"
                         "triton/testing.py"))
        return true;
    return pairs_have(name, "triton/compiler/") &&
           !pairs_have(name,
                       ": launch_metadata|: __getattribute__|: __getitem__|: run");
}

/* torch.compile notes it like its compilation: a graph for sizes that are new to it. */
static bool records_graph(struct str name)
{
    return str_starts(name, S("CUDAGraphNode.record"));
}

static uint16_t judge(struct str name)
{
    uint16_t bits = BIT_JUDGED;
    struct str_pairs pairs = str_pairs_of(name);
    if (compiles(&pairs) ||
        (str_ends(name, S(" (dynamo_timed)")) && !records_graph(name)))
        bits |= BIT_COMPILES;
    if (pairs_have(&pairs,
                   "torchinductor_|torch/_inductor/|CompiledFunction|CompiledFxGraph|"
                   "Torch-Compiled Region|triton/runtime/|<eval_with_key>|GraphModule"))
        bits |= BIT_COMPILED;
    if (pairs_have(&pairs,
                   "tensorboard|event_file_writer|wandb/|mlflow/|comet_ml|neptune/|"
                   "clearml|logging/__init__.py|function print>|builtins.print|"
                   "json/encoder.py|csv.py|pickle.py|function open>|of _io.|"
                   "of '_io.|'_socket.socket'|requests/|urllib|http/client|"
                   "subprocess.py|function sleep>|psutil/"))
        bits |= BIT_WRITES;
    if (pairs_have(&pairs, "run_backward"))
        bits |= BIT_WAITS;
    if (name_begins(name, "ProfilerStep#|Optimizer.|enumerate("))
        bits |= BIT_MARKS;
    return bits;
}

static inline uint16_t bits_of(struct host_time *h, event_id i)
{
    const struct event_store *s = h->t->v->s;
    uint16_t *bits = &h->bits[s->name[i]];
    if (!(*bits & BIT_JUDGED))
        *bits |= judge(store_name(s, i));
    return *bits;
}

enum idle_class host_time_call_class(struct host_time *h, event_id i)
{
    const struct event_store *s = h->t->v->s;
    uint16_t *bits = &h->bits[s->name[i]];
    if (!(*bits & BIT_CLASSED))
        *bits |=
            (uint16_t)(BIT_CLASSED | host_call_class(store_role(s, i)) << CLASS_SHIFT);
    return (enum idle_class)(*bits >> CLASS_SHIFT);
}

void host_time_sets_up(struct host_time *h, event_id i)
{
    h->said[i] = (uint8_t)((h->said[i] & ~CLASS_MASK) | IDLE_LOAD);
}

static bool is_plumbing(struct host_time *h, event_id i)
{
    uint16_t *bits = &h->bits[h->t->v->s->name[i]];
    if (!(*bits & BIT_PLACED))
        *bits |= tree_is_plumbing(store_name(h->t->v->s, i)) ? BIT_PLACED | BIT_PLUMBING
                                                             : BIT_PLACED;
    return *bits & BIT_PLUMBING;
}

/* First position of each lane in the order of a tree, which is lane after lane, and the
 * end of the last. */
static int32_t *lanes_of(struct arena *a, const struct event_store *s,
                         const struct call_tree *t)
{
    int32_t *first = arena_new(a, int32_t, s->n_lanes + 1), low = 0;
    for (int32_t l = 0; l < s->n_lanes; l++) {
        for (int32_t high = t->n_order; low < high;) {
            int32_t mid = low + (high - low) / 2;
            if (s->lane[t->order[mid]] <= l)
                low = mid + 1;
            else
                high = mid;
        }
        first[l + 1] = low;
    }
    return first;
}

/* The thread with most annotations; without these, with most frames, or with most
 * steps that a profiler marked as operators; -1: none of them. */
static int32_t main_lane(struct arena tmp, const struct trace_view *v)
{
    const struct event_store *s = v->s;
    for (int c = 0; c < 3; c++) {
        int64_t *n = arena_new(&tmp, int64_t, s->n_lanes + 1);
        int32_t best = -1;
        for (int32_t k = 0; c == 0 && k < v->n_notes; k++)
            n[s->lane[v->notes[k]]] += s->cat[v->notes[k]] == CAT_ANNOTATION;
        for (event_id i = 0; c == 1 && i < s->n; i++)
            n[s->lane[i]] += s->cat[i] == CAT_PYTHON;
        for (event_id i = 0; c == 2 && i < s->n; i++)
            n[s->lane[i]] += s->cat[i] == CAT_CPU_OP &&
                             str_starts(store_name(s, i), S("ProfilerStep#"));
        for (int32_t l = 0; l < s->n_lanes; l++)
            if (n[l] > (best < 0 ? 0 : n[best]))
                best = l;
        if (best >= 0)
            return best;
    }
    return -1;
}

static enum idle_class class_of(struct host_time *h, event_id i, unsigned says)
{
    int cat = h->t->v->s->cat[i];
    if (bits_of(h, i) & BIT_MARKS)
        return IDLE_NOTHING;
    enum idle_class call =
        cat_is_runtime(cat) ? host_time_call_class(h, i) : IDLE_RUNTIME;
    if (call != IDLE_RUNTIME)
        return call;
    if (says & BIT_COMPILES)
        return IDLE_LOAD;
    return cat_is_runtime(cat) ? IDLE_RUNTIME
           : cat == CAT_PYTHON ? IDLE_PYTHON
                               : IDLE_DISPATCH;
}

/* The context of PyTorch's captures waits, collects garbage and empties the cache
 * before it begins one. */
static int64_t capture_start(const struct host_time *h, event_id begin)
{
    enum { CALLERS = 3 };
    const struct event_store *s = h->t->v->s;
    event_id up = begin;
    for (int k = 0; k < CALLERS && (up = tree_parent(&h->t->frames, up)) >= 0; k++)
        if (str_has(store_name(s, up), S("cuda/graphs.py")) &&
            str_has(store_name(s, up), S("__enter__")))
            return s->start_ns[up];
    return s->start_ns[begin];
}

/* Position of the last event of the lane that begins at `at` or before; one before the
 * lane's first if none does. */
static int32_t last_begun(const struct host_time *h, const struct call_tree *t,
                          int32_t lane, int64_t at)
{
    const int32_t *first = t == &h->notes ? h->note_at : h->frame_at;
    int32_t low = first[lane], high = first[lane + 1];
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (h->t->v->s->start_ns[t->order[mid]] <= at)
            low = mid + 1;
        else
            high = mid;
    }
    return low - 1;
}

/* What torch.compile does around a capture, to instantiate the graph for one. */
static void widen_to_note(struct host_time *h, struct capture *c)
{
    const struct event_store *s = h->t->v->s;
    int32_t pos = last_begun(h, &h->notes, c->lane, c->start_ns);
    event_id up = pos >= h->note_at[c->lane] ? h->notes.order[pos] : -1;
    while (up >= 0 &&
           (store_end_ns(s, up) <= c->start_ns || !records_graph(store_name(s, up))))
        up = tree_parent(&h->notes, up);
    if (up < 0)
        return;
    h->n_compiled_captures++;
    c->start_ns = s->start_ns[up];
    c->end_ns = later(c->end_ns, store_end_ns(s, up));
}

/* `open` begins with BeginCapture and ends with the EndCapture that follows on its
 * thread. */
static void follow_capture(struct host_time *h, event_id i, struct capture *open)
{
    const struct event_store *s = h->t->v->s;
    if (store_role(s, i) & ROLE_CAPTURE_BEGINS)
        *open = (struct capture){s->lane[i], capture_start(h, i), 0};
    if (!(store_role(s, i) & ROLE_CAPTURE_ENDS) || open->lane != s->lane[i])
        return;
    open->end_ns = store_end_ns(s, i);
    widen_to_note(h, open);
    arena_grow(h->arena, h->captures, h->n_captures);
    h->captures[h->n_captures++] = *open;
    open->lane = -1;
}

/* A graph that is launched once, and captured again for the next launch. */
static void count_recaptures(struct host_time *h)
{
    enum { FEWEST = 3 };
    const struct event_store *s = h->t->v->s;
    const struct call_tree *t = &h->t->frames;
    int32_t next = 0; /* capture that starts behind the event */
    bool launched = false;
    if (h->n_captures < FEWEST)
        return;
    for (int32_t k = 0; k < t->n_order && next < h->n_captures; k++) {
        event_id i = t->order[k];
        const struct capture *c = &h->captures[next];
        if (s->lane[i] > c->lane ||
            (s->lane[i] == c->lane && s->start_ns[i] >= c->start_ns)) {
            bool again = next && c[-1].lane == c->lane && launched;
            h->n_recaptures += again;
            launched = false;
            next++;
        }
        launched |= cat_is_runtime(s->cat[i]) && launch_is_graph(s, i);
    }
}

/* Fills `said`; callers come before what they call. */
static void judge_events(struct host_time *h)
{
    const struct event_store *s = h->t->v->s;
    const struct call_tree *t = &h->t->frames;
    struct capture open = {.lane = -1};
    for (int32_t k = 0; k < t->n_order; k++) {
        event_id i = t->order[k], up = tree_parent(t, i);
        unsigned bits = bits_of(h, i);
        unsigned says =
            ((up < 0 ? 0 : h->said[up]) | bits) & (BIT_COMPILES | BIT_COMPILED);
        if (s->cat[i] == CAT_PYTHON)
            says |= bits & BIT_WAITS;
        h->said[i] = (uint8_t)(says | class_of(h, i, says));
        if (cat_is_runtime(s->cat[i]) && host_time_call_class(h, i) == IDLE_GRAPH)
            follow_capture(h, i, &open);
    }
    count_recaptures(h);
}

/* By lane and start, as in the order of the tree. */
static bool is_captured(const struct host_time *h, int32_t lane, int64_t at)
{
    int32_t low = 0, high = h->n_captures;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        const struct capture *c = &h->captures[mid];
        if (c->lane < lane || (c->lane == lane && c->start_ns <= at))
            low = mid + 1;
        else
            high = mid;
    }
    return low > 0 && h->captures[low - 1].lane == lane &&
           at < h->captures[low - 1].end_ns;
}

/* What torch.compile annotates of its own work, with or without stacks. */
static void find_compiles(struct host_time *h)
{
    const struct call_tree *t = &h->notes;
    for (int32_t k = 0; k < t->n_order;) {
        bool is = bits_of(h, t->order[k]) & BIT_COMPILES;
        if (is) {
            arena_grow(h->arena, h->compiles, h->n_compiles);
            h->compiles[h->n_compiles++] = t->order[k];
        }
        k = is ? t->after[k] : k + 1;
    }
}

/* Of those of a lane, the first that ends later than a time; n_compiles: none. */
static int32_t compile_at(const struct host_time *h, int32_t lane, int64_t at_ns)
{
    const struct event_store *s = h->t->v->s;
    int32_t low = 0, high = h->n_compiles;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        event_id i = h->compiles[mid];
        if (s->lane[i] < lane || (s->lane[i] == lane && store_end_ns(s, i) <= at_ns))
            low = mid + 1;
        else
            high = mid;
    }
    return low < h->n_compiles && s->lane[h->compiles[low]] == lane ? low
                                                                    : h->n_compiles;
}

struct host_time host_time_build(struct arena *a, struct arena tmp,
                                 const struct tree_index *t)
{
    const struct event_store *s = t->v->s;
    struct host_time h = {.t = t, .arena = a};
    h.bits = arena_new(a, uint16_t, s->names.n + 1);
    h.said = arena_new(a, uint8_t, s->n + 1);
    if (s->census.by_cat[CAT_ANNOTATION])
        h.notes = tree_build(a, tmp, s, TREE_ANNOTATIONS);
    h.frame_at = lanes_of(a, s, &t->frames);
    h.note_at = lanes_of(a, s, &h.notes);
    for (int k = 0; k < 2; k++) {
        h.frame_last[k] = arena_new(a, struct deepest, s->n_lanes);
        h.note_last[k] = arena_new(a, struct deepest, s->n_lanes);
    }
    h.main_lane = main_lane(tmp, t->v);
    judge_events(&h);
    find_compiles(&h);
    return h;
}

struct host_time host_time_again(const struct host_time *h, struct arena *a)
{
    struct host_time again = *h;
    again.arena = a;
    again.pieces = NULL;
    again.n_pieces = again.room = 0;
    return again;
}

/* Each asks in the order of time, so what has ended is passed once. */
enum asks { ASKS_WALK, ASKS_COVER };

static event_id deepest_at(const struct host_time *h, const struct call_tree *t,
                           enum asks who, int32_t lane, int64_t at, int32_t *pos)
{
    const int32_t *first = t == &h->notes ? h->note_at : h->frame_at;
    *pos = last_begun(h, t, lane, at);
    event_id i = *pos >= first[lane] ? t->order[*pos] : -1;
    struct deepest *last = &(t == &h->notes ? h->note_last : h->frame_last)[who][lane];
    bool later = last->pos == *pos + 2 && last->at_ns <= at;
    i = later ? last->event : i;
    while (i >= 0 && store_end_ns(h->t->v->s, i) <= at)
        i = tree_parent(t, i);
    if (later || last->pos != *pos + 2)
        *last = (struct deepest){*pos + 2, i, at};
    return i;
}

typedef void on_piece(struct host_time *h, event_id i, int64_t from, int64_t to);

/* Tells what is deepest in one tree, from `*at` to `to`. */
static event_id advance(struct host_time *h, const struct call_tree *t, event_id i,
                        int64_t *at, int64_t to, on_piece *tell)
{
    const struct event_store *s = h->t->v->s;
    for (; i >= 0; i = tree_parent(t, i)) {
        int64_t end = store_end_ns(s, i);
        if (end > to)
            break;
        if (end > *at) {
            tell(h, i, *at, end);
            *at = end;
        }
    }
    if (to > *at)
        tell(h, i, *at, to);
    *at = to;
    return i;
}

static void walk(struct host_time *h, const struct call_tree *t, int32_t lane,
                 int64_t from, int64_t to, on_piece *tell)
{
    const struct event_store *s = h->t->v->s;
    const int32_t *first = t == &h->notes ? h->note_at : h->frame_at;
    int32_t pos;
    event_id i = deepest_at(h, t, ASKS_WALK, lane, from, &pos);
    for (pos++; pos < first[lane + 1] && s->start_ns[t->order[pos]] < to; pos++) {
        advance(h, t, i, &from, s->start_ns[t->order[pos]], tell);
        i = t->order[pos];
    }
    advance(h, t, i, &from, to, tell);
}

static void more_room(struct host_time *h)
{
    enum { FIRST_ROOM = 1024 };
    int32_t room = h->room ? 2 * h->room : FIRST_ROOM;
    struct host_piece *end = h->room ? h->pieces + h->room : NULL;
    bool last = end && (char *)end == h->arena->at; /* nothing lies behind it */
    if (!last || arena_take_raw(h->arena, sizeof *end, 1, h->room) != end) {
        struct host_piece *more = arena_take_raw(h->arena, sizeof *more, 8, room);
        if (h->n_pieces)
            memcpy(more, h->pieces, (size_t)h->n_pieces * sizeof *more);
        h->pieces = more;
    }
    h->room = room;
}

static inline void push_part(struct host_time *h, struct host_piece p)
{
    if (h->n_pieces == h->room)
        more_room(h);
    h->pieces[h->n_pieces] = p;
    if (h->n_captures && p.class != IDLE_SYNC && p.class != IDLE_MEMORY &&
        p.class != IDLE_LOAD && is_captured(h, p.lane, p.start_ns))
        h->pieces[h->n_pieces].class = IDLE_GRAPH;
    h->n_pieces++;
}

/* What of a piece lies in an annotation of compilation is of that; the rest is left in
 * `p`, and may be empty. */
static void cut_compiles(struct host_time *h, struct host_piece *p)
{
    const struct event_store *s = h->t->v->s;
    int32_t k = compile_at(h, p->lane, p->start_ns);
    for (; k < h->n_compiles && s->lane[h->compiles[k]] == p->lane; k++) {
        event_id note = h->compiles[k];
        struct host_piece part = *p;
        if (s->start_ns[note] >= p->end_ns)
            return;
        part.end_ns = s->start_ns[note];
        if (part.end_ns > part.start_ns)
            push_part(h, part);
        part.start_ns =
            s->start_ns[note] > p->start_ns ? s->start_ns[note] : p->start_ns;
        part.end_ns =
            store_end_ns(s, note) < p->end_ns ? store_end_ns(s, note) : p->end_ns;
        part.event = note;
        part.class = IDLE_LOAD;
        push_part(h, part);
        p->start_ns = part.end_ns;
    }
}

static inline void push_piece(struct host_time *h, struct host_piece p)
{
    if (h->n_compiles && p.class != IDLE_SYNC && p.class != IDLE_MEMORY &&
        p.class != IDLE_LOAD)
        cut_compiles(h, &p);
    if (p.end_ns > p.start_ns)
        push_part(h, p);
}

/* Asked of operators in gaps alone, each once. */
static void ask_work(struct host_time *h, event_id i)
{
    h->said[i] |= BIT_WORK_KNOWN;
    if (cpu_work_computes(h->t, i))
        h->said[i] = (uint8_t)((h->said[i] & ~CLASS_MASK) | IDLE_CPU_WORK);
}

static inline bool is_cpu_work(struct host_time *h, event_id i)
{
    if ((h->said[i] & (CLASS_MASK | BIT_WORK_KNOWN)) == IDLE_DISPATCH)
        ask_work(h, i);
    return (h->said[i] & CLASS_MASK) == IDLE_CPU_WORK;
}

/* What an operator that computes calls for its parts is of its work. */
static void judge_work(struct host_time *h, event_id i)
{
    event_id up = tree_parent(&h->t->frames, i);
    if (!is_cpu_work(h, i) && up >= 0 && is_cpu_work(h, up))
        h->said[i] = (uint8_t)((h->said[i] & ~CLASS_MASK) | IDLE_CPU_WORK);
}

static void add_piece(struct host_time *h, event_id i, int64_t from, int64_t to)
{
    if ((h->said[i] & CLASS_MASK) == IDLE_DISPATCH)
        judge_work(h, i);
    unsigned says = h->said[i];
    push_piece(h, (struct host_piece){.event = i,
                                      .lane = h->t->v->s->lane[i],
                                      .start_ns = from,
                                      .end_ns = to,
                                      .class = says & CLASS_MASK,
                                      .compiled = (says & BIT_COMPILED) != 0});
}

/* An annotation, or -1. */
static void add_note(struct host_time *h, event_id i, int64_t from, int64_t to)
{
    push_piece(h, (struct host_piece){.event = i,
                                      .lane = h->lane,
                                      .start_ns = from,
                                      .end_ns = to,
                                      .class = IDLE_NOTHING});
}

static bool does_nothing(const struct host_time *h, event_id i)
{
    return i < 0 || h->said[i] & BIT_WAITS;
}

static void on_other(struct host_time *h, event_id i, int64_t from, int64_t to)
{
    if (!does_nothing(h, i))
        add_piece(h, i, from, to);
    else if (h->waiting >= 0)
        add_piece(h, h->waiting, from, to);
    else
        walk(h, &h->notes, h->lane, from, to, add_note);
}

static void on_frame(struct host_time *h, event_id i, int64_t from, int64_t to)
{
    if (!does_nothing(h, i)) {
        add_piece(h, i, from, to);
        return;
    }
    h->waiting = i;
    if (h->other_lane >= 0)
        walk(h, &h->t->frames, h->other_lane, from, to, on_other);
    else
        on_other(h, -1, from, to);
}

void host_time_split(struct host_time *h, int32_t lane, int32_t other_lane,
                     int64_t from, int64_t to)
{
    h->n_pieces = 0;
    h->lane = lane;
    h->other_lane = other_lane == lane ? -1 : other_lane;
    if (to > from)
        walk(h, &h->t->frames, lane, from, to, on_frame);
}

static event_id cover_in(struct host_time *h, const struct call_tree *t, int32_t lane,
                         int64_t from, int64_t to)
{
    const struct event_store *s = h->t->v->s;
    int32_t pos;
    event_id plumbing = -1,
             i = deepest_at(h, t, ASKS_COVER, lane, from + (to - from) / 2, &pos);
    for (int k = 0; i >= 0 && k < TREE_LEVELS_MAX; k++, i = tree_parent(t, i)) {
        int64_t start = s->start_ns[i] > from ? s->start_ns[i] : from;
        int64_t end = store_end_ns(s, i) < to ? store_end_ns(s, i) : to;
        if (cat_is_runtime(s->cat[i]) || end - start < to - from - (to - from) / 10)
            continue;
        if (!is_plumbing(h, i))
            return i;
        plumbing = plumbing < 0 ? i : plumbing;
    }
    return plumbing;
}

event_id host_time_cover(struct host_time *h, int32_t lane, int64_t from, int64_t to)
{
    const struct event_store *s = h->t->v->s;
    event_id i = cover_in(h, &h->t->frames, lane, from, to);
    event_id note = cover_in(h, &h->notes, lane, from, to);
    bool deeper = i < 0 || (note >= 0 && store_dur_ns(s, note) < store_dur_ns(s, i));
    return deeper ? note : i;
}

event_id host_time_compile(struct host_time *h, event_id i)
{
    event_id found = i;
    for (int k = 0; i >= 0 && k < TREE_LEVELS_MAX;
         k++, i = tree_parent(&h->t->frames, i))
        if (bits_of(h, i) & BIT_COMPILES)
            found = i;
    return found;
}

static event_id code_around(const struct tree_index *t, event_id i)
{
    event_id up = i;
    for (int k = 0; up >= 0 && k < TREE_LEVELS_MAX;
         k++, up = tree_parent(&t->frames, up))
        if (tree_is_code(t, up))
            return up;
    return i;
}

event_id host_time_worker(const struct host_time *h)
{
    enum { FEW = 16 };
    event_id code[FEW + 1];
    int64_t ns[FEW + 1] = {0};
    int n = 0, best = 0;
    for (int32_t k = 0; k < h->n_pieces; k++) {
        const struct host_piece *p = &h->pieces[k];
        int at = 0;
        if (p->class != IDLE_CPU_WORK)
            continue;
        code[n] = code_around(h->t, p->event);
        while (code[at] != code[n])
            at++;
        n += at == n && n < FEW;
        ns[at] += p->end_ns - p->start_ns;
    }
    for (int k = 1; k < n; k++)
        best = ns[k] > ns[best] ? k : best;
    return code[best];
}

event_id host_time_code(const struct host_time *h, event_id i)
{
    const struct event_store *s = h->t->v->s;
    int64_t end_ns = store_end_ns(s, i);
    int32_t pos;
    if (tree_rank(&h->t->frames, i) < 0) /* an annotation */
        i = deepest_at(h, &h->t->frames, ASKS_WALK, s->lane[i], s->start_ns[i], &pos);
    for (int k = 0; i >= 0 && k < TREE_LEVELS_MAX;
         k++, i = tree_parent(&h->t->frames, i))
        if (tree_is_code(h->t, i) && store_end_ns(s, i) >= end_ns)
            return i;
    return -1;
}

bool host_time_writes(struct host_time *h, event_id i)
{
    return i >= 0 && bits_of(h, i) & BIT_WRITES;
}

bool host_time_is_compiled(struct host_time *h, event_id i)
{
    return i >= 0 && bits_of(h, i) & BIT_COMPILED;
}

bool host_time_in_compiled(const struct host_time *h, event_id call)
{
    return h->said[call] & BIT_COMPILED;
}

static struct str optimizer_at(const struct event_store *s, const struct call_tree *t,
                               event_id i)
{
    for (int n = 0; i >= 0 && n < CALLERS_MAX; n++, i = tree_parent(t, i))
        if (str_starts(store_name(s, i), S("Optimizer.")))
            return store_name(s, i);
    return S("");
}

struct str host_time_optimizer(struct host_time *h, event_id i)
{
    const struct event_store *s = h->t->v->s;
    int32_t pos;
    event_id note =
        deepest_at(h, &h->notes, ASKS_COVER, s->lane[i], s->start_ns[i], &pos);
    struct str name = optimizer_at(s, &h->notes, note);
    return name.n ? name : optimizer_at(s, &h->t->v->tree, i);
}

event_id host_time_note(struct host_time *h, const int32_t *by_name, event_id i)
{
    enum { RECURS = 3 };
    const struct event_store *s = h->t->v->s;
    int32_t pos;
    event_id note =
        deepest_at(h, &h->notes, ASKS_WALK, s->lane[i], s->start_ns[i], &pos);
    while (note >= 0 &&
           ((bits_of(h, note) & BIT_MARKS) || by_name[s->name[note]] < RECURS))
        note = tree_parent(&h->notes, note);
    return note;
}

struct str host_time_around(struct host_time *h, struct arena *a, event_id i)
{
    enum { CALLERS = 10 };
    const struct event_store *s = h->t->v->s;
    struct str all = S("");
    int32_t pos, n = 0;
    event_id note =
        deepest_at(h, &h->notes, ASKS_WALK, s->lane[i], s->start_ns[i], &pos);
    for (; note >= 0 && n++ < CALLERS; note = tree_parent(&h->notes, note))
        all = str_printf(a, "%.*s, %.*s", STRF(store_name(s, note)), STRF(all));
    n = 0;
    for (i = tree_parent(&h->t->frames, i); i >= 0 && n++ < CALLERS;
         i = tree_parent(&h->t->frames, i))
        all = str_printf(a, "%.*s%.*s, ", STRF(all), STRF(store_name(s, i)));
    return all;
}
