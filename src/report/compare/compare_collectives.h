/* compare_collectives.h - collectives of each size on both sides: how often, how long,
 * at which rate on the bus.
 *
 * Rates are of the shortest call, and lower bounds: one rank does not tell how long a
 * collective waits for its peers (analysis/system/comm_sizes.h). */
#ifndef REPORT_COMPARE_COMPARE_COLLECTIVES_H
#define REPORT_COMPARE_COMPARE_COLLECTIVES_H

#include "base/described.h"
#include "compare/comparison.h"
#include "kernels/collective_kind.h"
#include "report/report_table.h"

struct compared_collective {
    enum collective_kind kind;
    int64_t ranks;
    int64_t bytes;       /* of the message, the larger of in and out */
    double calls[2];     /* by side, of a capture */
    double total_ms[2];  /* the same */
    double median_us[2]; /* of a call; NaN: the side has none */
    double bus_gb_s[2];  /* the same */
};
DESCRIBED(compared_collective);

struct compared_collectives {
    struct compared_collective *rows; /* by the longer of both times, longest first */
    int n;
};

/* Those of known size among two ranks or more, of all captures; in `a`. */
struct compared_collectives compare_collectives(struct arena *a,
                                                const struct comparison *c);

struct report_table compare_collectives_table(struct arena *perm,
                                              const struct comparison *c);

#endif
