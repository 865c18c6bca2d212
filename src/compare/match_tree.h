/* match_tree.h - work of two call trees by the modules and operators around it.
 *
 * The trees are those of paths, so children of a node have different names and their
 * order does not matter: equal names are pairs, then names of one class. A node without
 * a counterpart whose children have one beside it is a wrapper, which is looked
 * through. Work that is left over belongs to the deepest pair around it that both sides
 * have work left in, so that each device event is in one match. */
#ifndef COMPARE_MATCH_TREE_H
#define COMPARE_MATCH_TREE_H

#include "compare/equivalence.h"
#include "compare/match_list.h"

/* Takes rows that are not `taken` into matches of the level MATCH_NAME, if both sides
 * have the name in a pair, or MATCH_TREE. */
void match_trees(struct arena *perm, struct arena tmp, const struct match_side sides[2],
                 const struct equivalence *names, uint8_t *const taken[2],
                 struct match_list *list);

#endif
