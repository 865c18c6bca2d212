/* number_text.h - numbers as sentences and tables show them, and sentences made of
 * them.
 *
 * Decimal point, no separators, halves away from zero, the same on every machine
 * (analysis.md 0.3). The caller adds the unit. NaN reads "not known". */
#ifndef ANALYSIS_MODEL_NUMBER_TEXT_H
#define ANALYSIS_MODEL_NUMBER_TEXT_H

#include "base/str.h"

/* A part as a percentage of the whole; 0 if the whole is 0. */
static inline double pct_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

/* a bare "0" means exactly zero. */
struct str number_fixed(struct arena *a, double v, int decimals);
struct str number_ms(struct arena *a, double ms);       /* 125.3  12.23  0.412 */
struct str number_duration(struct arena *a, double us); /* 17.6 µs  12.23 ms */
struct str number_time(struct arena *a, double ms);     /* 33.13 ms  1.17 s */
/* In the unit and with the decimals in which the whole has three digits: "1195 ms",
 * "865 ms"; "4.43 ms", "0.90 ms"; from 10 s in seconds: "12.3 s", "9.1 s". */
struct str number_beside(struct arena *a, double ms, double whole_ms);
struct str number_us(struct arena *a, double us);   /* 2 decimals */
struct str number_pct(struct arena *a, double pct); /* 41.0  0.42 */
struct str number_rate(struct arena *a, double v);  /* 3 significant digits: 5.3, 708 */

/* "3.10 to 4.00", or "4.00" where both read alike; decimals of the larger one. For
 * tables, and for what was measured. */
struct str number_span_ms(struct arena *a, double low, double high);
struct str number_span_pct(struct arena *a, double low, double high);

/* A saving in a sentence: "420 to 430", "3.1 to 4.0", to two significant digits, since
 * it is an estimate. */
struct str number_range_ms(struct arena *a, double low, double high);
struct str number_range_pct(struct arena *a, double low, double high);

/* "12.23 ms, 41.0 %". */
struct str number_ms_and_pct(struct arena *a, double ms, double pct);

/* Words up to ten: "no", "one", ... "ten", "11". */
struct str number_word(struct arena *a, int64_t n);

/* v rounded to so many decimals, halves away from zero, as in JSON files. */
double number_rounded(double v, int decimals);

/* Numbers in the analysis's sentences: zero keeps its decimals, and a small value is
 * not printed as zero. */
struct str text_ms(struct arena *a, double ms);   /* 0.000 */
struct str text_pct(struct arena *a, double pct); /* 0.0  "less than 0.01" */

/* At most two decimals, no trailing zeros: 5.3, 708, 0.51. */
struct str text_trimmed(struct arena *a, double v);

/* A factor: two decimals below 10, one below 100, else none. */
struct str text_factor(struct arena *a, double v);

/* A name from the trace for prose: in backticks, cut at `width`, control characters and
 * backticks removed. */
struct str quoted_name(struct arena *a, struct str name, int width);

/* A sentence whose values carry their own format, one for each "{}":
 *
 *     say(a, "idle for {} ms ({}%) in {} gaps", said_ms(ms), said_pct(pct), said(n)) */
#define say(a, format, ...)                                                            \
    say_values(                                                                        \
        (a), (format), (const struct said[]){__VA_ARGS__},                             \
        (int)(sizeof((const struct said[]){__VA_ARGS__}) / sizeof(struct said)))

/* A text or a whole number, unchanged. */
#define said(x)                                                                        \
    _Generic((x),                                                                      \
        struct str: said_text,                                                         \
        char *: said_c,                                                                \
        const char *: said_c,                                                          \
        int: said_count,                                                               \
        int64_t: said_count)(x)

struct said {
    enum { SAID_TEXT, SAID_COUNT, SAID_MS, SAID_PCT, SAID_FIXED, SAID_NAME } how;
    int places; /* decimals, or the width of a name */
    int64_t count;
    double number;
    struct str text;
};

struct str say_values(struct arena *a, const char *format, const struct said *values,
                      int n);

static inline struct said said_text(struct str s)
{
    return (struct said){.how = SAID_TEXT, .text = s};
}

static inline struct said said_c(const char *s)
{
    return said_text(str_of(s));
}

static inline struct said said_count(int64_t n)
{
    return (struct said){.how = SAID_COUNT, .count = n};
}

static inline struct said said_ms(double ms)
{
    return (struct said){.how = SAID_MS, .number = ms};
}

static inline struct said said_pct(double pct)
{
    return (struct said){.how = SAID_PCT, .number = pct};
}

static inline struct said said_fixed(double v, int decimals)
{
    return (struct said){.how = SAID_FIXED, .number = v, .places = decimals};
}

static inline struct said said_name(struct str name, int width)
{
    return (struct said){.how = SAID_NAME, .text = name, .places = width};
}

/* "12.4 KiB", three digits, never on two lines. */
struct str number_bytes(struct arena *a, double bytes);

#endif
