/* tree.html and its kin: call trees, a page for each view and for each large subtree.
 */
#include "render/site_context.h"
#include "render/tree_markup.h"
#include "render/tree_pages.h"

#include "base/arena.h"
#include "report/report_numbers.h"

#include <string.h>

static const struct {
    const char *title, *about, *heading;
} views[REPORT_VIEWS] = {
    [VIEW_MODULES] = {"By module",
                      "Modules by class, then the outermost operator in them, then the "
                      "kernels. Backward work stands with the module of its forward.",
                      "Modules, operators, kernels"},
    [VIEW_CALLS] =
        {"By call path",
         "Python frames and modules, then operators, then kernels. Frames of "
         "the framework's own machinery are left out.",
         "Calls from the outermost frame to the kernel"},
    [VIEW_OPERATIONS] = {"By operation", "Operators by who called whom, then kernels.",
                         "Operators and kernels"}};

/* ---- one page
 * ------------------------------------------------------------------------- */

static void add_views(cJSON *c, const struct report *r, int index)
{
    cJSON *list = cJSON_AddArrayToObject(c, "views");
    ctx_bool(c, "has_views", r->tree->n_views > 1);
    for (int k = 0; k < r->tree->n_views; k++) {
        cJSON *item = cJSON_CreateObject();
        ctx_text(item, "title", str_of(views[r->tree->views[k].kind].title));
        ctx_text(item, "href", tree_view_file(r, k));
        ctx_bool(item, "current", k == index);
        cJSON_AddItemToArray(list, item);
    }
}

static void add_answer(cJSON *c, const struct report *r, int index, struct arena tmp)
{
    const struct report_tree_view *v = &r->tree->views[index];
    static const char *const words[REPORT_VIEWS] = {[VIEW_MODULES] =
                                                        "module and operator",
                                                    [VIEW_CALLS] = "call path",
                                                    [VIEW_OPERATIONS] = "operation"};
    const struct report_tree_node *n = report_tree_main(v);
    struct str total = number_ms(&tmp, (double)v->total_ns / 1e6);
    if (!n) {
        ctx_format(c, "answer", "%lld launches, %.*s ms of kernel time.",
                   (long long)v->launches, STRF(total));
        return;
    }
    double pct = 100.0 * (double)n->time_ns / (double)v->total_ns;
    struct str name = n->n_through ? n->through[0] : n->name;
    ctx_format(c, "answer",
               "%.*s ms of kernel time by %s: %.*s%s leads to %.*s %% of it.",
               STRF(total), words[v->kind], STRF(str_head(name, 160)),
               name.n > 160 ? "…" : "", STRF(number_pct(&tmp, pct)));
}

static void add_tree(cJSON *c, const struct tree_part *p, int32_t root,
                     struct arena tmp)
{
    int32_t n = p->view->nodes[root].after - root, queued = 0;
    int32_t *deep = arena_take_raw(&tmp, sizeof *deep, 4, n);
    struct out o;
    out_memory(&o);
    queued = tree_markup(&o, p, root, deep, n, tmp);
    template_markup(c, "tree_html", out_view(&o));
    out_free(&o);
    cJSON *list = cJSON_AddArrayToObject(c, "deep");
    for (int32_t k = 0; k < queued; k++) { /* what is deeper still joins the queue */
        const struct report_tree_node *node = &p->view->nodes[deep[k]];
        cJSON *item = cJSON_CreateObject();
        ctx_format(item, "deep_id", "%.*s-below", STRF(node->id));
        ctx_text(item, "back", node->id);
        ctx_text(item, "title", tree_node_title(&tmp, node));
        out_memory(&o);
        queued += tree_markup(&o, p, deep[k], deep + queued, n - queued, tmp);
        template_markup(item, "deep_html", out_view(&o));
        out_free(&o);
        cJSON_AddItemToArray(list, item);
    }
}

/* The page that a subtree's page hangs on. */
static void add_up(cJSON *c, int index, const struct tree_part *p, int32_t root,
                   struct arena tmp)
{
    const struct report_tree_view *v = p->view;
    int32_t up = tree_page_root(p, root);
    cJSON *link = cJSON_AddObjectToObject(c, "up");
    ctx_format(link, "href", "%.*s#%.*s", STRF(tree_node_file(&tmp, p, index, root)),
               STRF(v->nodes[root].id));
    ctx_text(link, "title",
             up > 0 ? tree_node_title(&tmp, &v->nodes[up]) : S("the whole tree"));
}

static void add_lines_about(cJSON *c, const struct report_tree_view *v)
{
    ctx_format(
        c, "about",
        "%s Each line has the kernel time below it, its share of all kernel time "
        "and its launches; the lines below a line add up to it exactly. Kernel "
        "time is summed over streams. %lld paths, down to %d levels; what is below "
        "0.1 %% of kernel time is folded into one line, and its kernels are all on "
        "the page of kernels.",
        views[v->kind].about, (long long)v->n_paths, (int)v->deepest);
}

static bool write_page(struct site *s, int index, const struct tree_part *p,
                       int32_t root, struct arena tmp, struct err *e)
{
    const struct report *r = s->r;
    struct str file = root ? tree_page_name(&tmp, p, root) : tree_view_file(r, index);
    cJSON *c = ctx_page(s, "tree.html", S("Call tree"),
                        "Which module and which call path leads to this time?", tmp);
    ctx_bool(c, "has_tree", true);
    add_views(c, r, index);
    if (root) {
        const struct report_tree_node *n = &p->view->nodes[root];
        double pct = 100.0 * (double)n->time_ns / (double)p->view->total_ns;
        struct str title = tree_node_title(&tmp, n);
        ctx_format(c, "answer", "%.*s: %.*s ms, %.*s %% of kernel time.", STRF(title),
                   STRF(number_ms(&tmp, (double)n->time_ns / 1e6)),
                   STRF(number_pct(&tmp, pct)));
        add_up(c, index, p, root, tmp);
    } else {
        add_answer(c, r, index, tmp);
        ctx_chart(c, "figure", s, CHART_TREE, index, tmp);
    }
    if (!r->tree->has_frames)
        ctx_text(c, "no_stacks",
                 S("The trace has no Python stacks, so modules and call paths are not "
                   "known: record with with_stack=True. Here are operators and their "
                   "kernels."));
    ctx_text(c, "heading", str_of(views[p->view->kind].heading));
    add_lines_about(c, p->view);
    add_tree(c, p, root, tmp);
    return ctx_write(s, str_c(&tmp, file), "tree.html", c, tmp, e);
}

static bool write_view(struct site *s, int index, struct arena tmp, struct err *e)
{
    const struct report_tree_view *v = &s->r->tree->views[index];
    struct tree_part p = {.r = s->r,
                          .view = v,
                          .has_page = tree_pages_divide(&tmp, v),
                          .letter = tree_view_letter(v->kind),
                          .open_largest = true};
    for (int32_t i = 0; i < v->n_nodes; i++)
        if ((i == 0 || p.has_page[i]) && !write_page(s, index, &p, i, tmp, e))
            return false;
    return true;
}

bool site_tree(struct site *s, struct arena tmp, struct err *e)
{
    const struct report_tree *t = s->r->tree;
    for (int k = 0; t && k < t->n_views; k++)
        if (!write_view(s, k, tmp, e))
            return false;
    if (t && t->n_views)
        return true;
    cJSON *c = ctx_page(s, "tree.html", S("Call tree"),
                        "Which module and which call path leads to this time?", tmp);
    ctx_text(c, "answer", S("No call tree to show."));
    ctx_text(c, "no_tree",
             S("This trace has no device work, so no path leads to any. Record with "
               "ProfilerActivity.CUDA, and with_stack=True for modules and frames."));
    ctx_bool(c, "has_tree", false);
    return ctx_write(s, "tree.html", "tree.html", c, tmp, e);
}
