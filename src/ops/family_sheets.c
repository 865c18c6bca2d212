#include "ops/family_sheets.h"

#include "ops/op_cost.h"

#include <string.h>

/* Families whose forward and backward share one sheet. */
static bool is_one_sheet(struct str family)
{
    return str_among(family, "GEMM UnaryElementwise BinaryElementwise Normalization");
}

/* Backward operators with a model of their own that the reference shows as backward. */
static bool moves_to_backward(struct str name)
{
    return str_among(name, "flash_attn::_flash_attn_varlen_backward "
                           "aten::convolution_backward ConvBias_Backward "
                           "ConvBiasReLU_Backward");
}

/* Forward operators that the backward sheet leaves out. */
static bool stays_out_of_backward(struct str name)
{
    return str_among(name, "aten::convolution aten::miopen_convolution "
                           "aten::cudnn_convolution ConvBias_ ConvBiasReLU_");
}

struct collector {
    struct arena *perm;
    const struct trace_view *v;
    struct cost_cache *costs;
    struct op_call_row *rows; /* all of one sheet, in the order of the file */
    int32_t n;
    int64_t room, left_out; /* for kernels of rows; calls that did not fit */
};

static void add_row(struct collector *c, event_id i, enum perf_direction d)
{
    const struct trace_view *v = c->v;
    int32_t n;
    (void)launch_range(&v->launch, &v->tree, i, &n);
    if (n > c->room) {
        c->left_out++;
        return;
    }
    c->room -= n;
    const event_id *kernels = view_kernels_by_start(c->perm, v, i, &n);
    const struct perf_cost *cost = cost_of(c->costs, i, d, kernels, n);
    if (cost->status != PERF_OK)
        return;
    if (d == PERF_BACKWARD)
        kernels = view_backward_kernels(c->perm, v, i, &n);
    struct op_call_row *r = &c->rows[c->n++];
    *r = (struct op_call_row){.event = i,
                              .uid = store_uid(v->s, i),
                              .name = store_name(v->s, i),
                              .kernels = kernels,
                              .n_kernels = n,
                              .cost = cost,
                              .has_model = true,
                              .backward = d == PERF_BACKWARD,
                              .recompute = v->recompute && v->recompute[i]};
    r->direct_ns = r->subtree_ns = busy_ns(*c->perm, v->s, kernels, n);
}

static void collect_params(struct arena *perm, struct family_sheet *f)
{
    int cap = 0;
    for (int32_t r = 0; r < f->calls.n; r++)
        if (f->calls.rows[r].cost->n_params > cap)
            cap = f->calls.rows[r].cost->n_params;
    /* Models of a family share most parameters, so a few times the widest is enough for
     * any table of this program; the check below makes sure. */
    cap = 4 * cap + 8;
    f->params = arena_new(perm, const char *, cap);
    for (int32_t r = 0; r < f->calls.n; r++) {
        const struct perf_cost *cost = f->calls.rows[r].cost;
        for (int k = 0; k < cost->n_params; k++) {
            int at = 0;
            if (k < f->n_params && f->params[k] == cost->params[k].key)
                continue; /* the model of the call before */
            while (at < f->n_params && strcmp(f->params[at], cost->params[k].key) != 0)
                at++;
            if (at == f->n_params && at < cap)
                f->params[f->n_params++] = cost->params[k].key;
        }
    }
}

static void finish_sheet(struct family_sheets *all, struct collector *c,
                         struct arena tmp, struct str name,
                         const struct device_spec *device)
{
    if (!c->n)
        return;
    struct family_sheet *f = &all->rows[all->n++];
    f->name = name;
    f->calls =
        (struct op_calls){arena_take_raw(c->perm, sizeof *c->rows, 8, c->n), c->n};
    memcpy(f->calls.rows, c->rows, (size_t)c->n * sizeof *c->rows);
    collect_params(c->perm, f);
    f->groups = groups_build(c->perm, tmp, c->v, &f->calls, BY_PARAMETERS, device);
    c->n = 0;
}

/* The events of each family, in the order of the file. */
static event_id *events_of(struct arena *tmp, const struct trace_view *v,
                           int32_t first[PERF_FAMILIES + 1])
{
    const struct event_store *s = v->s;
    int8_t *family = arena_take_raw(tmp, 1, 1, s->names.n + 1);
    memset(family, -2, (size_t)s->names.n); /* not looked up yet */
    memset(first, 0, (PERF_FAMILIES + 1) * sizeof *first);
    for (event_id i = 0; i < s->n; i++) {
        if (s->cat[i] != CAT_CPU_OP)
            continue;
        int8_t *f = &family[s->name[i]];
        if (*f == -2) {
            const struct perf_model *m = perf_model_find(store_name(s, i));
            *f = m ? (int8_t)perf_model_family(m) : -1;
        }
        if (*f >= 0)
            first[*f + 1]++;
    }
    int32_t at[PERF_FAMILIES];
    for (int f = 0; f < PERF_FAMILIES; f++) {
        at[f] = first[f];
        first[f + 1] += first[f];
    }
    event_id *list = arena_take_raw(tmp, sizeof *list, 4, first[PERF_FAMILIES]);
    for (event_id i = 0; i < s->n; i++)
        if (s->cat[i] == CAT_CPU_OP && family[s->name[i]] >= 0)
            list[at[family[s->name[i]]]++] = i;
    return list;
}

static void collect(struct collector *c, const event_id *events, int32_t n,
                    enum perf_direction d, bool one_sheet, bool moved)
{
    for (int32_t k = 0; k < n; k++) {
        struct str name = store_name(c->v->s, events[k]);
        bool moves = !one_sheet && moves_to_backward(name);
        if (d == PERF_FORWARD ? moves == moved
                              : backward_node(&c->v->backward, events[k]) >= 0 &&
                                    !stays_out_of_backward(name) && !moves &&
                                    !str_starts(name, S("vllm::unified_attention_with_"
                                                        "output")))
            add_row(c, events[k], d);
    }
}

struct family_sheets family_sheets_build(struct arena *perm, struct arena tmp,
                                         const struct trace_view *v,
                                         struct cost_cache *costs,
                                         const struct device_spec *device)
{
    int32_t first[PERF_FAMILIES + 1];
    event_id *events = events_of(&tmp, v, first);
    struct family_sheets all = {arena_new(perm, struct family_sheet, 2 * PERF_FAMILIES),
                                0, 0};
    enum { LEVELS = 16, FEW = 1 << 16 };
    struct collector c = {.perm = perm,
                          .v = v,
                          .costs = costs,
                          .room = FEW + (int64_t)LEVELS * v->launch.n_all};
    c.rows = arena_take_raw(&tmp, sizeof *c.rows, 8, first[PERF_FAMILIES]);
    for (int f = 0; f < PERF_FAMILIES; f++) {
        const event_id *own = events + first[f];
        int32_t n = first[f + 1] - first[f];
        struct str name = perf_family_name(f);
        bool one = is_one_sheet(name);
        if (!n)
            continue;
        collect(&c, own, n, PERF_FORWARD, one, false);
        finish_sheet(&all, &c, tmp,
                     one ? name : str_printf(perm, "%.*s_fwd", STRF(name)), device);
        if (one)
            continue;
        collect(&c, own, n, PERF_BACKWARD, one, false);
        collect(&c, own, n, PERF_FORWARD, one, true);
        finish_sheet(&all, &c, tmp, str_printf(perm, "%.*s_bwd", STRF(name)), device);
    }
    all.left_out = c.left_out;
    return all;
}
