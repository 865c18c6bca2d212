/* tree_text.h - call stacks and subtrees as plain text.
 *
 * For the reports and the terminal. Names come from the trace: they are cut at `width`
 * bytes on a whole character, and control characters become spaces. */
#ifndef ANALYSIS_STACK_TREE_TEXT_H
#define ANALYSIS_STACK_TREE_TEXT_H

#include "base/arena.h"
#include "base/out.h"

struct tree_index;

/* The stack of i, root first, two spaces per level; a long one keeps both ends. */
void tree_write_stack(struct out *o, struct arena tmp, const struct tree_index *t,
                      int32_t i, int max_lines, int width);

/* The subtree with box-drawing lines and the device time of each node in us. */
void tree_write_subtree(struct out *o, struct arena tmp, const struct tree_index *t,
                        int32_t i, int max_lines, int width);

/* "models/vit.py(210): forward": Python frames around i that are neither modules nor
 * framework plumbing, innermost first, at most `max`. */
struct str *tree_frames(struct arena *a, const struct tree_index *t, int32_t i, int max,
                        int *n);

#endif
