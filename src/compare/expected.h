/* expected.h - how long the candidate should take, by the peaks of both devices.
 *
 * Ratios are candidate / reference, per call. What lies within 0.80 to 1.25 of the
 * expected ratio is explained by the hardware; the band is symmetric as a factor, so
 * swapped sides swap the classes. */
#ifndef COMPARE_EXPECTED_H
#define COMPARE_EXPECTED_H

#include "compare/match_list.h"

enum explained {
    EXPLAINED_NOT_RATED,
    EXPLAINED_BY_HARDWARE,
    EXPLAINED_SLOWER, /* slower than the hardware explains */
    EXPLAINED_FASTER
};

struct expected_ratio {
    enum explained class;
    double ratio;           /* NaN: a side has no calls */
    double low, high;       /* the expected ratio, or an interval; NaN */
    double dev;             /* ratio by the nearest expected one; NaN */
    bool same_device;       /* the floor of noise says what is expected */
    struct str reason;      /* not rated, why */
    struct str explanation; /* of a rated row: a clause */
    struct str severity;    /* EXPLAINED_SLOWER: a clause; else empty */
    enum roofline_bound bound[2];
    double goal_ns, saving_ns; /* EXPLAINED_SLOWER: for all calls; else NaN */
    bool roofline_capped;
};

/* By devices of both sides, either may be NULL. */
struct expected_ratio expected_of(const struct match *m,
                                  const struct capture_row *const rows[2],
                                  const struct device_spec *const devices[2]);

/* Takes the rating back, and says why. */
void expected_withdraw(struct expected_ratio *x, struct str reason);

/* Least time of a call on a device in us; NaN: no model. A type that the device has no
 * peak for counts as 16-bit products, which memory binds all the more. */
double expected_least_us(const struct device_spec *d, const struct capture_row *r,
                         enum roofline_bound *bound);

/* Both are known, and the same. */
bool expected_same_device(const struct device_spec *const devices[2]);

/* Ratios of the peaks themselves; NaN: unknown. */
double expected_memory_ratio(const struct device_spec *const devices[2]);
double expected_compute_ratio(const struct device_spec *const devices[2],
                              struct str compute_spec);

#endif
