/* match.h - which work of the candidate does what work of the reference does.
 *
 * Rows of both sides are joined by a ladder of keys, the first hit wins; device work of
 * GPU graphs may be joined by its place in the sequence before that. Every row of
 * either side is in exactly one match, so that sums over matches are sums over
 * captures. */
#ifndef COMPARE_MATCH_H
#define COMPARE_MATCH_H

#include "compare/match_list.h"

struct match_options {
    enum match_level last;  /* of the ladder: MATCH_DIMS tries L1 to L3 */
    struct str equivalence; /* assets/equivalence.tsv */
    bool no_sequence;
};

/* In the order of the ladder, then of the first row. */
struct match_list match_rows(struct arena *perm, struct arena tmp,
                             const struct match_side sides[2],
                             const struct match_options *o);

#endif
