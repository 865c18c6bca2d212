/* Memory copies, blocking communication, overlap (analysis.md 4.2). */
#include "analysis/name_match.h"
#include "analysis/number_text.h"
#include "analysis/system_parts.h"

#include <math.h>
#include <string.h>

static const double target_overlap_frac = 0.70;

/* ---- copies
 * -------------------------------------------------------------------------- */

enum copy_direction copy_direction_of(struct str name)
{
    if (name_has(name, "dtoh|device -> host|devicetohost|device_to_host"))
        return COPY_D2H;
    if (name_has(name, "htod|host -> device|hosttodevice|host_to_device"))
        return COPY_H2D;
    if (name_has(name, "dtod|device -> device|devicetodevice|device_to_device"))
        return COPY_D2D;
    return COPY_OTHER;
}

static int size_class(int64_t bytes)
{
    int k = 0;
    for (int64_t bound = 4096; k < COPY_SIZES - 1 && bytes >= bound; bound *= 16)
        k++;
    return k;
}

static bool is_copy(const struct event_store *s, event_id g)
{
    return gpu_class_of(s->cat[g], store_name(s, g)) == GPU_MEMCPY;
}

struct copy_tables {
    struct share_table ops[COPY_DIRECTIONS];
    struct int_map times_seen[COPY_DIRECTIONS]; /* by size */
    uint8_t *is_sync;                           /* by event */
};

static bool inside_sync(const struct tree_index *t, const struct copy_tables *c,
                        event_id i)
{
    while (i >= 0 && !c->is_sync[i])
        i = t->v->tree.parent[i];
    return i >= 0;
}

static void add_copy(struct arena *tmp, const struct tree_index *t,
                     struct copy_tables *c, event_id g, struct multi_kernel_result *r)
{
    const struct event_store *s = t->v->s;
    enum copy_direction d = copy_direction_of(store_name(s, g));
    struct copy_result *copy = &r->copies[d];
    const struct event_detail *detail = store_detail(s, g);
    double us = (double)s->dur_ns[g] / 1e3;
    copy->count++;
    copy->total_us += us;
    copy->max_us = us > copy->max_us ? us : copy->max_us;
    if (detail && detail->bytes != NO_ID && detail->bytes >= 0) {
        struct copy_size *size = &copy->sizes[size_class(detail->bytes)];
        int32_t *seen = int_map_at(&c->times_seen[d], tmp, detail->bytes);
        *seen = *seen < 0 ? 1 : *seen + 1;
        if (*seen > copy->repeated_count)
            copy->repeated_count = *seen;
        size->count++;
        size->bytes += detail->bytes;
        size->total_us += us;
        copy->bytes = (copy->bytes < 0 ? 0 : copy->bytes) + detail->bytes;
    }
    event_id call = t->v->launch.launch[g];
    event_id op = call >= 0 ? tree_operator(s, &t->v->tree, call) : -1;
    if (call >= 0)
        share_add(tmp, &c->ops[d], s, op >= 0 ? op : call, us);
    copy->waited_count += inside_sync(t, c, call);
}

static enum severity worse(enum severity a, enum severity b)
{
    return a > b ? a : b;
}

static void rate_copies(const struct analysis *a, const struct gpu_timeline *l,
                        struct multi_kernel_result *r)
{
    static const double time_bounds[4] = {10, 5, 2, 0.5},
                        count_bounds[4] = {100, 50, 10, 5};
    double all_us = 0;
    for (int d = 0; d < COPY_DIRECTIONS; d++)
        all_us += r->copies[d].total_us;
    for (int d = 0; d < COPY_DIRECTIONS; d++) {
        struct copy_result *c = &r->copies[d];
        double pct = a->total_ms > 0 ? c->total_us / 10 / a->total_ms : 0;
        c->time_severity = severity_above(pct, time_bounds);
        if (d == COPY_D2H || d == COPY_H2D)
            c->count_severity = severity_above((double)c->count, count_bounds);
        c->severity = worse(c->time_severity, c->count_severity);
        if (all_us > 0)
            c->exposed_us = (double)l->exposed_memcpy_ns / 1e3 * c->total_us / all_us;
        if (d != COPY_OTHER)
            r->memcpy_severity = worse(r->memcpy_severity, c->severity);
    }
}

static void read_copies(struct arena tmp, const struct analysis *a,
                        const struct tree_index *t, const struct idle_gaps *g,
                        struct multi_kernel_result *r)
{
    const struct trace_view *v = t->v;
    struct copy_tables c = {.is_sync = arena_new(&tmp, uint8_t, v->s->n + 1)};
    for (int32_t k = 0; k < g->n_syncs; k++)
        c.is_sync[g->syncs[k].event] = 1;
    for (int d = 0; d < COPY_DIRECTIONS; d++) {
        c.ops[d] = share_table_make(&tmp, v->s);
        c.times_seen[d] = int_map_make(&tmp, 16);
        r->copies[d].bytes = -1;
    }
    for (int32_t k = 0; k < v->n_counted; k++)
        if (is_copy(v->s, v->counted[k]))
            add_copy(&tmp, t, &c, v->counted[k], r);
    for (int d = 0; d < COPY_DIRECTIONS; d++)
        r->copies[d].n_ops = share_largest(&c.ops[d], t, r->copies[d].ops, 3);
    for (int32_t k = 0; k < g->n; k++)
        if (g->rows[k].cause == IDLE_DEVICE && is_copy(v->s, g->rows[k].before))
            r->copies[copy_direction_of(store_name(v->s, g->rows[k].before))].gaps_us +=
                (double)g->rows[k].dur_ns / 1e3;
    rate_copies(a, &v->timeline, r);
}

/* ---- communication
 * ------------------------------------------------------------------- */

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
    struct share_table kinds = share_table_make(&tmp, v->s),
                       ops = share_table_make(&tmp, v->s);
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k], call = v->launch.launch[g];
        struct str name = store_name(v->s, g);
        if (gpu_class_of(v->s->cat[g], name) != GPU_COMMUNICATION)
            continue;
        double us = (double)v->s->dur_ns[g] / 1e3;
        r->comm_count++;
        r->comm_total_us += us;
        r->comm_max_us = us > r->comm_max_us ? us : r->comm_max_us;
        add_top_comm(r, (struct comm_op){name, us, view_stream(v->s, g)});
        share_add(&tmp, &kinds, v->s, g, us);
        event_id op = call >= 0 ? tree_operator(v->s, &v->tree, call) : -1;
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
    double exposed_pct = a->total_ms > 0 ? 100 * a->exposed_comm_ms / a->total_ms : 0;
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
                          : hidden < target_overlap_frac ? SEVERITY_MEDIUM
                                                         : SEVERITY_NONE;
}

/* ---- overlap
 * ------------------------------------------------------------------------- */

static void measure_overlap(struct arena tmp, const struct trace_view *v,
                            struct multi_kernel_result *r)
{
    struct interval_set of[GPU_CLASSES];
    for (int c = 0; c < GPU_CLASSES; c++) {
        struct span *spans = arena_take_raw(&tmp, sizeof *spans, 8, v->n_counted);
        int32_t n = 0;
        for (int32_t k = 0; k < v->n_counted; k++) {
            event_id g = v->counted[k];
            if ((int)gpu_class_of(v->s->cat[g], store_name(v->s, g)) == c)
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

/* ---- the trace as a whole
 * ------------------------------------------------------------ */

static bool has_backward(struct arena tmp, const struct trace_view *v)
{
    if (v->backward.n_links)
        return true;
    uint8_t *known = arena_new(&tmp, uint8_t, v->s->names.n + 1);
    for (event_id i = 0; i < v->s->n; i++) {
        if (v->s->cat[i] != CAT_CPU_OP || known[v->s->name[i]])
            continue;
        known[v->s->name[i]] = 1;
        if (name_has(store_name(v->s, i), "autograd::engine|_backward"))
            return true;
    }
    return false;
}

static void count_unlinked(const struct trace_view *v, struct multi_kernel_result *r)
{
    for (int32_t k = 0; k < v->launch.n_all; k++) {
        event_id g = v->launch.all[k];
        if (v->launch.launch[g] >= 0)
            continue;
        r->unlinked_count++;
        r->unlinked_us += (double)v->s->dur_ns[g] / 1e3;
    }
}

/* ---- patterns
 * ------------------------------------------------------------------------ */

static struct str copy_facts(struct arena *perm, const struct analysis *a,
                             enum copy_direction d, const struct copy_result *c)
{
    double pct = a->total_ms > 0 ? c->total_us / 10 / a->total_ms : 0;
    struct str average = S("");
    if (c->bytes >= 0) {
        double mean = (double)c->bytes / (double)c->count;
        average = str_printf(perm, ", %.*s KiB on average",
                             STRF(text_fixed(perm, mean / 1024, 1)));
    }
    return str_printf(perm, "%lld %.*s copies take %.*s ms (%.*s%% of total time)%.*s",
                      (long long)c->count, STRF(copy_direction_word(d)),
                      STRF(text_ms(perm, c->total_us / 1e3)), STRF(text_pct(perm, pct)),
                      STRF(average));
}

/* Below 64 KiB, or many that take no longer than a launch. */
static bool mostly_small(const struct copy_result *c)
{
    if (c->count == 0)
        return false;
    bool few_bytes = c->bytes >= 0 && c->bytes / c->count < 65536;
    return few_bytes || (c->count > 50 && c->total_us / (double)c->count < 20);
}

/* What such copies usually are; the trace shows sizes and counts, not reasons. */
static struct str copy_cause(struct arena *perm, enum copy_direction d,
                             const struct copy_result *c)
{
    if (d == COPY_D2H)
        return mostly_small(c)
                   ? S("Many small ones: scalar reads or logging inside the step.")
               : c->count > 50
                   ? S("Many of them: results moved to the host piece by piece.")
                   : S("Few large ones: results moved to the host.");
    if (d == COPY_H2D && mostly_small(c))
        return S("Many small ones: tensors created on the host inside the step.");
    if (d == COPY_H2D) {
        double gb_per_s = c->total_us > 0 && c->bytes > 0
                              ? (double)c->bytes / c->total_us / 1e3
                              : (double)NAN;
        return str_printf(
            perm,
            "They move %.*s GB/s; unpinned host memory is the usual reason "
            "for a low rate.",
            STRF(text_fixed(perm, gb_per_s, 1)));
    }
    return 2 * c->repeated_count >= c->count
               ? S("Most are of one size: redundant contiguous or format copies.")
               : S("Copies between buffers of the device.");
}

struct str copy_root_cause(struct arena *perm, enum copy_direction d,
                           const struct copy_result *c)
{
    return c->count ? copy_cause(perm, d, c) : S("No such copies.");
}

static struct str copy_action(enum copy_direction d)
{
    static const struct str actions[COPY_DIRECTIONS] = {
        [COPY_D2H] =
            S_INIT("Keep data on the device and reduce there first; batch host reads."),
        [COPY_H2D] =
            S_INIT("Pin host memory and allocate device tensors beforehand; use "
                   "asynchronous transfers."),
        [COPY_D2D] =
            S_INIT("Remove the copies or alias buffers; use in-place operations."),
        [COPY_OTHER] = S_INIT("Remove the copies.")};
    return actions[d];
}

static void add_patterns(struct arena *perm, const struct analysis *a,
                         struct multi_kernel_result *r)
{
    static const struct str ids[] = {[COPY_D2H] = S_INIT("high_d2h_memcpy"),
                                     [COPY_H2D] = S_INIT("high_h2d_memcpy"),
                                     [COPY_D2D] = S_INIT("high_d2d_memcpy")};
    for (int d = 0; d < COPY_OTHER; d++) {
        const struct copy_result *c = &r->copies[d];
        if (c->severity < SEVERITY_MEDIUM)
            continue;
        struct system_pattern p = {ids[d], copy_facts(perm, a, d, c),
                                   copy_cause(perm, d, c), copy_action(d), c->severity};
        add_pattern(perm, &r->patterns, &r->n_patterns, p);
    }
    struct str exposed = str_printf(
        perm, "%.*s ms of %.*s ms of communication are not hidden by computation",
        STRF(text_ms(perm, a->exposed_comm_ms)),
        STRF(text_ms(perm, r->comm_merged_ms)));
    if (r->blocking_severity >= SEVERITY_MEDIUM)
        add_pattern(perm, &r->patterns, &r->n_patterns,
                    (struct system_pattern){S("nccl_blocking_compute"), exposed,
                                            S("exposed time is on the critical path"),
                                            S("Overlap collectives with compute."),
                                            r->blocking_severity});
    if (r->overlap_severity >= SEVERITY_MEDIUM)
        add_pattern(perm, &r->patterns, &r->n_patterns,
                    (struct system_pattern){
                        S("poor_comm_compute_overlap"),
                        str_printf(perm,
                                   "%.*s%% of communication overlaps computation, the "
                                   "target is 70%%",
                                   STRF(text_pct(perm, 100 * r->comm_overlap_frac))),
                        exposed,
                        r->training ? S("Start gradient reduction during the backward "
                                        "pass.")
                                    : S("Run collectives on a separate stream beside "
                                        "compute."),
                        r->overlap_severity});
}

void multi_kernel_analyse(struct arena *perm, struct arena tmp,
                          const struct analysis *a, const struct tree_index *t,
                          const struct idle_gaps *g, struct multi_kernel_result *r)
{
    const struct trace_view *v = t->v;
    if (v->n_counted == 0) {
        r->status = ANALYSER_NO_DATA;
        r->comm_overlap_frac = r->memcpy_overlap_frac = (double)NAN;
        return;
    }
    r->comm_merged_ms = (double)v->timeline.total_comm_ns / 1e6;
    read_copies(tmp, a, t, g, r);
    read_communication(tmp, t, r);
    rate_communication(a, &v->timeline, r);
    measure_overlap(tmp, v, r);
    count_unlinked(v, r);
    r->step_count = profiler_steps(v->s);
    r->training = has_backward(tmp, v);
    add_patterns(perm, a, r);
}

/* ---- findings: copies
 * ---------------------------------------------------------------- */

/* Idle time behind scalar reads is told by its own finding, the copies in them too. */
static bool told_as_idle(const struct analysis *a, const struct copy_result *c)
{
    for (int k = 0; k < a->n_findings; k++)
        if (a->findings[k].category == WORK_CPU_IDLE &&
            str_eq(a->findings[k].pattern, S("synchronization")))
            return 2 * c->waited_count >= c->count;
    return false;
}

static bool copies_promoted(const struct analysis *a, const struct copy_result *c)
{
    double pct = a->total_ms > 0 ? c->total_us / 10 / a->total_ms : 0;
    return c->severity >= SEVERITY_MEDIUM && (pct >= 0.1 || c->count > 50) &&
           !told_as_idle(a, c);
}

/* A count alone, of copies that take no time to speak of, is at most MEDIUM. */
static enum severity copy_finding_severity(const struct copy_result *c)
{
    bool count_alone =
        c->time_severity == SEVERITY_NONE && c->severity > SEVERITY_MEDIUM;
    return count_alone ? SEVERITY_MEDIUM : c->severity;
}

static void copy_evidence(struct arena *perm, const struct analysis *a,
                          struct finding *f, enum copy_direction d,
                          const struct multi_kernel_result *r)
{
    const struct copy_result *c = &r->copies[d];
    struct str per_step = S("");
    if (r->step_count)
        per_step = str_printf(
            perm, ", %.*s a step",
            STRF(text_fixed(perm, (double)c->count / (double)r->step_count, 1)));
    add_evidence(perm, f,
                 str_printf(perm, "%.*s%.*s; the longest takes %.*s ms.",
                            STRF(copy_facts(perm, a, d, c)), STRF(per_step),
                            STRF(text_ms(perm, c->max_us / 1e3))));
    for (int k = 0; k < c->n_ops; k++) {
        struct str from = S("");
        if (c->ops[k].caller.n)
            from = str_printf(perm, ", called from %.*s",
                              STRF(quoted_name(perm, c->ops[k].caller, 80)));
        add_evidence(perm, f,
                     str_printf(perm, "%lld of them belong to %.*s%.*s (%.*s ms).",
                                (long long)c->ops[k].count,
                                STRF(quoted_name(perm, c->ops[k].name, 60)), STRF(from),
                                STRF(text_ms(perm, c->ops[k].total_us / 1e3))));
    }
    add_evidence(perm, f, copy_cause(perm, d, c));
}

static struct finding *system_finding(struct arena *perm, struct analysis *a,
                                      const char *pattern, struct str op,
                                      enum severity s)
{
    struct finding *f = analysis_add_finding(perm, a);
    f->tier = TIER_SYSTEM;
    f->kind = FIND_SYSTEM;
    f->category = WORK_MULTI_KERNEL;
    f->pattern = str_of(pattern);
    f->op = op;
    f->id = system_finding_id(perm, WORK_MULTI_KERNEL, pattern, op);
    f->priority = severity_priority(s);
    f->confidence = CONFIDENCE_HIGH;
    return f;
}

static struct str copy_title(enum copy_direction d, bool both, bool small)
{
    if (both)
        return small ? S("Many small copies between host and device")
                     : S("Copies between host and device");
    if (d == COPY_D2D)
        return S("Copies within the device");
    if (d == COPY_H2D)
        return small ? S("Many small host-to-device copies")
                     : S("Host-to-device copies");
    return small ? S("Many small device-to-host copies") : S("Device-to-host copies");
}

/* One finding for directions [from, to]: both ways between host and device go together.
 */
static void copy_finding(struct arena *perm, struct analysis *a,
                         const struct multi_kernel_result *r, enum copy_direction from,
                         enum copy_direction to)
{
    static const char *const ids[] = {[COPY_D2H] = "high_d2h_memcpy",
                                      [COPY_H2D] = "high_h2d_memcpy",
                                      [COPY_D2D] = "high_d2d_memcpy"};
    enum severity severity = worse(copy_finding_severity(&r->copies[from]),
                                   copy_finding_severity(&r->copies[to]));
    const struct copy_result *first = &r->copies[from];
    struct str op = first->n_ops ? first->ops[0].name : S("memory copies");
    struct finding *f = system_finding(
        perm, a, from != to ? "high_host_memcpy" : ids[from], op, severity);
    double exposed_us = 0, gaps_us = 0, total_us = 0;
    for (enum copy_direction d = from; d <= to; d++) {
        const struct copy_result *c = &r->copies[d];
        f->count += c->count;
        total_us += c->total_us;
        exposed_us += c->exposed_us;
        gaps_us += c->gaps_us;
        copy_evidence(perm, a, f, d, r);
    }
    f->title = copy_title(from, from != to, mostly_small(first));
    f->time_ms = total_us / 1e3;
    f->total_pct = a->total_ms > 0 ? 100 * f->time_ms / a->total_ms : 0;
    f->priority_basis =
        str_printf(perm, "copies: severity %.*s by time %.*s%% of total and count %lld",
                   STRF(severity_word(severity)), STRF(text_pct(perm, f->total_pct)),
                   (long long)f->count);
    f->issue = str_printf(
        perm, "%lld memory copies take %.*s ms; %.*s ms of it nothing hides.",
        (long long)f->count, STRF(text_ms(perm, f->time_ms)),
        STRF(text_ms(perm, exposed_us / 1e3)));
    f->algorithmic = from == to ? copy_action(from)
                                : str_printf(perm, "%.*s %.*s", STRF(copy_action(from)),
                                             STRF(copy_action(to)));
    f->kernel =
        from == COPY_D2D
            ? S("Choose kernels that read and write the layout at hand, so that no "
                "copy "
                "stands between them.")
            : S("With the same code: pinned staging buffers and one merged transfer in "
                "place of many.");
    f->impact = impact_of_ms(
        a, exposed_us / 2e3, (exposed_us + gaps_us) / 1e3,
        S("half of the copy time that nothing hides, to all of it with the "
          "gaps right behind queued copies"));
}

static void copy_findings(struct arena *perm, struct analysis *a,
                          const struct multi_kernel_result *r)
{
    bool to_host = copies_promoted(a, &r->copies[COPY_D2H]);
    bool from_host = copies_promoted(a, &r->copies[COPY_H2D]);
    if (to_host && from_host)
        copy_finding(perm, a, r, COPY_D2H, COPY_H2D);
    else if (to_host)
        copy_finding(perm, a, r, COPY_D2H, COPY_D2H);
    else if (from_host)
        copy_finding(perm, a, r, COPY_H2D, COPY_H2D);
    if (copies_promoted(a, &r->copies[COPY_D2D]))
        copy_finding(perm, a, r, COPY_D2D, COPY_D2D);
}

/* ---- findings: communication
 * --------------------------------------------------------- */

static void comm_evidence(struct arena *perm, const struct analysis *a,
                          struct finding *f, const struct multi_kernel_result *r)
{
    add_evidence(
        perm, f,
        str_printf(perm,
                   "%lld collectives are busy for %.*s ms, %.*s ms of which (%.*s%% of "
                   "total time) nothing hides.",
                   (long long)r->comm_count, STRF(text_ms(perm, r->comm_merged_ms)),
                   STRF(text_ms(perm, a->exposed_comm_ms)),
                   STRF(text_pct(perm, 100 * a->exposed_comm_ms / a->total_ms))));
    add_evidence(
        perm, f,
        str_printf(perm,
                   "%.*s%% of communication time overlaps computation; the target is "
                   "70%%.",
                   STRF(text_pct(perm, 100 * r->comm_overlap_frac))));
    if (2 * r->top_collective.total_us >= r->comm_total_us)
        add_evidence(perm, f,
                     str_printf(perm,
                                "%.*s holds %.*s ms in %lld calls: a smaller payload, "
                                "compression or a narrower type would shorten it.",
                                STRF(quoted_name(perm, r->top_collective.name, 60)),
                                STRF(text_ms(perm, r->top_collective.total_us / 1e3)),
                                (long long)r->top_collective.count));
    add_evidence(
        perm, f,
        S("Waiting for other ranks and moving data cannot be told apart from one rank: "
          "traces of all ranks are needed."));
}

static void comm_finding(struct arena *perm, struct analysis *a,
                         const struct multi_kernel_result *r)
{
    double exposed_pct = a->total_ms > 0 ? 100 * a->exposed_comm_ms / a->total_ms : 0;
    bool blocks = r->blocking_severity >= SEVERITY_MEDIUM;
    bool apart = r->overlap_severity >= SEVERITY_MEDIUM && exposed_pct >= 1;
    if (!blocks && !apart)
        return;
    enum severity severity = blocks && apart
                                 ? worse(r->blocking_severity, r->overlap_severity)
                             : blocks ? r->blocking_severity
                                      : r->overlap_severity;
    struct str op =
        r->comm_launcher.name.n ? r->comm_launcher.name : r->top_collective.name;
    struct finding *f = system_finding(
        perm, a, blocks ? "nccl_blocking_compute" : "poor_comm_compute_overlap", op,
        severity);
    f->title = blocks ? S("Collective communication blocks computation")
                      : S("Collective communication overlaps too little");
    f->count = r->comm_count;
    f->time_ms = a->exposed_comm_ms;
    f->total_pct = exposed_pct;
    f->priority_basis = str_printf(
        perm, "exposed %.*s%% of total time: %.*s; overlap %.*s%%: %.*s",
        STRF(text_pct(perm, exposed_pct)), STRF(severity_word(r->blocking_severity)),
        STRF(text_pct(perm, 100 * r->comm_overlap_frac)),
        STRF(severity_word(r->overlap_severity)));
    f->issue = str_printf(perm,
                          "The device computes nothing for %.*s ms while collective "
                          "communication runs.",
                          STRF(text_ms(perm, a->exposed_comm_ms)));
    f->algorithmic =
        r->training ? S("Overlap collectives with compute: start gradient reduction "
                        "during the backward pass, in buckets; micro-batch "
                        "pipelining hides more.")
                    : S("Overlap collectives with compute: run tensor-parallel "
                        "collectives on a separate stream beside decode compute; "
                        "pipeline prefill and decode.");
    f->kernel = S(
        "With the same code: launch collectives earlier and on a stream of their own, "
        "and check the achieved bandwidth of the largest ones.");
    double low = a->exposed_comm_ms - (1 - target_overlap_frac) * r->comm_merged_ms;
    f->impact = impact_of_ms(a, fmax(0, low), a->exposed_comm_ms,
                             S("overlap raised to 70 %, to all communication hidden"));
    comm_evidence(perm, a, f, r);
}

void multi_kernel_findings(struct arena *perm, struct analysis *a,
                           const struct multi_kernel_result *r)
{
    if (r->status != ANALYSER_OK)
        return;
    copy_findings(perm, a, r);
    comm_finding(perm, a, r);
}
