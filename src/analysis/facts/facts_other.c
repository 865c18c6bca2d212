/* Facts of everything else: sub-categories by name, and what belongs elsewhere. */
#include "analysis/facts/fact_maker.h"

#include "analysis/facts/work_category.h"
#include "base/out.h"

void facts_other_row(struct fact_maker *m, struct work_row *r,
                     const struct row_args *args)
{
    (void)args;
    work_set(m->perm, r, FACT("subcategory", other_subcategory(r->name)));
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
        {KIND(graph)},
        {KIND(memory)},
        {KIND(synchronization)},
        {KIND(embedding_index)},
        {KIND(cat_split), .compute_pct = "cat_split_pct"},
        {KIND(sort_topk)},
        {KIND(optimizer)},
        {KIND(sampling)},
        {KIND(loss)},
        {KIND(pooling)},
        {KIND(miscellaneous)},
    };
#undef KIND
    SET_KINDS(m, c, "subcategory", kinds);
    add_skipped(m, c);
}
