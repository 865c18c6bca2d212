#include "base/real_digits.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Above, the integer part would have more digits than the 15 after which the search
 * ends. */
#define EXACT_MAX 1e15
/* Below, 10^j of `struct rest` would leave 128 bits. */
#define EXACT_MIN 1e-20

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

/* What is left of v after its first digits: part / 2^bits of the last digit's place.
 * Half the distance of v to the next number is place / 2^(bits + 1) of the same, where
 * place is 10^(digits after the point). */
struct rest {
    u128 part, place;
    int bits;
    bool even; /* the last bit of v is 0: a decimal halfway to its neighbour reads back
                  as v */
    bool at_power; /* v is a power of two: the neighbour below is half as far away */
};

static bool reads_back(const struct rest *r, u128 distance, bool below)
{
    distance <<= below && r->at_power ? 2 : 1;
    return distance < r->place || (distance == r->place && r->even);
}

/* Increments the last digit and strips zeros; 99 becomes 1 with a larger exponent. */
static int round_up(char *digits, int n, int *exponent)
{
    while (n > 0 && digits[n - 1] == '9')
        n--;
    if (n > 0) {
        digits[n - 1]++;
        return n;
    }
    digits[0] = '1';
    ++*exponent;
    return 1;
}

/* Four digits at once, unless what is written reads back as v at one of them: then it
 * would also read back, or nearly, behind the fourth, as the rest is no farther from a
 * whole number there, in its places. */
static bool four_digits(struct rest *r, char *digits)
{
    enum { BITS_MAX = 128 - 14 - 1 }; /* of the rest before it is multiplied */
    const u128 one = (u128)1 << r->bits;
    if (r->bits > BITS_MAX)
        return false;
    u128 part = r->part * 10000, place = r->place * 10000, rest = part & (one - 1);
    if ((rest < one - rest ? rest : one - rest) * 2 <= place)
        return false;
    unsigned four = (unsigned)(part >> r->bits);
    for (int i = 3; i >= 0; i--, four /= 10)
        digits[i] = (char)('0' + four % 10);
    r->part = rest;
    r->place = place;
    return true;
}

/* The digits after the point, one by one, until what is written reads back as v:
 * rounded down, or up where that is nearer. `n` digits are there already. */
static int fraction_digits(struct rest *r, char *digits, int n, int *exponent)
{
    const u128 one = (u128)1 << r->bits;
    for (;;) {
        u128 up = one - r->part;
        bool is_up = r->part > up || (r->part == up && n && (digits[n - 1] & 1));
        if (n > 0 &&
            (n == REAL_DIGITS_MAX || reads_back(r, is_up ? up : r->part, !is_up)))
            return is_up ? round_up(digits, n, exponent) : n;
        if (n > 0 && n <= REAL_DIGITS_MAX - 4 && four_digits(r, digits + n)) {
            n += 4;
            continue;
        }
        r->part *= 10;
        r->place *= 10;
        int digit = (int)(r->part >> r->bits);
        r->part &= one - 1;
        if (n == 0 && digit == 0)
            --*exponent;
        else
            digits[n++] = (char)('0' + digit);
    }
}

/* Exact arithmetic in 128 bits. Pages, tables and charts are mostly numbers: with the
 * C library alone, this was a fifth of all instructions after reading. */
int real_digits(double v, char digits[REAL_DIGITS_MAX], int *exponent)
{
    int binary;
    if (!(v >= EXACT_MIN && v < EXACT_MAX))
        return digits_by_trial(v, digits, exponent);
    uint64_t m = (uint64_t)ldexp(frexp(v, &binary), DBL_MANT_DIG);
    struct rest r = {.place = 1,
                     .bits = DBL_MANT_DIG - binary,
                     .even = !(m & 1),
                     .at_power = m == (uint64_t)1 << (DBL_MANT_DIG - 1)};
    uint64_t whole = (uint64_t)v;
    r.part = m & (((u128)1 << r.bits) - 1);
    char text[24], *p = text + sizeof text;
    for (; whole; whole /= 10)
        *--p = (char)('0' + whole % 10);
    int n = 0;
    while (p < text + sizeof text)
        digits[n++] = *p++;
    *exponent = n - 1;
    n = fraction_digits(&r, digits, n, exponent);
    while (n > 1 && digits[n - 1] == '0')
        n--;
    return n;
}
