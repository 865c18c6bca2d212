#include "analysis/system/fusion_candidates.h"

#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/system/fusion_chains.h"
#include "base/out.h"
#include "base/sort.h"

#include <string.h>

/* Before the attention span is cut out of a module. */
enum { RAW_KERNELS_MAX = CHAIN_KERNELS_MAX };

struct instance {
    int32_t key;
    event_id container;
    bool is_run, is_chain;
    struct str place;
    event_id *kernels;
    int n;
};

struct collector {
    const struct tree_index *t;
    struct arena *perm, *a;
    struct name_pool keys;
    struct instance *rows;
    int32_t n;
    uint8_t *label_of; /* by name, plus one */
    uint8_t *words_of; /* by name: a set; 0: not asked yet */
    struct out scratch;
};

static enum kernel_label label_of(struct collector *c, event_id gpu)
{
    const struct event_store *s = c->t->v->s;
    uint8_t *known = &c->label_of[s->name[gpu]];
    if (s->cat[gpu] == CAT_MEMCPY)
        return KERNEL_MEMCPY;
    if (s->cat[gpu] == CAT_MEMSET)
        return KERNEL_MEMSET;
    if (!*known)
        *known = (uint8_t)(1 + kernel_label_of(store_name(s, gpu)));
    return (enum kernel_label)(*known - 1);
}

bool attention_around(const enum kernel_label *labels, int n, int softmax, int *first,
                      int *last)
{
    int a = softmax - 1, b = softmax + 1;
    while (a >= 0 && kernel_label_is_light(labels[a]))
        a--;
    while (b < n && kernel_label_is_light(labels[b]))
        b++;
    *first = a;
    *last = b;
    return a >= 0 && b < n && labels[a] == KERNEL_GEMM && labels[b] == KERNEL_GEMM;
}

bool attention_span(const enum kernel_label *labels, int n, int *first, int *last)
{
    for (int s = 0; s < n; s++)
        if (labels[s] == KERNEL_SOFTMAX && attention_around(labels, n, s, first, last))
            return true;
    return false;
}

/* Instances form one group if the place and what each kernel does agree. */
static int32_t key_of(struct collector *c, const struct instance *i)
{
    struct out *o = &c->scratch;
    o->n = 0;
    out_str(o, i->place);
    out_char(o, i->is_run ? '+' : '=');
    for (int k = 0; k < i->n; k++) {
        event_id op = view_operator(c->t->v, i->kernels[k]);
        out_char(o, '|');
        out_i64(o, label_of(c, i->kernels[k]));
        if (op >= 0)
            out_str(o, store_name(c->t->v->s, op));
    }
    return pool_add(&c->keys, out_view(o));
}

static struct instance *add_instance(struct collector *c, struct str place,
                                     event_id container, bool is_run,
                                     const event_id *gpu, int32_t n)
{
    struct instance i = {-1, container, is_run, false, place, NULL, n};
    i.kernels = arena_take_raw(c->a, sizeof *gpu, 4, n);
    memcpy(i.kernels, gpu, (size_t)n * sizeof *gpu);
    view_sort_by_start(*c->a, c->t->v->s, i.kernels, n);
    enum kernel_label labels[RAW_KERNELS_MAX];
    int first, last;
    for (int k = 0; k < n; k++)
        labels[k] = label_of(c, i.kernels[k]);
    if (n > 5 && attention_span(labels, n, &first, &last)) {
        i.kernels += first;
        i.n = last - first + 1;
    }
    i.key = key_of(c, &i);
    arena_grow(c->a, c->rows, c->n);
    c->rows[c->n] = i;
    return &c->rows[c->n++];
}

static int32_t gpu_count(const struct tree_index *t, event_id i)
{
    int32_t n;
    tree_gpu_below(t, i, &n);
    return n;
}

/* How well a name describes the work: a module, a function, an operator, nothing. */
static int telling(const struct tree_index *t, event_id i)
{
    const struct event_store *s = t->v->s;
    struct str name = store_name(s, i);
    if (s->cat[i] == CAT_PYTHON) {
        if (tree_module_name(name).n)
            return 3;
        return name.n && name.p[0] != '<' && !tree_is_plumbing(name) ? 2 : 0;
    }
    return s->cat[i] == CAT_CPU_OP ? 1 : 0;
}

static struct str place_name(const struct tree_index *t, event_id i)
{
    struct str name = store_name(t->v->s, i), module = tree_module_name(name);
    return module.n ? module : name;
}

/* The best name for the device work of `top`: the innermost of the most descriptive
 * kind among the events that launch all of it. */
static event_id best_container(const struct tree_index *t, event_id top)
{
    int32_t n;
    const event_id *gpu = tree_gpu_below(t, top, &n);
    event_id best = -1, up = launch_call(&t->v->launch, gpu[0]);
    for (int k = 0; up >= 0 && k < TREE_LEVELS_MAX; k++, up = tree_above(t, up)) {
        if (gpu_count(t, up) == n && telling(t, up) > (best < 0 ? 0 : telling(t, best)))
            best = up;
        if (up == top)
            break;
    }
    return best;
}

/* Neighbours below the event at a position that launch one kernel each; `all` is what
 * it launches. */
static void collect_runs(struct collector *c, int32_t pos, int32_t all)
{
    const struct tree_index *t = c->t;
    event_id run[RAW_KERNELS_MAX], parent = t->frames.order[pos];
    int32_t n = 0, end = t->frames.after[pos];
    for (int32_t child = pos + 1;; child = t->frames.after[child]) {
        int32_t k = 0;
        const event_id *gpu =
            child < end ? launch_range_at(&t->device, &t->frames, child, &k) : NULL;
        if (child < end && k == 0)
            continue;
        if (k == 1 && n < RAW_KERNELS_MAX) {
            run[n++] = gpu[0];
            continue;
        }
        if (n >= 2 && n < all && n <= FUSION_KERNELS_MAX)
            add_instance(c, place_name(t, parent), parent, true, run, n);
        n = 0;
        if (child >= end)
            return;
    }
}

static void collect(struct collector *c)
{
    const struct tree_index *t = c->t;
    const struct event_store *s = t->v->s;
    for (int32_t pos = 0, next; pos < t->frames.n_order; pos = next) {
        int32_t n;
        const event_id *gpu = launch_range_at(&t->device, &t->frames, pos, &n);
        event_id i = t->frames.order[pos];
        next = n < 2 ? t->frames.after[pos] : pos + 1;
        if (n < 2 || cat_is_runtime(s->cat[i]))
            continue;
        if (telling(t, i) >= 2 || s->cat[i] == CAT_CPU_OP)
            collect_runs(c, pos, n);
        event_id up = tree_parent(&t->frames, i);
        bool is_top = up < 0 || gpu_count(t, up) != n;
        event_id place = is_top && n <= RAW_KERNELS_MAX ? best_container(t, i) : -1;
        if (place >= 0)
            add_instance(c, place_name(t, place), place, false, gpu, n);
    }
}

/* Operators by which a chain is known wherever it is. */
static const struct str telling_ops[] = {S_INIT("aten::addcdiv_"),
                                         S_INIT("aten::_log_softmax"),
                                         S_INIT("aten::_log_softmax_backward_data")};
enum { TELLING_OPS = sizeof telling_ops / sizeof *telling_ops };

static bool has_name(const struct trace_view *v, const event_id *gpu, int32_t n,
                     const name_id *names)
{
    for (int32_t k = 0; k < n; k++)
        for (int i = 0; i < TELLING_OPS; i++)
            if (v->s->name[view_operator(v, gpu[k])] == names[i])
                return true;
    return false;
}

/* "copy_ to mul", where no frame gives a place its name. */
static void collect_chains(struct collector *c)
{
    const struct trace_view *v = c->t->v;
    name_id names[TELLING_OPS];
    bool any = !c->t->has_frames;
    for (int i = 0; i < TELLING_OPS; i++) {
        names[i] = pool_find(&v->s->names, telling_ops[i]);
        any |= names[i] >= 0;
    }
    if (!any)
        return;
    struct arena tmp = arena_first_half(c->a);
    struct kernel_chains chains = kernel_chains_find(c->a, tmp, v);
    for (int32_t k = 0; k < chains.n; k++) {
        const event_id *gpu = chains.kernels + chains.first[k];
        int32_t n = chains.first[k + 1] - chains.first[k];
        if (c->t->has_frames && !has_name(v, gpu, n, names))
            continue;
        event_id from = view_operator(v, gpu[0]), to = view_operator(v, gpu[n - 1]);
        struct str place = say(c->perm, "{} to {}",
                               said(name_without_namespace(store_name(v->s, from))),
                               said(name_without_namespace(store_name(v->s, to))));
        add_instance(c, place, from, true, gpu, n)->is_chain = true;
    }
}

static bool has_label(const struct kernel_group *g, enum kernel_label l)
{
    for (int k = 0; k < g->n_kernels; k++)
        if (g->labels[k] == l)
            return true;
    return false;
}

static bool eligible(enum kernel_label l)
{
    return l != KERNEL_COMMUNICATION && l != KERNEL_MEMCPY && l != KERNEL_MEMSET;
}

enum {
    IS_KNOWN = 1,
    IS_FUSED = 2,
    IS_GENERATED = 4,
    IS_MULTI_TENSOR = 8,
    IS_PASS = 16 /* of a sort, a scan or a selection: it needs all that is before it */
};

static uint8_t words_of(struct str kernel)
{
    bool fused = name_has(kernel, "attn_fwd|attn_bwd|fmha|unified_attention|"
                                  "paged_attention|flash_attn|flash_fwd|flash_bwd|"
                                  "silu_and_mul");
    bool passes = name_has(kernel, "radixsort|radix_sort|radix_block_sort|onesweep|"
                                   "merge_sort|bitonicsort|devicescan|scan_kernel|"
                                   "kernel_scan|gathertopk|kthvalue|indexing_backward");
    return (uint8_t)(IS_KNOWN | (fused ? IS_FUSED : 0) |
                     (name_has(kernel, "triton_") ? IS_GENERATED : 0) |
                     (name_has(kernel, "multi_tensor_apply") ? IS_MULTI_TENSOR : 0) |
                     (passes ? IS_PASS : 0));
}

/* What any of the kernels is. */
static uint8_t words_of_group(struct collector *c, const struct kernel_group *g)
{
    const struct event_store *s = c->t->v->s;
    uint8_t any = 0;
    for (int k = 0; k < g->n_kernels; k++) {
        uint8_t *known = &c->words_of[s->name[g->kernels[k]]];
        if (!*known)
            *known = words_of(store_name(s, g->kernels[k]));
        any |= *known;
    }
    return any;
}

/* Products, and after the first of them only norms. */
static bool products_then_norms(const struct kernel_group *g)
{
    int norms = 0;
    for (int k = 0; k < g->n_kernels; k++) {
        bool norm = g->labels[k] == KERNEL_NORMALIZATION;
        if (!norm && !(kernel_label_is_matrix(g->labels[k]) && norms == 0))
            return false;
        norms += norm;
    }
    return norms > 0 && kernel_label_is_matrix(g->labels[0]);
}

static bool is_whole(struct str place)
{
    static const struct str ends[] = {S_INIT("Layer"), S_INIT("Block"),
                                      S_INIT("Model")};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        if (str_ends(place, ends[k]))
            return true;
    return name_is(place, "Sequential|ModuleList|ModuleDict") ||
           name_has(place, "Optimizer.step|Optimizer.zero_grad");
}

/* One operator launches them all. */
static bool one_call(const struct tree_index *t, const struct kernel_group *g)
{
    event_id op = view_operator(t->v, g->kernels[0]);
    for (int k = 1; k < g->n_kernels; k++)
        if (view_operator(t->v, g->kernels[k]) != op)
            return false;
    return true;
}

/* A library's batch norm, which needs the whole batch before it can write anything, and
 * the counter of batches that its module keeps. */
static bool counts_batches(const struct tree_index *t, const struct kernel_group *g)
{
    const struct kernel_group rest = {.kernels = g->kernels + 1,
                                      .n_kernels = g->n_kernels - 1};
    return g->n_kernels > 1 && name_is(g->ops[0], "add_|add") &&
           name_has(g->ops[1], "batch_norm") && one_call(t, &rest);
}

static bool in_optimizer(const struct tree_index *t, event_id op)
{
    for (int k = 0; op >= 0 && k < TREE_LEVELS_MAX; k++, op = tree_above(t, op))
        if (name_has(store_name(t->v->s, op), "Optimizer.step#|torch/optim/"))
            return true;
    return false;
}

static bool selects(const struct kernel_group *g)
{
    for (int k = 0; k < g->n_kernels; k++)
        if (name_is(g->ops[k], "sort|argsort|topk|unique|_unique2|nonzero"))
            return true;
    return false;
}

/* Copies between host and device take a tenth of the first call and more: no kernel
 * takes their place. */
static bool crosses_link(const struct collector *c, const struct kernel_group *g)
{
    const struct event_store *s = c->t->v->s;
    int64_t all_ns = 0, host_ns = 0;
    for (int k = 0; k < g->n_kernels; k++) {
        event_id gpu = g->kernels[k];
        enum copy_direction way =
            s->cat[gpu] == CAT_MEMCPY ? role_way(store_role(s, gpu)) : COPY_OTHER;
        all_ns += store_dur_ns(s, gpu);
        host_ns += way == COPY_H2D || way == COPY_D2H ? store_dur_ns(s, gpu) : 0;
    }
    return host_ns > 0 && 10 * host_ns >= all_ns;
}

static struct str structure_reason(struct collector *c, const struct kernel_group *g)
{
    uint8_t words = words_of_group(c, g);
    int n_eligible = 0, n_matrix = 0;
    for (int k = 0; k < g->n_kernels; k++) {
        n_eligible += eligible(g->labels[k]);
        n_matrix += kernel_label_is_matrix(g->labels[k]);
    }
    if (words & IS_FUSED)
        return S("a kernel in it is fused already");
    if (words & IS_GENERATED)
        return S("generated code, fused by a compiler already");
    if (words & IS_MULTI_TENSOR)
        return S("its kernels share no tensors");
    if (one_call(c->t, g))
        return S("the kernels of one library operator");
    if (counts_batches(c->t, g))
        return S("the kernels of one batch norm, and its counter of batches");
    if ((words & IS_PASS) || selects(g))
        return S("sorting and selecting need separate passes");
    if (n_eligible < 2)
        return S("fewer than two kernels that could be fused");
    if (g->n_kernels > FUSION_KERNELS_MAX)
        return S("more than 15 kernels");
    if (n_matrix == n_eligible)
        return S("matrix kernels only");
    if (products_then_norms(g))
        return S("matmuls followed by normalisation only");
    if (has_label(g, KERNEL_COMMUNICATION))
        return S("communication in between");
    if (crosses_link(c, g))
        return S("copies between host and device in between");
    int first, last;
    bool attention = attention_span(g->labels, g->n_kernels, &first, &last);
    return is_whole(g->place) && !g->is_run && !attention
               ? S("a container of other modules")
               : S("");
}

static void describe(struct arena *perm, struct collector *c, struct kernel_group *g)
{
    const struct tree_index *t = c->t;
    g->labels = arena_new(perm, enum kernel_label, g->n_kernels);
    g->ops = arena_new(perm, struct str, g->n_kernels);
    for (int k = 0; k < g->n_kernels; k++) {
        event_id op = view_operator(t->v, g->kernels[k]);
        g->labels[k] = label_of(c, g->kernels[k]);
        g->ops[k] = op < 0 ? S("") : name_without_namespace(store_name(t->v->s, op));
    }
    g->reason = structure_reason(c, g);
    g->in_optimizer =
        g->n_kernels && in_optimizer(t, launch_call(&t->v->launch, g->kernels[0]));
}

static struct kernel_groups make_groups(struct arena *perm, struct collector *c)
{
    struct kernel_groups groups = {arena_new(perm, struct kernel_group, c->keys.n),
                                   c->keys.n};
    for (int32_t i = 0; i < c->n; i++)
        groups.rows[c->rows[i].key].n_instances++;
    for (int32_t i = 0; i < c->n; i++) {
        const struct instance *one = &c->rows[i];
        struct kernel_group *g = &groups.rows[one->key];
        if (!g->kernels) {
            g->place = one->place;
            g->container = one->container;
            g->is_run = one->is_run;
            g->is_chain = one->is_chain;
            g->n_kernels = one->n;
            g->kernels = arena_take_raw(perm, sizeof *g->kernels, 4,
                                        (ptrdiff_t)g->n_instances * one->n);
            g->n_instances = 0;
        }
        memcpy(g->kernels + (ptrdiff_t)g->n_instances++ * g->n_kernels, one->kernels,
               (size_t)one->n * sizeof *g->kernels);
    }
    for (int32_t k = 0; k < groups.n; k++)
        describe(perm, c, &groups.rows[k]);
    return groups;
}

struct kernel_groups kernel_groups_find(struct arena *perm, struct arena tmp,
                                        const struct tree_index *t)
{
    struct collector c = {.t = t, .perm = perm, .a = &tmp};
    c.label_of = arena_new(&tmp, uint8_t, t->v->s->names.n + 1);
    c.words_of = arena_new(&tmp, uint8_t, t->v->s->names.n + 1);
    pool_open(&c.keys);
    out_memory(&c.scratch);
    collect(&c);
    collect_chains(&c);
    struct kernel_groups groups = make_groups(perm, &c);
    out_free(&c.scratch);
    pool_close(&c.keys);
    return groups;
}
