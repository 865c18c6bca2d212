/* unknown.h - the error for a word that is not one of those expected. */
#ifndef BASE_UNKNOWN_H
#define BASE_UNKNOWN_H

#include "base/err.h"
#include "base/str.h"

/* The word probably meant: the nearest by letters changed, added, omitted or swapped
 * (at most two, and fewer than half), or the only one that starts as typed. Empty if
 * there is none. Ignores case. */
struct str nearest_word(struct str typed, const struct str *words, int n);

/* "unknown format 'pgn' (did you mean png?); the formats are site, md, png", without
 * the list if it is long, then `more`. Returns false. */
bool err_unknown(struct err *e, const char *kind, struct str typed,
                 const struct str *words, int n, const char *more);

#endif
