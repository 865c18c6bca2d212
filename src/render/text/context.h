/* context.h - what a template reads, as a tree of numbers and names.
 *
 *   json_put(o, F(op, name), F(op, time_ms), M("label", S("GEMM")), json_bool("x", a >
 * b));
 *
 * M is like J of json_tree.h, but leaves numbers unrounded, because filters round them,
 * and repairs texts of any origin. NaN is null. Comparisons need json_bool. */
#ifndef RENDER_TEXT_CONTEXT_H
#define RENDER_TEXT_CONTEXT_H

#include "export/json_tree.h"

#include <cjson/cJSON.h>

struct description;
struct out;

#define M(key, v)                                                                      \
    _Generic((v),                                                                      \
        struct str: context_text,                                                           \
        bool: json_bool,                                                               \
        int: json_int,                                                                 \
        int64_t: json_int,                                                             \
        double: json_exact,                                                            \
        struct cJSON *: json_branch)(key, v)
#define F(from, member) M(#member, (from)->member)
#define N(from, member) context_name(#member, (from)->member)

struct json_member context_text(const char *key, struct str v);
/* The same of a name in the trace, which may be long: a page cuts them if they are too
 * much for it together. */
struct json_member context_name(const char *key, struct str name);
bool context_is_name(const struct cJSON *v);
struct json_member context_texts(const char *key, const struct str *texts, int n);
struct json_member context_some(const char *key, int64_t n); /* null for none */
/* Two numbers for the filters of a range. */
struct json_member context_pair(const char *key, double a, double b);
struct json_member context_word(const char *key, struct str word); /* {word: true} */
struct json_member context_ref(const char *key, const cJSON *o); /* lent; NULL: null */

/* {list, more}, or null if the list is empty; takes over the list. */
struct json_member context_listed(const char *key, cJSON *list, int64_t more);

/* {items: [texts]}, or null if there are none. */
struct json_member context_items(const char *key, const struct str *texts, int n);

/* Markup made by our own code, the only text that may be inserted raw; its key ends in
 * "_html". The latter takes what was written to `o`, and frees it. */
struct json_member context_markup(const char *key, struct str html);
struct json_member context_taken(const char *key, struct out *o);

/* The members of a described struct as those of an object, looked up when a template
 * asks for them. What is put into it comes first, as names must that a page may cut
 * (context_name); then what was lent before. The structs
 * must live as long as the tree. */
cJSON *context_lend(cJSON *o, const struct description *d, const void *of,
                    const void *whole);

/* A member that was put into an object, structs lent to it or not. NULL: none. */
cJSON *context_get(const cJSON *o, const char *key);

/* A described struct; NULL: null. */
struct json_member context_told(const char *key, const struct description *d,
                                const void *of, const void *whole);

/* An item of one list as an item of another, without moving it. */
void context_push_ref(cJSON *list, const cJSON *item);
cJSON *context_push(cJSON *list); /* an object at its end */

#endif
