#include "ops/launch_shape.h"

#include "store/event_store.h"

#include <math.h>

static const double MOST = 4294967296.0; /* of any of these */

static double number_of(const struct value *args, const char *key)
{
    const struct value *v = value_get(args, key);
    return value_is(v, VALUE_NUMBER) && v->number >= 0 && v->number <= MOST
               ? v->number
               : (double)NAN;
}

/* Of three sides, each at least 1. */
static double product_of(const struct value *args, const char *key)
{
    const struct value *sides = value_get(args, key);
    double product = 1;
    for (int i = 0; i < 3; i++) {
        const struct value *v = value_at(sides, i);
        if (!value_is_whole(v) || v->number < 1 || v->number > MOST)
            return (double)NAN;
        product *= v->number;
    }
    return product;
}

/* Blocks that a unit holds at once; NaN: unknown. The estimate counts those that are
 * there, so where no more are launched, all fit, and how many would is not known. */
static double blocks_at_once(const struct launch_shape *l, struct launch_units units)
{
    double of_pct = units.most_threads / l->threads / 100; /* blocks in 1 % of it */
    double n = l->occupancy_pct * of_pct;
    if (!(n > 0))
        return (double)NAN;
    return l->blocks_per_unit <= n + 0.5 * of_pct ? l->blocks_per_unit
                                                  : fmax(round(n), 1);
}

static void count_waves(struct launch_shape *l, struct launch_units units,
                        bool estimated)
{
    double waves = l->blocks_per_unit; /* below 1, some units have none in any case */
    if (waves > 1 && estimated)
        waves /= blocks_at_once(l, units);
    l->waves = ceil(waves);
    l->tail_pct = 100 * (l->waves - waves);
}

struct launch_shape launch_shape_of(const struct value *args, struct launch_units units)
{
    const double none = (double)NAN;
    struct launch_shape l = {.blocks_per_unit = number_of(args, "blocks per SM"),
                             .has_grid = !isnan(product_of(args, "grid")),
                             .threads = product_of(args, "block"),
                             .occupancy_pct =
                                 number_of(args, "est. achieved occupancy %"),
                             .registers = number_of(args, "registers per thread"),
                             .shared_bytes = number_of(args, "shared memory"),
                             .waves = none,
                             .tail_pct = none};
    bool estimated = !isnan(l.occupancy_pct);
    if (!(l.blocks_per_unit > 0))
        l.blocks_per_unit = units.n > 0 ? product_of(args, "grid") / units.n : none;
    if (!(l.occupancy_pct > 0 && l.occupancy_pct <= 100))
        l.occupancy_pct = none;
    if (!isnan(l.blocks_per_unit))
        count_waves(&l, units, estimated);
    return l;
}

struct launch_shapes launch_shapes_of(struct arena *perm, struct arena tmp,
                                      const struct event_store *s,
                                      const event_id *events, int32_t n,
                                      struct launch_units units)
{
    struct launch_shape *list = NULL;
    int32_t *of = arena_new(perm, int32_t, s->n_texts), n_list = 0;
    for (int32_t k = 0; k < n; k++) {
        int32_t row =
            s->cat[events[k]] == CAT_KERNEL ? store_texts_row(s, events[k]) : -1;
        if (row < 0 || of[row] || s->texts[row].rest < 0)
            continue;
        struct arena scratch = tmp;
        const struct value *args =
            values_apart(s->values, s->texts[row].rest, &scratch);
        arena_grow(perm, list, n_list);
        list[n_list++] = launch_shape_of(args, units);
        of[row] = n_list;
    }
    return (struct launch_shapes){list, of};
}

const struct launch_shape *launch_shape_find(const struct launch_shapes *l,
                                             const struct event_store *s, event_id gpu)
{
    int32_t row = store_texts_row(s, gpu);
    return row < 0 || !l->of[row] ? NULL : &l->list[l->of[row] - 1];
}
