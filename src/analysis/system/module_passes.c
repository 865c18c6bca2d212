#include "analysis/system/module_passes.h"

#include "analysis/lua/pattern_host.h"
#include "analysis/model/finding_title.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/stack/module_classes.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"
#include "ops/op_tables.h"

#include <math.h>

enum { LEVELS = 3, FEWEST_CALLS = 4, MOST_PASSES = 4, MOST_BETWEEN = 2 };

/* Which names are those of modules; each is asked once. */
struct module_names {
    const struct event_store *s;
    uint8_t *is; /* by name: 0 not asked */
};

static struct module_names names_open(struct arena *a, const struct event_store *s)
{
    return (struct module_names){s, arena_new(a, uint8_t, s->names.n + 1)};
}

enum { NAME_OTHER = 1, NAME_MODULE, NAME_CHECKPOINT, NAME_DRAWS };

static int name_kind(const struct module_names *m, event_id i)
{
    name_id name = m->s->name[i];
    if (name < 0 || (m->s->cat[i] != CAT_PYTHON && m->s->cat[i] != CAT_CPU_OP))
        return NAME_OTHER;
    if (!m->is[name]) {
        struct str text = store_name(m->s, i), class = tree_module_name(text);
        bool again = str_has(text, S("torch/utils/checkpoint.py")) ||
                     str_starts(text, S("CheckpointFunction"));
        bool draws = name_is(text, "aten::rand|aten::rand_like|aten::randint|"
                                   "aten::randperm|aten::bernoulli|aten::bernoulli_|"
                                   "aten::uniform_|aten::random_");
        m->is[name] = again                                  ? NAME_CHECKPOINT
                      : draws                                ? NAME_DRAWS
                      : class.n && !module_is_wrapper(class) ? NAME_MODULE
                                                             : NAME_OTHER;
    }
    return m->is[name];
}

static bool is_module(const struct module_names *m, event_id i)
{
    return m->s->cat[i] == CAT_PYTHON && name_kind(m, i) == NAME_MODULE;
}

/* Activation checkpointing runs modules without autograd, and again with it on a thread
 * that may have no frames: they are trained. */
static bool is_checkpoint(const struct module_names *m, event_id i)
{
    return name_kind(m, i) == NAME_CHECKPOINT;
}

static int64_t device_ns(const struct tree_index *t, event_id i, int32_t *n)
{
    const event_id *gpu = tree_gpu_below(t, i, n);
    int64_t ns = 0;
    for (int32_t k = 0; k < *n; k++)
        ns += store_dur_ns(t->v->s, gpu[k]);
    return ns;
}

/* Whether autograd records an operator in [at, after). */
static bool is_recorded(const struct tree_index *t, int32_t at, int32_t after)
{
    for (; at < after; at++)
        if (backward_node(&t->v->backward, t->frames.order[at]) >= 0)
            return true;
    return false;
}

/* Whether it does something else each time, as augmentation of images does. */
static bool draws(const struct tree_index *t, const struct module_names *m, int32_t at,
                  int32_t after)
{
    for (; at < after; at++)
        if (name_kind(m, t->frames.order[at]) == NAME_DRAWS)
            return true;
    return false;
}

struct frozen_modules frozen_modules_find(struct arena *a, struct arena tmp,
                                          const struct tree_index *t)
{
    struct frozen_modules f = {0};
    const struct call_tree *tree = &t->frames;
    struct module_names names = names_open(&tmp, t->v->s);
    uint8_t *trained = arena_new(&tmp, uint8_t, t->v->s->names.n + 1);
    int32_t open[LEVELS], depth = 0, n;
    if (!t->has_frames || !t->v->backward.n_links)
        return f;
    for (int32_t at = 0; at < tree->n_order;) {
        event_id i = tree->order[at];
        while (depth && open[depth - 1] <= at)
            depth--;
        if (!is_module(&names, i)) {
            at = is_checkpoint(&names, i) ? tree->after[at] : at + 1;
            continue;
        }
        int32_t after = tree->after[at];
        bool records = is_recorded(t, at, after);
        trained[t->v->s->name[i]] |= records || draws(t, &names, at, after);
        if (!records && device_ns(t, i, &n) > 0) {
            arena_grow(a, f.calls, f.n);
            f.calls[f.n++] = i;
        }
        bool enters = records && depth < LEVELS - 1;
        if (enters)
            open[depth++] = after;
        at = enters ? at + 1 : after;
    }
    int32_t kept = 0;
    for (int32_t k = 0; k < f.n; k++)
        if (!trained[t->v->s->name[f.calls[k]]]) {
            f.total_ns += device_ns(t, f.calls[k], &n);
            f.calls[kept++] = f.calls[k];
        }
    f.n = kept;
    return f;
}

/* Outermost calls of modules in [from, to) of the tree, as positions. */
static int32_t outermost(struct arena *tmp, const struct tree_index *t,
                         const struct module_names *m, int32_t from, int32_t to,
                         int32_t **calls)
{
    int32_t n = 0;
    *calls = NULL;
    for (int32_t at = from; at < to;) {
        if (!is_module(m, t->frames.order[at])) {
            at++;
            continue;
        }
        arena_grow(tmp, *calls, n);
        (*calls)[n++] = at;
        at = t->frames.after[at];
    }
    return n;
}

/* Keeps the calls of the name with most device time. */
static int32_t keep_longest(struct arena tmp, const struct tree_index *t,
                            int32_t *calls, int32_t n)
{
    const struct event_store *s = t->v->s;
    int64_t *ns = arena_new(&tmp, int64_t, s->names.n + 1);
    int32_t kept = 0, below;
    name_id most = -1;
    for (int32_t k = 0; k < n; k++) {
        event_id i = t->frames.order[calls[k]];
        ns[s->name[i]] += device_ns(t, i, &below);
        if (most < 0 || ns[s->name[i]] > ns[most])
            most = s->name[i];
    }
    for (int32_t k = 0; k < n; k++)
        if (s->name[t->frames.order[calls[k]]] == most)
            calls[kept++] = calls[k];
    return kept;
}

/* Device events that are launched between two positions of the tree. */
static int32_t launched_between(const struct tree_index *t, int32_t from, int32_t to)
{
    int32_t all = 0, n;
    for (int32_t at = from; at < to;) {
        bool ends = t->frames.after[at] <= to;
        if (ends)
            tree_gpu_below(t, t->frames.order[at], &n);
        all += ends ? n : 0;
        at = ends ? t->frames.after[at] : at + 1;
    }
    return all;
}

static bool same_kernels(const struct tree_index *t, event_id a, event_id b)
{
    int32_t n, m;
    const event_id *x = tree_gpu_below(t, a, &n), *y = tree_gpu_below(t, b, &m);
    for (int32_t k = 0; k < n && n == m; k++)
        if (t->v->s->name[x[k]] != t->v->s->name[y[k]])
            return false;
    return n == m && n > 0;
}

/* How many calls in a row have nothing between them, each row of them alike; 0. */
static int32_t passes_of(const struct tree_index *t, const int32_t *calls, int32_t n)
{
    const int32_t *after = t->frames.after;
    int32_t passes = 0, in_row = 1;
    for (int32_t k = 1; k <= n; k++) {
        bool joins =
            k < n && launched_between(t, after[calls[k - 1]], calls[k]) <= MOST_BETWEEN;
        if (k < n &&
            !same_kernels(t, t->frames.order[calls[0]], t->frames.order[calls[k]]))
            return 0;
        in_row += joins;
        if (joins)
            continue;
        if (in_row == 1 || in_row > MOST_PASSES || (passes && in_row != passes))
            return 0;
        passes = in_row;
        in_row = 1;
    }
    return passes < n ? passes : 0;
}

struct repeated_passes repeated_passes_find(struct arena tmp,
                                            const struct tree_index *t)
{
    struct repeated_passes r = {0};
    struct module_names names = names_open(&tmp, t->v->s);
    int32_t from = 0, to = t->frames.n_order, n = 0, *calls = NULL;
    if (!t->has_frames || t->v->backward.n_links)
        return r;
    for (int level = 0; level < LEVELS && n < FEWEST_CALLS; level++) {
        n = outermost(&tmp, t, &names, from, to, &calls);
        n = keep_longest(tmp, t, calls, n);
        if (n == 0)
            return r;
        from = calls[0] + 1;
        to = t->frames.after[calls[0]];
    }
    r.passes = n >= FEWEST_CALLS ? passes_of(t, calls, n) : 0;
    if (!r.passes)
        return r;
    r.calls = n;
    r.module = tree_module_name(store_name(t->v->s, t->frames.order[calls[0]]));
    for (int32_t k = 0; k < n; k++) {
        int32_t kernels;
        r.host_ns += store_dur_ns(t->v->s, t->frames.order[calls[k]]);
        r.device_ns += device_ns(t, t->frames.order[calls[k]], &kernels);
        r.kernels += kernels;
    }
    return r;
}

/* The host's share of all passes but one goes; of the device's time none, or of short
 * kernels half as much. */
static struct impact_range passes_impact(const struct analysis *a,
                                         const struct repeated_passes *r)
{
    double spared = 1 - 1.0 / r->passes, host_ms = (double)r->host_ns / 1e6,
           busy_ms = a->total_ms - a->idle_ms, left = a->total_ms - spared * host_ms,
           least = busy_ms - 0.5 * spared * (double)r->device_ns / 1e6;
    return impact_of_ms(a, a->total_ms - fmax(left, busy_ms),
                        a->total_ms - fmax(left, least),
                        S("from the host's time of the passes to that and half of the "
                          "device's"));
}

static void passes_finding(struct arena *perm, struct arena tmp, struct analysis *a,
                           const struct tree_index *t)
{
    struct repeated_passes r = repeated_passes_find(tmp, t);
    int n = 0;
    if (!r.passes)
        return;
    const struct work_fact facts[] = {
        FACT("module", quoted_name(perm, r.module, 40)),
        FACT("passes", r.passes),
        FACT("calls", r.calls),
        FACT("idle_pct", pct_of(a->idle_ms, a->total_ms)),
        FACT("kernel_us", (double)r.device_ns / 1e3 / (double)r.kernels),
        FACT("frozen_ms", 0),
        FACT("fp64_ms", 0),
        FACT("share_pct", 0),
        FACT("modules", S(""))};
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("modules"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    if (!n)
        return;
    struct finding *f =
        advised_finding(perm, a, hits, n, S("passes"), (double)r.device_ns / 1e6);
    f->count = r.calls;
    f->impact = f->impact_kernel = passes_impact(a, &r);
}

/* The classes, the longest three at most: "`A`, `B`". */
static struct str classes_text(struct arena *perm, struct arena tmp,
                               const struct tree_index *t,
                               const struct frozen_modules *f)
{
    enum { MOST = 3 };
    struct str text = S("");
    uint8_t *told = arena_new(&tmp, uint8_t, t->v->s->names.n + 1);
    for (int said_n = 0; said_n < MOST; said_n++) {
        name_id best = -1;
        int64_t most = 0;
        for (int32_t k = 0; k < f->n; k++) {
            name_id name = t->v->s->name[f->calls[k]];
            int32_t n;
            int64_t ns = told[name] ? 0 : device_ns(t, f->calls[k], &n);
            if (ns > most) {
                best = name;
                most = ns;
            }
        }
        if (best < 0 || 20 * most * f->n < f->total_ns)
            break;
        told[best] = 1;
        struct str class = tree_module_name(pool_text(&t->v->s->names, best)),
                   quoted = quoted_name(perm, class, 30);
        if (!str_has(text, quoted))
            text =
                say(perm, "{}{}{}", said(text), said(text.n ? ", " : ""), said(quoted));
    }
    return text;
}

static bool takes_doubles(const struct trace_view *v, event_id op)
{
    const struct op_texts *x = op < 0 ? NULL : store_texts(v->s, op);
    const struct value *types = x ? store_value(v->s, x->types) : NULL;
    for (int k = 0; k < value_count(types); k++)
        if (str_eq(value_text(value_at(types, k)), S("double")))
            return true;
    return false;
}

/* Device time of operators with operands in double precision, as recorded. */
static double double_ms(const struct tree_index *t, const struct frozen_modules *m)
{
    int64_t ns = 0;
    for (int32_t k = 0; k < m->n; k++) {
        int32_t n = 0;
        const event_id *gpu = tree_gpu_below(t, m->calls[k], &n);
        for (int32_t i = 0; i < n; i++)
            if (takes_doubles(t->v, view_operator(t->v, gpu[i])))
                ns += store_dur_ns(t->v->s, gpu[i]);
    }
    return (double)ns / 1e6;
}

static void frozen_finding(struct arena *perm, struct arena tmp, struct analysis *a,
                           const struct tree_index *t)
{
    struct frozen_modules m = frozen_modules_find(perm, tmp, t);
    double ms = (double)m.total_ns / 1e6;
    int n = 0;
    if (!m.n)
        return;
    const struct work_fact facts[] = {FACT("modules", classes_text(perm, tmp, t, &m)),
                                      FACT("frozen_ms", ms),
                                      FACT("fp64_ms", double_ms(t, &m)),
                                      FACT("calls", m.n),
                                      FACT("share_pct", pct_of(ms, a->total_ms)),
                                      FACT("module", S("")),
                                      FACT("passes", 0),
                                      FACT("idle_pct", 0),
                                      FACT("kernel_us", 0)};
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("modules"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    if (!n)
        return;
    int32_t all = 0, k_n, at = 0;
    for (int32_t k = 0; k < m.n; k++) {
        tree_gpu_below(t, m.calls[k], &k_n);
        all += k_n;
    }
    event_id *gpu = arena_new(perm, event_id, all);
    for (int32_t k = 0; k < m.n; k++) {
        const event_id *of = tree_gpu_below(t, m.calls[k], &k_n);
        for (int32_t i = 0; i < k_n; i++)
            gpu[at++] = of[i];
    }
    struct finding *f = advised_finding(perm, a, hits, n, S("frozen modules"), ms);
    f->about = ABOUT_EVENTS;
    f->gpu = gpu;
    f->n_gpu = at;
    f->count = m.n;
    f->whole_ms = ms;
    f->impact = f->impact_kernel =
        impact_of_ms(a, 0.9 * ms, ms, S("these modules do not run in the step"));
}

void module_passes_findings(struct arena *perm, struct arena tmp, struct analysis *a,
                            const struct tree_index *t)
{
    if (!a->patterns || !t->has_frames)
        return;
    passes_finding(perm, tmp, a, t);
    frozen_finding(perm, tmp, a, t);
}
