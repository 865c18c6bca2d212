#include "analysis/system/idle_parts.h"

static int32_t group_of(struct follow *f, enum idle_class class, uint64_t name,
                        event_id blame, struct str fixed)
{
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

int32_t parts_group(struct follow *f, enum idle_class class, event_id blame,
                    struct str fixed)
{
    uint64_t name = fixed.n ? str_hash(fixed) : tally_name_key(&f->tallies, blame);
    return group_of(f, class, name, blame, fixed);
}

struct str parts_short_name(const struct follow *f)
{
    static const struct str names[] = {[SHORT_LAUNCH] = S_INIT("launches"),
                                       [SHORT_ZEROS] = S_INIT("launches of zero_grad"),
                                       [SHORT_COMPILED] =
                                           S_INIT("launches of compiled code"),
                                       [SHORT_SENT] = S_INIT("launches of copies")};
    return f->loop ? S("expert loop") : names[f->kind];
}

int32_t parts_short_group(struct follow *f)
{
    return parts_group(f, IDLE_HOST_BOUND, f->loop ? f->loop->result : -1,
                       parts_short_name(f));
}

void parts_add_span(struct follow *f, int32_t group, int32_t lane, event_id event,
                    int64_t from, int64_t to)
{
    if (f->starts) /* nothing shows that it recurs */
        return;
    struct idle_span_row *last = f->n_spans ? &f->spans[f->n_spans - 1] : NULL;
    if (last && last->group == group && last->span.lane == lane &&
        last->span.end_ns == from) {
        last->span.end_ns = to;
        return;
    }
    arena_grow(f->tmp, f->spans, f->n_spans);
    f->spans[f->n_spans++] = (struct idle_span_row){group, {lane, event, from, to}};
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

/* Gaps come by time, but one may go back to a call that is counted. */
static bool is_new_call(const struct follow *f, struct building *b, event_id call)
{
    const int64_t *start_ns = f->s->start_ns;
    if (b->last_call >= 0 && start_ns[call] <= start_ns[b->last_call])
        return false;
    b->last_call = call;
    return true;
}

/* What the copy before the gap has read; of unknown size, it may be large. */
static void add_results(struct follow *f, struct idle_group *g, event_id copy,
                        int64_t ns)
{
    int64_t bytes = store_bytes(f->s, copy);
    bool known = bytes >= 0 && (!g->results_ns || g->results_bytes >= 0);
    g->results_bytes = known ? later(g->results_bytes, bytes) : -1;
    g->results_ns += ns;
    if (g->n_results && g->results[g->n_results - 1] == copy)
        return;
    arena_grow(f->perm, g->results, g->n_results);
    g->results[g->n_results++] = copy;
}

/* To all sums but those by time. */
static void add_sum(struct follow *f, int32_t group, enum idle_class class,
                    struct part_sum sum, event_id call)
{
    int64_t ns = sum.ns;
    struct idle_group *g = &f->r->groups[group];
    struct building *b = &f->b[group];
    const struct gap_row *gap = &f->g->rows[f->gap];
    bool new_gap = b->last_gap != f->gap;
    f->r->class_ns[class] += ns;
    f->class_ns[class] += ns;
    double us = (double)ns / 1e3;
    bool made = f->input[f->gap] == INPUT_MADE ||
                (f->input[f->gap] == INPUT_OR_DETOUR && class != IDLE_CPU_WORK);
    bool input = made && !f->before_loader;
    enum idle_pool pool = idle_pool_of(class, ns, f->in_graph, input);
    g->pool_ns[f->starts && pool == POOL_HOST ? POOL_START : pool] += ns;
    if (f->input[f->gap] == INPUT_RESULTS)
        add_results(f, g, gap->before, ns);
    g->longest_part_ns = later(sum.longest_ns, g->longest_part_ns);
    g->total_ns += ns;
    g->class_us[class] += us;
    g->long_us += gap->dur_ns >= LONG_GAP_NS ? us : 0;
    g->gaps += new_gap;
    g->copy_gaps += new_gap && gap->after >= 0 && f->s->cat[gap->after] == CAT_MEMCPY;
    if (f->gap_us > g->max_us) {
        g->max_us = f->gap_us;
        g->longest_from_ns = gap->start_ns;
    }
    g->calls += call < 0 ? new_gap : is_new_call(f, b, call);
    b->last_gap = f->gap;
    if (f->row->sync >= 0 && g->class != IDLE_SYNC) {
        g->after_sync_us += us;
        g->hidden_without_us += f->behind->hides ? us : 0;
        event_id op = f->g->syncs[f->row->sync].op;
        struct tally like = {.group = group, .kind = TALLY_SYNC, .example = op};
        tally_add(&f->tallies, like, ns);
    }
}

void parts_add_time(struct follow *f, int32_t group, enum idle_class class, int64_t ns,
                    event_id call)
{
    add_to_bins(f, class, ns);
    add_sum(f, group, class, (struct part_sum){ns, ns}, call);
}

event_id parts_call_within(struct follow *f, const struct host_piece *p)
{
    const struct event_store *s = f->s;
    const struct gap_row *gap = &f->g->rows[f->gap];
    int cat = f->t->has_frames ? CAT_PYTHON : CAT_CPU_OP;
    if (f->within >= 0 && s->lane[f->within] == p->lane &&
        p->start_ns < store_end_ns(s, f->within))
        return f->within;
    f->within = -1;
    event_id i = p->event;
    for (int k = 0; i >= 0 && k < TREE_LEVELS_MAX; k++) {
        if (s->start_ns[i] < gap->start_ns ||
            store_end_ns(s, i) > gap->start_ns + gap->dur_ns)
            break;
        f->within = s->cat[i] == cat ? i : f->within;
        i = tree_parent(&f->t->frames, i);
    }
    return f->within;
}

/* Without frames, operators tell what a loop does of which nothing else is recorded. */
static bool tells_calls(const struct follow *f, int32_t group)
{
    enum idle_class c = f->r->groups[group].class;
    return c == IDLE_PYTHON || (c == IDLE_NOTHING && !f->t->has_frames);
}

static void add_call_within(struct follow *f, const struct host_piece *p, int32_t group,
                            int64_t ns)
{
    event_id before = f->within, call = parts_call_within(f, p);
    struct tally like = {.group = group, .kind = TALLY_CALL, .example = call};
    if (call < 0)
        return;
    if (call == f->told.call && group == f->told.group)
        f->tallies.rows[f->told.row].ns += ns;
    else
        f->told.row = call == before ? tally_more(&f->tallies, like, ns)
                                     : tally_add(&f->tallies, like, ns);
    f->told.call = call;
    f->told.group = group;
}

void parts_add_piece(struct follow *f, int32_t group, const struct host_piece *p,
                     struct piece_sums *sums)
{
    int64_t ns = p->end_ns - p->start_ns;
    struct part_sum *sum = &sums->of[p->class];
    sum->ns += ns;
    sum->longest_ns = later(ns, sum->longest_ns);
    sums->compiled_ns += p->compiled ? ns : 0;
    add_to_bins(f, p->class, ns);
    tally_leaf(&f->tallies, group, p->event, ns);
    if (tells_calls(f, group))
        add_call_within(f, p, group, ns);
    parts_add_span(f, group, p->lane, p->event, p->start_ns, p->end_ns);
}

void parts_add_sums(struct follow *f, int32_t group, const struct piece_sums *sums,
                    event_id blame)
{
    for (int c = 0; c < IDLE_CLASSES; c++)
        if (sums->of[c].ns)
            add_sum(f, group, (enum idle_class)c, sums->of[c], blame);
    if (sums->compiled_ns)
        f->r->groups[group].compiled_us += (double)sums->compiled_ns / 1e3;
}

/* Without frames the annotation around a wait is its place. */
static uint64_t noted_place(struct follow *f, event_id call)
{
    event_id note = f->notes_of ? host_time_note(f->host, f->notes_of, call) : -1;
    return note < 0 ? 0 : str_hash(store_name(f->s, note));
}

/* Of a wait: the operator that waits, and the code that calls it. */
struct wait_place {
    event_id name;
    uint64_t key, code; /* code: 0: no frames tell it */
};

static struct wait_place place_of_wait(struct follow *f, event_id call)
{
    struct wait_place p = {.name = launched_operation(f->t, call)};
    struct str path = tree_launcher_path(f->t, p.name);
    p.code = path.n ? str_hash(path) | 1 : 0;
    uint64_t place = path.n ? str_hash(path) : noted_place(f, call);
    p.key = key_mix(tally_name_key(&f->tallies, p.name), place);
    return p;
}

/* The group of the operator and code of a wait, and where another operator in the same
 * code leaves more idle time behind it, that one's: both go with that code; -1. */
struct wait_groups {
    int32_t own, beside;
};

static struct wait_groups *groups_of_waits(struct follow *f)
{
    const struct host_waits *w = &f->t->v->waits;
    struct idle_result *r = f->r;
    struct wait_groups *of = arena_take_raw(f->tmp, sizeof *of, 4, w->n);
    uint64_t *code = arena_take_raw(f->tmp, sizeof *code, 8, w->n);
    struct int_map most = int_map_make(f->tmp, 64); /* by code */
    for (int32_t k = 0; k < w->n; k++) {
        struct wait_place p = place_of_wait(f, w->at[k].call);
        code[k] = p.code;
        of[k].own = int_map_get(&f->group_of, (int64_t)key_mix(p.key, IDLE_SYNC));
        if (!p.code || of[k].own < 0)
            continue;
        int32_t *at = int_map_at(&most, f->tmp, (int64_t)p.code);
        bool more = *at < 0 || r->groups[of[k].own].total_ns > r->groups[*at].total_ns;
        *at = more ? of[k].own : *at;
    }
    for (int32_t k = 0; k < w->n; k++) {
        of[k].beside = code[k] ? int_map_get(&most, (int64_t)code[k]) : -1;
        of[k].beside = of[k].beside == of[k].own ? -1 : of[k].beside;
    }
    return of;
}

static void put_wait(struct idle_result *r, int32_t group, const struct wait_span *x)
{
    struct idle_group *g = group < 0 ? NULL : &r->groups[group];
    if (g)
        g->waits[g->n_waits++] =
            (struct idle_span){x->lane, x->call, x->start_ns, x->end_ns};
}

void parts_place_waits(struct follow *f)
{
    const struct host_waits *w = &f->t->v->waits;
    struct idle_result *r = f->r;
    struct wait_groups *of = groups_of_waits(f);
    int32_t n = 0;
    for (int32_t k = 0; k < w->n; k++)
        for (int i = 0; i < 2; i++) {
            int32_t g = i ? of[k].beside : of[k].own;
            n += g >= 0;
            if (g >= 0)
                r->groups[g].n_waits++;
        }
    struct idle_span *all = arena_take_raw(f->perm, sizeof *all, 8, n);
    for (int32_t g = 0; g < r->n_groups; g++) {
        r->groups[g].waits = all;
        all += r->groups[g].n_waits;
        r->groups[g].n_waits = 0;
    }
    for (int32_t k = 0; k < w->n; k++) {
        put_wait(r, of[k].own, &w->at[k]);
        put_wait(r, of[k].beside, &w->at[k]);
    }
}

/* What the host does behind a wait that it is late from: the code that covers nearly
 * all of it so far; -1: none is recorded. */
static event_id work_behind(struct follow *f, event_id call, int64_t to)
{
    int64_t from = f->g->syncs[f->behind->sync].end_ns;
    event_id code = f->t->has_frames && to > from
                        ? host_time_cover(f->host, f->s->lane[call], from, to)
                        : -1;
    return code >= 0 && f->s->cat[code] == CAT_PYTHON ? code : -1;
}

void parts_add_wait(struct follow *f, event_id call, event_id leaf, int64_t from,
                    int64_t to)
{
    struct wait_place p = place_of_wait(f, call);
    int32_t group =
        f->loop ? parts_short_group(f) : group_of(f, IDLE_SYNC, p.key, p.name, S(""));
    parts_add_time(f, group, IDLE_SYNC, to - from, p.name);
    parts_add_span(f, group, f->s->lane[call], call, from, to);
    if (leaf >= 0) {
        tally_leaf(&f->tallies, group, leaf, to - from);
        return;
    }
    f->r->groups[group].late_us += (double)(to - from) / 1e3;
    struct tally like = {
        .group = group, .kind = TALLY_CALL, .example = work_behind(f, call, to)};
    if (like.example >= 0)
        tally_add(&f->tallies, like, to - from);
}

/* What of a part of the gap is in a wait that the host is late from, or behind it. */
static struct host_piece late_in(const struct follow *f, const struct host_piece *p)
{
    const struct late_part *late = f->behind;
    struct host_piece in = *p;
    in.start_ns = later(p->start_ns, late->from_ns);
    in.end_ns = sooner(p->end_ns, late->to_ns);
    return in;
}

void parts_cut_late(struct follow *f, const struct host_piece *p, int32_t group,
                    event_id blame, on_part *tell)
{
    struct host_piece late = late_in(f, p), before = *p, behind = *p;
    before.end_ns = late.start_ns;
    behind.start_ns = late.end_ns;
    if (before.end_ns > before.start_ns)
        tell(f, &before, group, blame);
    const struct sync_point *sync = &f->g->syncs[f->behind->sync];
    event_id inside = p->event >= 0 ? p->event : sync->call;
    parts_add_wait(f, sync->call, late.start_ns < sync->end_ns ? inside : -1,
                   late.start_ns, late.end_ns);
    if (behind.end_ns > behind.start_ns)
        tell(f, &behind, group, blame);
}
