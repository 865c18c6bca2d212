#include "render/page/op_lines.h"

#include "base/arena.h"

struct op_lines op_lines_of(struct arena *a, const struct report *r)
{
    struct op_lines l = {.index = -1};
    for (int k = 0; r->tree && k < r->tree->n_views && l.index < 0; k++)
        if (r->tree->views[k].kind != VIEW_MODULES)
            l.index = k;
    if (l.index < 0)
        return l;
    const struct path_view *v = &r->tree->views[l.index];
    l.part = (struct tree_part){.r = r,
                                .view = v,
                                .has_page = tree_pages_divide(a, v),
                                .letter = tree_view_letter(v->kind)};
    return l;
}

/* Whether the chain that a line stands for has an operator. */
static bool has_op(const struct path_node *n, struct str op)
{
    bool found = n->kind == NODE_OPERATOR && str_eq(n->name, op);
    for (int k = 0; k < n->n_through && !found; k++)
        found = str_eq(n->through[k], op);
    return found;
}

struct str op_line_href(struct arena *a, const struct op_lines *l, struct str op)
{
    const struct path_view *v = l->index < 0 ? NULL : l->part.view;
    int32_t best = -1;
    for (int32_t i = 1; v && i < v->n_nodes; i++)
        if (v->nodes[i].id.n && has_op(&v->nodes[i], op) &&
            (best < 0 || v->nodes[i].time_ns > v->nodes[best].time_ns))
            best = i;
    return best < 0 ? S("")
                    : str_printf(a, "%.*s#%.*s",
                                 STRF(tree_node_file(a, &l->part, l->index, best)),
                                 STRF(v->nodes[best].id));
}
