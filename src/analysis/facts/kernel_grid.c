#include "analysis/facts/kernel_grid.h"

#include "base/abilities.h"
#include "kernels/event_role.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"
#include "store/event_store.h"

#include <math.h>

static struct kernel_grid sides_of(const struct event_store *s, int32_t gpu,
                                   const char *key)
{
    const double MOST = 4294967296.0; /* of a side */
    const struct op_texts *t = store_texts(s, gpu);
    const struct value *grid =
        t && t->rest >= 0 ? value_get(store_value(s, t->rest), key) : NULL;
    struct kernel_grid none = {.blocks = (double)NAN}, g = {.blocks = 1};
    for (int i = 0; i < 3; i++) {
        const struct value *v = value_at(grid, i);
        if (!value_is_whole(v) || v->number < 1 || v->number > MOST)
            return none;
        g.side[i] = (int64_t)v->number;
        g.blocks *= v->number;
    }
    return g;
}

struct kernel_grid kernel_grid_of(const struct event_store *s, int32_t gpu)
{
    return sides_of(s, gpu, "grid");
}

struct kernel_grid kernel_grid_in_blocks(const struct op_tables *t, int32_t gpu)
{
    const struct trace_view *v = t->view;
    struct kernel_grid g = kernel_grid_of(v->s, gpu), by = kernel_block_of(v->s, gpu);
    event_id call = launch_call(&v->launch, gpu);
    if (call < 0 || isnan(g.blocks) || isnan(by.blocks) ||
        !abilities_of(t->facts.abilities)->is_torch ||
        !call_counts_items(store_name(v->s, call)))
        return g;
    g.blocks = 1;
    for (int i = 0; i < 3; i++) {
        g.side[i] = blocks_of_items(g.side[i], by.side[i]);
        g.blocks *= (double)g.side[i];
    }
    return g;
}

struct kernel_grid kernel_block_of(const struct event_store *s, int32_t gpu)
{
    return sides_of(s, gpu, "block");
}

struct str kernel_grid_text(struct arena *a, const struct kernel_grid *g)
{
    return isnan(g->blocks) ? S("")
                            : str_printf(a, "%lld x %lld x %lld", (long long)g->side[0],
                                         (long long)g->side[1], (long long)g->side[2]);
}
