/* What else the trace says, where it does. */
#include "report/report_parts.h"

#include "analysis/stack/compiled.h"
#include "analysis/stack/layers.h"
#include "analysis/system/counters_build.h"

/* A copy that lasts; NULL where it has no rows. */
#define KEEP(to, type, found)                                                          \
    do {                                                                               \
        struct type *kept = arena_new(s->perm, struct type, 1);                        \
        *kept = (found);                                                               \
        (to) = kept->n ? kept : NULL;                                                  \
    } while (0)

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

static struct compiled compiled_linked(const struct report_source *s, struct arena tmp)
{
    struct compiled c = compiled_of(s->perm, tmp, s->o->tree);
    compiled_add_links(&c, s->o->links, s->o->n_links);
    return c;
}

void report_more_fill(const struct report_source *s, struct arena tmp,
                      const int8_t *category, struct report *r)
{
    struct layers l = layers_of(s->perm, tmp, s->o->tree, s->a);
    KEEP(r->modules, modules, l.modules);
    KEEP(r->layers, layers, l);
    r->comm_sizes = s->a->comm;
    if (r->mfu.says.n && r->mfu.of.n)
        r->mfu_steps = s->a->use;
    KEEP(r->compiled, compiled, compiled_linked(s, tmp));
    r->path = s->a->path;
    r->counters = s->a->counters;
    if (s->a->counters)
        KEEP(r->counter_lines, counter_lines, lines_of(s, tmp, category, r));
}
