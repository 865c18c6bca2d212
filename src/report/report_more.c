/* What else the trace says, where it does. */
#include "report/report_parts.h"

#include "analysis/stack/compiled.h"
#include "analysis/stack/layer_rows.h"
#include "analysis/system/counters_build.h"

#include <string.h>

/* By step, by category and by kernel. */
static struct counter_lines lines_of(const struct report_source *s, struct arena tmp,
                                     const int8_t *category, const struct report *r)
{
    struct str *names = arena_new(&tmp, struct str, r->n_categories);
    for (int k = 0; k < r->n_categories; k++)
        names[k] = r->categories[k].label;
    return counter_lines_of(s->perm, tmp, s->t->view, s->a->counters, category, names,
                            r->n_categories);
}

/* Rows of its own, with what tlparse says of them; NULL: nothing was compiled. */
static const struct compiled *compiled_linked(const struct report_source *s)
{
    const struct compiled *of = s->a->compiled;
    if (!of || !of->n)
        return NULL;
    struct compiled *c = arena_new(s->perm, struct compiled, 1);
    *c = *of;
    c->rows = arena_new(s->perm, struct compiled_row, of->n);
    memcpy(c->rows, of->rows, (size_t)of->n * sizeof *of->rows);
    compiled_add_links(c, s->o->links, s->o->n_links);
    return c;
}

void report_more_fill(const struct report_source *s, struct arena tmp,
                      const int8_t *category, struct report *r)
{
    const struct layers *l = s->a->layers;
    r->modules = l && l->modules.n ? &l->modules : NULL;
    r->layers = l && l->n ? l : NULL;
    r->comm_sizes = s->a->comm;
    if (r->mfu.says.n && r->mfu.of.n)
        r->mfu_steps = s->a->use;
    r->compiled = compiled_linked(s);
    r->path = s->a->path;
    r->counters = s->a->counters;
    struct counter_lines lines =
        s->a->counters ? lines_of(s, tmp, category, r) : (struct counter_lines){0};
    if (lines.n) {
        struct counter_lines *kept = arena_new(s->perm, struct counter_lines, 1);
        *kept = lines;
        r->counter_lines = kept;
    }
}
