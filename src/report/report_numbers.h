/* report_numbers.h - numbers as sentences and tables show them, in one place.
 *
 * Decimal point, no separators, halves away from zero, the same on every machine. The
 * unit is the caller's. NaN reads "not known"; "0" alone is exactly nothing. */
#ifndef REPORT_REPORT_NUMBERS_H
#define REPORT_REPORT_NUMBERS_H

#include "base/str.h"

struct str number_fixed(struct arena *a, double v, int decimals);
struct str number_ms(struct arena *a, double ms);       /* 125.3  12.23  0.412 */
struct str number_duration(struct arena *a, double us); /* 17.6 µs  12.23 ms */
struct str number_us(struct arena *a, double us);       /* 2 decimals */
struct str number_pct(struct arena *a, double pct);     /* 41.0  0.42 */
struct str number_rate(struct arena *a, double v); /* 3 significant digits: 5.3, 708 */

/* "3.10 to 4.00", or "4.00" where both read alike; decimals of the larger one. */
struct str number_range_ms(struct arena *a, double low, double high);
struct str number_range_pct(struct arena *a, double low, double high);

/* "12.23 ms, 41.0 %". */
struct str number_ms_and_pct(struct arena *a, double ms, double pct);

/* Words up to ten: "no", "one", ... "ten", "11". */
struct str number_word(struct arena *a, int64_t n);

/* v to a power of ten of decimals, halves away from zero: what JSON files hold. */
double number_rounded(double v, int decimals);

#endif
