/* tree_markup.h - a part of a call tree as nested <details>, whole without script.
 *
 * A part is what stands on one page: the subtree of `root` without the subtrees that
 * have pages of their own. Below the fortieth level the tree goes on in a block at the
 * end of the page. All loops; names go through html_text. */
#ifndef RENDER_TREE_MARKUP_H
#define RENDER_TREE_MARKUP_H

#include "base/out.h"
#include "report/report.h"
#include "report/report_tree.h"

struct arena;

enum { TREE_DEPTH_MAX = 40 };

struct tree_part {
    const struct report *r;
    const struct report_tree_view *view;
    const uint8_t *has_page; /* by node: it is the root of another page */
    char letter;             /* of the view, in the names of those pages */
    bool open_largest;       /* the path of largest time, to the fourth level */
};

/* What is below `root`, which itself is not written. Nodes too deep are put into
 * `deep`, which has room for `deep_max`; returns how many. */
int tree_markup(struct out *o, const struct tree_part *p, int32_t root, int32_t *deep,
                int deep_max, struct arena tmp);

/* "tree-c-1a2b3c4d.html". */
struct str tree_page_name(struct arena *a, const struct tree_part *p, int32_t node);

/* What a node costs a page, in elements, and in bytes at most. */
int tree_node_elements(const struct report_tree_node *n);
int tree_node_bytes(const struct report_tree_node *n);

/* The name of a node as text: with what its chain passes. */
struct str tree_node_title(struct arena *a, const struct report_tree_node *n);

#endif
