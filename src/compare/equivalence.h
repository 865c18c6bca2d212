/* equivalence.h - names of operators that do the same thing: assets/equivalence.tsv.
 *
 * A line is a class and the names in it, apart from each other by tabs; a name may end
 * in '*'. The text is lent. */
#ifndef COMPARE_EQUIVALENCE_H
#define COMPARE_EQUIVALENCE_H

#include "base/str.h"

struct arena;

struct equivalent_name {
    struct str name, class;
};

struct equivalence {
    struct equivalent_name *names;
    int n;
};

struct equivalence equivalence_read(struct arena *perm, struct str text);

/* The class of a name, by the first line that lists it; empty: none does. */
struct str equivalence_class(const struct equivalence *e, struct str name);

#endif
