/* class_change.h - the waterfall of a comparison: parts of the windows, and why kernel
 * time of a class differs. */
#ifndef COMPARE_CLASS_CHANGE_H
#define COMPARE_CLASS_CHANGE_H

#include "compare/comparison.h"

/* Fills the bars and idle time of c from its rows and the events of both sides. */
void class_changes(struct arena *perm, struct arena tmp, struct comparison *c,
                   const struct match_side sides[2]);

#endif
