/* sequence_align.h - two sequences of kernels side by side.
 *
 * A token is a kernel: its name and its class. Equal names match at no cost, equal
 * classes at a small one, others never; what is left out costs more if it is attention,
 * an expert product or a collective. */
#ifndef COMPARE_SEQUENCE_ALIGN_H
#define COMPARE_SEQUENCE_ALIGN_H

#include "base/arena.h"
#include "kernels/kernel_name.h"

#include <stdint.h>

struct token {
    int32_t id; /* equal ids are equal names */
    enum kernel_label class;
};

/* to[i]: the token of b that matches a[i], or -1; increasing. The alignment stays
 * within `band` of the diagonal; quarters of the cost of a gap are returned, which no
 * swap of the sequences changes. */
int64_t sequence_align(struct arena tmp, const struct token *a, int32_t n_a,
                       const struct token *b, int32_t n_b, int32_t band, int32_t *to);

/* The smallest lag at which a sequence repeats itself at least four times; 0: none. */
int32_t sequence_period(struct arena tmp, const struct token *t, int32_t n);

/* How often `period` tokens repeat from *start on, which is chosen so that they agree
 * best. */
int32_t sequence_repeats(struct arena tmp, const struct token *t, int32_t n,
                         int32_t period, int32_t *start);

#endif
