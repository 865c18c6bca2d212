/* str.h - text is a pointer and a length.
 *
 * The bytes belong to whoever holds them; there is no terminator to look for, and a NUL
 * is a byte like any other. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct str {
    const char *p;
    ptrdiff_t n; /* bytes */
};

#define S(lit) ((struct str){(lit), (ptrdiff_t)sizeof(lit) - 1})
#define S_INIT(lit)                                                                    \
    {                                                                                  \
        (lit), (ptrdiff_t)sizeof(lit) - 1                                              \
    }                             /* where C wants a constant */
#define STRF(s) (int)(s).n, (s).p /* for "%.*s" */

struct str str_of(const char *c_string); /* NULL gives the empty text */
bool str_eq(struct str a, struct str b);
int str_cmp(struct str a, struct str b); /* bytewise; a prefix comes first */
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
bool str_has(struct str s, struct str part);
bool str_has_nocase(struct str s, struct str part); /* ASCII letters only */
bool str_eq_nocase(struct str a, struct str b);
ptrdiff_t str_find(struct str s, struct str part); /* first place, or -1 */
struct str str_skip(struct str s, ptrdiff_t n);
struct str str_head(struct str s, ptrdiff_t n); /* at most the first n bytes */
struct str str_trim(struct str s);              /* without ASCII space at both ends */
struct str str_copy(struct arena *a, struct str s);

/* A NUL-terminated copy, for libraries that want one. */
char *str_c(struct arena *a, struct str s);

/* printf into an arena. */
struct str str_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A whole decimal integer with optional '-', nothing else: true and *value on success.
 */
bool str_int(struct str s, int64_t *value);

/* A hash that stays the same from version to version: names of pages are made from it.
 */
uint64_t str_hash(struct str s);

/* The same for tables that live as long as the program: quicker on long names. */
uint64_t str_table_hash(struct str s);

#endif
