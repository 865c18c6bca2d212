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

#endif
