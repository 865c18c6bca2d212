/* Groups of idle time to findings: their facts, which patterns with the scope "idle"
 * turn into a cause and advice (assets/patterns/host.lua), and their evidence. */
#include "analysis/lua/pattern_host.h"
#include "analysis/model/device_word.h"
#include "analysis/model/finding_title.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/stack/memory_peak.h"
#include "analysis/system/first_calls.h"
#include "analysis/system/host_name.h"
#include "analysis/system/idle_follow.h"
#include "analysis/system/idle_merge.h"
#include "analysis/system/idle_steps.h"
#include "analysis/system/optimizer_kernels.h"
#include "analysis/system/system_parts.h"
#include "analysis/system/value_checks.h"
#include "base/abilities.h"
#include "base/sort.h"
#include "base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_FINDINGS = 4, FACTS = 128, LEAST_NS = 10000, PAUSE_NS = 10000000 };

static const double least_pct = 1, least_idle_pct = 2; /* of the window, of idle time */

struct facts {
    struct work_fact list[FACTS];
    int n;
};

static void number(struct facts *f, const char *key, double v)
{
    assert(f->n < FACTS);
    f->list[f->n++] = FACT(key, v);
}

static void text(struct facts *f, const char *key, struct str s)
{
    assert(f->n < FACTS);
    f->list[f->n++] = FACT(key, s);
}

/* Calls of operators whose arguments recur in every step, of all; NaN: unknown. */
static double repeated_pct(const struct analysis *a, const struct event_store *s,
                           int64_t steps)
{
    double all = 0, repeated = 0;
    for (int c = 0; c < WORK_CATEGORIES; c++)
        for (int32_t k = 0; k < a->categories[c].n_rows; k++) {
            int64_t n = a->categories[c].rows[k].count;
            all += (double)n;
            repeated += n >= steps ? (double)n : 0;
        }
    bool known = steps > 1 && s->n_texts > 0 && all > 0;
    return known ? 100 * repeated / all : (double)NAN;
}

static struct str where_text(struct arena *perm, const struct idle_group *g, bool times)
{
    struct str s = S("");
    for (int k = 0; k < g->n_where; k++) {
        s = say(perm, "{}{}{}", said(s), said(k ? ", " : ""),
                said_name(g->where[k].name, 40));
        struct str op = g->where[k].caller;
        if (times)
            s = say(perm, "{} ({}{}{} ms)", said(s),
                    said(op.n ? quoted_name(perm, op, 40) : S("")),
                    said(op.n ? ", " : ""), said_ms(g->where[k].total_us / 1e3));
    }
    return s;
}

/* "`schedule` (scheduler.py:165) 11.3 ms, `update` 8.61 ms": of PYTHON, and behind a
 * wait, the calls with a tenth of it and more. */
static struct str parts_text(struct arena *perm, const struct idle_group *g)
{
    struct str s = S("");
    bool calls = g->class == IDLE_PYTHON || g->class == IDLE_SYNC;
    for (int k = 0; k < g->n_where && calls; k++)
        if (1e4 * g->where[k].total_us >= (double)g->total_ns)
            s = say(perm, "{}{}{} {} ms", said(s), said(s.n ? ", " : ""),
                    said(host_name_text(perm, g->where[k].name, g->where[k].caller)),
                    said_ms(g->where[k].total_us / 1e3));
    return s;
}

static void name_facts(struct arena *perm, struct facts *f, const struct idle_group *g)
{
    text(f, "class", idle_class_word(g->class));
    text(f, "blame", g->blame);
    text(f, "blame_place", g->blame_place);
    text(f, "around", g->around);
    text(f, "leaf", g->leaf);
    text(f, "leaf_place", g->leaf_place);
    text(f, "what", g->blame.n ? g->blame : g->leaf);
    text(f, "code", g->code);
    text(f, "code_place", g->code_place);
    text(f, "sync", g->sync);
    text(f, "sync_place", g->sync_place);
    bool ops = g->class == IDLE_NOTHING && g->n_where;
    text(f, "loop", ops ? g->where[0].name : S(""));
    number(f, "loop_calls", ops ? (double)g->where[0].count : 0);
    text(f, "parts", parts_text(perm, g));
    text(f, "where", where_text(perm, g, false));
    text(f, "where_most", g->n_where ? g->where[0].name : S(""));
    text(f, "root", g->root);
    text(f, "root_beside", g->root.n ? g->root_beside : S(""));
    number(f, "leaf_is_code", g->leaf_is_code);
    number(f, "leaf_in_operator", g->leaf_in_operator);
}

static double class_pct(const struct idle_group *g, enum idle_class c)
{
    return pct_of(g->class_us[c] * 1e3, (double)g->total_ns);
}

static void share_facts(struct facts *f, const struct idle_group *g)
{
    double total_us = (double)g->total_ns / 1e3;
    number(f, "leaf_pct", pct_of(g->leaf_us, total_us));
    number(f, "after_sync_pct", pct_of(g->after_sync_us, total_us));
    number(f, "hidden_without_pct", pct_of(g->hidden_without_us, total_us));
    number(f, "compiled_pct", pct_of(g->compiled_us, total_us));
    number(f, "python_pct", class_pct(g, IDLE_PYTHON));
    number(f, "dispatch_pct", class_pct(g, IDLE_DISPATCH));
    number(f, "runtime_pct", class_pct(g, IDLE_RUNTIME) + class_pct(g, IDLE_LAUNCH));
    number(f, "latency_pct", class_pct(g, IDLE_LATENCY));
    number(f, "nothing_pct", class_pct(g, IDLE_NOTHING));
}

/* Median call of the frame of Python that the leaf is, us; NaN: it is none. */
static double usual_call_us(struct arena tmp, const struct event_store *s,
                            const struct idle_group *g)
{
    event_id leaf = g->leaf_event - 1;
    if (leaf < 0 || s->cat[leaf] != CAT_PYTHON || !g->leaf_place.n)
        return (double)NAN;
    struct sort_row *rows = NULL;
    int32_t n = 0;
    for (event_id i = 0; i < s->n; i++)
        if (s->name[i] == s->name[leaf] && s->cat[i] == CAT_PYTHON) {
            arena_grow(&tmp, rows, n);
            rows[n++] = (struct sort_row){store_dur_ns(s, i), i};
        }
    sort_rows(tmp, rows, n);
    return (double)rows[n / 2].key / 1e3;
}

static void step_facts(struct arena tmp, const struct tree_index *t,
                       const struct idle_group *g, struct facts *f)
{
    const struct trace_steps *steps = &t->v->steps;
    struct idle_steps in = idle_steps_of(tmp, steps, g);
    bool known = in.n && steps->n == t->v->profiler_steps;
    number(f, "steps", (double)t->v->profiler_steps);
    number(f, "per_step_ms", g->per_step_us / 1e3);
    number(f, "in_steps", in.n);
    number(f, "in_step_ms", known ? in.each_ms : 0);
    number(f, "every_nth", known ? in.every : 0);
    number(f, "first_step", (double)in.first);
}

/* A frame that works by calling others: on its own it takes no time. */
static bool only_calls(const struct event_store *s, event_id leaf)
{
    return leaf >= 0 && s->cat[leaf] == CAT_PYTHON &&
           str_has(store_name(s, leaf), S("torch/nn/"));
}

/* What a frame takes long for only now and then may be no work of its own. */
static void pause_facts(struct arena tmp, const struct event_store *s,
                        const struct idle_group *g, struct facts *f)
{
    bool is_long = g->class == IDLE_PYTHON && g->longest_part_ns >= PAUSE_NS;
    number(f, "leaf_usual_us", is_long ? usual_call_us(tmp, s, g) : (double)NAN);
    number(f, "leaf_only_calls", only_calls(s, g->leaf_event - 1));
}

/* One call, and the first of several: looked for only where it would be told. */
static bool is_first_call(const struct event_store *s, const struct idle_group *g)
{
    return (g->class == IDLE_DISPATCH || g->class == IDLE_CPU_WORK) && g->calls == 1 &&
           g->event >= 0 && first_call_alone(s, g->event);
}

/* A data loader is there, whatever the group is in. */
static bool has_loader(const struct event_store *s)
{
    for (int32_t k = 0; k < s->names.n; k++) {
        struct str name = pool_text(&s->names, k);
        if (str_has(name, S("DataLoader")) || str_has(name, S("dataloader.py")))
            return true;
    }
    return false;
}

/* Functions that the compiler goes on with behind a graph break, regions by their
 * number, "Torch-Compiled Region: 3/0", and those of a later version, "3/2". */
static void compiled_facts(struct arena tmp, const struct event_store *s,
                           const struct idle_group *g, struct facts *f)
{
    enum { MOST = 4096 };
    const struct str region = S("Torch-Compiled Region: ");
    uint8_t *seen = arena_new(&tmp, uint8_t, MOST);
    int resumes = 0, regions = 0, versions = 0;
    bool asks = g->class == IDLE_HOST_BOUND || g->class == IDLE_LOAD;
    for (int32_t k = 0; asks && k < s->names.n; k++) {
        struct str name = pool_text(&s->names, k);
        resumes += str_has(name, S("torch_dynamo_resume_in_"));
        if (!str_starts(name, region))
            continue;
        struct str at = str_skip(name, region.n);
        ptrdiff_t slash = str_find(at, S("/"));
        int id = atoi(str_c(&tmp, str_head(at, 8)));
        versions += slash >= 0 && !str_starts(str_skip(at, slash), S("/0"));
        if (id >= 0 && id < MOST && !seen[id]) {
            seen[id] = 1;
            regions++;
        }
    }
    number(f, "resumes", resumes);
    number(f, "regions", regions);
    number(f, "versions", versions);
}

/* What the allocator holds: 0 where it is not recorded. */
static void memory_facts(const struct analysis *a, const struct idle_result *r,
                         struct facts *f)
{
    double reserved = a->memory ? fmax(0, (double)a->memory->reserved_most) : 0;
    double device = trace_device(a->tables->facts.machine).bytes;
    number(f, "given_back", (double)r->given_back);
    number(f, "taken", (double)r->taken);
    number(f, "repeated", (double)r->allocations_repeated);
    number(f, "freed_to_repeat", (double)r->freed_to_repeat);
    number(f, "reserved_gib", number_rounded(reserved / (double)(1 << 30), 2));
    number(f, "device_gib", number_rounded(device / (double)(1 << 30), 2));
}

/* Whether an operator that waits first copies something that way; to the device: and
 * nothing back. */
static bool copies_first(const struct tree_index *t, const struct idle_group *g,
                         enum copy_direction way)
{
    const struct event_store *s = t->v->s;
    int32_t n = 0;
    const event_id *gpu =
        g->class == IDLE_SYNC && g->event >= 0 && !cat_is_gpu(s->cat[g->event])
            ? tree_gpu_below(t, g->event, &n)
            : NULL;
    for (int32_t k = 0; k < n && way == COPY_H2D; k++)
        if (role_way(store_role(s, gpu[k])) == COPY_D2H)
            return false;
    return n > 0 && role_way(store_role(s, gpu[0])) == way;
}

/* Of the waits that go with its code, those in other operators. */
static int32_t waits_beside(const struct tree_index *t, const struct idle_group *g)
{
    const struct event_store *s = t->v->s;
    int32_t n = 0;
    event_id last = -1; /* an operator may wait in two calls */
    for (int32_t k = 0; k < g->n_waits && g->event >= 0; k++) {
        event_id op = launched_operation(t, g->waits[k].event);
        n += op != last && s->name[op] != s->name[g->event];
        last = op;
    }
    return n;
}

/* Calls of layers that add a low-rank product of their own to that of the layer they
 * wrap (LoRA and its like): modules of PEFT, or its frames. */
static int64_t adapter_calls(struct arena tmp, const struct event_store *s)
{
    uint8_t *is = arena_new(&tmp, uint8_t, s->names.n + 1);
    int64_t modules = 0, frames = 0;
    int any = 0;
    for (int32_t k = 0; k < s->names.n; k++) {
        struct str name = pool_text(&s->names, k);
        is[k] = str_starts(name, S("nn.Module: lora.")) ? 1
                : str_has(name, S("peft/tuners/")) && str_ends(name, S(": forward"))
                    ? 2
                    : 0;
        any |= is[k];
    }
    for (event_id i = 0; any && i < s->n; i++)
        if (s->cat[i] == CAT_PYTHON) {
            modules += is[s->name[i]] == 1;
            frames += is[s->name[i]] == 2;
        }
    return modules > frames ? modules : frames;
}

/* What the waits of a group are for. */
static void wait_facts(struct arena tmp, const struct tree_index *t,
                       const struct idle_group *g, struct facts *f)
{
    number(f, "reads_device", copies_first(t, g, COPY_D2H));
    number(f, "sends", copies_first(t, g, COPY_H2D));
    number(f, "waits_beside", (double)waits_beside(t, g));
    struct value_checks checks = value_checks_of(&tmp, t, g->waits, g->n_waits);
    number(f, "nan_checks_pct", pct_of((double)checks.n, (double)checks.reads));
    number(f, "nan_nodes_pct", pct_of((double)checks.backward, (double)checks.reads));
    number(f, "nan_device_ms", checks.work.device_ms);
}

/* What a step of the optimizer calls, where the group is about one. */
static void optimizer_facts(struct arena tmp, const struct trace_view *v,
                            const struct idle_group *g, struct facts *f)
{
    bool is_one = name_has(g->blame, "optimizer.step") ||
                  (g->n_where && name_has(g->where[0].name, "optimizer.step"));
    struct optimizer_calls c = {0, 0, 0, 0};
    if (is_one)
        c = optimizer_calls_of(tmp, v);
    double steps = fmax(1, (double)c.steps);
    number(f, "foreach_calls", round((double)c.foreach / steps));
    number(f, "type_checks", round((double)c.checks / steps));
    number(f, "single_calls", round((double)c.single / steps));
}

static void stop_facts(const struct host_stops *s, struct facts *f)
{
    number(f, "stops", (double)s->n);
    number(f, "stop_kinds", (double)s->kinds);
    number(f, "stop_ms", (double)s->ns / 1e6);
    number(f, "longest_stop_ms", (double)s->longest_ns / 1e6);
}

/* Time before the first device work. */
static void start_facts(const struct analysis *a, const struct idle_result *r,
                        const struct idle_group *g, struct facts *f)
{
    double ms = (double)r->pool_ns[POOL_START] / 1e6;
    number(f, "start_pct", pct_of((double)g->pool_ns[POOL_START], (double)g->total_ns));
    number(f, "start_ms", ms);
    number(f, "start_share_pct", pct_of(ms, a->total_ms));
}

static void group_facts(struct arena *perm, const struct analysis *a,
                        const struct tree_index *t, const struct idle_result *r,
                        const struct idle_group *g, struct facts *f)
{
    double ms = (double)g->total_ns / 1e6;
    int64_t steps = t->v->profiler_steps;
    name_facts(perm, f, g);
    number(f, "gaps", (double)g->gaps);
    number(f, "copy_gaps", (double)g->copy_gaps);
    number(f, "calls", (double)g->calls);
    number(f, "time_ms", ms);
    number(f, "share_pct", pct_of(ms, a->total_ms));
    number(f, "idle_pct", pct_of(ms, idle_result_ms(r)));
    number(f, "leaf_ms", g->leaf_us / 1e3);
    number(f, "call_ms", g->calls ? ms / (double)g->calls : (double)NAN);
    number(f, "call_us", g->calls ? 1e3 * ms / (double)g->calls : (double)NAN);
    number(f, "long_ms", g->long_us / 1e3);
    number(f, "longest_ms", g->max_us / 1e3);
    number(f, "longest_part_ms", (double)g->longest_part_ns / 1e6);
    number(f, "stalled_ms", g->stalled_us / 1e3);
    number(f, "late_ms", g->late_us / 1e3);
    number(f, "inside_ms", ms - g->late_us / 1e3);
    step_facts(*perm, t, g, f);
    pause_facts(*perm, t->v->s, g, f);
    number(f, "leads",
           t->v->window.lead_ns > 0 && g->longest_from_ns == t->v->timeline.start_ns);
    number(f, "where_most_pct",
           g->n_where ? pct_of(g->where[0].total_us, (double)g->total_ns / 1e3) : 0);
    number(f, "leaf_call_us", g->leaf_call_us);
    number(f, "leaf_launches", g->leaf_launches);
    wait_facts(*perm, t, g, f);
    optimizer_facts(*perm, t->v, g, f);
    number(f, "sets_up", g->sets_up);
    memory_facts(a, r, f);
    number(f, "first_call", is_first_call(t->v->s, g));
    number(f, "waits", (double)r->sync_point_count);
    number(f, "waits_per_step",
           steps ? (double)r->sync_point_count / (double)steps : (double)NAN);
    number(f, "blocking_pct",
           pct_of((double)r->launch.blocking, (double)r->launch.launches));
    share_facts(f, g);
    number(f, "launches_per_s", round((double)r->launch.calls / (a->total_ms / 1e3)));
    number(f, "gap_us", 1e3 * ms / (double)g->gaps);
    number(f, "launches_per_step", r->launch.per_step);
    number(f, "has_ops", t->v->s->census.by_cat[CAT_CPU_OP] > 0);
    number(f, "kernel_us", r->avg_kernel_us);
    number(f, "graph_pct", r->graph_kernel_pct);
    number(f, "expert_turns", (double)r->expert_turns);
    number(f, "captures", (double)r->captures);
    number(f, "recaptures", (double)r->recaptures);
    number(f, "compiled_captures", (double)r->compiled_captures);
    number(f, "beside_ms", (double)r->beside_ns / 1e6);
    stop_facts(&r->stops, f);
    number(f, "repeated_pct", repeated_pct(a, t->v->s, steps));
    number(f, "has_shapes", a->tables->facts.has_shapes);
    start_facts(a, r, g, f);
    number(f, "has_frames", t->has_frames);
    number(f, "has_stacks", t->has_frames || t->has_text_stacks);
    text(f, "activities_how", abilities_of(a->tables->facts.abilities)->activities);
    text(f, "stacks_how", abilities_of(a->tables->facts.abilities)->stacks);
    number(f, "has_loader", r->has_loader);
    number(f, "training", a->tables->traits.training);
    number(f, "launches", (double)r->launch.calls);
    number(f, "adapters",
           g->class == IDLE_HOST_BOUND ? (double)adapter_calls(*perm, t->v->s) : 0);
    number(f, "is_jax", a->tables->facts.abilities == &jax_abilities);
    compiled_facts(*perm, t->v->s, g, f);
    number(f, "results_bytes", (double)g->results_bytes);
    number(f, "results_pct", pct_of((double)g->results_ns, (double)g->total_ns));
    number(f, "input_pct", pct_of((double)g->pool_ns[POOL_INPUT], (double)g->total_ns));
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* What one launch costs while the device waits. */
static void launch_evidence(struct arena *perm, struct finding *f, bool frames,
                            const struct idle_result *r, const struct idle_group *g)
{
    double n = (double)g->gaps;
    bool unrecorded = g->class_us[IDLE_NOTHING] / n >= 0.05;
    evidence(
        perm, f,
        "A launch keeps the GPU waiting for {} µs: Python {}, operator dispatch {}, "
        "launch and other runtime calls {}, start latency {}{}{}; "
        "the mean kernel takes {} µs.",
        said_fixed((double)g->total_ns / 1e3 / n, 1),
        frames ? said_fixed(g->class_us[IDLE_PYTHON] / n, 1) : said("not recorded"),
        said_fixed(g->class_us[IDLE_DISPATCH] / n, 1),
        said_fixed((g->class_us[IDLE_RUNTIME] + g->class_us[IDLE_LAUNCH]) / n, 1),
        said_fixed(g->class_us[IDLE_LATENCY] / n, 1),
        said(unrecorded ? ", nothing recorded " : ""),
        unrecorded ? said_fixed(g->class_us[IDLE_NOTHING] / n, 1) : said(""),
        said_fixed(r->avg_kernel_us, 1));
    double where_us = 0;
    for (int k = 0; k < g->n_where; k++)
        where_us += g->where[k].total_us;
    if (g->n_where)
        evidence(perm, f, "{} in {}.",
                 said(2e3 * where_us >= (double)g->total_ns ? "Most of it is"
                                                            : "Its largest parts are"),
                 said(where_text(perm, g, true)));
    if (g->compiled_us > 0)
        evidence(perm, f, "{}% of it is below a compiled region.",
                 said_pct(pct_of(g->compiled_us * 1e3, (double)g->total_ns)));
}

static void gaps_evidence(struct arena *perm, struct finding *f,
                          const struct idle_group *g)
{
    struct str place = S(""), longest = S("");
    if (g->blame_place.n)
        place = say(perm, ", {}", said(host_name_text(perm, g->blame, g->blame_place)));
    if (g->gaps > 1 && g->max_us * 1e3 <= (double)g->total_ns)
        longest = say(perm, ", the longest {} ms", said_ms(g->max_us / 1e3));
    else if (g->gaps > 1) /* the rest of the gaps has other causes */
        longest = say(perm, ", in parts of at most {} ms",
                      said_ms((double)g->longest_part_ns / 1e6));
    evidence(perm, f, "{} ms in {} gap{}{}: {}{}.", said_ms((double)g->total_ns / 1e6),
             said(g->gaps), said(plural(g->gaps)), said(longest),
             said(idle_class_label(g->class)), said(place));
}

static void group_evidence(struct arena *perm, const struct analysis *a,
                           struct finding *f, const struct idle_result *r,
                           const struct idle_group *g)
{
    if (g->class == IDLE_HOST_BOUND)
        launch_evidence(perm, f, a->tables->facts.has_frames, r, g);
    gaps_evidence(perm, f, g);
    if (g->class != IDLE_HOST_BOUND && g->leaf.n && !str_eq(g->leaf, g->blame))
        evidence(perm, f, "{} ms of that: {}.", said_ms(g->leaf_us / 1e3),
                 said(host_name_text(perm, g->leaf, g->leaf_place)));
    if (g->after_sync_us * 1e4 >= (double)g->total_ns && g->sync.n)
        evidence(perm, f,
                 "{} ms of that begins while the host waits for the GPU, most "
                 "often in {}.",
                 said_ms(g->after_sync_us / 1e3),
                 said(host_name_text(perm, g->sync, g->sync_place)));
    if (g->per_step_us * 1e3 < 0.999 * (double)g->total_ns) /* NaN, or all of it: no */
        evidence(perm, f, "Per step: {} ms.", said_ms(g->per_step_us / 1e3));
}

/* From 80% of this idle time to all of it, unless the pattern knows better. */
static struct impact_range group_impact(const struct analysis *a,
                                        const struct idle_group *g,
                                        const struct pattern_hit *hit)
{
    double ms = (double)g->total_ns / 1e6;
    if (hit->recording)
        return impact_of_ms(a, 0, 0, S("not known from this recording"));
    if (!isnan(hit->saving_low_ms) && !isnan(hit->saving_high_ms))
        return impact_of_ms(a, fmin(hit->saving_low_ms, ms),
                            fmin(hit->saving_high_ms, ms),
                            S("as the pattern estimates"));
    return impact_of_ms(a, 0.8 * ms, ms, S("80% to all of this idle time"));
}

/* A part matters no more than the whole, but a tenth of the run is worth attention even
 * where the rest is busy. */
static enum severity group_severity(const struct idle_result *r, double share_pct)
{
    static const double bounds[4] = {50, 30, 10, 3};
    enum severity part = severity_above(share_pct, bounds);
    if (part > r->severity)
        return part < SEVERITY_MEDIUM ? severity_worse(part, r->severity)
                                      : severity_worse(SEVERITY_MEDIUM, r->severity);
    return part;
}

/* Different groups may have one pattern and one name. */
static void make_id_unique(struct arena *perm, const struct analysis *a,
                           struct finding *f, const struct idle_group *g)
{
    for (const struct finding *x = a->findings; x < f; x++)
        if (str_eq(x->id, f->id)) {
            f->op = say(perm, "{} ({})", said(f->op), said(idle_class_label(g->class)));
            f->id = finding_id(perm, f);
            return;
        }
}

static bool is_taken(const struct analysis *a, const struct finding *f)
{
    for (const struct finding *x = a->findings; x < f; x++)
        if (x->tier == f->tier && str_eq(x->title, f->title))
            return true;
    return false;
}

/* A second finding that asks for the same says where: before the reason, which is left
 * out if there is no room for both. */
static void title_group(struct arena *perm, const struct analysis *a, struct finding *f,
                        const struct idle_group *g, struct str text)
{
    finding_title(perm, f, text, S(""));
    struct str name = g->blame.n ? g->blame : g->leaf;
    if (!is_taken(a, f) || !name.n)
        return;
    struct str action = str_head(text, title_action_end(text)),
               why = str_skip(text, action.n);
    struct str placed =
        say(perm, "{} in `{}`", said(action), said(title_name(perm, name)));
    bool room = placed.n + why.n <= TITLE_MOST;
    finding_title(perm, f, room ? say(perm, "{}{}", said(placed), said(why)) : placed,
                  S(""));
}

/* Of several devices, the idle time is that of the one that decides: it is named. */
static struct str of_which(struct arena *perm, const struct idle_result *r,
                           struct str issue)
{
    struct str words = str_starts(issue, S("The GPU ")) ? S("The GPU ") : S("the GPU ");
    ptrdiff_t at = r->device.n ? str_find(issue, words) : -1;
    return at < 0 ? issue
                  : say(perm, "{}GPU {} {}", said(str_head(issue, at)), said(r->device),
                        said(str_skip(issue, at + words.n)));
}

/* One recording answers for all idle time that a recording begins with. */
static void all_of_start(struct arena *perm, const struct analysis *a,
                         struct finding *f, const struct idle_result *r)
{
    f->op = S("start of the recording");
    f->id = finding_id(perm, f);
    f->time_ms = (double)r->pool_ns[POOL_START] / 1e6;
    f->total_pct = pct_of(f->time_ms, a->total_ms);
    f->count = r->start_gaps;
    f->priority_basis = say(perm, "{}% of total time", said_pct(f->total_pct));
    evidence(perm, f,
             "{} ms in {} gap{} before the first launches; behind the last launch call "
             "the GPU works for {} ms.",
             said_ms(f->time_ms), said(r->start_gaps), said(plural(r->start_gaps)),
             said_ms((double)r->ahead_ns / 1e6));
}

static void say_idle_share(struct arena *perm, const struct analysis *a,
                           struct finding *f, const struct idle_result *r)
{
    bool is_most = f->time_ms >= 0.5 * idle_result_ms(r);
    f->priority_basis = say(perm, "{}% of total time, {} idle time",
                            said_pct(pct_of(f->time_ms, a->total_ms)),
                            said(is_most ? "most of" : "part of"));
}

/* Of the device events that it names, in ms. */
static double events_ms(const struct analysis *a, const struct finding *f)
{
    int64_t ns = 0;
    for (int32_t k = 0; k < f->n_gpu; k++)
        ns += store_dur_ns(a->tables->view->s, f->gpu[k]);
    return (double)ns / 1e6;
}

/* Where the host computes with results of the device, the copies that read them go,
 * too: what is computed on the device leaves little to copy. */
static void take_results(struct arena *perm, const struct analysis *a,
                         struct finding *f, const struct idle_group *g)
{
    f->about = ABOUT_EVENTS;
    f->gpu = g->results;
    f->n_gpu = g->n_results;
    f->time_ms += events_ms(a, f);
    f->total_pct = pct_of(f->time_ms, a->total_ms);
    f->issue =
        say(perm, "{} The {} before it {} {} ms.", said(f->issue),
            said(g->n_results == 1 ? "copy to the host" : "copies to the host"),
            said(str_plural(g->n_results, "takes", "take")), said_ms(events_ms(a, f)));
}

/* More idle time that the same action ends. */
static void add_group(struct arena *perm, const struct analysis *a, struct finding *f,
                      const struct idle_result *r, const struct idle_group *g,
                      const struct pattern_hit *hit)
{
    struct idle_group *both = idle_groups_joined(perm, f->idle, g);
    f->idle = both;
    f->count = both->gaps;
    f->time_ms = (double)both->total_ns / 1e6 + events_ms(a, f);
    f->total_pct = pct_of(f->time_ms, a->total_ms);
    say_idle_share(perm, a, f, r);
    f->issue = say(perm, "{} {}", said(f->issue), said(of_which(perm, r, hit->issue)));
    f->impact = group_impact(a, both, hit);
    group_evidence(perm, a, f, r, g);
}

static void group_finding(struct arena *perm, struct analysis *a,
                          const struct idle_result *r, const struct idle_group *g,
                          const struct pattern_hit *hit)
{
    double ms = (double)g->total_ns / 1e6;
    struct str op = g->blame.n ? g->blame : g->leaf.n ? g->leaf : S("idle time");
    if (g->blame_place.n)
        op = say(perm, "{}, {}", said(op), said(g->blame_place));
    struct finding *f = add_system_finding(perm, a, WORK_CPU_IDLE, hit->id, op, ms);
    make_id_unique(perm, a, f, g);
    title_group(perm, a, f, g, hit->title);
    f->count = g->gaps;
    say_idle_share(perm, a, f, r);
    f->issue = of_which(perm, r, hit->issue);
    f->algorithmic = hit->path_a;
    f->kernel = hit->path_b;
    f->informational = hit->informational;
    f->recording = hit->recording;
    f->cause = hit->cause;
    f->impact = group_impact(a, g, hit);
    f->idle = g;
    f->confidence = r->host_known ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
    if (idle_group_starts(g))
        all_of_start(perm, a, f, r);
    if (str_eq(hit->id, S("host_results")))
        take_results(perm, a, f, g);
    group_evidence(perm, a, f, r, g);
}

static void group_pattern(struct arena *perm, const struct analysis *a,
                          struct idle_result *r, const struct idle_group *g,
                          const struct pattern_hit *hit)
{
    double share_pct = pct_of((double)g->total_ns / 1e6, a->total_ms);
    struct system_pattern p = {
        hit->title, hit->issue, say(perm, "{}% of total time", said_pct(share_pct)),
        hit->path_a, severity_worse(SEVERITY_LOW, group_severity(r, share_pct))};
    struct str *const texts[] = {&p.name, &p.evidence, &p.solution};
    for (size_t i = 0; a->tables && i < sizeof texts / sizeof *texts; i++)
        *texts[i] =
            device_word_put(perm, *texts[i], a->tables->facts.kind.vendor, 0, 0);
    add_pattern(perm, &r->patterns, &r->n_patterns, p);
}

/* Idle time above the user's threshold always gets an item in the report. */
static void lift_asked_for(struct arena *perm, struct finding *f, double threshold_pct)
{
    f->asked = true;
    f->priority_basis = say(perm, "{}; reported from {}% idle time, as requested",
                            said(f->priority_basis), said_pct(threshold_pct));
}

/* One recording answers both. */
static bool is_asked_again(const struct analysis *a, int first,
                           const struct pattern_hit *hit)
{
    for (int i = first; hit->recording && i < a->n_findings; i++)
        if (a->findings[i].recording && str_eq(a->findings[i].pattern, hit->id))
            return true;
    return false;
}

void idle_findings(struct arena *perm, struct analysis *a, const struct tree_index *t,
                   struct idle_result *r, double threshold_pct)
{
    double idle_ms = idle_result_ms(r);
    bool asked = pct_of(idle_ms, a->total_ms) > threshold_pct;
    bool stacks_asked = false; /* once in a report */
    bool step_late = false;    /* a finding before is about its launches as a whole */
    r->has_loader = r->n_groups && has_loader(t->v->s);
    int first = a->n_findings;
    for (int32_t k = 0; k < r->n_groups && a->n_findings - first < MOST_FINDINGS; k++) {
        const struct idle_group *g = &r->groups[k];
        double share_pct = pct_of((double)g->total_ns / 1e6, a->total_ms);
        double idle_pct = pct_of((double)g->total_ns / 1e6, idle_ms);
        bool largest_asked_for = asked && a->n_findings == first;
        struct facts f = {.n = 0};
        struct pattern_hit hit;
        if (r->status != ANALYSER_OK || !a->patterns ||
            ((share_pct < least_pct || idle_pct < least_idle_pct ||
              g->total_ns < LEAST_NS) &&
             !largest_asked_for))
            return;
        group_facts(perm, a, t, r, g, &f);
        number(&f, "stacks_asked", stacks_asked);
        number(&f, "step_late", step_late);
        if (!pattern_host_group(a->patterns, perm, a, f.list, f.n, &hit) ||
            is_asked_again(a, first, &hit))
            continue;
        step_late |= g->class == IDLE_HOST_BOUND;
        stacks_asked |=
            str_has(hit.path_a, abilities_of(a->tables->facts.abilities)->stacks);
        struct finding *same =
            hit.recording || hit.informational || !isnan(hit.saving_low_ms)
                ? NULL
                : idle_same_action(perm, a, first, g, hit.title);
        if (same)
            add_group(perm, a, same, r, g, &hit);
        else
            group_finding(perm, a, r, g, &hit);
        group_pattern(perm, a, r, g, &hit);
        if (largest_asked_for)
            lift_asked_for(perm, &a->findings[first], threshold_pct);
    }
}
