#include "analysis/system/idle_follow.h"

#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/system/host_name.h"
#include "analysis/system/host_time.h"
#include "analysis/system/idle_tally.h"
#include "analysis/system/system_parts.h"
#include "base/sort.h"
#include "ops/timeline_data.h"

#include <math.h>
#include <string.h>

enum {
    SHORT_GAP_NS = 1000000, /* shorter gaps are the launches' own cost ... */
    MANY_GAPS = 50,         /* ... where there are as many as this, */
    SOME_GAPS = 20,         /* or these hold much of idle time */
    LONG_CALL_NS = 1000000  /* a launch call takes a few microseconds */
};

struct building { /* a group, until all gaps are read */
    event_id blame;
    struct str fixed; /* its name where no event has it */
    event_id last_call;
    int32_t last_gap;
    event_id memory[2]; /* taken from the driver, given back: a call of each, or -1 */
    int64_t memory_ns[2];
};

struct span_row {
    int32_t group;
    struct idle_span span;
};

struct follow {
    struct arena *perm, *tmp;
    const struct tree_index *t;
    const struct event_store *s;
    const struct idle_gaps *g;
    struct idle_result *r;
    struct host_time *host;
    bool many_short;
    event_id *first_of; /* by name: the first device event */
    int32_t *piece_of;  /* by event, from -1: its first piece in one gap */
    struct building *b; /* beside r->groups */
    struct int_map group_of;
    struct tallies tallies;
    struct span_row *spans;
    int32_t n_spans;
    /* the gap being read */
    int32_t gap;
    double gap_us;
    struct gap_cause *cause;
    int64_t class_ns[IDLE_CLASSES];
    /* where its next part begins, on the timeline */
    struct timeline_data frame;
    int64_t at_ns, bin_end_ns;
    int bin;
};

static int32_t group_at(struct follow *f, enum idle_class class, event_id blame,
                        struct str fixed)
{
    uint64_t name = fixed.n ? str_hash(fixed) : tally_name_key(&f->tallies, blame);
    int32_t *at = int_map_at(&f->group_of, f->tmp, (int64_t)key_mix(name, class));
    if (*at < 0) {
        *at = f->r->n_groups;
        arena_grow(f->perm, f->r->groups, f->r->n_groups);
        arena_grow(f->tmp, f->b, f->r->n_groups);
        f->r->groups[f->r->n_groups] = (struct idle_group){.class = class};
        f->b[f->r->n_groups++] = (struct building){.blame = blame,
                                                   .fixed = fixed,
                                                   .last_call = -1,
                                                   .last_gap = -1,
                                                   .memory = {-1, -1}};
    }
    return *at;
}

static void add_span(struct follow *f, int32_t group, int32_t lane, event_id event,
                     int64_t from, int64_t to)
{
    struct span_row *last = f->n_spans ? &f->spans[f->n_spans - 1] : NULL;
    if (last && last->group == group && last->span.lane == lane &&
        last->span.end_ns == from) {
        last->span.end_ns = to;
        return;
    }
    arena_grow(f->tmp, f->spans, f->n_spans);
    f->spans[f->n_spans++] = (struct span_row){group, {lane, event, from, to}};
}

/* Parts of gaps come in the order of time. */
static void add_to_bins(struct follow *f, enum idle_class class, int64_t ns)
{
    int64_t **bins = &f->r->class_bins[class];
    if (!*bins)
        *bins = arena_new(f->perm, int64_t, f->frame.n_bins);
    if (f->at_ns + ns <= f->bin_end_ns) {
        (*bins)[f->bin] += ns;
    } else {
        f->bin = timeline_add(&f->frame, f->bin, f->at_ns, f->at_ns + ns, *bins);
        f->bin_end_ns = timeline_bin_ns(&f->frame, f->bin + 1);
    }
    f->at_ns += ns;
}

/* The next `ns` of the gap belong to the class and to the group. */
static void add_time(struct follow *f, int32_t group, enum idle_class class, int64_t ns,
                     event_id call)
{
    struct idle_group *g = &f->r->groups[group];
    struct building *b = &f->b[group];
    const struct gap_row *gap = &f->g->rows[f->gap];
    bool new_gap = b->last_gap != f->gap;
    f->r->class_ns[class] += ns;
    f->class_ns[class] += ns;
    add_to_bins(f, class, ns);
    double us = (double)ns / 1e3;
    g->total_ns += ns;
    g->class_us[class] += us;
    g->long_us += gap->dur_ns >= LONG_GAP_NS ? us : 0;
    g->gaps += new_gap;
    if (f->gap_us > g->max_us) {
        g->max_us = f->gap_us;
        g->longest_from_ns = gap->start_ns;
    }
    g->calls += call < 0 ? new_gap : call != b->last_call;
    b->last_gap = f->gap;
    b->last_call = call;
    if (gap->sync >= 0) {
        g->after_sync_us += us;
        event_id op = f->g->syncs[gap->sync].op;
        struct tally like = {.group = group, .kind = TALLY_SYNC, .example = op};
        tally_add(&f->tallies, like, ns);
    }
}

static bool is_special(enum idle_class c)
{
    return c == IDLE_SYNC || c == IDLE_MEMORY || c == IDLE_LOAD || c == IDLE_GRAPH;
}

enum queue_reason {
    QUEUE_COLLECTIVE,
    QUEUE_IN_GRAPH,
    QUEUE_BEFORE_GRAPH,
    QUEUE_OTHER_STREAM,
    QUEUE_COPIES,
    QUEUE_KERNELS
};

static const struct str queue_words[] = {
    [QUEUE_COLLECTIVE] = S_INIT("before a collective"),
    [QUEUE_IN_GRAPH] = S_INIT("inside a GPU graph"),
    [QUEUE_BEFORE_GRAPH] = S_INIT("before a GPU graph"),
    [QUEUE_OTHER_STREAM] = S_INIT("behind work of another stream"),
    [QUEUE_COPIES] = S_INIT("around copies"),
    [QUEUE_KERNELS] = S_INIT("between kernels")};

static enum queue_reason queue_reason(const struct follow *f, const struct gap_row *gap,
                                      event_id call)
{
    const struct event_store *s = f->s;
    bool copies = s->cat[gap->after] != CAT_KERNEL || s->cat[gap->before] != CAT_KERNEL;
    if (view_communicates(f->t->v, gap->after))
        return QUEUE_COLLECTIVE;
    if (launch_is_graph(store_name(s, call)))
        return view_issue(f->t->v, gap->before) == call ? QUEUE_IN_GRAPH
                                                        : QUEUE_BEFORE_GRAPH;
    if (s->lane[gap->before] != s->lane[gap->after])
        return QUEUE_OTHER_STREAM;
    return copies ? QUEUE_COPIES : QUEUE_KERNELS;
}

/* Nothing of another stream or rank, and no copy, is what the queue waited for. */
static bool is_alone(const struct follow *f, const struct gap_row *gap)
{
    const struct event_store *s = f->s;
    return s->lane[gap->before] == s->lane[gap->after] &&
           s->cat[gap->before] == CAT_KERNEL && s->cat[gap->after] == CAT_KERNEL &&
           !view_communicates(f->t->v, gap->after);
}

static void add_queued(struct follow *f, const struct gap_row *gap, event_id call)
{
    enum queue_reason reason = queue_reason(f, gap, call);
    int32_t group = group_at(f, IDLE_QUEUED, -1, queue_words[reason]);
    add_time(f, group, IDLE_QUEUED, gap->dur_ns, -1);
    f->r->groups[group].crosses = reason == QUEUE_OTHER_STREAM;
    if (gap->dur_ns >= LONG_GAP_NS && is_alone(f, gap))
        f->r->groups[group].stalled_us += (double)gap->dur_ns / 1e3;
    tally_leaf(&f->tallies, group, gap->after, gap->dur_ns);
    f->cause->leaf = gap->after;
}

static void count_memory(struct follow *f, int32_t group, event_id call, int64_t ns)
{
    int gives = name_has(store_name(f->s, call), "Free");
    f->b[group].memory[gives] = call;
    f->b[group].memory_ns[gives] += ns;
}

/* "cudaMalloc", or "cudaMalloc and cudaFree" where both take time. */
static struct host_name memory_name(struct follow *f, const struct building *b)
{
    int most = b->memory_ns[1] > b->memory_ns[0];
    struct str name = store_name(f->s, b->memory[most]);
    if (b->memory_ns[!most] > b->memory_ns[most] / 9)
        name = say(f->perm, "{} and {}", said(name),
                   said(store_name(f->s, b->memory[!most])));
    return (struct host_name){name, S("")};
}

/* Runtime calls and compilation are named themselves, and who calls them is the leaf.
 */
static void add_special(struct follow *f, const struct host_piece *p)
{
    const struct event_store *s = f->s;
    int64_t ns = p->end_ns - p->start_ns;
    bool call = p->event >= 0 && cat_is_runtime(s->cat[p->event]) &&
                host_time_call_class(f->host, p->event) == p->class;
    bool captures = p->class == IDLE_GRAPH && !call;
    event_id blame = call || captures ? p->event : host_time_compile(f->host, p->event);
    event_id caller = blame;
    if (!captures)
        caller = tree_operator(s, &f->t->frames, blame);
    if (caller < 0 && !captures)
        caller = tree_parent(&f->t->frames, blame);
    struct str memory =
        call && p->class == IDLE_MEMORY && host_call_is_pool(store_name(s, p->event))
            ? S("device memory")
            : S("");
    int32_t group =
        group_at(f, p->class, blame, captures ? S("graph capture") : memory);
    if (memory.n)
        count_memory(f, group, p->event, ns);
    add_time(f, group, p->class, ns, captures ? -1 : blame);
    tally_leaf(&f->tallies, group, caller, ns);
    add_span(f, group, p->lane, p->event, p->start_ns, p->end_ns);
}

static enum idle_class most_of(const int64_t *ns)
{
    int best = IDLE_NOTHING;
    for (int c = 0; c < IDLE_CLASSES; c++)
        if (!is_special((enum idle_class)c) && ns[c] > ns[best])
            best = c;
    return (enum idle_class)best;
}

static void add_rest(struct follow *f, int32_t group, event_id blame)
{
    bool compiled = host_time_is_compiled(f->host, f->cause->blame);
    for (int32_t k = 0; k < f->host->n_pieces; k++) {
        const struct host_piece *p = &f->host->pieces[k];
        int64_t ns = p->end_ns - p->start_ns;
        if (is_special(p->class)) {
            add_special(f, p);
            continue;
        }
        add_time(f, group, p->class, ns, blame);
        tally_leaf(&f->tallies, group, p->event, ns);
        add_span(f, group, p->lane, p->event, p->start_ns, p->end_ns);
        if (p->compiled || compiled)
            f->r->groups[group].compiled_us += (double)ns / 1e3;
    }
}

/* The event of the host's part with most self time, which what it calls divides. */
static event_id longest_event(struct follow *f)
{
    const struct host_time *h = f->host;
    struct arena tmp = *f->tmp;
    if (h->n_pieces < 1)
        return -1;
    int64_t *self_ns = arena_take_raw(&tmp, sizeof *self_ns, 8, h->n_pieces);
    int32_t best = 0;
    for (int32_t k = 0; k < h->n_pieces; k++) {
        const struct host_piece *p = &h->pieces[k];
        int32_t *first = &f->piece_of[p->event + 1];
        /* What another gap left is no piece of this one, or not of this event. */
        if (*first < 0 || *first >= k || h->pieces[*first].event != p->event) {
            *first = k;
            self_ns[k] = 0;
        }
        self_ns[*first] += p->end_ns - p->start_ns;
        best = self_ns[*first] > self_ns[best] ? *first : best;
    }
    return h->pieces[best].event;
}

/* The thread that launched last, if it is another of the process: where the launching
 * one has nothing recorded, it was waiting for that one. */
static int32_t other_lane(const struct follow *f, const struct gap_row *gap,
                          int32_t lane)
{
    event_id before = view_issue(f->t->v, gap->before);
    int32_t other = before >= 0 ? f->s->lane[before] : lane;
    return other != lane && f->s->lanes[other].pid == f->s->lanes[lane].pid ? other
                                                                            : -1;
}

static void add_host(struct follow *f, const struct gap_row *gap, event_id call,
                     int64_t to, bool is_short)
{
    int32_t lane = f->s->lane[call], other = other_lane(f, gap, lane);
    int64_t from = gap->start_ns, ns[IDLE_CLASSES] = {0};
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
    f->cause->blame = blame;
    f->cause->leaf = longest_event(f);
    enum idle_class class = is_short ? IDLE_HOST_BOUND : most_of(ns);
    struct str fixed = is_short ? S("launches") : S("");
    bool any = false;
    for (int c = 0; c < IDLE_CLASSES; c++)
        any |= ns[c] > 0 && !is_special((enum idle_class)c);
    int32_t group = any ? group_at(f, class, is_short ? -1 : blame, fixed) : -1;
    add_rest(f, group, is_short ? -1 : blame);
}

/* The optimizer or the modules that short gaps are in; without frames, the operators.
 */
static void count_where(struct follow *f, const struct gap_row *gap, event_id call,
                        int32_t group)
{
    struct str name = host_time_optimizer(f->host, call);
    if (!name.n)
        name = tree_innermost_module(f->t, call);
    if (!name.n)
        name = store_name(f->s, launched_operation(f->t, call));
    struct tally like = {group, TALLY_WHERE, call, name, 0, 0};
    tally_add(&f->tallies, like, gap->dur_ns);
}

static void add_call(struct follow *f, const struct gap_row *gap, event_id call,
                     int64_t from, int64_t to, bool is_short)
{
    bool is_long = store_dur_ns(f->s, call) >= LONG_CALL_NS;
    bool first = is_long && f->first_of[f->s->name[gap->after]] == gap->after;
    enum idle_class class = first ? IDLE_FIRST_LAUNCH : IDLE_LAUNCH;
    int32_t group = is_long
                        ? group_at(f, class, call, first ? S("first launches") : S(""))
                    : is_short ? group_at(f, IDLE_HOST_BOUND, -1, S("launches"))
                               : group_at(f, class, call, S(""));
    event_id leaf = first ? gap->after : launched_operation(f->t, call);
    is_short = is_short && !is_long;
    add_time(f, group, class, to - from, is_short ? -1 : call);
    if (!is_short)
        tally_leaf(&f->tallies, group, leaf, to - from);
    add_span(f, group, f->s->lane[call], call, from, to);
    if (from == gap->start_ns)
        f->cause->leaf = leaf;
}

static void add_latency(struct follow *f, event_id leaf, int64_t ns, bool is_short)
{
    int32_t group = is_short
                        ? group_at(f, IDLE_HOST_BOUND, -1, S("launches"))
                        : group_at(f, IDLE_LATENCY, -1, S("after the launch call"));
    add_time(f, group, IDLE_LATENCY, ns, -1);
    if (!is_short)
        tally_leaf(&f->tallies, group, leaf, ns);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The launches of a graph's kernels are one. */
static bool is_launch_gap(const struct tree_index *t, const struct gap_row *gap)
{
    event_id call = view_issue(t->v, gap->after);
    return call >= 0 && !gap->queued && gap->dur_ns < SHORT_GAP_NS &&
           !launch_is_graph(store_name(t->v->s, call));
}

/* The table of insight.md 1: the parts of [a, b) around the call [from, to). */
static void follow_call(struct follow *f, const struct gap_row *gap, event_id call)
{
    int64_t a = gap->start_ns, b = a + gap->dur_ns;
    int64_t from = f->s->start_ns[call], to = store_end_ns(f->s, call);
    bool is_short = f->many_short && is_launch_gap(f->t, gap);
    if (from > a)
        add_host(f, gap, call, sooner(from, b), is_short);
    if (sooner(to, b) > later(from, a))
        add_call(f, gap, call, later(from, a), sooner(to, b), is_short);
    if (b > to)
        add_latency(f, gap->after, b - to, is_short);
    if (is_short)
        count_where(f, gap, call, group_at(f, IDLE_HOST_BOUND, -1, S("launches")));
}

static void follow_gap(struct follow *f, const struct gap_row *gap)
{
    event_id call = view_issue(f->t->v, gap->after);
    memset(f->class_ns, 0, sizeof f->class_ns);
    f->at_ns = gap->start_ns - f->frame.origin_ns;
    f->gap_us = (double)gap->dur_ns / 1e3;
    *f->cause = (struct gap_cause){.blame = -1, .leaf = -1};
    if (call < 0) {
        int32_t group = group_at(f, IDLE_UNLINKED, -1, S("device work without a call"));
        add_time(f, group, IDLE_UNLINKED, gap->dur_ns, -1);
        tally_leaf(&f->tallies, group, gap->after, gap->dur_ns);
    } else if (gap->queued) {
        add_queued(f, gap, call);
    } else {
        follow_call(f, gap, call);
    }
    for (int c = 0; c < IDLE_CLASSES; c++)
        if (f->class_ns[c] > f->cause->class_ns) {
            f->cause->class = (enum idle_class)c;
            f->cause->class_ns = f->class_ns[c];
        }
}

/* Fifty, or as few as twenty where they hold a third of idle time. */
static bool are_short_gaps_many(const struct tree_index *t, const struct idle_gaps *g)
{
    int64_t all_ns = 0, short_ns = 0;
    int32_t n = 0;
    for (int32_t k = 0; k < g->n; k++) {
        const struct gap_row *gap = &g->rows[k];
        bool is_short = is_launch_gap(t, gap);
        n += is_short;
        short_ns += is_short ? gap->dur_ns : 0;
        all_ns += gap->dur_ns;
    }
    return n >= MANY_GAPS || (n >= SOME_GAPS && 3 * short_ns >= all_ns);
}

static event_id *first_events(struct arena *a, const struct trace_view *v)
{
    const struct event_store *s = v->s;
    event_id *first = arena_take_raw(a, sizeof *first, 4, s->names.n);
    for (int32_t k = 0; k < s->names.n; k++)
        first[k] = -1;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k], *one = &first[s->name[gpu]];
        if (*one < 0 || s->start_ns[gpu] < s->start_ns[*one])
            *one = gpu;
    }
    return first;
}

/* The place of a frame of a file, or of the Python code that called anything else. */
static struct host_name named(struct follow *f, event_id i)
{
    struct host_name n = host_name_of(f->perm, store_name(f->s, i));
    if (n.place.n || cat_is_gpu(f->s->cat[i]) || str_starts(n.name, S("generated ")))
        return n;
    struct str path = tree_launcher_path(f->t, i);
    if (path.n && !str_has(path, S("autograd/profiler.py"))) { /* of an annotation */
        struct host_name caller = host_name_of(f->perm, path);
        n.place = caller.place.n ? str_printf(f->perm, "%.*s, %.*s", STRF(caller.name),
                                              STRF(caller.place))
                                 : caller.name;
    }
    return n;
}

static void add_where(struct follow *f, struct idle_group *g, const struct tally *y)
{
    enum { MOST = sizeof g->where / sizeof *g->where };
    int at = g->n_where;
    double us = (double)y->ns / 1e3;
    while (at > 0 && g->where[at - 1].total_us < us)
        at--;
    if (at == MOST)
        return;
    g->n_where += g->n_where < MOST;
    memmove(g->where + at + 1, g->where + at,
            (size_t)(g->n_where - 1 - at) * sizeof *g->where);
    struct str op = store_name(f->s, launched_operation(f->t, y->example));
    g->where[at] = (struct op_share){host_name_of(f->perm, y->name).name,
                                     str_eq(op, y->name) ? S("") : op, y->count, us};
}

static void name_groups(struct follow *f)
{
    struct idle_result *r = f->r;
    const struct tally **leaf = arena_new(f->tmp, const struct tally *, r->n_groups);
    const struct tally **sync = arena_new(f->tmp, const struct tally *, r->n_groups);
    for (int32_t k = 0; k < f->tallies.n; k++) {
        const struct tally *y = &f->tallies.rows[k];
        const struct tally **best =
            y->kind == TALLY_LEAF ? &leaf[y->group] : &sync[y->group];
        if (y->kind == TALLY_WHERE)
            add_where(f, &r->groups[y->group], y);
        else if (!*best || y->ns > (*best)->ns)
            *best = y;
    }
    int64_t steps = f->t->v->profiler_steps;
    for (int32_t k = 0; k < r->n_groups; k++) {
        struct idle_group *g = &r->groups[k];
        struct host_name none = {0}, n;
        n = f->b[k].memory[0] >= 0 || f->b[k].memory[1] >= 0 ? memory_name(f, &f->b[k])
            : f->b[k].fixed.n    ? (struct host_name){f->b[k].fixed, S("")}
            : f->b[k].blame >= 0 ? named(f, f->b[k].blame)
                                 : none;
        g->blame = n.name;
        if (f->b[k].blame >= 0 && !cat_is_gpu(f->s->cat[f->b[k].blame]))
            g->around = host_time_around(f->host, f->perm, f->b[k].blame);
        g->blame_place = n.place;
        g->blame_frame = n.place.n ? store_name(f->s, f->b[k].blame) : S("");
        n = leaf[k] && leaf[k]->example >= 0 ? named(f, leaf[k]->example) : none;
        g->leaf = n.name;
        g->leaf_place = n.place;
        if (leaf[k]) {
            int32_t launched = 0;
            if (leaf[k]->example >= 0 && f->s->cat[leaf[k]->example] == CAT_CPU_OP)
                launch_range(&f->t->v->launch, &f->t->v->tree, leaf[k]->example,
                             &launched);
            g->leaf_us = (double)leaf[k]->ns / 1e3;
            g->leaf_call_us = g->leaf_us / (double)leaf[k]->count;
            g->leaf_launches = launched > 0;
        }
        n = sync[k] ? named(f, sync[k]->example) : none;
        g->sync = n.name;
        g->sync_place = n.place;
        g->per_step_us =
            steps ? (double)g->total_ns / 1e3 / (double)steps : (double)NAN;
    }
}

/* Each group gets its range of one array. Gaps come by start, so spans do too. */
static void place_spans(struct follow *f)
{
    struct idle_result *r = f->r;
    struct idle_span *all = arena_take_raw(f->perm, sizeof *all, 8, f->n_spans);
    for (int32_t k = 0; k < f->n_spans; k++)
        r->groups[f->spans[k].group].n_spans++;
    for (int32_t g = 0; g < r->n_groups; g++) {
        r->groups[g].spans = all;
        all += r->groups[g].n_spans;
        r->groups[g].n_spans = 0;
    }
    for (int32_t k = 0; k < f->n_spans; k++) {
        struct idle_group *g = &r->groups[f->spans[k].group];
        g->spans[g->n_spans++] = f->spans[k].span;
    }
}

/* By time; equal times keep the order in which they were found. */
static void sort_groups(struct arena *perm, struct arena tmp, struct idle_result *r)
{
    struct sort_row *rows = arena_take_raw(&tmp, sizeof *rows, 8, r->n_groups);
    struct idle_group *sorted = arena_take_raw(perm, sizeof *sorted, 8, r->n_groups);
    for (int32_t k = 0; k < r->n_groups; k++)
        rows[k] = (struct sort_row){-r->groups[k].total_ns, k};
    sort_rows(tmp, rows, r->n_groups);
    for (int32_t k = 0; k < r->n_groups; k++)
        sorted[k] = r->groups[rows[k].row];
    while (r->n_groups && !sorted[r->n_groups - 1].total_ns)
        r->n_groups--;
    r->groups = sorted;
}

struct gap_cause *idle_follow(struct arena *perm, struct arena tmp, struct host_time *h,
                              const struct idle_gaps *g, struct idle_result *r)
{
    const struct tree_index *t = h->t;
    struct gap_cause *causes = arena_new(perm, struct gap_cause, g->n);
    struct follow f = {
        .perm = perm, .tmp = &tmp, .t = t, .s = t->v->s, .g = g, .r = r, .host = h};
    f.frame = timeline_frame(t->v);
    f.tallies = tallies_make(&tmp, t->v->s);
    f.piece_of = arena_take_raw(&tmp, sizeof *f.piece_of, 4, (ptrdiff_t)t->v->s->n + 1);
    f.many_short = are_short_gaps_many(t, g);
    f.first_of = first_events(&tmp, t->v);
    f.group_of = int_map_make(&tmp, 64);
    for (f.gap = 0; f.gap < g->n; f.gap++) {
        f.cause = &causes[f.gap];
        follow_gap(&f, &g->rows[f.gap]);
    }
    name_groups(&f);
    place_spans(&f);
    sort_groups(perm, tmp, r);
    return causes;
}
