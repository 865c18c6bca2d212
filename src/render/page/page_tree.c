/* tree.html and its siblings: call trees, a page for each view and each large
 * subtree. */
#include "render/page/site_context.h"
#include "render/page/tree_markup.h"
#include "render/page/tree_pages.h"

#include "base/arena.h"

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
    json_put(json_put_object(c, "main"), M("name", str_head(name, 160)),
             json_bool("cut", name.n > 160),
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
             json_bool("has_frames", r->tree->has_frames));
    add_views(view, r, index);
    if (root) {
        add_part(view, index, p, root, tmp);
    } else {
        add_main(view, v);
        ctx_chart(view, "figure", s, CHART_TREE, index, tmp);
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
