/* json_scan.h - the lexical half of JSON: where the next token ends.
 *
 * Scans text that ends in a NUL at `end`. Knows the grammar of RFC 8259, and accepts
 * NaN, Infinity, nan and inf, which profilers write; knows nothing of traces and owns
 * nothing. Functions return the place after what they read, or NULL if they reached
 * `end` first (`state` is SCAN_SHORT: call again with more bytes) or the text is not
 * JSON (SCAN_BAD, with the place and the reason). */
#ifndef TRACE_JSON_SCAN_H
#define TRACE_JSON_SCAN_H

#include "base/str.h"
#include "trace/plain_number.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum scan_state { SCAN_OK, SCAN_SHORT, SCAN_BAD };

struct json_scan {
    const char *end;
    enum scan_state state;
    const char *bad_at, *what; /* when SCAN_BAD */
    uint64_t *nest;            /* one bit a level: 1 object, 0 array */
    ptrdiff_t nest_cap;        /* words */
    bool saw_nan;              /* or an infinity, which JSON does not have */
};

struct json_string {
    struct str raw; /* between the quotes, still escaped */
    bool escaped;   /* holds a backslash */
};

static inline const char *scan_space(const char *p)
{
    if ((unsigned char)*p > ' ') /* most often there is none */
        return p;
    while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

/* The first byte at or after p that is '"', '\\' or a control character. Sixteen bytes
 * at a time if the machine can: strings are most of a trace. */
static inline const char *string_stop(const char *p, const char *end)
{
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\'),
                  control = _mm_set1_epi8(0x1f);
    for (; end - p >= 16; p += 16) {
        __m128i v = _mm_loadu_si128((const void *)p);
        __m128i stop = _mm_or_si128(
            _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, slash)),
            _mm_cmpeq_epi8(_mm_min_epu8(v, control), v));
        unsigned mask = (unsigned)_mm_movemask_epi8(stop);
        if (mask)
            return p + __builtin_ctz(mask);
    }
#else
    (void)end;
#endif
    while (*p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
        p++;
    return p;
}

/* The rest of a string, from such a byte to the '"' at its end. */
const char *scan_escaped(struct json_scan *j, const char *p);

/* At a '"': the string. */
static inline const char *scan_string(struct json_scan *j, const char *p,
                                      struct json_string *s)
{
    const char *start = p + 1;
    p = string_stop(start, j->end);
    s->escaped = *p == '\\';
    if (__builtin_expect(*p != '"', 0) && !(p = scan_escaped(j, p)))
        return NULL;
    s->raw = (struct str){start, p - start};
    return p + 1;
}

/* Any value, of any depth, without recursion. A whole number with ',' or '}' behind it
 * is most of them. */
const char *scan_nested(struct json_scan *j, const char *p);
static inline const char *scan_value(struct json_scan *j, const char *p)
{
    p = scan_space(p);
    const char *start = p;
    while (plain_digit(*p))
        p++;
    bool plain = p > start && (*start != '0' || p - start == 1);
    return plain && (*p == ',' || *p == '}') ? p : scan_nested(j, start);
}

/* A number, or one written as a string, in thousandths of its unit, rounded to nearest:
 * us in, ns out. *known is false for NaN, infinities and what does not fit. Any other
 * value is scanned over, also with *known false. */
const char *scan_any_milli(struct json_scan *j, const char *p, int64_t *value,
                           bool *known);
static inline const char *scan_milli(struct json_scan *j, const char *p, int64_t *value,
                                     bool *known)
{
    p = scan_space(p);
    const char *end = plain_milli(p, j->end, value);
    *known = end != NULL;
    return end ? end : scan_any_milli(j, p, value, known);
}

/* The same for a whole number; truncates a fraction. */
const char *scan_any_int(struct json_scan *j, const char *p, int64_t *value,
                         bool *known);
static inline const char *scan_int(struct json_scan *j, const char *p, int64_t *value,
                                   bool *known)
{
    p = scan_space(p);
    const char *end = plain_int(p, value);
    *known = end != NULL;
    return end ? end : scan_any_int(j, p, value, known);
}

/* The character `c` after optional space, else SCAN_BAD with `what`. */
const char *scan_char(struct json_scan *j, const char *p, char c, const char *what);

const char *scan_fail(struct json_scan *j, const char *at, const char *what);

/* The code point of an escape, after its backslash, or ESCAPE_BAD. Joins surrogate
 * pairs. */
enum { ESCAPE_BAD = -1 };
int32_t string_escape(struct str *s);

/* Decode the escapes of `raw` into buf (raw.n bytes are enough); lone surrogates become
 * U+FFFD. Returns the length. */
ptrdiff_t string_decode(struct str raw, char *buf);

void scan_free(struct json_scan *j);

#endif
