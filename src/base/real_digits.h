/* real_digits.h - the digits of a floating-point number.
 *
 * Shortest: the fewest digits that read back as the same number, the nearest of those
 * when there are several. This is what Python's repr prints. */
#ifndef BASE_REAL_DIGITS_H
#define BASE_REAL_DIGITS_H

enum { REAL_DIGITS_MAX = 17 };

/* Digits '0' to '9' of a positive finite v, without point and without trailing zeros;
 * v is d.ddd x 10^*exponent. Returns how many. */
int real_digits(double v, char digits[REAL_DIGITS_MAX], int *exponent);

#endif
