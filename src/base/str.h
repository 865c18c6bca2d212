/* str.h - text is a pointer and a length.
 *
 * The bytes belong to whoever holds them; there is no terminator to look for, and a NUL
 * is a byte like any other. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct arena;

struct str {
    const char *p;
    ptrdiff_t n; /* bytes */
};

#define S(lit) ((struct str){(lit), (ptrdiff_t)sizeof(lit) - 1})
#define S_INIT(lit)                                                                    \
    {                                                                                  \
        (lit), (ptrdiff_t)sizeof(lit) - 1                                              \
    }                             /* where C requires a constant */
#define STRF(s) (int)(s).n, (s).p /* for "%.*s" */

static inline struct str str_of(const char *c_string) /* NULL gives the empty text */
{
    return (struct str){c_string ? c_string : "",
                        c_string ? (ptrdiff_t)strlen(c_string) : 0};
}
static inline bool str_eq(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, (size_t)a.n) == 0);
}
int str_cmp(struct str a, struct str b); /* bytewise; a prefix comes first */
static inline bool str_starts(struct str s, struct str prefix)
{
    return s.n >= prefix.n && str_eq((struct str){s.p, prefix.n}, prefix);
}
bool str_ends(struct str s, struct str suffix);
bool str_has(struct str s, struct str part);
bool str_has_nocase(struct str s, struct str part); /* ASCII letters only */

/* Whether the whole of s fits a pattern in which * is any text and ? any byte. Takes at
 * most s.n times pattern.n steps. */
bool str_fits(struct str s, struct str pattern);

/* A set of the bytes of s. A part with others is not in s, whatever the case of its
 * letters. Long texts may hold any. */
uint64_t str_byte_set(struct str s);
static inline bool str_may_hold(uint64_t byte_set, struct str part)
{
    for (ptrdiff_t i = 0; i < part.n; i++)
        if (!(byte_set >> ((part.p[i] | 0x20) & 63) & 1))
            return false;
    return true;
}

bool str_eq_nocase(struct str a, struct str b);
ptrdiff_t str_find(struct str s, struct str part); /* index of the first match, or -1 */
static inline struct str str_skip(struct str s, ptrdiff_t n)
{
    n = n < s.n ? n : s.n;
    return (struct str){n ? s.p + n : s.p, s.n - n}; /* s.p may be NULL */
}
static inline struct str str_head(struct str s, ptrdiff_t n) /* at most n bytes */
{
    return (struct str){s.p, n < s.n ? n : s.n};
}
struct str str_trim(struct str s); /* without ASCII space at both ends */

/* What is before the first separator, and *rest is left with what follows it;
 * without one it is all, and nothing is left. */
struct str str_take(struct str *rest, struct str separator);

/* Whether s is one of the words of a list, between which there is one space. */
bool str_among(struct str s, const char *words);

struct str str_copy(struct arena *a, struct str s);

/* A NUL-terminated copy, for libraries that need one. */
char *str_c(struct arena *a, struct str s);

/* s with `by` for each `part`, which is not empty. */
struct str str_replaced(struct arena *a, struct str s, struct str part, struct str by);

/* printf into an arena. */
struct str str_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The form of a word that goes with a count: str_plural(n, "file differs", "files
 * differ"). */
const char *str_plural(int64_t n, const char *one, const char *many);

/* "In each step" of "in each step": a first letter of ASCII. */
struct str str_capital(struct arena *a, struct str s);

/* "3rd", "11th" */
struct str str_ordinal(struct arena *a, int64_t n);

/* Parses a decimal integer with optional '-' and nothing else. True on success. */
bool str_int(struct str s, int64_t *value);

/* A hash that never changes between versions: page names are derived from it. */
uint64_t str_hash(struct str s);

/* One key of two. */
static inline uint64_t key_mix(uint64_t a, uint64_t b)
{
    return (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
}

/* A hash for in-memory tables: faster on long names, may change between versions. */
uint64_t str_table_hash(struct str s);

#endif
