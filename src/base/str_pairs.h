/* str_pairs.h - a text that is asked for many words.
 *
 * Kernel names are kilobytes long, and few of them hold the pairs of letters that are
 * in a word: those that do are searched. Of letters, the case does not matter. */
#ifndef BASE_STR_PAIRS_H
#define BASE_STR_PAIRS_H

#include "base/str.h"

struct str_pairs {
    struct str text;  /* lent */
    uint64_t set[64]; /* by the first of a pair: which come second */
};

struct str_pairs str_pairs_of(struct str text);

/* As str_has_nocase. */
bool str_pairs_has(const struct str_pairs *p, struct str part);

#endif
