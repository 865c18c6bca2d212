/* The differential icicle: module, operator, and what both sides take there. */
#include "base/int_map.h"
#include "base/name_pool.h"
#include "base/utf8.h"
#include "capture/capture_names.h"
#include "report/compare/compare_figure.h"
#include "report/compare/compare_report.h"
#include "report/compare/compare_side.h"

#include <math.h>
#include <stdlib.h>

enum { CELLS_MAX = 400, DEPTH_SHOWN = 24, NAMED = 3 };

/* Cells below this share of the whole are left out; changes below this share of a
 * cell's time in the reference are within the noise. */
static const double LEAST_FRAC = 0.002, NOISE_FRAC = 0.03, MOST_FRAC = 0.9;

struct cell {
    int32_t parent, depth;
    struct str name;
    int64_t ns[2], own_ns[2];
    double width_ns, start_ns, used_ns;
};

struct grower {
    struct arena *a;
    const struct comparison *c;
    struct name_pool names;
    struct int_map at; /* by parent and name */
    struct cell *cells;
    int32_t n;
};

static int32_t cell_at(struct grower *g, int32_t parent, struct str name)
{
    int64_t key = (int64_t)parent << 32 | pool_add(&g->names, name);
    int32_t *at = int_map_at(&g->at, g->a, key);
    if (*at < 0) {
        *at = g->n;
        arena_grow(g->a, g->cells, g->n);
        struct cell cell = {parent, g->cells[parent].depth + 1, name, {0}, {0}, 0, 0,
                            0};
        g->cells[g->n++] = cell;
    }
    return *at;
}

/* By node of a side, its cell: nodes of both sides with one path share it. */
static int32_t *cells_of_nodes(struct grower *g, const struct capture *c)
{
    int32_t *of = arena_new(g->a, int32_t, c->n_nodes + 1);
    for (int32_t i = 1; i < c->n_nodes; i++) {
        int32_t up = of[c->nodes[i].parent];
        of[i] = g->cells[up].depth < DEPTH_SHOWN
                    ? cell_at(g, up, capture_node_name(&c->nodes[i]))
                    : up;
    }
    return of;
}

static void add_side(struct grower *g, int side)
{
    const struct capture *c = g->c->of[side];
    const struct selection *s = &g->c->selection;
    int32_t *of = cells_of_nodes(g, c);
    struct row_figures *f =
        selection_figures(g->a, c, s->spans[side], s->n_spans[side]);
    for (int32_t i = 0; i < c->n_rows; i++) {
        if (!f[i].ns)
            continue;
        int32_t leaf = cell_at(g, of[c->rows[i].node], c->rows[i].name);
        g->cells[leaf].own_ns[side] += f[i].ns;
    }
}

/* A cell comes behind its parent. A leaf is as wide as the longer of both sides, so
 * that what one side lacks stays to be seen; another as its own work and its children.
 */
static void measure(struct grower *g)
{
    for (int32_t i = g->n - 1; i >= 0; i--) {
        struct cell *x = &g->cells[i];
        x->width_ns +=
            (double)(x->own_ns[0] > x->own_ns[1] ? x->own_ns[0] : x->own_ns[1]);
        for (int side = 0; side < 2; side++)
            x->ns[side] += x->own_ns[side];
        if (!i)
            continue;
        g->cells[x->parent].width_ns += x->width_ns;
        for (int side = 0; side < 2; side++)
            g->cells[x->parent].ns[side] += x->ns[side];
    }
    for (int32_t i = 1; i < g->n; i++) {
        struct cell *up = &g->cells[g->cells[i].parent];
        g->cells[i].start_ns = up->start_ns + up->used_ns;
        up->used_ns += g->cells[i].width_ns;
    }
}

static struct figure_mark mark_of(const struct grower *g, const struct cell *x)
{
    const struct comparison *c = g->c;
    int64_t diff_ns = x->ns[1] - x->ns[0];
    bool same = fabs((double)diff_ns) <= NOISE_FRAC * (double)x->ns[0];
    struct str pct = x->ns[0] ? str_printf(g->a, ", %+.1f%% of %.*s",
                                           100.0 * (double)diff_ns / (double)x->ns[0],
                                           STRF(compare_side_plain(g->c, 0)))
                              : str_printf(g->a, ", only in %.*s",
                                           STRF(compare_side_plain(g->c, 1)));
    if (!x->ns[1])
        pct = str_printf(g->a, ", only in %.*s", STRF(compare_side_plain(g->c, 0)));
    double unit = 1e6 * (c->selection.n_steps ? c->selection.n_steps : 1);
    return (struct figure_mark){
        .label = x->name,
        .value_text =
            str_printf(g->a, "%+.3f ms%.*s", compare_ms(c, diff_ns), STRF(pct)),
        .letter = same          ? S("")
                  : diff_ns > 0 ? S("+")
                                : S("-"),
        .slot = same          ? SLOT_IDLE
                : diff_ns > 0 ? SLOT_RUNTIME
                              : SLOT_COMPUTE,
        .low = x->start_ns / unit,
        .high = (x->start_ns + x->width_ns) / unit,
        .x = x->depth - 1,
        .value = compare_ms(c, llabs(diff_ns)),
        .second = same ? 0 : fabs((double)diff_ns) / unit};
}

/* The cell that the tree branches at: the one around nine tenths of all. */
static int32_t branching(const struct grower *g)
{
    int32_t at = 0;
    for (int32_t i = 1; i < g->n; i++)
        if (g->cells[i].parent == at &&
            g->cells[i].width_ns > MOST_FRAC * g->cells[0].width_ns)
            at = i;
    return at;
}

static int64_t change_of(const struct cell *x)
{
    return llabs(x->ns[1] - x->ns[0]);
}

/* Without the arguments of a template: a caption is a line. */
static struct str brief(struct str name)
{
    enum { BRIEF_BYTES = 60 };
    ptrdiff_t arguments = str_find(name, S("<"));
    return utf8_head(arguments > 0 ? str_head(name, arguments) : name, BRIEF_BYTES);
}

/* "Attention +1.626 ms, MLP -1.327 ms": what differs most below the branching. */
static struct str caption_of(const struct grower *g)
{
    int32_t at = branching(g), last = -1;
    struct str said = S("");
    for (int k = 0; k < NAMED; k++) {
        int32_t best = -1;
        for (int32_t i = 1; i < g->n; i++) {
            const struct cell *x = &g->cells[i];
            int64_t limit = last < 0 ? INT64_MAX : change_of(&g->cells[last]);
            bool later = change_of(x) < limit || (change_of(x) == limit && i > last);
            if (x->parent == at && change_of(x) && later &&
                (best < 0 || change_of(x) > change_of(&g->cells[best])))
                best = i;
        }
        if (best < 0)
            break;
        const struct cell *x = &g->cells[last = best];
        said = str_printf(g->a, "%.*s%s%.*s %+.3f ms", STRF(said), k ? ", " : "",
                          STRF(brief(x->name)), compare_ms(g->c, x->ns[1] - x->ns[0]));
    }
    return said.n ? said : S("Every module takes the same time on both sides");
}

struct report_figure compare_icicle(struct arena *perm, const struct comparison *c)
{
    struct report_figure f =
        figure_titled(FIGURE_ICICLE, "icicle", "Where in the program the difference is",
                      "kernel time of the longer side, ms", "callers on top",
                      "Module or operator", "");
    f.value_title = compare_minus(perm, c);
    struct grower g = {.a = perm, .c = c};
    if (c->of[0]->n_nodes < 2 && c->of[1]->n_nodes < 2)
        return figure_without_data(
            f, S("Neither side has the modules or operators around its work."));
    pool_open(&g.names);
    g.at = int_map_make(perm, 256);
    g.cells = arena_grown(perm, NULL, sizeof *g.cells, 0);
    g.cells[g.n++] = (struct cell){.parent = -1};
    for (int side = 0; side < 2; side++)
        add_side(&g, side);
    pool_close(&g.names);
    measure(&g);
    f.marks = arena_new(perm, struct figure_mark, CELLS_MAX);
    for (int depth = 1; depth <= DEPTH_SHOWN + 1; depth++)
        for (int32_t i = 1; i < g.n && f.n_marks < CELLS_MAX; i++)
            if (g.cells[i].depth == depth &&
                g.cells[i].width_ns > LEAST_FRAC * g.cells[0].width_ns)
                f.marks[f.n_marks++] = mark_of(&g, &g.cells[i]);
    if (!f.n_marks)
        return figure_without_data(f, S("No work was recorded on either side."));
    f.whole = f.marks[0].high;
    for (int i = 0; i < f.n_marks; i++)
        f.whole = fmax(f.whole, f.marks[i].high);
    f.caption = caption_of(&g);
    f.x_title =
        S("kernel time of the longer side, ms; boxed at the end: on one side only");
    f.description = str_printf(
        perm,
        "%d cells, callers above what they call, as wide as the longer side. "
        "%.*s.",
        f.n_marks, STRF(f.caption));
    return f;
}
