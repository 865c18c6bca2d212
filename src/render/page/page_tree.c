/* tree.html and its siblings: call trees, a page for each view and each large
 * subtree. */
#include "render/page/site_context.h"
#include "render/page/tree_markup.h"
#include "render/page/tree_pages.h"

#include "base/arena.h"
#include "render/chart/svg_chart.h"
#include "report/figure/report_figures.h"

static const char *const view_keys[PATH_VIEWS] = {[VIEW_MODULES] = "modules",
                                                  [VIEW_CALLS] = "calls",
                                                  [VIEW_OPERATIONS] = "operations"};

static void add_views(cJSON *c, const struct report *r, int index)
{
    cJSON *list = json_put_array(c, "views");
    json_put(c, json_bool("has_views", r->tree->n_views > 1));
    for (int k = 0; k < r->tree->n_views; k++) {
        cJSON *item = context_push(list);
        for (int kind = 0; kind < PATH_VIEWS; kind++)
            json_put(item,
                     json_bool(view_keys[kind], (int)r->tree->views[k].kind == kind));
        json_put(item, M("href", tree_view_file(r, k)),
                 json_bool("current", k == index));
    }
}

/* The line that leads to most of the time, if there is one. */
static void add_main(cJSON *c, const struct path_view *v)
{
    const struct path_node *n = path_tree_main(v);
    if (!n)
        return;
    struct str name = n->n_through ? n->through[0] : n->name;
    json_put(json_put_object(c, "main"), context_name("name", name),
             M("share_pct", 100.0 * (double)n->time_ns / (double)v->total_ns));
}

static void add_tree(cJSON *c, const struct tree_part *p, int32_t root,
                     struct arena tmp)
{
    int32_t n = p->view->nodes[root].after - root, queued = 0;
    int32_t *deep = arena_take_raw(&tmp, sizeof *deep, 4, n);
    struct out o;
    out_memory(&o);
    queued = tree_markup(&o, p, root, deep, n, tmp);
    json_put(c, context_taken("tree_html", &o));
    cJSON *list = json_put_array(c, "deep");
    for (int32_t k = 0; k < queued; k++) { /* what is deeper still joins the queue */
        const struct path_node *node = &p->view->nodes[deep[k]];
        out_memory(&o);
        queued += tree_markup(&o, p, deep[k], deep + queued, n - queued, tmp);
        json_row(list, M("deep_id", str_printf(&tmp, "%.*s-below", STRF(node->id))),
                 M("back", node->id), M("title", tree_node_title(&tmp, node)),
                 context_taken("deep_html", &o));
    }
}

/* The parent page of a subtree's page. */
static void add_up(cJSON *c, int index, const struct tree_part *p, int32_t root,
                   struct arena tmp)
{
    const struct path_view *v = p->view;
    int32_t up = tree_page_root(p, root);
    cJSON *link = json_put_object(c, "up");
    json_put(link,
             M("href",
               str_printf(&tmp, "%.*s#%.*s", STRF(tree_node_file(&tmp, p, index, root)),
                          STRF(v->nodes[root].id))),
             M("title", up > 0 ? tree_node_title(&tmp, &v->nodes[up]) : S("")));
}

static void add_part(cJSON *c, int index, const struct tree_part *p, int32_t root,
                     struct arena tmp)
{
    const struct path_node *n = &p->view->nodes[root];
    cJSON *part = json_put_object(c, "part");
    json_put(part, M("title", tree_node_title(&tmp, n)),
             M("time_ms", (double)n->time_ns / 1e6),
             M("share_pct", 100.0 * (double)n->time_ns / (double)p->view->total_ns));
    add_up(c, index, p, root, tmp);
}

/* Whether a cell of the first two levels of branches has a picture of its own, which
 * its link shows without script. `narrow`: how many levels above it branched. */
static bool has_part(const struct path_view *v, int32_t i)
{
    enum { LEVELS = 2 };
    const double least = 0.04, most = 0.95; /* of the time above */
    int narrow = 0;
    double total = (double)v->total_ns;
    bool small = (double)v->nodes[i].time_ns < least * total;
    if (small || v->nodes[i].after == i + 1 || v->nodes[i].parent < 0)
        return false;
    for (int32_t up = v->nodes[i].parent, n = i; up >= 0;
         n = up, up = v->nodes[n].parent) {
        bool branches =
            (double)v->nodes[n].time_ns < most * (double)v->nodes[up].time_ns;
        if (n == i && !branches)
            return false;
        narrow += branches;
    }
    return narrow <= LEVELS;
}

/* Where a cell leads: to its picture, if it has one and this is not it, else to its
 * line; what has no line, to that of its caller. */
static struct str cell_href(struct arena *a, int index, const struct tree_part *p,
                            const uint8_t *parts, int32_t node, int32_t shown)
{
    const struct path_node *nodes = p->view->nodes;
    if (node != shown && parts[node])
        return str_printf(a, "#z-%.*s", STRF(nodes[node].id));
    while (node > 0 && !nodes[node].id.n)
        node = nodes[node].parent;
    if (node <= 0)
        return S("#calls");
    int32_t root = tree_page_root(p, node);
    if (root <= 0)
        return str_printf(a, "#%.*s", STRF(nodes[node].id));
    return str_printf(a, "%.*s#%.*s", STRF(tree_node_file(a, p, index, node)),
                      STRF(nodes[node].id));
}

static void link_cells(struct arena *a, int index, const struct tree_part *p,
                       const uint8_t *parts, int32_t shown, struct report_figure *f)
{
    struct figure_mark *marks = arena_new(a, struct figure_mark, f->n_marks);
    for (int k = 0; k < f->n_marks; k++) {
        marks[k] = f->marks[k];
        marks[k].href = cell_href(a, index, p, parts, marks[k].node, shown);
    }
    f->marks = marks;
}

/* The picture of the whole view, and one of each of its largest parts. */
static void add_figure(cJSON *c, struct site *s, int index, const struct tree_part *p,
                       struct arena tmp)
{
    enum { PARTS_MAX = 6 };
    const struct path_view *v = p->view;
    const struct chart_file *chart = chart_find(s->charts, CHART_TREE, index);
    if (!chart || chart->figure.empty.n)
        return;
    uint8_t *parts = arena_new(&tmp, uint8_t, v->n_nodes);
    int32_t at[PARTS_MAX];
    int n = 0;
    for (int k = 0; k < chart->figure.n_marks && n < PARTS_MAX; k++)
        if (has_part(v, chart->figure.marks[k].node) &&
            tree_page_root(p, chart->figure.marks[k].node) <= 0) {
            at[n++] = chart->figure.marks[k].node;
            parts[at[n - 1]] = 1;
        }
    struct chart_file whole = *chart;
    link_cells(&tmp, index, p, parts, -1, &whole.figure);
    chart_figure(c, "figure", &whole, s->o->png, s->theme, tmp);
    cJSON *list = json_put_array(c, "parts");
    for (int k = 0; k < n; k++) {
        struct arena once = tmp;
        struct report_figure f = figure_tree_part(&once, s->r, index, at[k]);
        struct out svg;
        f.id = str_printf(&once, "z-%d", k);
        link_cells(&once, index, p, parts, at[k], &f);
        out_memory(&svg);
        chart_svg_part(&svg, &f, s->theme);
        json_row(list, M("part_id", v->nodes[at[k]].id), F(&f, title),
                 M("value", f.marks[0].value_text), context_taken("part_html", &svg));
    }
}

static bool write_page(struct site *s, int index, const struct tree_part *p,
                       int32_t root, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    const struct path_view *v = p->view;
    struct str file = root ? tree_page_name(&tmp, p, root) : tree_view_file(r, index);
    cJSON *c = ctx_page(s, "tree.html");
    cJSON *view = json_put_object(c, "tree");
    json_put(view, json_bool(view_keys[v->kind], true), F(v, launches),
             json_bool("several", v->launches != 1),
             M("total_ms", (double)v->total_ns / 1e6), F(v, n_paths), F(v, deepest),
             json_bool("has_frames", r->tree->has_frames),
             json_bool("memory", v->nodes[0].bytes > 0));
    add_views(view, r, index);
    if (root) {
        add_part(view, index, p, root, tmp);
    } else {
        add_main(view, v);
        add_figure(view, s, index, p, tmp);
    }
    add_tree(view, p, root, tmp);
    return ctx_write(s, str_c(&tmp, file), "tree.html", c, tmp, e);
}

static bool write_view(struct site *s, int index, struct arena tmp, struct err *e)
{
    const struct path_view *v = &s->r->tree->views[index];
    struct tree_links *links = arena_new(&tmp, struct tree_links, v->n_nodes);
    tree_links_build(links, tmp, s->r, v);
    struct tree_part p = {.r = s->r,
                          .view = v,
                          .has_page = tree_pages_divide(&tmp, v),
                          .links = links,
                          .letter = tree_view_letter(v->kind),
                          .open_largest = true};
    for (int32_t i = 0; i < v->n_nodes; i++)
        if ((i == 0 || p.has_page[i]) && !write_page(s, index, &p, i, tmp, e))
            return false;
    return true;
}

bool site_tree(struct site *s, struct arena tmp, struct err *e)
{
    const struct path_tree *t = s->r->tree;
    for (int k = 0; t && k < t->n_views; k++)
        if (!write_view(s, k, tmp, e))
            return false;
    if (t && t->n_views)
        return true;
    return ctx_write(s, "tree.html", "tree.html", ctx_page(s, "tree.html"), tmp, e);
}
