/* Facts of everything else: sub-categories by name, and what was left to others. */
#include "analysis/row_facts.h"

#include "analysis/work_category.h"
#include "base/out.h"

void facts_other_row(struct fact_maker *m, struct work_row *r,
                     const struct row_args *args)
{
    (void)args;
    work_set_text(m->perm, r, "subcategory", other_subcategory(r->group->first->name));
}

static const struct {
    struct str kind;
    const char *count, *ms;
} kinds[] = {
#define KIND(name)                                                                     \
    {                                                                                  \
        S_INIT(#name), #name "_count", #name "_ms"                                     \
    }
    KIND(graph),     KIND(memory),    KIND(synchronization), KIND(embedding_index),
    KIND(cat_split), KIND(sort_topk), KIND(optimizer),       KIND(sampling),
    KIND(loss),      KIND(pooling),   KIND(miscellaneous),
#undef KIND
};

/* Communication is another category; this analyser only says that it is there. */
static void add_skipped(struct fact_maker *m, struct category_result *c)
{
    const struct category_result *comm = &m->a->categories[WORK_COMMUNICATION];
    struct out o;
    out_memory(&o);
    for (int32_t i = 0; i < comm->n_rows && i < 10; i++) {
        out_c(&o, i ? ", " : "");
        out_str(&o, comm->rows[i].group->first->name);
    }
    work_category_set_number(m->perm, c, "communication_count", comm->n_rows);
    work_category_set_number(m->perm, c, "communication_ms", comm->time_ms);
    work_category_set_text(m->perm, c, "communication_ops", out_text(&o, m->perm));
}

void facts_other_category(struct fact_maker *m, struct category_result *c)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct kind_sum s = rows_of_kind(c, "subcategory", kinds[i].kind);
        work_category_set_number(m->perm, c, kinds[i].count, s.rows);
        work_category_set_number(m->perm, c, kinds[i].ms, s.ms);
        if (str_eq(kinds[i].kind, S("cat_split")) && m->a->computation_ms > 0)
            work_category_set_number(m->perm, c, "cat_split_pct",
                                     100 * s.ms / m->a->computation_ms);
    }
    add_skipped(m, c);
}
