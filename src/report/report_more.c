/* What else the trace says, where it does. */
#include "report/report_parts.h"

#include "analysis/stack/compiled.h"
#include "analysis/stack/layers.h"
#include "analysis/system/comm_sizes.h"

/* A copy that lasts; NULL where it has no rows. */
#define KEEP(to, type, found)                                                          \
    do {                                                                               \
        struct type *kept = arena_new(s->perm, struct type, 1);                        \
        *kept = (found);                                                               \
        (to) = kept->n ? kept : NULL;                                                  \
    } while (0)

void report_more_fill(const struct report_source *s, struct arena tmp, struct report *r)
{
    KEEP(r->layers, layers, layers_of(s->perm, tmp, s->o->tree, s->a));
    KEEP(r->comm_sizes, comm_sizes, comm_sizes_of(s->perm, tmp, s->a));
    KEEP(r->compiled, compiled, compiled_of(s->perm, tmp, s->o->tree));
    r->path = s->a->path;
}
