#include "analysis/system/idle_facts.h"

#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/stack/memory_peak.h"
#include "analysis/system/first_calls.h"
#include "analysis/system/host_name.h"
#include "analysis/system/idle_merge.h"
#include "analysis/system/idle_steps.h"
#include "analysis/system/optimizer_kernels.h"
#include "analysis/system/size_asserts.h"
#include "analysis/system/system_parts.h"
#include "analysis/system/value_checks.h"
#include "base/abilities.h"
#include "base/sort.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { PAUSE_NS = 10000000 };

void idle_number(struct idle_facts *f, const char *key, double v)
{
    assert(f->n < IDLE_FACTS);
    f->list[f->n++] = FACT(key, v);
}

void idle_text(struct idle_facts *f, const char *key, struct str s)
{
    assert(f->n < IDLE_FACTS);
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

struct str idle_where_text(struct arena *perm, const struct idle_group *g, bool times)
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

static void name_facts(struct arena *perm, struct idle_facts *f,
                       const struct idle_group *g)
{
    idle_text(f, "class", idle_class_word(g->class));
    idle_text(f, "blame", g->blame);
    idle_text(f, "blame_place", g->blame_place);
    idle_text(f, "around", g->around);
    idle_text(f, "leaf", g->leaf);
    idle_text(f, "leaf_place", g->leaf_place);
    idle_text(f, "what", g->blame.n ? g->blame : g->leaf);
    idle_text(f, "code", g->code);
    idle_text(f, "code_place", g->code_place);
    idle_text(f, "sync", g->sync);
    idle_text(f, "sync_place", g->sync_place);
    bool ops = g->class == IDLE_NOTHING && g->n_where;
    idle_text(f, "loop", ops ? g->where[0].name : S(""));
    idle_number(f, "loop_calls", ops ? (double)g->where[0].count : 0);
    idle_text(f, "parts", parts_text(perm, g));
    idle_text(f, "where", idle_where_text(perm, g, false));
    idle_text(f, "where_most", g->n_where ? g->where[0].name : S(""));
    idle_text(f, "root", g->root);
    idle_text(f, "root_beside", g->root.n ? g->root_beside : S(""));
    idle_text(f, "eager", g->beside);
    idle_text(f, "eager_place", g->beside_place);
    idle_number(f, "eager_ms", g->beside_us / 1e3);
    idle_number(f, "leaf_is_code", g->leaf_is_code);
    idle_number(f, "leaf_in_operator", g->leaf_in_operator);
}

static double class_pct(const struct idle_group *g, enum idle_class c)
{
    return pct_of(g->class_us[c] * 1e3, (double)g->total_ns);
}

static void share_facts(struct idle_facts *f, const struct idle_group *g)
{
    double total_us = (double)g->total_ns / 1e3;
    idle_number(f, "leaf_pct", pct_of(g->leaf_us, total_us));
    idle_number(f, "after_sync_pct", pct_of(g->after_sync_us, total_us));
    idle_number(f, "hidden_without_pct", pct_of(g->hidden_without_us, total_us));
    idle_number(f, "compiled_pct", pct_of(g->compiled_us, total_us));
    idle_number(f, "python_pct", class_pct(g, IDLE_PYTHON));
    idle_number(f, "dispatch_pct", class_pct(g, IDLE_DISPATCH));
    idle_number(f, "runtime_pct",
                class_pct(g, IDLE_RUNTIME) + class_pct(g, IDLE_LAUNCH));
    idle_number(f, "latency_pct", class_pct(g, IDLE_LATENCY));
    idle_number(f, "nothing_pct", class_pct(g, IDLE_NOTHING));
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
                       const struct idle_group *g, struct idle_facts *f)
{
    const struct trace_steps *steps = &t->v->steps;
    struct idle_steps in = idle_steps_of(tmp, steps, g);
    bool known = in.n && steps->n == t->v->profiler_steps;
    idle_number(f, "steps", (double)t->v->profiler_steps);
    idle_number(f, "per_step_ms", g->per_step_us / 1e3);
    idle_number(f, "in_steps", in.n);
    idle_number(f, "in_step_ms", known ? in.each_ms : 0);
    idle_number(f, "every_nth", known ? in.every : 0);
    idle_number(f, "first_step", (double)in.first);
}

/* A frame that works by calling others: on its own it takes no time. */
static bool only_calls(const struct event_store *s, event_id leaf)
{
    return leaf >= 0 && s->cat[leaf] == CAT_PYTHON &&
           str_has(store_name(s, leaf), S("torch/nn/"));
}

/* What a frame takes long for only now and then may be no work of its own. */
static void pause_facts(struct arena tmp, const struct event_store *s,
                        const struct idle_group *g, struct idle_facts *f)
{
    bool is_long = g->class == IDLE_PYTHON && g->longest_part_ns >= PAUSE_NS;
    idle_number(f, "leaf_usual_us", is_long ? usual_call_us(tmp, s, g) : (double)NAN);
    idle_number(f, "leaf_only_calls", only_calls(s, g->leaf_event - 1));
}

/* One call, and the first of several: looked for only where it would be told. */
static bool is_first_call(const struct event_store *s, const struct idle_group *g)
{
    return (g->class == IDLE_DISPATCH || g->class == IDLE_CPU_WORK) && g->calls == 1 &&
           g->event >= 0 && first_call_alone(s, g->event);
}

bool idle_has_loader(const struct event_store *s)
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
                           const struct idle_group *g, struct idle_facts *f)
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
    idle_number(f, "resumes", resumes);
    idle_number(f, "regions", regions);
    idle_number(f, "versions", versions);
}

/* What the allocator holds: 0 where it is not recorded. */
static void memory_facts(const struct analysis *a, const struct idle_result *r,
                         struct idle_facts *f)
{
    double reserved = a->memory ? fmax(0, (double)a->memory->reserved_most) : 0;
    double device = trace_device(a->tables->facts.machine).bytes;
    idle_number(f, "given_back", (double)r->given_back);
    idle_number(f, "taken", (double)r->taken);
    idle_number(f, "repeated", (double)r->allocations_repeated);
    idle_number(f, "freed_to_repeat", (double)r->freed_to_repeat);
    idle_number(f, "emptied", (double)r->emptied);
    idle_number(f, "reserved_gib", number_rounded(reserved / (double)(1 << 30), 2));
    idle_number(f, "device_gib", number_rounded(device / (double)(1 << 30), 2));
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
                       const struct idle_group *g, struct idle_facts *f)
{
    idle_number(f, "reads_device", copies_first(t, g, COPY_D2H));
    idle_number(f, "sends", copies_first(t, g, COPY_H2D));
    idle_number(f, "waits_beside", (double)waits_beside(t, g));
    struct value_checks checks = value_checks_of(&tmp, t, g->waits, g->n_waits);
    idle_number(f, "nan_checks_pct", pct_of((double)checks.n, (double)checks.reads));
    idle_number(f, "nan_nodes_pct",
                pct_of((double)checks.backward, (double)checks.reads));
    idle_number(f, "nan_device_ms", checks.work.device_ms);
}

/* What a step of the optimizer calls, where the group is about one. */
static void optimizer_facts(struct arena tmp, const struct trace_view *v,
                            const struct idle_group *g, struct idle_facts *f)
{
    bool is_one = name_has(g->blame, "optimizer.step") ||
                  (g->n_where && name_has(g->where[0].name, "optimizer.step"));
    struct optimizer_calls c = {.steps = 0};
    if (is_one)
        c = optimizer_calls_of(tmp, v);
    double steps = fmax(1, (double)c.steps);
    idle_number(f, "foreach_calls", round((double)c.foreach / steps));
    idle_number(f, "type_checks", round((double)c.checks / steps));
    idle_number(f, "single_calls", round((double)c.single / steps));
    idle_number(f, "sparse_calls", (double)c.sparse);
}

static void assert_facts(struct arena tmp, const struct event_store *s,
                         const struct idle_group *g, struct idle_facts *f)
{
    struct size_asserts of = size_asserts_of(tmp, s, g);
    idle_number(f, "size_asserts", (double)of.calls);
    idle_number(f, "size_asserts_ms", (double)of.ns / 1e6);
}

static void stop_facts(const struct host_stops *s, struct idle_facts *f)
{
    idle_number(f, "stops", (double)s->n);
    idle_number(f, "stop_kinds", (double)s->kinds);
    idle_number(f, "stop_ms", (double)s->ns / 1e6);
    idle_number(f, "longest_stop_ms", (double)s->longest_ns / 1e6);
}

/* Time before the first device work. */
static void start_facts(const struct analysis *a, const struct idle_result *r,
                        const struct idle_group *g, struct idle_facts *f)
{
    double ms = (double)r->pool_ns[POOL_START] / 1e6;
    idle_number(f, "start_pct",
                pct_of((double)g->pool_ns[POOL_START], (double)g->total_ns));
    idle_number(f, "start_ms", ms);
    idle_number(f, "start_share_pct", pct_of(ms, a->total_ms));
}

/* What is the same for all groups of a run. */
static void run_facts(const struct analysis *a, const struct tree_index *t,
                      const struct idle_result *r, struct idle_facts *f)
{
    int64_t steps = t->v->profiler_steps;
    idle_number(f, "waits", (double)r->sync_point_count);
    idle_number(f, "waits_per_step",
                steps ? (double)r->sync_point_count / (double)steps : (double)NAN);
    idle_number(f, "blocking_pct",
                pct_of((double)r->launch.blocking, (double)r->launch.launches));
    idle_number(f, "launches_per_s",
                round((double)r->launch.calls / (a->total_ms / 1e3)));
    idle_number(f, "launches_per_step", r->launch.per_step);
    idle_number(f, "has_ops", t->v->s->census.by_cat[CAT_CPU_OP] > 0);
    idle_number(f, "kernel_us", r->avg_compute_us);
    idle_number(f, "graph_pct", r->graph_kernel_pct);
    idle_number(f, "expert_turns", (double)r->expert_turns);
    idle_number(f, "captures", (double)r->captures);
    idle_number(f, "recaptures", (double)r->recaptures);
    idle_number(f, "compiled_captures", (double)r->compiled_captures);
    idle_number(f, "beside_ms", (double)r->beside_ns / 1e6);
    stop_facts(&r->stops, f);
    idle_number(f, "repeated_pct", repeated_pct(a, t->v->s, steps));
    idle_number(f, "has_shapes", a->tables->facts.has_shapes);
    idle_number(f, "has_frames", t->has_frames);
    idle_number(f, "has_stacks", t->has_frames || t->has_text_stacks);
    idle_text(f, "activities_how",
              abilities_of(a->tables->facts.abilities)->activities);
    idle_text(f, "stacks_how", abilities_of(a->tables->facts.abilities)->stacks);
    idle_number(f, "has_loader", r->has_loader);
    idle_number(f, "training", a->tables->traits.training);
    idle_number(f, "launches", (double)r->launch.calls);
    idle_number(f, "is_jax", a->tables->facts.abilities == &jax_abilities);
    memory_facts(a, r, f);
}

void idle_facts_of(struct arena *perm, const struct analysis *a,
                   const struct tree_index *t, const struct idle_result *r,
                   const struct idle_group *g, struct idle_facts *f)
{
    double ms = (double)g->total_ns / 1e6;
    name_facts(perm, f, g);
    idle_number(f, "gaps", (double)g->gaps);
    idle_number(f, "copy_gaps", (double)g->copy_gaps);
    idle_number(f, "calls", (double)g->calls);
    idle_number(f, "time_ms", ms);
    idle_number(f, "share_pct", pct_of(ms, a->total_ms));
    idle_number(f, "idle_pct", pct_of(ms, idle_result_ms(r)));
    idle_number(f, "leaf_ms", g->leaf_us / 1e3);
    idle_number(f, "call_ms", g->calls ? ms / (double)g->calls : (double)NAN);
    idle_number(f, "call_us", g->calls ? 1e3 * ms / (double)g->calls : (double)NAN);
    idle_number(f, "long_ms", g->long_us / 1e3);
    idle_number(f, "longest_ms", g->max_us / 1e3);
    idle_number(f, "longest_part_ms", (double)g->longest_part_ns / 1e6);
    idle_number(f, "stalled_ms", g->stalled_us / 1e3);
    idle_number(f, "late_ms", g->late_us / 1e3);
    idle_number(f, "inside_ms", ms - g->late_us / 1e3);
    step_facts(*perm, t, g, f);
    pause_facts(*perm, t->v->s, g, f);
    idle_number(f, "leads",
                t->v->window.lead_ns > 0 &&
                    g->longest_from_ns == t->v->timeline.start_ns);
    idle_number(f, "where_most_pct",
                g->n_where ? pct_of(g->where[0].total_us, (double)g->total_ns / 1e3)
                           : 0);
    idle_number(f, "leaf_call_us", g->leaf_call_us);
    idle_number(f, "leaf_launches", g->leaf_launches);
    wait_facts(*perm, t, g, f);
    optimizer_facts(*perm, t->v, g, f);
    idle_number(f, "sets_up", g->sets_up);
    idle_number(f, "first_call", is_first_call(t->v->s, g));
    share_facts(f, g);
    idle_number(f, "gap_us", 1e3 * ms / (double)g->gaps);
    start_facts(a, r, g, f);
    idle_number(f, "adapters",
                g->class == IDLE_HOST_BOUND ? (double)adapter_calls(*perm, t->v->s)
                                            : 0);
    compiled_facts(*perm, t->v->s, g, f);
    assert_facts(*perm, t->v->s, g, f);
    idle_number(f, "results_bytes", (double)g->results_bytes);
    idle_number(f, "results_pct", pct_of((double)g->results_ns, (double)g->total_ns));
    idle_number(f, "input_pct",
                pct_of((double)g->pool_ns[POOL_INPUT], (double)g->total_ns));
    run_facts(a, t, r, f);
}
