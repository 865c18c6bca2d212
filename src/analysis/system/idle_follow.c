#include "analysis/system/idle_follow.h"

#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/system/graph_cover.h"
#include "analysis/system/host_name.h"
#include "analysis/system/idle_groups.h"
#include "analysis/system/idle_hidden.h"
#include "analysis/system/idle_merge.h"
#include "analysis/system/idle_parts.h"
#include "analysis/system/idle_peers.h"
#include "analysis/system/queue_reason.h"
#include "analysis/system/short_gaps.h"
#include "analysis/system/system_parts.h"
#include "analysis/system/thread_twin.h"

#include <math.h>
#include <string.h>

enum { LONG_CALL_NS = 1000000 }; /* a launch call takes a few microseconds */

static bool is_special(enum idle_class c)
{
    return c == IDLE_SYNC || c == IDLE_MEMORY || c == IDLE_LOAD || c == IDLE_GRAPH;
}

static void add_queued(struct follow *f, const struct gap_row *gap, event_id call)
{
    enum queue_reason reason = queue_reason(f->t->v, gap, call);
    int32_t group = parts_group(f, IDLE_QUEUED, -1, queue_reason_words(reason));
    f->in_graph = reason == QUEUE_IN_GRAPH || reason == QUEUE_BEHIND_GRAPH;
    parts_add_time(f, group, IDLE_QUEUED, gap->dur_ns, -1);
    f->r->groups[group].crosses = reason == QUEUE_OTHER_STREAM;
    if (gap->dur_ns >= LONG_GAP_NS && !f->in_graph && queue_is_alone(f->t->v, gap))
        f->r->groups[group].stalled_us += (double)gap->dur_ns / 1e3;
    tally_leaf(&f->tallies, group, gap->after, gap->dur_ns);
    f->cause->leaf = gap->after;
}

static void count_memory(struct follow *f, int32_t group, event_id call, int64_t ns)
{
    int gives = (store_role(f->s, call) & ROLE_FREES) > 0;
    f->b[group].memory[gives] = call;
    f->b[group].memory_ns[gives] += ns;
}

/* "cudaMalloc", or "cudaMalloc and cudaFree" where both take time. */
static struct str memory_name(struct follow *f, const struct building *b)
{
    int most = b->memory_ns[1] > b->memory_ns[0];
    struct str name = store_name(f->s, b->memory[most]);
    if (b->memory_ns[!most] > b->memory_ns[most] / 9)
        name = say(f->perm, "{} and {}", said(name),
                   said(store_name(f->s, b->memory[!most])));
    return name;
}

/* Runtime calls and compilation are named themselves, and who calls them is the leaf.
 */
static void add_special(struct follow *f, const struct host_piece *p)
{
    const struct event_store *s = f->s;
    int64_t ns = p->end_ns - p->start_ns;
    bool call = p->event >= 0 && cat_is_runtime(s->cat[p->event]) &&
                host_time_call_class(f->host, p->event) == p->class;
    if (p->class == IDLE_SYNC && call) {
        parts_add_wait(f, p->event, p->event, p->start_ns, p->end_ns);
        return;
    }
    bool captures = p->class == IDLE_GRAPH && !call;
    event_id blame = call || captures ? p->event : host_time_compile(f->host, p->event);
    event_id caller = blame;
    if (!captures)
        caller = tree_operator(s, &f->t->frames, blame);
    if (caller < 0 && !captures)
        caller = tree_parent(&f->t->frames, blame);
    bool sets_up = p->class == IDLE_LOAD && !call && blame == p->event &&
                   cat_is_runtime(s->cat[blame]);
    bool noted = p->class == IDLE_LOAD && s->cat[blame] == CAT_ANNOTATION;
    struct str fixed =
        sets_up ? S("first calls of operators")
        : noted ? S("torch.compile")
        : call && p->class == IDLE_MEMORY && host_call_is_pool(store_role(s, p->event))
            ? S("device memory")
            : S("");
    int32_t group =
        parts_group(f, p->class, blame, captures ? S("graph capture") : fixed);
    if (fixed.n && !sets_up && !noted)
        count_memory(f, group, p->event, ns);
    f->r->groups[group].sets_up = sets_up;
    parts_add_time(f, group, p->class, ns, captures ? -1 : blame);
    tally_leaf(&f->tallies, group, caller, ns);
    parts_add_span(f, group, p->lane, p->event, p->start_ns, p->end_ns);
}

static enum idle_class most_of(const int64_t *ns)
{
    int best = IDLE_NOTHING;
    for (int c = 0; c < IDLE_CLASSES; c++)
        if (!is_special((enum idle_class)c) && ns[c] > ns[best])
            best = c;
    return (enum idle_class)best;
}

/* Most likely the device worked: nothing else is known of this time. */
static void add_hidden(struct follow *f, enum hidden_reason reason, event_id call,
                       int64_t ns)
{
    int32_t group = parts_group(f, IDLE_HIDDEN, -1, hidden_words(reason));
    parts_add_time(f, group, IDLE_HIDDEN, ns, call);
    tally_leaf(&f->tallies, group, call, ns);
    f->r->hidden_ns[reason] += ns;
    f->cause->leaf = call;
}

static bool is_hidden_wait(const struct follow *f, const struct host_piece *p)
{
    const struct host_waits *w = &f->t->v->waits;
    bool may = p->class == IDLE_SYNC || w->n_loops; /* else it takes no time to ask */
    return may && p->event >= 0 &&
           hidden_is_wait(w, p->lane, p->start_ns,
                          p->class == IDLE_SYNC ? p->end_ns : p->start_ns,
                          f->g->rows[f->gap].start_ns);
}

static void add_plain(struct follow *f, const struct host_piece *p, int32_t group,
                      event_id blame)
{
    struct piece_sums sums = {0};
    parts_add_piece(f, group, p, &sums);
    parts_add_sums(f, group, &sums, blame);
}

/* A call writes or sends something, and no operator or runtime call is below it. */
static bool only_writes(const struct follow *f, event_id call)
{
    const struct call_tree *t = &f->t->frames;
    int32_t pos = tree_rank(t, call);
    bool writes = false;
    for (int32_t k = pos; pos >= 0 && k < t->after[pos]; k++) {
        if (f->s->cat[t->order[k]] != CAT_PYTHON)
            return false;
        writes |= host_time_writes(f->host, t->order[k]);
    }
    return writes;
}

/* Of a gap between launches: a call of Python that takes long to write a log, a file or
 * a message. It is not what launching costs, and no compiler removes it. -1: none. */
static event_id own_work(struct follow *f, const struct host_piece *p, int32_t group)
{
    bool may = group >= 0 && f->r->groups[group].class == IDLE_HOST_BOUND &&
               p->class == IDLE_PYTHON && f->g->rows[f->gap].dur_ns >= LONG_GAP_NS;
    event_id call = may ? parts_call_within(f, p) : -1;
    if (call < 0 || store_dur_ns(f->s, call) < LONG_GAP_NS)
        return -1;
    if (call != f->asked) /* once for all its pieces */
        f->own = only_writes(f, call) ? call : -1;
    f->asked = call;
    return f->own;
}

static void add_rest(struct follow *f, int32_t group, event_id blame)
{
    struct piece_sums sums = {0};
    bool compiled = host_time_is_compiled(f->host, f->cause->blame);
    for (int32_t k = 0; k < f->host->n_pieces; k++) {
        struct host_piece *p = &f->host->pieces[k];
        p->compiled |= compiled;
        event_id own = own_work(f, p, group);
        if (is_hidden_wait(f, p))
            add_hidden(f, HIDDEN_WAIT, p->event, p->end_ns - p->start_ns);
        else if (is_special(p->class))
            add_special(f, p);
        else if (parts_meet_late(f, p))
            parts_cut_late(f, p, group, blame, add_plain);
        else if (own >= 0)
            add_plain(f, p, parts_group(f, IDLE_PYTHON, own, S("")), own);
        else
            parts_add_piece(f, group, p, &sums);
    }
    parts_add_sums(f, group, &sums, blame);
}

static bool is_mostly_nothing(const int64_t *ns)
{
    for (int c = 0; c < IDLE_NOTHING; c++)
        if (ns[c] >= ns[IDLE_NOTHING])
            return false;
    return true;
}

/* The event of the host's part with most self time, which what it calls divides. -1 if
 * nothing is recorded for longer than any event takes: only where that is most of the
 * part, as many short events may be more together. */
static event_id longest_event(struct follow *f, bool or_nothing)
{
    const struct host_time *h = f->host;
    struct arena tmp = *f->tmp;
    if (h->n_pieces < 1)
        return -1;
    int64_t *self_ns = arena_take_raw(&tmp, sizeof *self_ns, 8, h->n_pieces);
    int32_t best = -1;
    for (int32_t k = 0; k < h->n_pieces; k++) {
        const struct host_piece *p = &h->pieces[k];
        int32_t *first = &f->piece_of[p->event + 1];
        if (p->event < 0 && !or_nothing)
            continue;
        /* What another gap left is no piece of this one, or not of this event. */
        if (*first < 0 || *first >= k || h->pieces[*first].event != p->event) {
            *first = k;
            self_ns[k] = 0;
        }
        self_ns[*first] += p->end_ns - p->start_ns;
        best = best < 0 || self_ns[*first] > self_ns[best] ? *first : best;
    }
    return best < 0 ? -1 : h->pieces[best].event;
}

/* torch_npu's thread that launches what others put into a queue. */
static bool takes_from_queue(const struct follow *f, event_id call)
{
    event_id up = call < 0 ? -1 : tree_parent(&f->t->frames, call);
    return up >= 0 && str_starts(store_name(f->s, up), S("Dequeue@"));
}

/* Another line of the same thread. Else the thread that launched last, if it is another
 * of the process: where the launching one has nothing recorded, it was waiting for that
 * one, or for the one that fills its queue. */
static int32_t other_lane(const struct follow *f, const struct gap_row *gap,
                          int32_t lane)
{
    event_id before = gap->before < 0 ? -1 : view_issue(f->t->v, gap->before);
    event_id after = gap->after < 0 ? -1 : view_issue(f->t->v, gap->after);
    int32_t other = before >= 0 ? f->s->lane[before] : lane;
    if (f->twins && f->twins[lane] >= 0)
        return f->twins[lane];
    if (takes_from_queue(f, after) && f->host->main_lane >= 0)
        other = f->host->main_lane;
    return other != lane && f->s->lanes[other].pid == f->s->lanes[lane].pid ? other
                                                                            : -1;
}

/* What the host did in a part of a gap. A fixed name stands for what is blamed. */
static void add_part(struct follow *f, const struct gap_row *gap, int32_t lane,
                     int64_t from, int64_t to, struct str fixed)
{
    int32_t other = other_lane(f, gap, lane);
    int64_t ns[IDLE_CLASSES] = {0};
    bool is_short = str_eq(fixed, parts_short_name(f));
    host_time_split(f->host, lane, other, from, to);
    for (int32_t k = 0; k < f->host->n_pieces; k++)
        ns[f->host->pieces[k].class] +=
            f->host->pieces[k].end_ns - f->host->pieces[k].start_ns;
    event_id blame = host_time_cover(f->host, lane, from, to);
    if (blame < 0 && other >= 0)
        blame = host_time_cover(f->host, other, from, to);
    int32_t last = f->host->main_lane;
    if (blame < 0 && last >= 0 && f->s->lanes[last].pid == f->s->lanes[lane].pid)
        blame = host_time_cover(f->host, last, from, to);
    if (blame >= 0 && str_starts(store_name(f->s, blame), S("ProfilerStep")))
        blame = -1; /* where the profiler marks a step, not what is done in it */
    enum idle_class class = is_short ? IDLE_HOST_BOUND : most_of(ns);
    blame = class == IDLE_CPU_WORK ? host_time_worker(f->host) : blame;
    if (to - from > f->part_ns) {
        f->cause->blame = blame;
        f->cause->leaf = longest_event(f, is_mostly_nothing(ns));
        f->part_ns = to - from;
    }
    blame = fixed.n ? -1 : blame;
    blame = is_short && f->loop ? f->loop->result : blame;
    bool any = false;
    for (int c = 0; c < IDLE_CLASSES; c++)
        any |= ns[c] > 0 && !is_special((enum idle_class)c);
    int32_t group = any ? parts_group(f, class, blame, fixed) : -1;
    add_rest(f, group, blame);
}

/* What a batch waits for between its loader and the device. */
static struct str batch_name(const struct follow *f, const struct gap_row *gap)
{
    bool copied = gap->after >= 0 && role_way(store_role(f->s, gap->after)) == COPY_H2D;
    return copied ? S("from the DataLoader to the copy of its batch") : S("");
}

/* The thread that waits for batches: the launching one, or the one that fills its
 * queue.
 */
static int32_t loader_lane(const struct follow *f, const struct gap_row *gap,
                           int32_t lane)
{
    event_id after = gap->after < 0 ? -1 : view_issue(f->t->v, gap->after);
    int32_t other = takes_from_queue(f, after) ? other_lane(f, gap, lane) : -1;
    return other >= 0 ? other : lane;
}

/* A wait for a DataLoader is a part of its own where it is neither all nor next to
 * nothing: what comes before and behind it has other causes. */
static void add_host(struct follow *f, const struct gap_row *gap, int32_t lane,
                     int64_t to, bool is_short)
{
    const struct data_waits *w = &f->data;
    int32_t waits = w->n ? loader_lane(f, gap, lane) : lane;
    int64_t at = gap->start_ns, least = (to - at) / 10;
    struct str fixed = is_short ? parts_short_name(f) : S("");
    f->part_ns = 0;
    for (int32_t k = 0; w->n && !is_short; k++) {
        k = data_wait_in(w, k, waits, at, to);
        if (k == w->n)
            break;
        int64_t from = later(f->s->start_ns[w->at[k]], at),
                until = sooner(store_end_ns(f->s, w->at[k]), to);
        if (until - from < least || until - from > (to - gap->start_ns) - least)
            continue;
        f->before_loader = at == gap->start_ns;
        if (from > at)
            add_part(f, gap, lane, at, from, fixed);
        f->before_loader = false;
        add_part(f, gap, lane, from, until, S(""));
        fixed = batch_name(f, gap);
        at = until;
    }
    if (to > at)
        add_part(f, gap, lane, at, to, fixed);
}

/* The outermost module around one, or empty. What wraps a model is no name for it. */
static struct str root_of(const struct follow *f, event_id module)
{
    struct arena tmp = *f->tmp;
    int n, at = 0;
    struct str *modules = tree_modules(&tmp, f->t, module, &n);
    while (at < n && name_is(modules[at], "DistributedDataParallel|DataParallel|"
                                          "FullyShardedDataParallel|OptimizedModule"))
        at++;
    return at < n ? modules[at] : S("");
}

/* The frames of files that launch kernel by kernel beside graphs, from inside. */
static void count_beside(struct follow *f, event_id call, int32_t group, int64_t ns)
{
    event_id frame = frame_beside_graphs(f->t, f->holds_graph, call);
    for (int k = 0; frame >= 0 && k < TREE_LEVELS_MAX; k++) {
        struct tally like = {.group = group, .kind = TALLY_BESIDE, .example = frame};
        tally_add(&f->tallies, like, ns);
        frame = frame_beside_graphs(f->t, f->holds_graph,
                                    tree_parent(&f->t->frames, frame));
    }
}

/* The optimizer or the modules that short gaps are in; without frames, the operators.
 * ns: of the gap, what is of the group; waits and what compiles have groups of their
 * own. */
static void count_where(struct follow *f, event_id call, int32_t group, int64_t ns)
{
    if (!ns)
        return;
    struct str name = host_time_optimizer(f->host, call);
    event_id module = tree_module_event(f->t, f->loop ? f->loop->result : call);
    if (module >= 0 && (module != f->module || f->loop)) {
        f->module = f->loop ? -1 : module;
        f->root =
            f->loop ? tree_module_name(store_name(f->s, module)) : root_of(f, module);
    }
    if (!name.n && module >= 0)
        name = tree_module_name(store_name(f->s, module));
    if (!name.n)
        name = store_name(f->s, launched_operation(f->t, call));
    struct tally like = {group, TALLY_WHERE, call, name, 0, 0};
    tally_add(&f->tallies, like, ns);
    if (module < 0 || !f->root.n)
        return;
    like = (struct tally){group, TALLY_ROOT, call, f->root, 0, 0};
    tally_add(&f->tallies, like, ns);
}

/* A call that waits or compiles, and then starts what ends the gap. */
static void add_wait(struct follow *f, event_id call, int64_t from, int64_t to)
{
    bool compiles = host_time_call_class(f->host, call) == IDLE_LOAD;
    struct host_piece p = {.event = call,
                           .lane = f->s->lane[call],
                           .start_ns = from,
                           .end_ns = to,
                           .class = compiles ? IDLE_LOAD : IDLE_SYNC};
    if (!compiles && is_hidden_wait(f, &p))
        add_hidden(f, HIDDEN_WAIT, call, to - from);
    else
        add_special(f, &p);
    f->cause->leaf = call;
}

static bool is_wait(const struct follow *f, event_id call)
{
    enum idle_class c = host_time_call_class(f->host, call); /* known by name */
    return c == IDLE_SYNC || c == IDLE_LOAD ||
           (c == IDLE_MEMORY && role_wait(store_role(f->s, call)) > WAITS_POLL);
}

/* Of a launch call. */
static void add_launch(struct follow *f, const struct host_piece *p, int32_t group,
                       event_id leaf)
{
    bool is_short = f->r->groups[group].class == IDLE_HOST_BOUND;
    parts_add_time(f, group, p->class, p->end_ns - p->start_ns,
                   is_short ? -1 : p->event);
    if (!is_short)
        tally_leaf(&f->tallies, group, leaf, p->end_ns - p->start_ns);
    parts_add_span(f, group, p->lane, p->event, p->start_ns, p->end_ns);
}

/* A launch call so long that it loaded or built its kernel. A copy loads no code. */
static bool is_first_launch(const struct follow *f, const struct gap_row *gap,
                            event_id call)
{
    return store_dur_ns(f->s, call) >= LONG_CALL_NS &&
           f->s->cat[gap->after] == CAT_KERNEL &&
           f->first_of[f->s->name[gap->after]] == gap->after;
}

static int32_t first_launches(struct follow *f, event_id call)
{
    return parts_group(f, IDLE_FIRST_LAUNCH, call, S("first launches"));
}

static void add_call(struct follow *f, const struct gap_row *gap, event_id call,
                     int64_t from, int64_t to, bool is_short)
{
    if (is_wait(f, call)) {
        add_wait(f, call, from, to);
        return;
    }
    bool is_long = store_dur_ns(f->s, call) >= LONG_CALL_NS;
    bool first = is_first_launch(f, gap, call);
    enum idle_class class = first ? IDLE_FIRST_LAUNCH : IDLE_LAUNCH;
    int32_t group = first                  ? first_launches(f, call)
                    : is_short && !is_long ? parts_short_group(f)
                                           : parts_group(f, class, call, S(""));
    event_id leaf = first ? gap->after : launched_operation(f->t, call);
    struct host_piece p = {.event = call,
                           .lane = f->s->lane[call],
                           .start_ns = from,
                           .end_ns = to,
                           .class = (uint8_t) class};
    if (is_long)
        add_launch(f, &p, group, leaf);
    else
        parts_add_around_late(f, &p, group, leaf, add_launch);
    if (from == gap->start_ns)
        f->cause->leaf = leaf;
}

static void add_start(struct follow *f, const struct host_piece *p, int32_t group,
                      event_id leaf)
{
    parts_add_time(f, group, IDLE_LATENCY, p->end_ns - p->start_ns, -1);
    if (f->r->groups[group].class != IDLE_HOST_BOUND)
        tally_leaf(&f->tallies, group, leaf, p->end_ns - p->start_ns);
}

/* What a start takes in the way of a launch is of whatever made it late: code that a
 * launch call has loaded has to reach the device, too. */
static void add_latency(struct follow *f, const struct gap_row *gap, event_id call,
                        int64_t from, int64_t to, bool is_short)
{
    event_id leaf = gap->after;
    if (to - from >= LATE_START_NS && is_first_launch(f, gap, call)) {
        int32_t loads = first_launches(f, call);
        parts_add_time(f, loads, IDLE_FIRST_LAUNCH, to - from, call);
        tally_leaf(&f->tallies, loads, leaf, to - from);
        return;
    }
    int32_t group = is_short
                        ? parts_short_group(f)
                        : parts_group(f, IDLE_LATENCY, -1, S("after the launch call"));
    struct host_piece p = {.event = -1, .start_ns = from, .end_ns = to};
    if (to - from >= LATE_START_NS)
        add_start(f, &p, group, leaf);
    else
        parts_add_around_late(f, &p, group, leaf, add_start);
}

/* The table of insight.md 1: the parts of [a, b) around the call [from, to). */
static void follow_call(struct follow *f, const struct gap_row *gap, event_id call)
{
    int64_t a = gap->start_ns, b = a + gap->dur_ns;
    int64_t from = f->s->start_ns[call], to = store_end_ns(f->s, call);
    bool is_short = (f->many_short || f->loop) && gap_is_launch(f->t->v, gap);
    f->kind = is_short ? short_kind_of(&f->short_kinds, f->host, gap) : SHORT_LAUNCH;
    int32_t group = is_short ? parts_short_group(f) : -1;
    int64_t before_ns = is_short ? f->r->groups[group].total_ns : 0;
    if (from > a)
        add_host(f, gap, f->s->lane[call], sooner(from, b), is_short);
    if (sooner(to, b) > later(from, a))
        add_call(f, gap, call, later(from, a), sooner(to, b), is_short);
    if (b > to)
        add_latency(f, gap, call, later(to, a), b, is_short);
    if (!is_short)
        return;
    int64_t ns = f->r->groups[group].total_ns - before_ns;
    count_where(f, call, group, ns);
    if (f->holds_graph && ns)
        count_beside(f, call, group, ns);
}

/* What a gap consists of, up to where it is hidden. */
static void follow_known(struct follow *f, const struct gap_row *gap, event_id call)
{
    if (gap->after < 0) {
        add_host(f, gap, f->t->v->window.tail_lane, gap->start_ns + gap->dur_ns, false);
    } else if (call < 0) {
        int32_t group =
            parts_group(f, IDLE_UNLINKED, -1, S("device work without a call"));
        parts_add_time(f, group, IDLE_UNLINKED, gap->dur_ns, -1);
        tally_leaf(&f->tallies, group, gap->after, gap->dur_ns);
    } else if (gap->queued) {
        add_queued(f, gap, call);
    } else {
        follow_call(f, gap, call);
    }
}

static void add_peer(struct follow *f, int device, int64_t ns)
{
    int32_t group = parts_group(f, IDLE_PEER, -1, f->g->peers->names[device]);
    parts_add_time(f, group, IDLE_PEER, ns, -1);
    f->cause->peer = device;
}

/* The row of a part's gap: that of this device, or of all. */
static struct gap_row part_row(struct follow *f, const struct gap_row *gap, int32_t all)
{
    const struct idle_gaps *rows = f->g->peers->all;
    f->row = all < 0 ? &f->g->rows[f->gap] : &rows->rows[all];
    f->behind = all < 0 ? &f->late[f->gap] : &f->g->peers->late[all];
    return all < 0 ? *gap : rows->rows[all];
}

/* One of several devices waits for the others in part of its gap. */
static void follow_parts(struct follow *f, const struct gap_row *gap, event_id call)
{
    if (!f->g->peers) {
        follow_known(f, gap, call);
        return;
    }
    struct peer_walk w = peer_walk_of(f->g->peers, f->t->v, gap, call);
    enum peer_part is;
    for (struct span to; peer_walk_next(&w, &is, &to);) {
        struct gap_row part = part_row(f, gap, is == PEER_ALL ? w.row : -1);
        part.start_ns = to.start_ns;
        part.dur_ns = to.end_ns - to.start_ns;
        if (is == PEER_WORKS)
            add_peer(f, w.device, part.dur_ns);
        else if (is == PEER_OWN)
            follow_known(f, &part, call);
        else if (is == PEER_ALL)
            follow_known(f, &part,
                         part.after < 0 ? -1 : view_issue(f->t->v, part.after));
        else
            f->at_ns += part.dur_ns;
    }
}

static void follow_gap(struct follow *f, const struct gap_row *gap)
{
    event_id call = gap->after < 0 ? -1 : view_issue(f->t->v, gap->after), by;
    struct gap_row known = *gap;
    int64_t end_ns = gap->start_ns + gap->dur_ns, from_ns = end_ns;
    enum hidden_reason hidden =
        hidden_from(&f->g->hidden, f->t->v, gap->before, gap->after, gap->start_ns,
                    end_ns, &from_ns, &by);
    if (hidden == HIDDEN_NOT && f->cover.of_gap && f->cover.of_gap[f->gap]) {
        hidden = HIDDEN_NODES;
        from_ns = gap->start_ns;
    }
    memset(f->class_ns, 0, sizeof f->class_ns);
    f->at_ns = gap->start_ns - f->frame.origin_ns;
    f->gap_us = (double)gap->dur_ns / 1e3;
    f->row = gap;
    f->behind = &f->late[f->gap];
    f->in_graph = false;
    f->within = f->own = f->asked = f->told.call = -1;
    f->loop = call < 0
                  ? NULL
                  : expert_loop_at(&f->loops, f->s->lane[call], f->s->start_ns[call]);
    f->starts =
        f->gap < f->start.n && (!f->input[f->gap] || f->input[f->gap] == INPUT_RESULTS);
    *f->cause = (struct gap_cause){.blame = -1, .leaf = -1};
    known.dur_ns = from_ns - gap->start_ns;
    if (known.dur_ns > 0)
        follow_parts(f, &known, hidden == HIDDEN_GRAPH ? by : call);
    if (hidden != HIDDEN_NOT)
        add_hidden(f, hidden, by, end_ns - from_ns);
    for (int c = 0; c < IDLE_CLASSES; c++)
        if (f->class_ns[c] > f->cause->class_ns) {
            f->cause->class = (enum idle_class)c;
            f->cause->class_ns = f->class_ns[c];
        }
}

static void name_groups(struct follow *f)
{
    struct idle_result *r = f->r;
    struct group_names names = {f->perm, f->t, f->host, r->groups, f->notes_of};
    idle_groups_name(&names, f->tmp, &f->tallies, r->n_groups);
    for (int32_t k = 0; k < r->n_groups; k++) {
        const struct building *b = &f->b[k];
        struct str fixed =
            b->memory[0] >= 0 || b->memory[1] >= 0 ? memory_name(f, b) : b->fixed;
        idle_group_blame(&names, &r->groups[k], b->blame, fixed);
    }
}

/* Annotations by name; NULL where frames are recorded. */
static int32_t *count_notes(struct arena *tmp, const struct tree_index *t)
{
    const struct trace_view *v = t->v;
    if (t->has_frames || !v->n_notes)
        return NULL;
    int32_t *n = arena_new(tmp, int32_t, v->s->names.n + 1);
    for (int32_t k = 0; k < v->n_notes; k++)
        n[v->s->name[v->notes[k]]]++;
    return n;
}

struct gap_cause *idle_follow(struct arena *perm, struct arena tmp, struct host_time *h,
                              const struct idle_gaps *g, struct idle_result *r)
{
    const struct tree_index *t = h->t;
    struct host_time host = host_time_again(h, &tmp); /* a gap may have many pieces */
    struct gap_cause *causes = arena_new(perm, struct gap_cause, g->n);
    struct follow f = {.perm = perm,
                       .tmp = &tmp,
                       .t = t,
                       .s = t->v->s,
                       .g = g,
                       .r = r,
                       .host = &host,
                       .module = -1};
    f.frame = timeline_frame(t->v);
    f.tallies = tallies_make(&tmp, t->v->s);
    f.notes_of = count_notes(&tmp, t);
    f.twins = thread_twins_find(&tmp, *perm, t->v);
    f.piece_of = arena_take_raw(&tmp, sizeof *f.piece_of, 4, (ptrdiff_t)t->v->s->n + 1);
    f.cover = graph_cover_find(&tmp, *perm, t->v, g);
    f.data = data_waits_find(&tmp, *perm, t->v->s);
    f.holds_graph = holds_graph(&tmp, t, g->hidden.n_graph_launches);
    f.late = idle_late_find(&tmp, *perm, t->v, g);
    f.input = idle_input_find(&tmp, *perm, t, g);
    f.loops = expert_loops_find(&tmp, t);
    f.start = idle_start_find(tmp, t->v, g);
    f.many_short = short_gaps_are_many(t->v, g->peers ? g->peers->all : g) ||
                   brief_gaps_are_most(t->v, g);
    if (f.many_short)
        f.short_kinds = short_kinds_find(&tmp, &host, g->peers ? g->peers->all : g);
    f.first_of = first_device_events(&tmp, t->v);
    f.group_of = int_map_make(&tmp, 64);
    for (f.gap = 0; f.gap < g->n; f.gap++) {
        f.cause = &causes[f.gap];
        follow_gap(&f, &g->rows[f.gap]);
    }
    name_groups(&f);
    idle_spans_place(perm, r, f.spans, f.n_spans);
    if (r->n_groups)
        parts_place_waits(&f);
    idle_groups_join_leaves(perm, r);
    idle_groups_sort(perm, tmp, r);
    idle_pools_fill(r);
    r->expert_turns = f.loops.turns;
    r->start_gaps = f.start.n;
    r->ahead_ns = f.start.ahead_ns;
    r->graph_launches_hidden = f.g->hidden.n_graphs;
    r->graph_launches_partial = f.cover.n;
    r->graph_covered_ns = f.cover.kernels_ns;
    r->graph_uncovered_ns = f.cover.gap_ns;
    return causes;
}
