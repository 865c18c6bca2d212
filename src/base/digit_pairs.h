/* digit_pairs.h - whole numbers in decimal, two digits at a time.
 *
 * Half of what the program writes is numbers: their length is found first, so that
 * the digits are written where they stay. */
#ifndef BASE_DIGIT_PAIRS_H
#define BASE_DIGIT_PAIRS_H

#include <stdint.h>
#include <string.h>

enum { DIGITS_U64_MAX = 20 };

static inline uint64_t magnitude(int64_t v)
{
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

/* How many digits v has; 1 for 0. */
static inline int digit_count(uint64_t v)
{
    static const uint64_t power[DIGITS_U64_MAX] = {0,
                                                   10,
                                                   100,
                                                   1000,
                                                   10000,
                                                   100000,
                                                   1000000,
                                                   10000000,
                                                   100000000,
                                                   1000000000,
                                                   10000000000,
                                                   100000000000,
                                                   1000000000000,
                                                   10000000000000,
                                                   100000000000000,
                                                   1000000000000000,
                                                   10000000000000000,
                                                   100000000000000000,
                                                   1000000000000000000,
                                                   10000000000000000000u};
    /* log10(2) is 1233 / 4096, as far as 64 bits can tell. */
    int n = (64 - __builtin_clzll(v | 1)) * 1233 >> 12;
    return n + (v >= power[n]);
}

/* The last n digits of v, in front of `end`. Returns where they begin. */
static inline char *digits_before(char *end, uint64_t v, int n)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    for (; n >= 2; n -= 2, v /= 100)
        memcpy(end -= 2, pairs + 2 * (v % 100), 2);
    if (n)
        *--end = (char)('0' + v % 10);
    return end;
}

#endif
