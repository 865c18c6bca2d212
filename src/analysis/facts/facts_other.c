/* Facts of everything else: sub-categories by name, and what belongs elsewhere. */
#include "analysis/facts/fact_maker.h"

#include "analysis/facts/work_category.h"
#include "analysis/model/name_match.h"
#include "base/out.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>

/* Of what a concatenation copies, the largest of its parts, %; NaN: not recorded. Where
 * that is nearly all, a tensor grows by a little in each call. */
static double largest_part_pct(const struct fact_maker *m, const struct work_row *r)
{
    const struct event_store *s = m->a->tables->view->s;
    const struct op_call_row *call = r->group->first;
    const struct op_texts *t = call->event < 0 ? NULL : store_texts(s, call->event);
    const struct value *parts =
        t && t->dims >= 0 ? value_at(store_value(s, t->dims), 0) : NULL;
    double most = 0, all = 0;
    for (int k = 0; k < value_count(parts); k++) {
        const struct value *dims = value_at(parts, k);
        double n = value_count(dims) > 0;
        for (int d = 0; d < value_count(dims); d++)
            n *= value_is_whole(value_at(dims, d)) ? value_at(dims, d)->number : 0;
        most = fmax(most, n);
        all += n;
    }
    return value_count(parts) > 1 && all > 0 ? 100 * most / all : (double)NAN;
}

/* What such a wrapper copies around its collectives: PyTorch's operators below those of
 * the wrapper, or on their own below its Python frames. */
static bool is_of_wrapper(struct fact_maker *m, const struct work_row *r)
{
    static const char *const spaces = "fsdp::|c10d::|_c10d_functional::";
    const struct call_tree *t = &m->a->tables->view->tree;
    const struct event_store *s = m->a->tables->view->s;
    event_id i = r->group->first->synthetic ? -1 : r->group->first->event;
    if (name_begins(r->name, spaces) ||
        name_has(r->launcher_path, "torch/distributed/|deepspeed/runtime/"))
        return true;
    for (int k = 0; i >= 0 && k < TREE_LEVELS_MAX; k++, i = tree_parent(t, i))
        if (name_begins(store_name(s, i), spaces))
            return true;
    return false;
}

static bool stores_the_cache(const struct work_row *r)
{
    for (int32_t i = 0; i < r->group->n_kernels; i++)
        if (kernel_label_of(r->group->kernels[i].name) != KERNEL_CACHE_STORE)
            return false;
    return r->group->n_kernels > 0;
}

void facts_other_row(struct fact_maker *m, struct work_row *r,
                     const struct row_args *args)
{
    (void)args;
    struct str kind = stores_the_cache(r) ? S("kv_cache") : other_subcategory(r->name);
    work_set(m->perm, r, FACT("subcategory", kind));
    if (str_eq(kind, S("cat_split")))
        work_set(m->perm, r, FACT("largest_part_pct", largest_part_pct(m, r)),
                 FACT("of_wrapper", is_of_wrapper(m, r)));
}

/* Communication is a separate category; this analyser only notes that it exists. */
static void add_skipped(struct fact_maker *m, struct category_result *c)
{
    const struct category_result *comm = &m->a->categories[WORK_COMMUNICATION];
    struct out o;
    out_memory(&o);
    for (int32_t i = 0; i < comm->n_rows && i < 10; i++) {
        out_c(&o, i ? ", " : "");
        out_str(&o, comm->rows[i].name);
    }
    work_set(m->perm, c, FACT("communication_count", comm->n_rows),
             FACT("communication_ms", comm->time_ms),
             FACT("communication_ops", out_text(&o, m->perm)));
}

void facts_other_category(struct fact_maker *m, struct category_result *c)
{
#define KIND(name) .kind = S_INIT(#name), .rows = #name "_count", .ms = #name "_ms"
    static const struct kind_keys kinds[] = {
        {KIND(graph)},           {KIND(kv_cache)},
        {KIND(layout)},          {KIND(ai_cpu)},
        {KIND(memory)},          {KIND(synchronization)},
        {KIND(embedding_index)}, {KIND(cat_split), .compute_pct = "cat_split_pct"},
        {KIND(sort_topk)},       {KIND(optimizer)},
        {KIND(sampling)},        {KIND(loss)},
        {KIND(pooling)},         {KIND(miscellaneous)},
    };
#undef KIND
    SET_KINDS(m, c, "subcategory", kinds);
    add_skipped(m, c);
}
