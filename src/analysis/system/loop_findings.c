#include "analysis/system/loop_findings.h"

#include "analysis/lua/pattern_host.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/average_loops.h"
#include "analysis/system/expert_loop.h"
#include "analysis/system/host_name.h"
#include "analysis/system/loop_work.h"
#include "analysis/system/read_loops.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"
#include "analysis/system/turn_loops.h"
#include "analysis/system/value_checks.h"
#include "base/duration.h"

#include <math.h>

static struct str saved_basis(bool chained)
{
    return chained ? S("the host's calls of all turns but one, and the device's work "
                       "with one matmul a turn, as long as it is to half as long")
                   : S("the host's calls of all turns but one, and the device's work "
                       "as one call would do it");
}

static struct finding *idle_finding(const struct analysis *a, struct str pattern)
{
    for (int k = 0; k < a->n_findings; k++)
        if (str_eq(a->findings[k].pattern, pattern))
            return &a->findings[k];
    return NULL;
}

static void experts_saving(struct arena *perm, struct arena tmp, struct analysis *a,
                           const struct tree_index *t)
{
    struct finding *f = idle_finding(a, S("host_experts"));
    if (!f)
        return;
    struct expert_loops l = expert_loops_find(&tmp, t);
    struct loop_span *spans = arena_new(&tmp, struct loop_span, l.n);
    for (int32_t k = 0; k < l.n; k++)
        spans[k] = (struct loop_span){l.rows[k].lane, l.rows[k].turns,
                                      l.rows[k].start_ns, l.rows[k].end_ns, 0};
    struct loop_work w = loop_work_of(perm, tmp, a, t, spans, l.n, TURNS_APART);
    finding_ends_loops(f, a, &w, saved_basis(false));
}

struct cells {
    struct loop_span *at;
    int32_t n;
    int64_t calls;
    event_id first; /* -1: none */
};

static bool is_cell(struct str op)
{
    return name_is(op, "aten::lstm_cell|aten::gru_cell|aten::rnn_tanh_cell|"
                       "aten::rnn_relu_cell");
}

/* Cells that follow each other closer than two of them take are one loop. */
static struct cells cells_find(struct arena *tmp, const struct tree_index *t)
{
    enum { APART = 2, FEWEST = 8 };
    const struct event_store *s = t->v->s;
    const struct call_tree *tree = &t->v->tree;
    struct cells c = {.first = -1};
    uint8_t *known = arena_new(tmp, uint8_t, s->names.n + 1); /* 1: none, 2: a cell */
    for (int32_t k = 0; k < tree->n_order; k++) {
        event_id i = tree->order[k];
        if (s->cat[i] != CAT_CPU_OP || s->name[i] < 0)
            continue;
        uint8_t *kind = &known[s->name[i]];
        if (!*kind)
            *kind = is_cell(store_name(s, i)) ? 2 : 1;
        if (*kind != 2)
            continue;
        struct loop_span *last = c.n ? &c.at[c.n - 1] : NULL;
        int64_t apart_ns = APART * store_dur_ns(s, i);
        c.first = c.first < 0 ? i : c.first;
        c.calls++;
        if (last && last->lane == s->lane[i] &&
            s->start_ns[i] - last->end_ns <= apart_ns) {
            last->end_ns = store_end_ns(s, i);
            last->turns++;
            continue;
        }
        c.n -= last && last->turns < FEWEST;
        arena_grow(tmp, c.at, c.n);
        c.at[c.n++] =
            (struct loop_span){s->lane[i], 1, s->start_ns[i], store_end_ns(s, i), 0};
    }
    c.n -= c.n && c.at[c.n - 1].turns < FEWEST;
    return c;
}

static struct str frame_text(struct arena *perm, struct str frame)
{
    struct host_name at = host_name_of(perm, frame);
    return at.place.n ? host_name_text(perm, at.name, at.place) : S("");
}

static struct str place_of(struct arena *perm, const struct tree_index *t, event_id i)
{
    return frame_text(perm, tree_user_path(t, i));
}

/* What a loop is, for the patterns; `ops`: of a turn; `here`: of the values read, those
 * in that place. */
static struct finding *loops_finding(struct arena *perm, struct analysis *a,
                                     struct str kind, const struct turn_loops *l,
                                     struct str ops, struct str place, int64_t reads,
                                     int64_t here, const struct loop_work *w)
{
    int n = 0;
    const struct work_fact facts[] = {
        FACT("kind", kind),
        FACT("turns", l->turns),
        FACT("inner", l->inner),
        FACT("loops", l->n),
        FACT("turn_ops", l->ops),
        FACT("ops", ops),
        FACT("place", place),
        FACT("reads", (double)reads),
        FACT("here", (double)here),
        FACT("loop_ms", w->host_ms),
        FACT("device_ms", w->device_ms),
        FACT("share_pct", pct_of(w->host_ms, a->total_ms)),
        FACT("device_pct", pct_of(w->device_ms, a->total_ms)),
        FACT("kernel_us", 1e3 * w->device_ms / w->n_gpu)};
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("loops"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    return n ? advised_finding(perm, a, hits, n, S("loop"), w->device_ms) : NULL;
}

static void cells_finding(struct arena *perm, struct arena tmp, struct analysis *a,
                          const struct tree_index *t)
{
    struct cells c = cells_find(&tmp, t);
    struct loop_work w = {0};
    if (c.n)
        w = loop_work_of(perm, tmp, a, t, c.at, c.n, TURNS_OF_CELLS);
    if (!w.n_gpu)
        return;
    struct turn_loops l = {.n = c.n, .ops = 1};
    for (int32_t k = 0; k < c.n; k++)
        l.turns = c.at[k].turns > l.turns ? c.at[k].turns : l.turns;
    struct str name = quoted_name(perm, str_skip(store_name(t->v->s, c.first), 6), 30);
    struct finding *f = loops_finding(perm, a, S("cells"), &l, name,
                                      place_of(perm, t, c.first), 0, 0, &w);
    if (!f)
        return;
    f->count = c.calls;
    finding_ends_loops(f, a, &w, saved_basis(true));
}

/* Whether a turn needs the result of the one before is not recorded. */
static void turns_finding(struct arena *perm, struct arena tmp, struct analysis *a,
                          const struct tree_index *t)
{
    struct turn_loops l = turn_loops_find(perm, tmp, t);
    if (!l.n)
        return;
    struct loop_work w = loop_work_of(perm, tmp, a, t, l.spans, l.n, TURNS_CHAINED);
    if (!w.n_gpu)
        return;
    struct finding *f =
        loops_finding(perm, a, S("turns"), &l, turn_ops_text(perm, t, &l),
                      place_of(perm, t, l.joins), 0, 0, &w);
    if (!f)
        return;
    f->count = l.n;
    finding_ends_loops(f, a, &w, saved_basis(true));
}

/* Kernels that take no longer than any that is launched may have moved next to nothing.
 */
static double launch_sized_ms(const struct trace_view *v, const struct loop_work *w)
{
    const int64_t LAUNCH_NS = 2000;
    int64_t ns = 0;
    for (int32_t k = 0; k < w->n_gpu; k++) {
        int64_t own_ns = view_own_ns(v, w->gpu[k]);
        ns += own_ns <= LAUNCH_NS ? own_ns : 0;
    }
    return ms_of(ns);
}

/* Of the device's work one call for all tensors leaves what it has to read and write:
 * at the rate of the loop's own kernels, or at the peak; of an unknown size, at that
 * rate, or nothing of kernels as short as a launch. */
static void average_work(const struct analysis *a, const struct trace_view *v,
                         const struct average_loops *l, struct loop_work *w)
{
    const struct device_spec *d = a->tables->device;
    double left = l->moved > 0 ? l->least / l->moved : 1;
    if (!l->sized) {
        w->saved_least_ms = w->device_ms * (1 - left);
        w->saved_most_ms = w->saved_least_ms + launch_sized_ms(v, w) * left;
        return;
    }
    double peak_ms =
        d && d->memory_gb_per_s > 0 ? l->least / d->memory_gb_per_s / 1e6 : (double)NAN;
    w->saved_least_ms = w->device_ms * (1 - left);
    w->saved_most_ms = w->device_ms - fmin(w->device_ms * left, peak_ms);
}

static void averages_finding(struct arena *perm, struct arena tmp, struct analysis *a,
                             const struct tree_index *t)
{
    struct average_loops l = average_loops_find(perm, tmp, t);
    struct loop_work w = {0};
    if (l.n)
        w = loop_work_of(perm, tmp, a, t, l.at, l.n, TURNS_APART);
    if (!w.n_gpu)
        return;
    average_work(a, t->v, &l, &w);
    struct finding *f = idle_finding(a, S("host_moving_average"));
    struct turn_loops turns = {
        .n = l.n, .turns = (int32_t)((l.turns + l.n - 1) / l.n), .ops = 1};
    if (!f)
        f = loops_finding(perm, a, S("averages"), &turns, S(""),
                          l.frame.n ? frame_text(perm, l.frame)
                                    : place_of(perm, t, l.first),
                          0, 0, &w);
    if (!f)
        return;
    f->count = l.turns;
    finding_ends_loops(
        f, a, &w,
        l.sized
            ? S("the host's calls for all tensors but one, and what the device "
                "moves beyond reading both tensors and writing one")
            : S("the host's calls for all tensors but one, and the device's passes "
                "beyond reading both tensors and writing one, of kernels up to 2 µs "
                "at most all: shapes are not recorded"));
}

/* Idle time of which most is in the loops, waits by where they are; and copies, if half
 * are. */
static bool is_of_copies(const struct finding *f, const struct read_loops *r,
                         enum copy_direction way)
{
    const double MOST = 0.8;
    const struct idle_group *g = f->idle;
    if (!g)
        return f->copies >> way & 1 && 2 * r->reads >= f->count;
    bool waits = g->class == IDLE_SYNC && g->n_waits;
    return read_loops_share(r, waits ? g->waits : g->spans,
                            waits ? g->n_waits : g->n_spans) >= MOST;
}

/* What is said of these is said of the loops. */
static void drop_told(struct analysis *a, const struct read_loops *r,
                      enum copy_direction way)
{
    int n = 0;
    for (int k = 0; k < a->n_findings; k++)
        if (!is_of_copies(&a->findings[k], r, way))
            a->findings[n++] = a->findings[k];
    a->n_findings = n;
}

/* Values that the host copies one by one: one copy could carry all of a loop. */
static void copies_finding(struct arena *perm, struct arena tmp, struct analysis *a,
                           const struct tree_index *t, enum copy_direction way)
{
    struct read_loops r = read_loops_find(perm, tmp, t, way);
    if (!r.n)
        return;
    struct loop_work w = loop_work_of(perm, tmp, a, t, r.spans, r.n, TURNS_APART);
    struct turn_loops l = {.n = r.n, .ops = 1};
    for (int32_t k = 0; k < r.n; k++)
        l.turns = r.spans[k].turns > l.turns ? r.spans[k].turns : l.turns;
    w.gone = r.gone;
    w.n_gone = r.n_gone;
    bool reads = way == COPY_D2H;
    struct finding *f = loops_finding(perm, a,
                                      !reads  ? S("sends")
                                      : r.nms ? S("suppresses")
                                              : S("reads"),
                                      &l, reads ? S("`item()`") : S("`to()`"),
                                      place_of(perm, t, r.most), r.reads, r.here, &w);
    if (!f)
        return;
    f->count = r.reads;
    finding_ends_loops(
        f, a, &w,
        !reads       ? S("the calls that copy, but for joining the parts on the CPU")
        : r.calls_ms ? S("the calls of the function, but for the first of each loop")
                     : S("the operators between the first read of each loop and its "
                         "last, with their waits and copies"));
    drop_told(a, &r, way);
}

/* What anomaly detection checks goes with the waits for it. */
static void checks_finding(struct arena *perm, struct analysis *a,
                           const struct tree_index *t)
{
    struct finding *f = idle_finding(a, S("host_anomaly_mode"));
    if (!f || f->idle->class != IDLE_SYNC)
        return;
    struct value_checks c = value_checks_of(perm, t, f->idle->waits, f->idle->n_waits);
    finding_ends_loops(f, a, &c.work, S("the checks, and the waits for them"));
}

void loop_findings(struct arena *perm, struct arena tmp, struct analysis *a,
                   const struct tree_index *t)
{
    if (!a->patterns || !t->v)
        return;
    experts_saving(perm, tmp, a, t);
    cells_finding(perm, tmp, a, t);
    turns_finding(perm, tmp, a, t);
    averages_finding(perm, tmp, a, t);
    copies_finding(perm, tmp, a, t, COPY_D2H);
    copies_finding(perm, tmp, a, t, COPY_H2D);
    checks_finding(perm, a, t);
}
