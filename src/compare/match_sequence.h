/* match_sequence.h - device work joined by its place in the sequence of kernels.
 *
 * Stage G, for work that GPU graphs replay. Each side's busiest stream is searched for
 * a period, a layer of a model; where both repeat it equally often, the slots of one
 * period are aligned and each row sums over all repeats. Without periods the whole
 * sequences are aligned. What remains is joined by class. */
#ifndef COMPARE_MATCH_SEQUENCE_H
#define COMPARE_MATCH_SEQUENCE_H

#include "compare/match_list.h"

/* replayed[side][row]: whether the work of a row takes part; its time is then all in
 * the matches appended. False, and nothing is appended, if a side has none. */
bool match_sequences(struct arena *perm, struct arena tmp,
                     const struct match_side sides[2], uint8_t *const replayed[2],
                     struct match_list *list);

#endif
