/* tree_text.h - call stacks and subtrees as plain text.
 *
 * For the reports and the terminal. Names come from the trace: they are cut at `width`
 * bytes on a whole character, and control characters become spaces. */
#ifndef ANALYSIS_TREE_TEXT_H
#define ANALYSIS_TREE_TEXT_H

#include "analysis/tree_index.h"
#include "base/out.h"

/* The stack of i, root first, two spaces a level; a long one keeps both ends. */
void tree_write_stack(struct out *o, struct arena tmp, const struct tree_index *t,
                      event_id i, int max_lines, int width);

/* The subtree with box-drawing lines and the device time of each node in us. */
void tree_write_subtree(struct out *o, struct arena tmp, const struct tree_index *t,
                        event_id i, int max_lines, int width);

#endif
