/* compare_side.h - what the sides of a comparison are called in a sentence. */
#ifndef COMPARE_SIDE_H
#define COMPARE_SIDE_H

#include "compare/comparison.h"

/* The side's label in backquotes, where labels tell the two apart; else "the
 * reference", "the candidate". */
struct str compare_side(struct arena *perm, const struct comparison *c, int side);

/* The same for a heading or a chart, which mark no names. */
struct str compare_side_plain(const struct comparison *c, int side);

/* "after minus before" */
struct str compare_minus(struct arena *perm, const struct comparison *c);

#endif
