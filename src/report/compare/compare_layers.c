#include "report/compare/compare_layers.h"

#include "capture/measured.h"
#include "report/table_fields.h"

#include <math.h>
#include <stdlib.h>

/* Layers of a class lie one after the other. */
struct layer_class_at {
    int32_t first, n;
    bool taken;
};

/* A file may list more than any capture has. */
static int32_t layers_in(const struct capture *c)
{
    return c->n_layers < CAPTURE_LAYERS_MAX ? c->n_layers : CAPTURE_LAYERS_MAX;
}

static struct layer_class_at next_class(const struct capture *c, int32_t first)
{
    int32_t n = 0;
    while (first + n < layers_in(c) &&
           str_eq(c->layers[first + n].class, c->layers[first].class))
        n++;
    return (struct layer_class_at){first, n, false};
}

static int classes_of(struct arena *a, const struct capture *c,
                      struct layer_class_at **list)
{
    int n = 0;
    *list = arena_new(a, struct layer_class_at, layers_in(c));
    for (int32_t at = 0; at < layers_in(c); at += (*list)[n++].n)
        (*list)[n] = next_class(c, at);
    return n;
}

/* Of layers `first` to `first + n`, by all their calls. */
static double call_ms(const struct capture *c, int32_t first, int32_t n)
{
    double ns = 0, calls = 0;
    for (int32_t k = first; k < first + n; k++) {
        const struct capture_layer *l = &c->layers[k];
        ns += (double)l->forward_ns + (double)l->backward_ns;
        calls += (double)l->calls;
    }
    return calls > 0 ? ns / 1e6 / calls : (double)NAN;
}

/* Nothing runs between the first and the last kernel of a forward call. NaN where no
 * layer of the side has any: older captures do not tell. */
static double idle_ms(const struct capture *c, int32_t first, int32_t n)
{
    double ns = 0, calls = 0;
    bool any = false;
    for (int32_t k = 0; k < layers_in(c); k++)
        any |= c->layers[k].idle_ns > 0;
    for (int32_t k = first; k < first + n; k++) {
        ns += (double)c->layers[k].idle_ns;
        calls += (double)c->layers[k].calls;
    }
    return any && calls > 0 ? ns / 1e6 / calls : (double)NAN;
}

static void add_pair(struct arena *a, const struct comparison *c,
                     const struct layer_class_at pair[2], struct compared_layers *to)
{
    bool paired = pair[0].n == pair[1].n;
    for (int32_t place = 0; place <= (paired ? pair[0].n : 0); place++) {
        struct compared_layer row = {.place = place};
        for (int side = 0; side < 2; side++) {
            const struct capture *of = c->of[side];
            int32_t first = pair[side].first + (place ? place - 1 : 0);
            row.class[side] = of->layers[first].class;
            row.name[side] = place ? of->layers[first].name : S("");
            row.n[side] = pair[side].n;
            row.call_ms[side] = call_ms(of, first, place ? 1 : pair[side].n);
            row.idle_ms[side] = idle_ms(of, first, place ? 1 : pair[side].n);
        }
        arena_grow(a, to->rows, to->n);
        to->rows[to->n++] = row;
    }
}

struct compared_layers compare_layers(struct arena *a, const struct comparison *c)
{
    struct compared_layers all = {0};
    struct layer_class_at *list[2];
    int n[2];
    for (int side = 0; side < 2; side++)
        n[side] = classes_of(a, c->of[side], &list[side]);
    for (int by_number = 0; by_number < 2; by_number++)
        for (int i = 0; i < n[0]; i++)
            for (int k = 0; k < n[1] && !list[0][i].taken; k++) {
                struct layer_class_at pair[2] = {list[0][i], list[1][k]};
                bool alike = by_number ? pair[0].n == pair[1].n &&
                                             pair[0].n >= COMPARE_LAYERS_LEAST
                                       : str_eq(c->of[0]->layers[pair[0].first].class,
                                                c->of[1]->layers[pair[1].first].class);
                if (pair[1].taken || !alike)
                    continue;
                list[0][i].taken = list[1][k].taken = true;
                add_pair(a, c, pair, &all);
            }
    return all;
}

double compared_layer_pct(const struct compared_layer *l)
{
    return l->call_ms[0] > 0 ? 100 * (l->call_ms[1] / l->call_ms[0] - 1) : (double)NAN;
}

/* A layer, by what its change is of that of its class: of the median layer, which one
 * odd layer does not move. */
struct sorted_layer {
    double pct; /* NaN: not known */
    int32_t at; /* among all rows */
};

static int by_pct(const void *x, const void *y)
{
    const struct sorted_layer *p = x, *q = y;
    if (p->pct != q->pct)
        return p->pct > q->pct ? -1 : 1;
    return (p->at > q->at) - (p->at < q->at);
}

static int by_size(const void *x, const void *y)
{
    const struct sorted_layer *p = x, *q = y;
    if (fabs(p->pct) != fabs(q->pct))
        return fabs(p->pct) > fabs(q->pct) ? -1 : 1;
    return (p->at > q->at) - (p->at < q->at);
}

/* Of n layers those that changed unlike the median of them, to the front, most first.
 * Returns how many. */
static int find_unlike(struct sorted_layer *list, int n)
{
    int unlike = 0;
    if (!n)
        return 0;
    qsort(list, (size_t)n, sizeof *list, by_pct);
    double median = (list[(n - 1) / 2].pct + list[n / 2].pct) / 2;
    for (int i = 0; i < n; i++) {
        list[unlike] = (struct sorted_layer){list[i].pct - median, list[i].at};
        unlike += fabs(list[unlike].pct) >= COMPARE_LAYER_PCT;
    }
    if (unlike)
        qsort(list, (size_t)unlike, sizeof *list, by_size);
    return unlike;
}

struct compared_layers compare_layers_told(struct arena *a, const struct comparison *c)
{
    struct compared_layers all = compare_layers(a, c), told = {0};
    struct sorted_layer *list = arena_new(a, struct sorted_layer, all.n);
    told.rows = arena_new(a, struct compared_layer, all.n);
    for (int k = 0; k < all.n;) {
        int n = 0;
        told.rows[told.n++] = all.rows[k];
        for (k++; k < all.n && all.rows[k].place; k++)
            if (!isnan(compared_layer_pct(&all.rows[k])))
                list[n++] = (struct sorted_layer){compared_layer_pct(&all.rows[k]), k};
        int unlike = find_unlike(list, n);
        for (int i = 0; i < unlike && i < COMPARE_LAYERS_TOLD; i++)
            told.rows[told.n++] = all.rows[list[i].at];
    }
    return told;
}

TELL(double, layer_diff, compared_layer, compared_layer_pct(it));
FIELDS(compared_layer, AS("class_ref", class[0], TEXT), AS("class_tgt", class[1], TEXT),
       F(place, SOME), AS("name_ref", name[0], NAME), AS("name_tgt", name[1], NAME),
       AS("layers_ref", n[0], COUNT), AS("layers_tgt", n[1], COUNT),
       AS("call_ref_ms", call_ms[0], EXACT), AS("call_tgt_ms", call_ms[1], EXACT),
       CALL_AS("diff_pct_of_reference", EXACT, layer_diff),
       AS("idle_ref_ms", idle_ms[0], EXACT), AS("idle_tgt_ms", idle_ms[1], EXACT));
COLUMNS(layer_columns, compared_layer,
        COL(AS("class_reference", class[0], TEXT), "Kind of layer"),
        COL(AS("class_candidate", class[1], TEXT), "The same in the candidate"),
        COL(F(place, SOME), "Of the layer in its kind; empty: the mean of all"),
        COL(AS("reference", name[0], NAME), "Instance of a module"),
        COL(AS("candidate", name[1], NAME), "The one that it is compared with"),
        COL_IN(COUNT, AS("layers_reference", n[0], COUNT), "Of this kind"),
        COL_IN(COUNT, AS("layers_candidate", n[1], COUNT), "Of this kind"),
        COL_IN(MS, AS("call_ms_reference", call_ms[0], MS),
               "Device time of a call, both passes"),
        COL_IN(MS, AS("call_ms_candidate", call_ms[1], MS),
               "Device time of a call, both passes"),
        COL_IN(PERCENT, CALL_AS("diff_pct_of_reference", EXACT, layer_diff),
               "Candidate minus reference, of the reference"),
        COL_IN(MS, AS("idle_ms_reference", idle_ms[0], MS),
               "Of a forward call, nothing of it runs; empty: none known"),
        COL_IN(MS, AS("idle_ms_candidate", idle_ms[1], MS),
               "Of a forward call, nothing of it runs; empty: none known"));

struct report_table compare_layers_table(struct arena *perm, const struct comparison *c)
{
    struct compared_layers all = compare_layers(perm, c);
    return table_told(perm, "compare_layers", "Layers of both sides", layer_columns(),
                      TABLE_ITEMS(all.rows, all.n), c);
}
