/* assumed_noise.h - what few captures of each side may differ by without a cause.
 *
 * Two runs of one program differ: clock, temperature and placement move all kernels
 * alike, and the host's pace moves idle time. Fewer than four captures a side do not
 * show by how much, so a difference of that kind counts only beyond an assumed limit.
 * One that single operations have, or waiting that is new, is told from it in one
 * capture. */
#ifndef COMPARE_ASSUMED_NOISE_H
#define COMPARE_ASSUMED_NOISE_H

#include "compare/comparison.h"

struct noise_assumed assumed_of_device(struct arena tmp, const struct comparison *c,
                                       const struct noise_floors *f);

/* Of the kernels of one category. */
struct noise_assumed assumed_of_class(struct arena tmp, const struct comparison *c,
                                      const struct compared_bar *b,
                                      const struct noise_floors *f);

/* What few captures differ by in one row or category. */
#define PART_CHANCE_PCT 12.5

/* Once device work is judged. */
struct noise_assumed assumed_of_wall(const struct comparison *c,
                                     const struct noise_floors *f);

/* The factor by which all kernels are faster or slower: the machine changed, not the
 * program. Not found: each has its own. */
struct drift drift_find(struct arena tmp, const struct comparison *c);

#endif
