#include "render/page/tree_pages.h"

#include "base/arena.h"

/* What keeps a page within 8,000 elements and 500 kB, with its chart. */
enum { PAGE_ELEMENTS = 6000, PAGE_BYTES = 320000, PAGES_MAX = 60 };

static const struct {
    const char *file;
    char letter;
} views[PATH_VIEWS] = {[VIEW_MODULES] = {"tree-modules.html", 'm'},
                       [VIEW_CALLS] = {"tree-calls.html", 'c'},
                       [VIEW_OPERATIONS] = {"tree-operations.html", 'o'}};

char tree_view_letter(enum path_view_kind kind)
{
    return views[kind].letter;
}

struct str tree_view_file(const struct report *r, int index)
{
    return index == 0 ? S("tree.html") : str_of(views[r->tree->views[index].kind].file);
}

struct weight {
    int elements, bytes;
};

static bool is_over(struct weight w)
{
    return w.elements > PAGE_ELEMENTS || w.bytes > PAGE_BYTES;
}

static struct weight own_weight(const struct path_node *n)
{
    return (struct weight){tree_node_elements(n), tree_node_bytes(n)};
}

/* The heaviest child of i that has children but no page of its own; -1: none. */
static int32_t heaviest(const struct path_view *v, const struct weight *w,
                        const uint8_t *has_page, int32_t i)
{
    int32_t best = -1;
    for (int32_t c = i + 1; c < v->nodes[i].after; c = v->nodes[c].after)
        if (!has_page[c] && v->nodes[c].after > c + 1 &&
            (best < 0 || w[c].bytes > w[best].bytes))
            best = c;
    return best;
}

/* From the leaves up: if a subtree outgrows a page, its heaviest parts move out. */
uint8_t *tree_pages_divide(struct arena *a, const struct path_view *v)
{
    uint8_t *has_page = arena_new(a, uint8_t, v->n_nodes);
    struct weight *w = arena_new(a, struct weight, v->n_nodes);
    int n_pages = 1;
    for (int32_t i = v->n_nodes - 1; i >= 0; i--) {
        struct weight own = own_weight(&v->nodes[i]);
        w[i].elements += own.elements;
        w[i].bytes += own.bytes;
        while (is_over(w[i]) && n_pages < PAGES_MAX) {
            int32_t c = heaviest(v, w, has_page, i);
            if (c < 0)
                break;
            struct weight link = own_weight(&v->nodes[c]);
            has_page[c] = 1;
            n_pages++;
            w[i].elements -= w[c].elements - link.elements;
            w[i].bytes -= w[c].bytes - link.bytes;
        }
        if (v->nodes[i].parent >= 0) {
            w[v->nodes[i].parent].elements += w[i].elements;
            w[v->nodes[i].parent].bytes += w[i].bytes;
        }
    }
    return has_page;
}

int32_t tree_page_root(const struct tree_part *p, int32_t node)
{
    int32_t up = p->view->nodes[node].parent;
    while (up > 0 && !p->has_page[up])
        up = p->view->nodes[up].parent;
    return up;
}

struct str tree_node_file(struct arena *a, const struct tree_part *p, int index,
                          int32_t node)
{
    int32_t up = tree_page_root(p, node);
    return up > 0 ? tree_page_name(a, p, up) : tree_view_file(p->r, index);
}
