/* The call tree as a picture: callers on top, as wide as the time below them. */
#include "report/figure/report_figures.h"

#include "analysis/model/number_text.h"
#include "analysis/stack/path_tree.h"
#include "base/arena.h"
#include "base/utf8.h"

enum { CELLS_MAX = 300, PART_CELLS_MAX = 40, ROWS_MAX = 12, LABEL_BYTES = 120 };

static const double least_frac = 0.002; /* of the width: 2 px of 960 */

/* An operator's category, if the report has one for its name. */
static enum figure_slot operator_slot(const struct report *r, struct str name)
{
    for (int i = 0; i < r->n_ops; i++)
        if (r->ops[i].category >= 0 && str_eq(r->ops[i].row->name, name))
            return r->categories[r->ops[i].category].slot;
    return SLOT_IDLE;
}

static enum figure_slot kernel_slot(const struct report *r, struct str name)
{
    for (int i = 0; i < r->n_kernels; i++)
        if (str_eq(r->kernels[i].name, name))
            return r->kernels[i].slot;
    return SLOT_IDLE;
}

static enum figure_slot own_slot(const struct report *r, const struct path_node *n)
{
    enum figure_slot slot = SLOT_IDLE;
    if (n->kind == NODE_DEVICE)
        slot = kernel_slot(r, n->name);
    else if (n->kind == NODE_OPERATOR)
        slot = operator_slot(r, n->name);
    for (int k = n->n_through; k > 0 && slot == SLOT_IDLE && n->kind != NODE_FRAME; k--)
        slot = operator_slot(r, n->through[k - 1]);
    return slot;
}

/* A category has the colour of a node if most of the time below is its own: so modules
 * and frames show what they lead to, and what leads to many things is an outline. */
static enum figure_slot *node_slots(struct arena *a, const struct report *r,
                                    const struct path_view *v)
{
    int64_t(*ns)[FIGURE_SLOTS] = arena_take(a, sizeof *ns, 8, v->n_nodes);
    enum figure_slot *slots = arena_new(a, enum figure_slot, v->n_nodes);
    for (int32_t i = v->n_nodes - 1; i >= 0; i--) {
        const struct path_node *n = &v->nodes[i];
        bool leaf = n->after == i + 1;
        int best = SLOT_IDLE;
        if (leaf)
            ns[i][own_slot(r, n)] += n->time_ns;
        for (int c = 0; c < FIGURE_SLOTS; c++) {
            best = ns[i][c] > ns[i][best] ? c : best;
            if (n->parent >= 0)
                ns[n->parent][c] += ns[i][c];
        }
        slots[i] = ns[i][best] > n->time_ns / 2 ? (enum figure_slot)best : SLOT_IDLE;
        if (n->kind == NODE_OPERATOR && own_slot(r, n) != SLOT_IDLE)
            slots[i] = own_slot(r, n);
    }
    return slots;
}

/* A label of at most LABEL_BYTES: cells show less, and the table need not be longer
 * than the tree. */
static struct str short_label(struct arena *a, struct str name)
{
    if (name.n <= LABEL_BYTES)
        return name;
    return str_printf(a, "%.*s…", STRF(utf8_head(name, LABEL_BYTES)));
}

static struct str node_label(struct arena *a, const struct path_node *n)
{
    if (n->kind == NODE_ALL)
        return S("all kernel time");
    if (n->kind == NODE_REST)
        return str_printf(a, "%lld more", (long long)n->instances);
    return short_label(a, n->n_through ? n->through[0] : n->name);
}

/* Cells below `root`, in rows from the top, so that the limit cuts the deepest. */
static void add_cells(struct arena *a, const struct report *r,
                      const struct path_view *v, int32_t root, int max,
                      struct report_figure *f)
{
    double total = (double)v->total_ns, whole = (double)v->nodes[root].time_ns;
    int32_t first = root, end = v->nodes[root].after;
    int64_t *start = arena_new(a, int64_t, end - first); /* where a node starts */
    int64_t *used = arena_new(a, int64_t, end - first);  /* by its children so far */
    for (int32_t i = first + 1; i < end; i++) {
        int32_t up = v->nodes[i].parent - first;
        start[i - first] = start[up] + used[up];
        used[up] += v->nodes[i].time_ns;
    }
    const enum figure_slot *slots = node_slots(a, r, v);
    f->marks = arena_new(a, struct figure_mark, max);
    for (int row = 0; row < ROWS_MAX; row++)
        for (int32_t i = first; i < end && f->n_marks < max; i++) {
            const struct path_node *n = &v->nodes[i];
            if (n->depth - v->nodes[root].depth != row ||
                (double)n->time_ns < least_frac * whole)
                continue;
            double time_ms = (double)n->time_ns / 1e6;
            f->marks[f->n_marks++] = (struct figure_mark){
                .label = node_label(a, n),
                .value_text =
                    number_ms_and_pct(a, time_ms, 100.0 * (double)n->time_ns / total),
                .slot = slots[i],
                .folded = n->kind == NODE_REST,
                .low = (double)start[i - first] / 1e6,
                .high = (double)(start[i - first] + n->time_ns) / 1e6,
                .x = row,
                .value = time_ms,
                .node = i};
        }
}

static struct str tree_caption(struct arena *a, const struct path_view *v)
{
    static const char *const what[] = {[VIEW_MODULES] = "module and operator",
                                       [VIEW_CALLS] = "call path",
                                       [VIEW_OPERATIONS] = "operation"};
    const struct path_node *n = path_tree_main(v);
    if (!n)
        return str_printf(a, "Kernel time by %s: none is above 0.1%%", what[v->kind]);
    struct str name = n->n_through ? n->through[0] : n->name;
    double pct = 100.0 * (double)n->time_ns / (double)v->total_ns;
    return str_printf(a, "Kernel time by %s: %.*s takes %.*s%%", what[v->kind],
                      STRF(short_label(a, name)), STRF(number_pct(a, pct)));
}

struct report_figure figure_tree(struct arena *a, const struct report *r, int view)
{
    struct report_figure f =
        figure_titled(FIGURE_ICICLE, "tree", "Kernel time by caller", "kernel time, ms",
                      "callers on top", "Path", "Time and share of kernel time");
    const struct path_view *v =
        r->tree && view < r->tree->n_views ? &r->tree->views[view] : NULL;
    if (!v || v->total_ns <= 0 || v->n_nodes < 2)
        return figure_without_data(f, S("There is no kernel time to show callers of."));
    f.whole = (double)v->total_ns / 1e6;
    add_cells(a, r, v, 0, CELLS_MAX, &f);
    f.caption = tree_caption(a, v);
    f.description = str_printf(
        a,
        "%d cells, as wide as the kernel time below them, callers above what they "
        "call. %.*s. The tree below has the same as text.",
        f.n_marks, STRF(f.caption));
    return f;
}

struct report_figure figure_tree_part(struct arena *a, const struct report *r, int view,
                                      int32_t node)
{
    const struct path_view *v = &r->tree->views[view];
    const struct path_node *n = &v->nodes[node];
    struct report_figure f =
        figure_titled(FIGURE_ICICLE, "tree", "Kernel time by caller", "kernel time, ms",
                      "callers on top", "Path", "Time and share of kernel time");
    f.whole = (double)n->time_ns / 1e6;
    f.title = f.caption = node_label(a, n);
    add_cells(a, r, v, node, PART_CELLS_MAX, &f);
    f.description = str_printf(a, "What %.*s leads to: %d cells, %.*s in all.",
                               STRF(f.title), f.n_marks, STRF(f.marks[0].value_text));
    return f;
}
