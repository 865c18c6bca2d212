#include "base/arena.h"
#include "export/pipeline_parts.h"
#include "report/fill_shown.h"
#include "report/memory_shown.h"
#include "report/more_shown.h"

static void put(struct pipeline_files *f, struct report_table t)
{
    struct report_table *kept = arena_new(f->perm, struct report_table, 1);
    *kept = t;
    pipeline_add_table(f, str_printf(f->perm, "own_tables/%.*s.csv", STRF(t.name)),
                       kept);
}

void pipeline_put_own_tables(struct pipeline_files *f, const struct pipeline_source *s)
{
    if (s->r->fill.n)
        put(f, fill_table(f->perm, s->r));
    struct report_table memory = memory_table(f->perm, s->r);
    if (memory.n_rows)
        put(f, memory);
    for (int k = 0; k < n_more_shown; k++)
        if (more_shown[k].of(s->r))
            put(f, more_shown[k].table(f->perm, s->r));
}
