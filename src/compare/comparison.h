/* comparison.h - how a candidate differs from a reference.
 *
 * Differences are the candidate's value less the reference's; percentages are of the
 * reference's value. Bars of the waterfall add up to the difference of the windows, and
 * those of a class to that of its bar, to the nanosecond. Sums over all compared steps;
 * nothing is divided before it is shown. */
#ifndef COMPARE_COMPARISON_H
#define COMPARE_COMPARISON_H

#include "compare/expected.h"
#include "compare/judgement.h"
#include "compare/match.h"
#include "compare/selection.h"

enum bar_kind { BAR_CLASS, BAR_COMM, BAR_COPY, BAR_IDLE };

/* A part of the window that nothing else takes. */
struct compared_bar {
    enum bar_kind kind;
    enum work_category category; /* BAR_CLASS */
    struct str name;
    int64_t ns[2];
    /* BAR_CLASS: kernel time, and why it differs; parts of ns[1] - ns[0] */
    int64_t kernel_ns[2];
    int64_t count_ns, speed_ns; /* of rows that both sides have */
    int64_t only_ns;            /* of rows that one side has */
    int64_t recast_ns;          /* of rows implemented differently */
    int64_t overlap_ns;         /* hidden behind, or shared with, other work */
    struct judgement judged;    /* of kernel time */
};

struct compared_row {
    struct match *match;
    const struct capture_row *of[2]; /* with most of its time; NULL: none */
    int64_t count_ns, speed_ns, only_ns;
    double median_ns[2], p90_ns[2]; /* of a call, within 3 %; NaN: not known */
    struct expected_ratio expected;
    struct judgement judged;
};

struct setup_difference {
    struct str what, value[2];
    bool differs, allowed;
};

enum parity { PARITY_SAME, PARITY_OTHER_HARDWARE, PARITY_OTHER_WORK, PARITY_NEITHER };

static inline bool parity_is_other_work(enum parity p)
{
    return p == PARITY_OTHER_WORK || p == PARITY_NEITHER;
}

struct drift {
    bool found;
    double factor; /* weighted median of candidate / reference per call */
    int n_rows;
    double same_sign_frac;
};

struct comparison_options {
    struct step_choice steps;
    struct match_options match;
    struct noise_floors floors;
    struct str allowed_setup;      /* words, parted by commas */
    const struct capture *history; /* earlier captures of the reference */
    int n_history;
};

struct comparison {
    const struct capture *of[2]; /* the first of each side */
    const struct capture *captures[2];
    int n_captures[2];
    struct selection selection;
    int64_t window_ns[2];
    int64_t device_ns[2]; /* sum over all rows */
    int64_t idle_ns[2];
    struct compared_bar *bars;
    int n_bars; /* by the size of the difference, largest first */
    /* Where tables alone know computation as a whole: kernel time by category, in the
     * same order, which overlaps and so is no part of the time. */
    struct compared_bar *sums;
    int n_sums;
    struct match_list matches;
    struct compared_row *rows; /* by the size of the difference, largest first */
    int32_t n_rows;
    int64_t level_ns[MATCH_LEVELS][2];
    int32_t level_rows[MATCH_LEVELS];
    struct setup_difference *setup;
    int n_setup;
    enum parity parity;
    double matched_frac[2]; /* of kernel time: the same operator and shapes, and types
                               where both sides record them */
    double gflop[2];        /* that models know, of a step */
    double shared_gflop[2]; /* of it, of operators that both have */
    struct judgement device, wall;
    int n_history; /* that both were judged by; 0: none */
    struct drift drift;
    const struct str *waived; /* ids of the candidate's findings that fail no gate */
    int n_waived;
};

/* Of a sum over all compared steps, the mean of a step; of windows, all of it. */
static inline double compare_ms(const struct comparison *c, int64_t ns)
{
    return (double)ns / 1e6 / (c->selection.n_steps ? c->selection.n_steps : 1);
}

#endif
