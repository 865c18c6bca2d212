/* judgement.h - whether a difference is more than noise.
 *
 * The unit is a capture: its value is the mean over its compared steps, as in all
 * tables. Steps of one capture are not independent samples of a run, so one capture a
 * side is only observed; with two or three the ranges are compared, with four and more
 * their ranks and means are tested, at one in a hundred. The value of a side is that of
 * its first capture, which is the median one (capture_median): what the tables show is
 * what is judged. */
#ifndef COMPARE_JUDGEMENT_H
#define COMPARE_JUDGEMENT_H

#include "base/err.h"
#include "base/str.h"
#include "compare/sample.h"

#include <stdint.h>

enum verdict {
    VERDICT_NONE,         /* no value on a side */
    VERDICT_NOT_JUDGED,   /* wall time, seen once a side */
    VERDICT_WITHIN_FLOOR, /* not more than noise usually is */
    VERDICT_OBSERVED,     /* one capture a side, more than noise usually is */
    VERDICT_LARGE_ONCE,   /* wall time, seen once, beyond its floor */
    VERDICT_OVERLAPPING,
    VERDICT_SEPARATED,
    VERDICT_NOT_DISTINGUISHABLE,
    VERDICT_CHANGED,
    VERDICT_OUTSIDE, /* of what a history of captures has seen */
    VERDICT_INSIDE,
    VERDICTS
};

struct str verdict_words(enum verdict v); /* "observed difference" */

/* Whether a verdict says that there is a difference. */
bool verdict_is_difference(enum verdict v);

struct noise_floors {
    double row_pct, row_us; /* the larger of both, per call */
    double device_pct, wall_pct;
    bool device_given, wall_given; /* by the user: also with repeated captures */
};

#define NOISE_FLOORS ((struct noise_floors){3, 2, 1, 15, false, false})

/* "kernel=3%,2us", "wall=15%" or "device=1%". */
MUST_CHECK bool noise_floor_read(const char *text, struct noise_floors *f,
                                 struct err *e);

struct judgement {
    enum verdict verdict;
    double value[2]; /* of the first capture of each side; NaN */
    double diff_pct; /* of the reference; NaN */
    double mean_pct; /* as diff_pct, of the means of all captures */
    double floor_pct;
    double chance_pct; /* what captures as few as these may differ by without a cause */
    bool by_few_steps; /* seen once, and most of the difference is in few steps */
    double p;          /* two-sided; NaN: not tested */
    double low_pct, high_pct; /* 95 % interval of diff_pct; NaN */
    double mde_pct;           /* least effect that these captures can show; NaN */
    int n[2];
};

enum judged { JUDGE_DEVICE, JUDGE_WALL };

/* What is assumed of captures before they are seen. */
struct noise_assumed {
    double floor_pct;  /* less is noise */
    double chance_pct; /* of judgement, of one capture a side */
    bool given;        /* by the user: floor_pct alone counts */
    bool shown;        /* work or waiting tells why, so wall time can be judged once */
    bool bounded;      /* the parts of wall time cannot hide more than floor_pct */
};

struct judgement judge(struct arena tmp, const struct sample *const captures[2],
                       const int n[2], const struct noise_assumed *f, enum judged what,
                       uint64_t seed);

/* One capture against at least eight earlier ones of the reference: further from their
 * median than their own scatter and floor_pct allow. False: too few, nothing changes.
 * What a single capture of wall time may differ by is not assumed then: the history
 * shows it. */
enum { HISTORY_LEAST = 8 };
#define WALL_SEEN_PCT 1.0 /* the least that is told from noise, seen more than once */
bool judge_by_history(struct arena tmp, struct judgement *j, const double *history,
                      int n, double floor_pct);

/* A row: no test has power left for one of many, so ranges are compared. */
struct judgement judge_row(const double *const means[2], const int n[2],
                           double floor_pct);

/* Two-sided p of the rank sum of both, all arrangements counted; ties share ranks. */
double rank_sum_p(struct arena tmp, const double *a, int n_a, const double *b, int n_b);

#endif
