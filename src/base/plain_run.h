/* plain_run.h - how much of a text can be copied unchanged.
 *
 * Every writer escapes some bytes, such as quotes or markup; the printable ASCII
 * between them is most of the output. Scans sixteen bytes at a time if the machine can;
 * if `stops` is a literal, the compiler unrolls the loops. */
#ifndef BASE_PLAIN_RUN_H
#define BASE_PLAIN_RUN_H

#include "base/str.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#ifdef __SSE2__
/* One bit for each of sixteen bytes that has to be looked at. */
static inline unsigned plain_stops(__m128i v, const char *stops)
{
    /* As signed bytes, everything beyond ASCII is less than a space. */
    __m128i hits = _mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8(0x20)),
                                _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7f)));
    for (const char *stop = stops; *stop; stop++)
        hits = _mm_or_si128(hits, _mm_cmpeq_epi8(v, _mm_set1_epi8(*stop)));
    return (unsigned)_mm_movemask_epi8(hits);
}
#endif

/* Bytes at the start of s that are printable ASCII (0x20 to 0x7e) and not in `stops`.
 */
static inline ptrdiff_t plain_run(struct str s, const char *stops)
{
    ptrdiff_t n = 0;
#ifdef __SSE2__
    for (; s.n >= 16; n += 16) {
        ptrdiff_t at = n < s.n - 16 ? n : s.n - 16; /* the last step overlaps */
        __m128i v = _mm_loadu_si128((const void *)(s.p + at));
        unsigned mask = plain_stops(v, stops) & ~0u << (n - at);
        if (mask)
            return at + __builtin_ctz(mask);
        if (at == s.n - 16)
            return s.n;
    }
    if (s.n >= 8) { /* its first eight bytes and its last */
        __m128i v = _mm_unpacklo_epi64(_mm_loadl_epi64((const void *)s.p),
                                       _mm_loadl_epi64((const void *)(s.p + s.n - 8)));
        unsigned mask = plain_stops(v, stops);
        ptrdiff_t i = mask ? __builtin_ctz(mask) : 16;
        return i < 8 ? i : s.n - 16 + i;
    }
#endif
    for (; n < s.n && s.p[n] >= 0x20 && s.p[n] < 0x7f; n++)
        for (const char *stop = stops; *stop; stop++)
            if (s.p[n] == *stop)
                return n;
    return n;
}

#endif
