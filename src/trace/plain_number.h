/* plain_number.h - numbers of the usual kind, read without the rules of JSON.
 *
 * Unsigned, and directly followed by ',' or '}', so that the number ends there. For any
 * other, the functions return NULL, and the rules decide. Took a tenth off all
 * instructions of reading. */
#ifndef TRACE_PLAIN_NUMBER_H
#define TRACE_PLAIN_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool plain_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

#ifdef __SSE2__ /* then bytes of numbers come in this order, too */
static inline uint64_t plain_word(const char *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return w;
}

static inline bool are_8_digits(uint64_t w)
{
    return ((w & 0xf0f0f0f0f0f0f0f0) |
            ((w + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4) == 0x3333333333333333;
}

/* The number that they write: pairs, then fours, then all. */
static inline uint64_t value_of_8(uint64_t w)
{
    w = (w & 0x0f0f0f0f0f0f0f0f) * (1 + (10 << 8)) >> 8;
    w = (w & 0x00ff00ff00ff00ff) * (1 + (100 << 16)) >> 16;
    return (w & 0x0000ffff0000ffff) * (1 + ((uint64_t)10000 << 32)) >> 32;
}
#endif

/* Digits, at most `most` of them. */
static inline const char *plain_digits(const char *p, int most, uint64_t *value)
{
    const char *start = p;
    uint64_t v = 0;
    while (plain_digit(*p))
        v = 10 * v + (unsigned)(*p++ - '0');
    *value = v;
    bool good = p > start && p - start <= most && (*start != '0' || p - start == 1);
    return good ? p : NULL;
}

/* The same for times, which begin with eight digits most often. */
static inline const char *time_digits(const char *p, const char *end, int most,
                                      uint64_t *value)
{
#ifdef __SSE2__
    if (end - p >= 8 && *p != '0' && are_8_digits(plain_word(p))) {
        const char *start = p;
        uint64_t v = value_of_8(plain_word(p));
        for (p += 8; plain_digit(*p); p++)
            v = 10 * v + (unsigned)(*p - '0');
        *value = v;
        return p - start <= most ? p : NULL;
    }
#endif
    (void)end;
    return plain_digits(p, most, value);
}

static inline const char *plain_int(const char *p, int64_t *value)
{
    uint64_t v;
    p = plain_digits(p, 18, &v);
    *value = (int64_t)v;
    return p && (*p == ',' || *p == '}') ? p : NULL;
}

/* The same for a decimal, in thousandths. */
static inline const char *plain_milli(const char *p, const char *end, int64_t *value)
{
    uint64_t v;
    p = time_digits(p, end, 15, &v);
    v *= 1000;
    if (p && *p == '.') {
        if (!plain_digit(*++p))
            return NULL;
        v += 100 * (unsigned)(*p++ - '0');
        if (plain_digit(*p))
            v += 10 * (unsigned)(*p++ - '0');
        if (plain_digit(*p))
            v += (unsigned)(*p++ - '0');
    }
    *value = (int64_t)v;
    return p && (*p == ',' || *p == '}') ? p : NULL;
}

#endif
