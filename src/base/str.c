#include "base/str.h"

#include "base/arena.h"
#include "base/quick_print.h"
#include "base/table_seed.h"

#include <stdarg.h>
#include <stdio.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

int str_cmp(struct str a, struct str b)
{
    ptrdiff_t n = a.n < b.n ? a.n : b.n;
    int c = n ? memcmp(a.p, b.p, (size_t)n) : 0;
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

bool str_ends(struct str s, struct str suffix)
{
    return s.n >= suffix.n && str_eq(str_skip(s, s.n - suffix.n), suffix);
}

bool str_has(struct str s, struct str part)
{
    return str_find(s, part) >= 0;
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : (unsigned char)c;
}

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

bool str_eq_nocase(struct str a, struct str b)
{
    if (a.n != b.n)
        return false;
    for (ptrdiff_t i = 0; i < a.n; i++)
        if (lower(a.p[i]) != lower(b.p[i]))
            return false;
    return true;
}

/* A search pattern, by its first and last byte; each may be one of two bytes. */
struct ends {
    char first[2], last[2];
    ptrdiff_t n; /* from the first byte to behind the last */
};

static struct ends ends_of(struct str part, bool nocase)
{
    char first = part.p[0], last = part.p[part.n - 1];
    if (!nocase)
        return (struct ends){{first, first}, {last, last}, part.n};
    return (struct ends){
        {(char)lower(first), upper(first)}, {(char)lower(last), upper(last)}, part.n};
}

/* The next place in [i, end) where both ends match, or end. Kernel names are kilobytes
 * long and searched for dozens of words; testing sixteen places at a time, if the
 * machine can, took 3 % off a whole run. */
static inline __attribute__((always_inline)) ptrdiff_t
next_place(const char *p, ptrdiff_t i, ptrdiff_t end, struct ends e, bool nocase)
{
    /* Where the last byte would be; a text may be NULL and too short. */
    const char *q = i < end ? p + e.n - 1 : p;
#ifdef __SSE2__
    const __m128i a = _mm_set1_epi8(e.first[0]), b = _mm_set1_epi8(e.first[1]),
                  y = _mm_set1_epi8(e.last[0]), z = _mm_set1_epi8(e.last[1]);
    for (; i < end && end >= 16; i += 16) {
        ptrdiff_t at = i <= end - 16 ? i : end - 16; /* the last step overlaps */
        __m128i v = _mm_loadu_si128((const void *)(p + at));
        __m128i w = _mm_loadu_si128((const void *)(q + at));
        __m128i first = _mm_cmpeq_epi8(v, a), last = _mm_cmpeq_epi8(w, y);
        if (nocase) {
            first = _mm_or_si128(first, _mm_cmpeq_epi8(v, b));
            last = _mm_or_si128(last, _mm_cmpeq_epi8(w, z));
        }
        unsigned mask =
            (unsigned)_mm_movemask_epi8(_mm_and_si128(first, last)) & ~0u << (i - at);
        if (mask)
            return at + __builtin_ctz(mask);
    }
    /* Few places, as in most names of calls, all of a text that is long enough. */
    if (i < end && end < 16 && end + e.n > 16) {
        __m128i v = _mm_loadu_si128((const void *)p);
        __m128i w = _mm_loadu_si128((const void *)(q + end - 16));
        __m128i first = _mm_cmpeq_epi8(v, a), last = _mm_cmpeq_epi8(w, y);
        if (nocase) {
            first = _mm_or_si128(first, _mm_cmpeq_epi8(v, b));
            last = _mm_or_si128(last, _mm_cmpeq_epi8(w, z));
        }
        unsigned mask = (unsigned)_mm_movemask_epi8(first) &
                        (unsigned)_mm_movemask_epi8(last) >> (16 - end) & ~0u << i;
        return mask ? __builtin_ctz(mask) : end;
    }
#endif
    for (; i < end; i++)
        if ((p[i] == e.first[0] || p[i] == e.first[1]) &&
            (q[i] == e.last[0] || q[i] == e.last[1]))
            break;
    return i;
}

ptrdiff_t str_find(struct str s, struct str part)
{
    if (part.n == 0 || s.n == 0)
        return part.n ? -1 : 0;
    if (part.n == 1) {
        const char *p = memchr(s.p, part.p[0], (size_t)s.n);
        return p ? p - s.p : -1;
    }
    struct ends e = ends_of(part, false);
    ptrdiff_t i = 0, end = s.n - part.n + 1; /* of the places where it may begin */
    while ((i = next_place(s.p, i, end, e, false)) < end) {
        if (part.n == 2 || memcmp(s.p + i, part.p, (size_t)part.n) == 0)
            return i;
        i++;
    }
    return -1;
}

uint64_t str_byte_set(struct str s)
{
    enum { LONG = 400 }; /* longer ones hold nearly all: reading them does not pay */
    uint64_t set = 0;
    if (s.n > LONG)
        return UINT64_MAX;
    for (ptrdiff_t i = 0; i < s.n; i++)
        set |= 1ull << ((unsigned char)(s.p[i] | 0x20) & 63);
    return set;
}

bool str_has_nocase(struct str s, struct str part)
{
    if (part.n == 0)
        return true;
    struct ends e = ends_of(part, true);
    ptrdiff_t i = 0, end = s.n - part.n + 1;
    while ((i = next_place(s.p, i, end, e, true)) < end) {
        if (str_eq_nocase((struct str){s.p + i, part.n}, part))
            return true;
        i++;
    }
    return false;
}

bool str_fits(struct str s, struct str pattern)
{
    ptrdiff_t i = 0, k = 0, star = -1, from = 0; /* from: where the last * ends in s */
    while (i < s.n) {
        if (k < pattern.n && pattern.p[k] == '*') {
            star = k++;
            from = i;
        } else if (k < pattern.n && (pattern.p[k] == '?' || pattern.p[k] == s.p[i])) {
            i++;
            k++;
        } else if (star >= 0) {
            k = star + 1;
            i = ++from;
        } else
            return false;
    }
    while (k < pattern.n && pattern.p[k] == '*')
        k++;
    return k == pattern.n;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct str str_take(struct str *rest, struct str separator)
{
    ptrdiff_t at = str_find(*rest, separator);
    struct str taken = at < 0 ? *rest : str_head(*rest, at);
    *rest = str_skip(*rest, at < 0 ? rest->n : at + separator.n);
    return taken;
}

bool str_among(struct str s, const char *words)
{
    for (const char *end; *words; words = *end ? end + 1 : end) {
        for (end = words; *end && *end != ' ';)
            end++;
        if (str_eq(s, (struct str){words, end - words}))
            return true;
    }
    return false;
}

struct str str_trim(struct str s)
{
    while (s.n > 0 && is_space(s.p[0]))
        s = str_skip(s, 1);
    while (s.n > 0 && is_space(s.p[s.n - 1]))
        s.n--;
    return s;
}

struct str str_copy(struct arena *a, struct str s)
{
    return (struct str){arena_copy(a, s.p, s.n), s.n};
}

struct str str_replaced(struct arena *a, struct str s, struct str part, struct str by)
{
    struct str done = S("");
    for (ptrdiff_t at; (at = str_find(s, part)) >= 0; s = str_skip(s, at + part.n))
        done =
            str_printf(a, "%.*s%.*s%.*s", STRF(done), STRF(str_head(s, at)), STRF(by));
    return str_printf(a, "%.*s%.*s", STRF(done), STRF(s));
}

char *str_c(struct arena *a, struct str s)
{
    char *p = arena_take_raw(a, 1, 1, s.n + 1);
    if (s.n)
        memcpy(p, s.p, (size_t)s.n);
    p[s.n] = '\0';
    return p;
}

struct str str_printf(struct arena *a, const char *fmt, ...)
{
#ifdef ARENA_GUARDED
    char first[1]; /* free space is not to be touched */
    ptrdiff_t room = sizeof first;
#else
    enum { MOST = 1 << 20 }; /* that are tried where they may stay */
    char *first = a->at;
    ptrdiff_t room = a->end - a->at < MOST ? a->end - a->at : MOST;
#endif
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = quick_vprintf(first, room, fmt, ap);
    va_end(ap);
    if (n < 0)
        n = 0;
    char *p = arena_take_raw(a, 1, 1, (ptrdiff_t)n + 1);
    if (n >= room)
        vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return (struct str){p, n};
}

const char *str_plural(int64_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

struct str str_capital(struct arena *a, struct str s)
{
    return s.n ? str_printf(a, "%c%.*s", upper(s.p[0]), STRF(str_skip(s, 1))) : s;
}

struct str str_ordinal(struct arena *a, int64_t n)
{
    static const char *const ends[] = {"th", "st", "nd", "rd"};
    int64_t last = n % 10;
    bool teen = n / 10 % 10 == 1;
    return str_printf(a, "%lld%s", (long long)n,
                      ends[!teen && last > 0 && last < 4 ? last : 0]);
}

bool str_int(struct str s, int64_t *value)
{
    uint64_t v = 0;
    bool minus = s.n > 0 && s.p[0] == '-';
    s = str_skip(s, minus);
    if (s.n < 1 || s.n > 19) /* 19 digits cannot overflow 64 bits */
        return false;
    for (ptrdiff_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        v = 10 * v + (uint64_t)(s.p[i] - '0');
    }
    if (v > (uint64_t)INT64_MAX + minus)
        return false;
    *value = minus ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

/* Eight bytes at a time, multiply and fold. */
uint64_t str_hash(struct str s)
{
    uint64_t h = 0x9e3779b97f4a7c15u ^ (uint64_t)s.n, w;
    const char *p = s.p;
    ptrdiff_t n = s.n;
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&w, p, 8);
        h = (h ^ w) * 0xd6e8feb86659fd93u;
        h ^= h >> 32;
    }
    w = 0;
    if (n)
        memcpy(&w, p, (size_t)n);
    h = (h ^ w) * 0xd6e8feb86659fd93u;
    return h ^ h >> 29;
}

static uint64_t word_at(const char *p)
{
    uint64_t w;
    memcpy(&w, p, 8);
    return w;
}

static uint64_t half_word_at(const char *p)
{
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* Sixteen bytes per multiplication, where str_hash takes eight, and two of those at
 * once: hashing kernel names, kilobytes each, was 7 % of a run. The last bytes may be
 * some that have been counted. */
uint64_t str_table_hash(struct str s)
{
    const uint64_t key = table_seed;
    const char *p = s.p;
    ptrdiff_t n = s.n;
    uint64_t h = key ^ (uint64_t)n, second = h, a = 0, b = 0;
    for (; n > 32; p += 32, n -= 32) {
        h = hash_fold(word_at(p) ^ key, word_at(p + 8) ^ h);
        second = hash_fold(word_at(p + 16) ^ key, word_at(p + 24) ^ second);
    }
    h = hash_fold(h ^ key, second);
    if (n > 16)
        h = hash_fold(word_at(p) ^ key, word_at(p + 8) ^ h);
    if (s.n >= 16) {
        a = word_at(p + n - 16);
        b = word_at(p + n - 8);
    } else if (n >= 8) {
        a = word_at(p);
        b = word_at(p + n - 8);
    } else if (n >= 4) {
        a = half_word_at(p);
        b = half_word_at(p + n - 4);
    } else if (n > 0) {
        a = (uint64_t)(unsigned char)p[0] << 16 |
            (uint64_t)(unsigned char)p[n / 2] << 8 | (unsigned char)p[n - 1];
    }
    /* Once more: names that differ in a few digits spread badly under one key in ten.
     */
    return hash_fold(hash_fold(a ^ key, b ^ h), 0x9e3779b97f4a7c15u);
}
