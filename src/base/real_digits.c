#include "base/real_digits.h"

#include "base/digit_pairs.h"

#include <assert.h>
#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Above, the whole part would have more digits than can be dropped. Below is 2^-24, of
 * which the nearest decimal with one digit less does not read back, but another does.
 */
#define EXACT_MAX 1e15
#define EXACT_MIN 1e-7

__extension__ typedef unsigned __int128 u128;

/* For any number, with the C library: print more digits until it reads back equal. */
static int digits_by_trial(double v, char digits[REAL_DIGITS_MAX], int *exponent)
{
    char text[40];
    /* Any decimal of up to 15 digits survives a round trip; subnormal numbers hold
     * fewer digits. */
    for (int precision = v < DBL_MIN ? 0 : 14; precision < REAL_DIGITS_MAX;
         precision++) {
        snprintf(text, sizeof text, "%.*e", precision, v);
        if (precision == REAL_DIGITS_MAX - 1 || strtod(text, NULL) == v)
            break;
    }
    int n = 0;
    const char *p = text;
    for (; *p != 'e'; p++)
        if (*p != '.')
            digits[n++] = *p;
    *exponent = atoi(p + 1);
    while (n > 1 && digits[n - 1] == '0')
        n--;
    return n;
}

static const uint64_t power_of_5[] = {1,
                                      5,
                                      25,
                                      125,
                                      625,
                                      3125,
                                      15625,
                                      78125,
                                      390625,
                                      1953125,
                                      9765625,
                                      48828125,
                                      244140625,
                                      1220703125,
                                      6103515625u,
                                      30517578125u,
                                      152587890625u,
                                      762939453125u,
                                      3814697265625u,
                                      19073486328125u,
                                      95367431640625u,
                                      476837158203125u,
                                      2384185791015625u,
                                      11920928955078125u,
                                      59604644775390625u};

/* Exact arithmetic in 128 bits. Pages, tables and charts are mostly numbers: with the
 * C library alone, this was a fifth of all instructions after reading.
 *
 * v is product / 2^bits in units so small that it has 17 digits before the point, or
 * 18; the next number is gap / 2^bits away. What is nearer to v than to any neighbour
 * reads back as v: as long as a number with a digit less is among it, a digit is
 * dropped. (gap is odd, so no such number is just as near to the neighbour.) */
int real_digits(double v, char digits[REAL_DIGITS_MAX], int *exponent)
{
    enum { BITS = DBL_MANT_DIG - 1 };
    const uint64_t hidden = (uint64_t)1 << BITS;
    uint64_t image;
    memcpy(&image, &v, sizeof image);
    if (!(v >= EXACT_MIN && v < EXACT_MAX))
        return digits_by_trial(v, digits, exponent);
    int places = DBL_MAX_EXP - 1 + BITS - (int)(image / hidden);
    /* v is m / 2^places; m has nearly 16 digits, log10(2) is a bit more than 77 / 256.
     */
    uint64_t m = image % hidden + hidden;
    int scale = 2 + (places * 77 >> 8), bits = places - scale;
    uint64_t gap = power_of_5[scale], one = (uint64_t)1 << bits, unit = 1;
    u128 product = (u128)m * gap;
    /* The neighbour below a power of two is half as far away. */
    uint64_t down = image % hidden ? 2 * gap : gap;
    uint64_t low = (uint64_t)((4 * product - down) >> (bits + 2));
    uint64_t high = (uint64_t)((4 * product + 2 * gap) >> (bits + 2));
    for (; low / 10 < high / 10; low /= 10, high /= 10, unit *= 10)
        scale--;
    uint64_t whole = (uint64_t)(product >> bits), number = whole / unit;
    u128 below = (u128)(whole % unit) * one + (uint64_t)product % one;
    u128 above = (u128)unit * one - below;
    number += above < below || (above == below && number % 2);
    int n = digit_count(number);
    assert(n <= REAL_DIGITS_MAX);
    digits_before(digits + n, number, n);
    *exponent = n - 1 - scale;
    return n;
}
