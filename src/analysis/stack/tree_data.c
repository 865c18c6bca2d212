#include "analysis/stack/tree_data.h"

#include "analysis/model/number_text.h"
#include "analysis/stack/tree_index.h"
#include "base/abilities.h"
#include "ops/op_groups.h"

static struct str category_word(const struct event_store *s, event_id i)
{
    switch (s->cat[i]) {
    case CAT_CPU_OP:
        return S("cpu_op");
    case CAT_PYTHON:
        return S("python_function");
    case CAT_RUNTIME:
        return S("cuda_runtime");
    case CAT_DRIVER:
        return S("cuda_driver");
    case CAT_KERNEL:
        return S("kernel");
    case CAT_MEMCPY:
        return S("gpu_memcpy");
    case CAT_MEMSET:
        return S("gpu_memset");
    default:
        return S("other");
    }
}

static double us(int64_t ns)
{
    return (double)ns / 1e3;
}

static void set_parents(struct arena *perm, const struct tree_index *t,
                        struct tree_data *d)
{
    const struct event_store *s = t->v->s;
    struct tree_link *up =
        tree_parents(perm, t, d->event, TREE_DATA_PARENTS, &d->n_parents);
    d->parents = arena_new(perm, struct tree_parent, d->n_parents);
    for (int32_t k = 0; k < d->n_parents; k++) {
        bool line = up[k].event < 0;
        d->parents[k] = (struct tree_parent){
            line ? -1 : store_uid(s, up[k].event), up[k].name,
            line ? S("python_function") : category_word(s, up[k].event), up[k].depth};
    }
}

static void set_subtree(struct arena *perm, struct arena tmp,
                        const struct tree_index *t, struct tree_data *d)
{
    const struct event_store *s = t->v->s;
    struct tree_node *node = tree_subtree(&tmp, t, d->event, true, TREE_DATA_NODES,
                                          &d->n_nodes, &d->truncated);
    d->nodes = arena_new(perm, struct tree_data_node, d->n_nodes);
    for (int32_t k = 0; k < d->n_nodes; k++) {
        event_id i = node[k].event;
        bool gpu = cat_is_gpu(s->cat[i]);
        struct call_args args = store_args(s, store_texts(s, i));
        d->nodes[k] =
            (struct tree_data_node){.uid = store_uid(s, i),
                                    .name = store_name(s, i),
                                    .cat = category_word(s, i),
                                    .depth = node[k].depth,
                                    .is_gpu = gpu,
                                    .dur_us = us(store_dur_ns(s, i)),
                                    .gpu_us = gpu ? 0 : us(tree_gpu_ns(tmp, t, i)),
                                    .stream = gpu ? view_stream(s, i) : -1,
                                    .input_dims = args.dims,
                                    .input_type = args.types};
    }
}

static void set_siblings(struct arena *perm, struct arena tmp,
                         const struct tree_index *t, struct tree_data *d)
{
    enum { KERNELS_MAX = 8 };
    const struct event_store *s = t->v->s;
    event_id *of = tree_siblings(&tmp, t, d->event, TREE_DATA_SIBLINGS, &d->n_siblings);
    d->siblings = arena_new(perm, struct tree_sibling, d->n_siblings);
    for (int32_t k = 0; k < d->n_siblings; k++) {
        struct tree_sibling *b = &d->siblings[k];
        int32_t n;
        const event_id *gpu = tree_gpu_below(t, of[k], &n);
        *b = (struct tree_sibling){store_uid(s, of[k]), store_name(s, of[k]),
                                   us(tree_gpu_ns(tmp, t, of[k])), NULL, 0};
        b->kernels = arena_new(perm, struct str, n < KERNELS_MAX ? n : KERNELS_MAX);
        for (; b->n_kernels < n && b->n_kernels < KERNELS_MAX; b->n_kernels++)
            b->kernels[b->n_kernels] = store_name(s, gpu[b->n_kernels]);
    }
}

static bool in_fusion_finding(const struct analysis *a, const struct work_row *row)
{
    for (int k = 0; k < a->n_findings; k++) {
        const struct finding *f = &a->findings[k];
        for (int r = 0; f->tier == TIER_FUSION && r < f->n_rows; r++)
            if (f->rows[r] == row)
                return true;
    }
    return false;
}

static struct str notes_of(struct arena *perm, const struct tree_index *t,
                           const struct tree_data *d)
{
    if (d->event < 0 ||
        (tree_rank(&t->frames, d->event) < 0 && tree_rank(&t->v->tree, d->event) < 0))
        return S(
            "The call is not in the call tree: it ends after the call that made it.");
    if (!t->has_frames)
        return t->has_text_stacks ? S("No Python frames: the chain is the recorded "
                                      "stack text, modules are not "
                                      "known.")
                                  : say(perm,
                                        "No Python frames: record {} for modules and "
                                        "source places.",
                                        said(abilities_of(t->v->s->abilities)->stacks));
    if (d->n_modules == 0)
        return S("No module frame above this call.");
    return S("");
}

static struct tree_data data_of_row(struct arena *perm, struct arena tmp,
                                    const struct analysis *a,
                                    const struct tree_index *t,
                                    const struct work_row *row)
{
    const struct op_call_row *call = row->group->first;
    const struct event_store *s = t->v->s;
    struct tree_data d = {.row = row,
                          .event = call->event,
                          .ex_uid = call->uid,
                          .op_name = call->name,
                          .instance_count = row->count,
                          .fusion_opportunity = in_fusion_finding(a, row)};
    if (d.event >= 0) {
        struct call_args args = store_args(s, store_texts(s, d.event));
        d.input_dims = args.dims;
        d.input_type = args.types;
        d.modules = tree_modules(perm, t, d.event, &d.n_modules);
        d.launcher_path = tree_launcher_path(t, d.event);
        set_parents(perm, t, &d);
        set_subtree(perm, tmp, t, &d);
        set_siblings(perm, tmp, t, &d);
    }
    d.notes = notes_of(perm, t, &d);
    return d;
}

struct tree_data *tree_data_build(struct arena *perm, struct arena tmp,
                                  const struct analysis *a, const struct tree_index *t,
                                  enum work_category c, int *n)
{
    enum { ROWS_WITHOUT_LARGE = 5 };
    const struct category_result *r = &a->categories[c];
    int32_t count = 0;
    while (count < r->n_rows && r->rows[count].category_pct > 10)
        count++;
    if (count == 0)
        count = r->n_rows < ROWS_WITHOUT_LARGE ? r->n_rows : ROWS_WITHOUT_LARGE;
    struct tree_data *data = arena_new(perm, struct tree_data, count);
    for (int32_t k = 0; k < count; k++)
        data[k] = data_of_row(perm, tmp, a, t, &r->rows[k]);
    *n = count;
    return data;
}
