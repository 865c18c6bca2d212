/* tree_markup.h - part of a call tree as nested <details>, complete without script.
 *
 * A part is the content of one page: the subtree of `root` without subtrees that have
 * their own pages. Below the fortieth level the tree continues in a block at the end of
 * the page. No recursion; names go through html_text. */
#ifndef RENDER_PAGE_TREE_MARKUP_H
#define RENDER_PAGE_TREE_MARKUP_H

#include "analysis/stack/path_tree.h"
#include "base/out.h"
#include "report/report.h"

struct arena;

enum { TREE_DEPTH_MAX = 40 };

/* Where else a node appears, found by its name; -1: nowhere. */
struct tree_links {
    int32_t kernel;  /* of report.kernels, the longest of that name */
    int32_t finding; /* of report.findings, the first about that operator */
};

struct tree_part {
    const struct report *r;
    const struct path_view *view;
    const uint8_t *has_page;        /* by node: it is the root of another page */
    const struct tree_links *links; /* by node, of tree_links_build */
    char letter;                    /* of the view, in the names of those pages */
    bool open_largest;              /* the path of largest time, to the fourth level */
};

/* Fill one for each node. */
void tree_links_build(struct tree_links *links, struct arena tmp,
                      const struct report *r, const struct path_view *v);

/* Write everything below `root`, but not `root` itself. Nodes too deep go into `deep`,
 * which has room for `deep_max`; returns how many. */
int tree_markup(struct out *o, const struct tree_part *p, int32_t root, int32_t *deep,
                int deep_max, struct arena tmp);

/* "tree-c-1a2b3c4d.html". */
struct str tree_page_name(struct arena *a, const struct tree_part *p, int32_t node);

/* What a node adds to a page, in elements, and in bytes at most. */
int tree_node_elements(const struct path_node *n);
int tree_node_bytes(const struct path_node *n);

/* The name of a node as text, including what its chain passes. */
struct str tree_node_title(struct arena *a, const struct path_node *n);

#endif
