/* number_text.h - numbers as prose has them (analysis.md 0.3).
 *
 * Halves round away from zero, no thousands separators, no locale. "not known" for NaN.
 */
#ifndef ANALYSIS_NUMBER_TEXT_H
#define ANALYSIS_NUMBER_TEXT_H

#include "base/str.h"

struct str text_fixed(struct arena *a, double v, int decimals);

/* Milliseconds, without the unit: one decimal from 100, two from 1, else three. */
struct str text_ms(struct arena *a, double ms);

/* Per cent, without the sign: one decimal, two below 1. */
struct str text_pct(struct arena *a, double pct);

/* At most two decimals and no zeros behind: 5.3, 708, 0.51. */
struct str text_trimmed(struct arena *a, double v);

/* How many times: two decimals below 10, one below 100, else none. */
struct str text_factor(struct arena *a, double v);

/* A whole number. */
struct str text_count(struct arena *a, int64_t n);

#endif
