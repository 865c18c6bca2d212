/* row_means.h - the work of a row in further captures of its side.
 *
 * Only the first capture of each side is matched; in the others the same work is found
 * by name and arguments. */
#ifndef COMPARE_ROW_MEANS_H
#define COMPARE_ROW_MEANS_H

#include "base/name_pool.h"
#include "compare/comparison.h"

/* The rows of one further capture, by name and arguments. */
struct row_index {
    struct name_pool keys;
    double *ns, *calls; /* by id of a key, over all steady steps */
    int n_steps;        /* 1 if there are none */
};

/* Owns the keys until row_index_close. */
struct row_index row_index_make(struct arena *perm, const struct capture *c);
void row_index_close(struct row_index *x);

/* The mean time of a call of a match's work there, in ns; of a recast match the time of
 * a step. NaN: that capture has none of it. `first` holds the rows of the match. */
double row_index_mean(const struct row_index *x, const struct match *m, int side,
                      const struct capture *first);

/* The steady steps of a capture; without steps, all of it. */
struct step_span *steady_spans(struct arena *a, const struct capture *c, int *n);

#endif
