/* Memory copies, blocking communication, overlap (analysis.md 4.2). */
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/system/collective_kinds.h"
#include "analysis/system/copy_rows.h"
#include "analysis/system/host_link.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"

#include <math.h>
#include <string.h>

static int size_class(int64_t bytes)
{
    int k = 0;
    for (int64_t bound = 4096; k < COPY_SIZES - 1 && bytes >= bound; bound *= 16)
        k++;
    return k;
}

enum { SCALAR_BYTES = 1024 };

struct copy_tables {
    struct share_table ops[COPY_DIRECTIONS];
    struct int_map times_seen[COPY_DIRECTIONS]; /* by size */
    uint8_t *is_sync;                           /* by event */
    uint8_t *waits; /* by event: the operator nearest to a wait */
};

static bool inside_sync(const struct tree_index *t, const struct copy_tables *c,
                        event_id i)
{
    for (int k = 0; i >= 0 && k < TREE_LEVELS_MAX; k++, i = tree_parent(&t->v->tree, i))
        if (c->is_sync[i])
            return true;
    return false;
}

/* The call of a copy's operator: of one that the reducer of data-parallel gradients
 * runs between its buckets and the gradients, that of the reducer. */
static event_id copy_caller(const struct tree_index *t, event_id op)
{
    event_id above = tree_parent(&t->v->tree, op);
    return above >= 0 && str_has(store_name(t->v->s, above), S("ddp.reducer::")) ? above
                                                                                 : op;
}

/* Whether Module.to moves it: its _apply calls itself for each child. */
static bool moves_module(const struct tree_index *t, event_id op)
{
    enum { LEVELS = 5 };
    for (int k = 0; k < LEVELS && op >= 0 && t->has_frames; k++) {
        struct str name = store_name(t->v->s, op);
        if (str_ends(name, S(": _apply")) &&
            str_has(name, S("torch/nn/modules/module.py")))
            return true;
        op = tree_above(t, op);
    }
    return false;
}

static void add_copy(struct arena *tmp, const struct tree_index *t,
                     struct copy_tables *c, event_id g, struct multi_kernel_result *r)
{
    const struct event_store *s = t->v->s;
    event_role role = store_role(s, g);
    enum copy_direction d = role_way(role);
    struct copy_result *copy = &r->copies[d];
    int64_t bytes = store_bytes(s, g);
    double us = (double)store_dur_ns(s, g) / 1e3;
    copy->count++;
    copy->total_us += us;
    host_link_add(&r->link, bytes == NO_ID ? -1 : bytes, us, copy);
    copy->max_us = us > copy->max_us ? us : copy->max_us;
    if (bytes != NO_ID && bytes >= 0) {
        struct copy_size *size = &copy->sizes[size_class(bytes)];
        int32_t *seen = int_map_at(&c->times_seen[d], tmp, bytes);
        *seen = *seen < 0 ? 1 : *seen + 1;
        if (*seen > copy->repeated_count)
            copy->repeated_count = *seen;
        size->count++;
        size->bytes += bytes;
        size->total_us += us;
        copy->bytes = (copy->bytes < 0 ? 0 : copy->bytes) + bytes;
    } else {
        copy->unsized_count++;
        copy->unsized_us += us;
    }
    event_id call = launch_call(&t->v->launch, g);
    event_id op = view_operator(t->v, g);
    if (call >= 0)
        share_add(tmp, &c->ops[d], s, op >= 0 ? copy_caller(t, op) : call, us);
    bool is_read = d == COPY_D2H && bytes <= SCALAR_BYTES && op >= 0 && c->waits[op];
    copy->waited_count += is_read || inside_sync(t, c, call);
    copy->module_count += d != COPY_D2D && moves_module(t, op);
    copy->pageable_count += (role & ROLE_PAGEABLE) > 0;
    copy->pinned_count += (role & ROLE_PINNED) > 0;
    copy->peer_count += (role & ROLE_PEER) > 0;
}

/* What a copy to the device could have run beside was computed before it; what a copy
 * to the host could run beside, after it. */
static void find_room(const struct trace_view *v, struct multi_kernel_result *r)
{
    const struct event_store *s = v->s;
    int64_t in_ns = INT64_MIN, out_ns = INT64_MAX;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        enum copy_direction d =
            view_class(v, g) == GPU_MEMCPY ? role_way(store_role(s, g)) : COPY_OTHER;
        if (d == COPY_H2D && s->start_ns[g] > in_ns)
            in_ns = s->start_ns[g];
        if (d == COPY_D2H && s->start_ns[g] < out_ns)
            out_ns = s->start_ns[g];
    }
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        double us =
            view_class(v, g) == GPU_COMPUTE ? (double)store_dur_ns(s, g) / 1e3 : 0;
        r->copies[COPY_H2D].room_us += s->start_ns[g] < in_ns ? us : 0;
        r->copies[COPY_D2H].room_us += s->start_ns[g] > out_ns ? us : 0;
    }
}

enum severity severity_worse(enum severity a, enum severity b)
{
    return a > b ? a : b;
}

/* Of the exposed time, each direction has the part that its own copies have: two of
 * them may run at once. */
static void expose_copies(struct arena tmp, const struct trace_view *v,
                          struct multi_kernel_result *r)
{
    struct span *of[COPY_DIRECTIONS + 1]; /* and all that hides copies */
    int32_t n[COPY_DIRECTIONS + 1] = {0};
    int64_t alone_ns[COPY_DIRECTIONS], all_ns = 0;
    for (int d = 0; d <= COPY_DIRECTIONS; d++)
        of[d] = arena_take_raw(&tmp, sizeof **of, 8, v->n_counted);
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        int d = view_class(v, g) == GPU_MEMCPY ? (int)role_way(store_role(v->s, g))
                                               : COPY_DIRECTIONS;
        of[d][n[d]++] = (struct span){v->s->start_ns[g], store_end_ns(v->s, g)};
    }
    struct interval_set hides =
        interval_union(tmp, of[COPY_DIRECTIONS], n[COPY_DIRECTIONS]);
    for (int d = 0; d < COPY_DIRECTIONS; d++) {
        struct interval_set all = interval_union(tmp, of[d], n[d]);
        struct arena scratch = tmp;
        alone_ns[d] = interval_length_ns(interval_minus(&scratch, all, hides));
        all_ns += alone_ns[d];
    }
    for (int d = 0; d < COPY_DIRECTIONS; d++)
        if (all_ns > 0)
            r->copies[d].exposed_us = (double)v->timeline.exposed_memcpy_ns / 1e3 *
                                      (double)alone_ns[d] / (double)all_ns;
}

static void rate_copies(const struct analysis *a, struct multi_kernel_result *r)
{
    static const double time_bounds[4] = {10, 5, 2, 0.5},
                        count_bounds[4] = {100, 50, 10, 5};
    for (int d = 0; d < COPY_DIRECTIONS; d++) {
        struct copy_result *c = &r->copies[d];
        double pct = a->total_ms > 0 ? c->total_us / 10 / a->total_ms : 0;
        c->time_severity = severity_above(pct, time_bounds);
        if (d == COPY_D2H || d == COPY_H2D)
            c->count_severity = severity_above((double)c->count, count_bounds);
        c->severity = severity_worse(c->time_severity, c->count_severity);
        if (d != COPY_OTHER)
            r->memcpy_severity = severity_worse(r->memcpy_severity, c->severity);
    }
}

static void read_copies(struct arena tmp, const struct analysis *a,
                        const struct tree_index *t, const struct idle_gaps *g,
                        struct multi_kernel_result *r)
{
    const struct trace_view *v = t->v;
    struct copy_tables c = {.is_sync = arena_new(&tmp, uint8_t, v->s->n + 1),
                            .waits = arena_new(&tmp, uint8_t, v->s->n + 1)};
    for (int32_t k = 0; k < g->n_syncs; k++) {
        c.is_sync[g->syncs[k].event] = 1;
        c.waits[g->syncs[k].op] = 1;
    }
    r->link = host_link_of(v, a->tables ? a->tables->device : NULL);
    for (int d = 0; d < COPY_DIRECTIONS; d++) {
        c.ops[d] = share_table_make(&tmp, t);
        c.times_seen[d] = int_map_make(&tmp, 16);
        r->copies[d].bytes = -1;
    }
    for (int32_t k = 0; k < v->n_counted; k++)
        if (view_class(v, v->counted[k]) == GPU_MEMCPY)
            add_copy(&tmp, t, &c, v->counted[k], r);
    find_room(v, r);
    copy_rows_count(tmp, v, r->copies);
    for (int d = 0; d < COPY_DIRECTIONS; d++)
        r->copies[d].n_ops = share_largest(&c.ops[d], t, r->copies[d].ops, 3);
    for (int32_t k = 0; k < g->n; k++)
        if (g->rows[k].queued && g->rows[k].before >= 0 &&
            view_class(v, g->rows[k].before) == GPU_MEMCPY)
            r->copies[role_way(store_role(v->s, g->rows[k].before))].gaps_us +=
                (double)g->rows[k].dur_ns / 1e3;
    expose_copies(tmp, v, r);
    rate_copies(a, r);
}

static void add_top_comm(struct multi_kernel_result *r, struct comm_op op)
{
    enum { MOST = sizeof r->top_comm / sizeof *r->top_comm };
    int at = r->n_top_comm;
    while (at > 0 && r->top_comm[at - 1].duration_us < op.duration_us)
        at--;
    if (at == MOST)
        return;
    r->n_top_comm += r->n_top_comm < MOST;
    memmove(r->top_comm + at + 1, r->top_comm + at,
            (size_t)(r->n_top_comm - 1 - at) * sizeof *r->top_comm);
    r->top_comm[at] = op;
}

static void read_communication(struct arena tmp, const struct tree_index *t,
                               struct multi_kernel_result *r)
{
    const struct trace_view *v = t->v;
    struct share_table kinds = share_table_make(&tmp, NULL),
                       ops = share_table_make(&tmp, NULL);
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        if (view_class(v, g) != GPU_COMMUNICATION)
            continue;
        struct str name = store_name(v->s, g);
        double us = (double)store_dur_ns(v->s, g) / 1e3;
        r->comm_count++;
        r->comm_total_us += us;
        r->comm_max_us = us > r->comm_max_us ? us : r->comm_max_us;
        add_top_comm(r, (struct comm_op){name, us, view_stream(v->s, g)});
        share_add(&tmp, &kinds, v->s, g, us);
        event_id op = view_operator(v, g);
        if (op >= 0)
            share_add(&tmp, &ops, v->s, op, us);
    }
    share_largest(&kinds, t, &r->top_collective, 1);
    share_largest(&ops, t, &r->comm_launcher, 1);
}

static void rate_communication(const struct analysis *a, const struct gpu_timeline *l,
                               struct multi_kernel_result *r)
{
    static const double bounds[4] = {20, 10, 5, 2};
    double exposed_pct = pct_of(a->exposed_comm_ms, a->total_ms);
    r->comm_overlap_frac =
        l->total_comm_ns > 0 ? 1 - (double)l->exposed_comm_ns / (double)l->total_comm_ns
                             : (double)NAN;
    r->memcpy_overlap_frac = l->total_memcpy_ns > 0 ? 1 - (double)l->exposed_memcpy_ns /
                                                              (double)l->total_memcpy_ns
                                                    : (double)NAN;
    if (r->comm_count == 0)
        return;
    r->blocking_severity = severity_above(exposed_pct, bounds);
    if (l->total_comm_ns < 100000) /* too little to rate */
        return;
    double hidden = r->comm_overlap_frac;
    r->overlap_severity = hidden < 0.30                  ? SEVERITY_CRITICAL
                          : hidden < 0.50                ? SEVERITY_HIGH
                          : hidden < TARGET_OVERLAP_FRAC ? SEVERITY_MEDIUM
                                                         : SEVERITY_NONE;
}

static void measure_overlap(struct arena tmp, const struct trace_view *v,
                            struct multi_kernel_result *r)
{
    struct interval_set of[GPU_CLASSES];
    uint8_t *class = arena_take_raw(&tmp, sizeof *class, 1, v->n_counted);
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        class[k] = (uint8_t)view_class(v, g);
    }
    _Static_assert((int)GPU_CLASSES == (int)OVERLAP_CLASSES &&
                       (int)GPU_COMMUNICATION == (int)OVERLAP_COMM,
                   "classes of the results are those of the timeline");
    for (int c = 0; c < GPU_CLASSES; c++) {
        struct span *spans = arena_take_raw(&tmp, sizeof *spans, 8, v->n_counted);
        int32_t n = 0;
        for (int32_t k = 0; k < v->n_counted; k++) {
            event_id g = v->counted[k];
            if (class[k] == c)
                spans[n++] = (struct span){v->s->start_ns[g], store_end_ns(v->s, g)};
        }
        of[c] = interval_union(tmp, spans, n);
    }
    for (int x = 0; x < GPU_CLASSES; x++)
        for (int y = 0; y < GPU_CLASSES; y++) {
            int64_t all = interval_length_ns(of[x]);
            struct arena scratch = tmp;
            int64_t alone =
                x == y ? 0 : interval_length_ns(interval_minus(&scratch, of[x], of[y]));
            r->overlap_us[x][y] = (double)(all - alone) / 1e3;
        }
}

static void count_unlinked(const struct trace_view *v, struct multi_kernel_result *r)
{
    for (int32_t k = 0; k < v->launch.n_all; k++) {
        event_id g = v->launch.all[k];
        if (launch_call(&v->launch, g) >= 0)
            continue;
        r->unlinked_count++;
        r->unlinked_us += (double)store_dur_ns(v->s, g) / 1e3;
    }
}

struct str copy_facts(struct arena *perm, const struct analysis *a,
                      enum copy_direction d, const struct copy_result *c)
{
    double pct = a->total_ms > 0 ? c->total_us / 10 / a->total_ms : 0;
    struct str average = S("");
    if (c->bytes >= 0) {
        double kib = (double)c->bytes / (double)(c->count - c->unsized_count) / 1024;
        bool large = kib >= 1024;
        average =
            say(perm, ", {} {} on average", said_fixed(large ? kib / 1024 : kib, 1),
                said(large ? "MiB" : "KiB"));
    }
    return say(perm, "{} {} {} {} ms ({}% of total time){}", said(c->count),
               said(copy_direction_word(d)),
               said(str_plural(c->count, "copy takes", "copies take")),
               said_ms(c->total_us / 1e3), said_pct(pct), said(average));
}

/* What such copies usually are; the trace shows sizes and counts, not reasons. */
struct str copy_cause(enum copy_direction d, const struct copy_result *c)
{
    if (d == COPY_D2H)
        return copies_are_small(c) ? S("They are many and small: scalar reads or "
                                       "logging inside the step.")
               : c->count > 50
                   ? S("They are many: results moved to the host piece by piece.")
                   : S("They are few and large: results moved to the host.");
    if (d == COPY_H2D && copies_are_small(c) && copies_are_of_library(c))
        return S("They are many and small: an operator moves data piece by piece.");
    if (d == COPY_H2D && copies_are_small(c))
        return S(
            "They are many and small: tensors created on the host inside the step.");
    if (d == COPY_H2D && copies_of_weights(c))
        return S("They are weights, moved to the device before each use.");
    if (d == COPY_H2D)
        return c->count > 50 ? S("They are many and large: inputs moved to the device.")
                             : S("They are few and large: inputs moved to the device.");
    if (2 * c->peer_count >= c->count)
        return S("They carry data from one device to another.");
    return 2 * c->repeated_count >= c->count
               ? S("Most have one size: redundant contiguous or format copies.")
               : S("");
}

const struct copy_words copy_words[COPY_DIRECTIONS + 1] = {
    [COPY_D2H] = {S_INIT("high_d2h_memcpy"), S_INIT("copies to the host")},
    [COPY_H2D] = {S_INIT("high_h2d_memcpy"), S_INIT("copies to the device")},
    [COPY_D2D] = {S_INIT("high_d2d_memcpy"), S_INIT("copies within the device")},
    [COPY_OTHER] = {S_INIT("high_memcpy"), S_INIT("copies")},
    [COPY_DIRECTIONS] = {S_INIT("high_host_memcpy"),
                         S_INIT("copies from and to the host")}};

static void add_patterns(struct arena *perm, struct analysis *a,
                         struct multi_kernel_result *r)
{
    for (int d = 0; d < COPY_OTHER; d++) {
        const struct copy_result *c = &r->copies[d];
        if (c->severity < SEVERITY_MEDIUM)
            continue;
        int n;
        const struct pattern_hit *hits = copy_advice(perm, a, d, r, &n);
        struct system_pattern p = {copy_words[d].pattern, copy_facts(perm, a, d, c),
                                   copy_cause(d, c), hits_text(perm, hits, n, false),
                                   c->severity};
        add_pattern(perm, &r->patterns, &r->n_patterns, p);
    }
    int n;
    const struct pattern_hit *hits = comm_advice(perm, a, r, &n);
    struct str exposed =
                   say(perm,
                       "{} ms of {} ms of communication are not hidden by computation",
                       said_ms(a->exposed_comm_ms), said_ms(r->comm_merged_ms)),
               advice = hits_text(perm, hits, n, false);
    if (r->blocking_severity >= SEVERITY_MEDIUM)
        add_pattern(perm, &r->patterns, &r->n_patterns,
                    (struct system_pattern){S("nccl_blocking_compute"), exposed,
                                            S("exposed time is on the critical path"),
                                            advice, r->blocking_severity});
    if (r->overlap_severity >= SEVERITY_MEDIUM)
        add_pattern(
            perm, &r->patterns, &r->n_patterns,
            (struct system_pattern){
                S("poor_comm_compute_overlap"),
                say(perm,
                    "{}% of communication overlaps computation; the target is 70%",
                    said_pct(100 * r->comm_overlap_frac)),
                exposed, advice, r->overlap_severity});
}

void multi_kernel_analyse(struct arena *perm, struct arena tmp, struct analysis *a,
                          const struct tree_index *t, const struct idle_gaps *g,
                          struct multi_kernel_result *r)
{
    const struct trace_view *v = t->v;
    if (v->n_counted == 0) {
        r->status = ANALYSER_NO_DATA;
        r->comm_overlap_frac = r->memcpy_overlap_frac = (double)NAN;
        return;
    }
    r->comm_merged_ms = (double)(v->timeline.total_comm_ns - v->skew.ns) / 1e6;
    read_copies(tmp, a, t, g, r);
    read_communication(tmp, t, r);
    rate_communication(a, &v->timeline, r);
    measure_overlap(tmp, v, r);
    count_unlinked(v, r);
    r->step_count = v->profiler_steps;
    r->training = a->tables->traits.training;
    collective_kinds_measure(perm, tmp, v, &a->tables->traits, r);
    add_patterns(perm, a, r);
}
