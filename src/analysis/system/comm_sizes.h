/* comm_sizes.h - what collectives of each size reach on one rank, and what they do to
 * kernels beside them.
 *
 * One rank does not tell how long a collective waits for its peers, so that rates are
 * lower bounds: the best is that of the shortest call. Bus bandwidth as the benchmarks
 * of the libraries have it: what one link carries in one direction. */
#ifndef ANALYSIS_SYSTEM_COMM_SIZES_H
#define ANALYSIS_SYSTEM_COMM_SIZES_H

#include "analysis/model/system_results.h"
#include "base/str.h"
#include "kernels/collective_kind.h"

#include <stdbool.h>
#include <stdint.h>

struct analysis;
struct arena;

struct comm_size {
    enum collective_kind kind;
    struct str dtype, group; /* as recorded: "Float", "0" */
    int64_t ranks, n;
    double bytes; /* of the message, the larger of in and out */
    double min_us, median_us, sum_ms;
    double algorithm_gb_s, bus_gb_s; /* of the shortest call; NaN: no time */
    double median_bus_gb_s;
    double link_pct; /* best bus bandwidth of the device's link; NaN: not known */
    bool small; /* at the best rate of all it would take less than the least call */
};

struct comm_sizes {
    struct comm_size *rows;              /* by time, longest first */
    int32_t n;                           /* 0: no sizes are recorded */
    double link_gb_s;                    /* of the device; 0: not known */
    double best_bus_gb_s, best_link_pct; /* NaN: none */
    double latency_us;                   /* of the shortest call of all */
    int64_t n_small;
    double small_ms, total_ms;

    /* Kernels of one name and launch that run beside communication and alone too. */
    int64_t n_beside;
    double beside_ms, slowed_pct, lost_ms; /* NaN: too few to tell */
};

struct comm_sizes comm_sizes_of(struct arena *perm, struct arena tmp,
                                const struct analysis *a);

/* The row of a kind with most time; bytes and rates NaN: no sizes are recorded. */
struct comm_size comm_size_most(const struct analysis *a, enum comm_kind_id kind);

/* Its ranks are more than a usual machine has: a network joins them, and the link
 * between devices does not tell how fast they can be. */
bool comm_size_is_far(const struct comm_size *c);

#endif
