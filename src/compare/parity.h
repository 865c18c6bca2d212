/* parity.h - whether two captures are of the same work on the same hardware. */
#ifndef COMPARE_PARITY_H
#define COMPARE_PARITY_H

#include "compare/comparison.h"

/* Fills the set-up lines and the parity of c from its captures, rows and figures.
 * `allowed`: words of lines not to warn about, parted by commas. */
void parity_find(struct arena *perm, struct comparison *c, struct str allowed);

struct str parity_words(enum parity p); /* "same work, different hardware" */

/* The share of a side's kernel time at some levels, as bits: 1u << MATCH_PATH. */
double parity_frac(const struct comparison *c, int side, unsigned levels);

enum {
    LEVELS_MATCHED = 1 << MATCH_PATH | 1 << MATCH_CALL | 1 << MATCH_TYPES,
    LEVELS_NAMED = LEVELS_MATCHED | 1 << MATCH_DIMS | 1 << MATCH_NAME
};

/* Whether models know the same FLOP of a step on both sides, or of neither. */
bool parity_same_flop(const struct comparison *c);

/* Other work because it is more or less of it: another batch, length or number of
 * layers, as FLOP tell. Work that is implemented differently is the same task. */
bool parity_is_other_task(const struct comparison *c);

#endif
