/* compare_times.h - how long the two sides of a comparison take, in words.
 *
 * Times are in ms, of [reference, candidate]. Names of sides are in backticks. */
#ifndef REPORT_COMPARE_COMPARE_TIMES_H
#define REPORT_COMPARE_COMPARE_TIMES_H

#include "compare/comparison.h"

/* "a step (mean of 5)" or "the recording". */
struct str compare_window_words(struct arena *perm, const struct comparison *c);

/* How much more b is than a, in per cent; NaN if a is 0. */
double compare_pct_more(double a, double b);

/* "34.892 ms, 5.3% longer than the 33.131 ms of `before`", with `more` "longer" and
 * `less` "shorter". Of a history, than "earlier captures". */
struct str compare_against(struct arena *perm, const struct comparison *c,
                           const double ms[2], const char *more, const char *less);

/* "`after` takes 23.7% longer than `before` (20.193 ms against 16.318 ms a step, mean
 * of 5; one recording each)" */
struct str compare_times_said(struct arena *perm, const struct comparison *c,
                              const double wall_ms[2]);

/* " (separated)"; nothing of one recording each, which the first sentence says. */
struct str compare_in_brackets(struct arena *perm, const struct comparison *c,
                               enum verdict v);

#endif
