/* op_lines.h - the line of an operator in the call tree, for links from elsewhere. */
#ifndef RENDER_PAGE_OP_LINES_H
#define RENDER_PAGE_OP_LINES_H

#include "render/page/tree_pages.h"

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
