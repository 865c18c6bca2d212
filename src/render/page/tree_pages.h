/* tree_pages.h - which page a line of a call tree is on.
 *
 * Each view has a page; if a subtree outgrows it, its heaviest parts move to pages of
 * their own. */
#ifndef RENDER_PAGE_TREE_PAGES_H
#define RENDER_PAGE_TREE_PAGES_H

#include "render/page/tree_markup.h"

/* By node: it is the root of a page of its own. */
uint8_t *tree_pages_divide(struct arena *a, const struct path_view *v);

/* "tree.html" for the first view there is, "tree-calls.html". */
struct str tree_view_file(const struct report *r, int index);

/* The part that the pages of its subtrees have in their names. */
char tree_view_letter(enum path_view_kind kind);

/* The root of the page with the line of a node, the nearest above, and that page. */
int32_t tree_page_root(const struct tree_part *p, int32_t node);
struct str tree_node_file(struct arena *a, const struct tree_part *p, int index,
                          int32_t node);

/* Where lines of operators are: the view by call path, else that by operation. `index`
 * is -1 where neither is there. */
struct op_lines {
    struct tree_part part;
    int index;
};
struct op_lines op_lines_of(struct arena *a, const struct report *r);

/* The link to the line with the most time of an operator: "tree-calls.html#n-1a2b3c4d";
 * empty: it has none. */
struct str op_line_href(struct arena *a, const struct op_lines *l, struct str op);

#endif
