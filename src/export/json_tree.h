/* json_tree.h - small documents as cJSON trees, with text from the trace and rounded
 * numbers.
 *
 *   json_put(o, J("name", op->name), J("time_ms", op->total_ms), J("count",
 * op->count));
 *
 * J takes a text, a number, a bool or a tree, which then belongs to o. Real numbers are
 * rounded in decimal: to 3 decimals if the key ends in _ms, else to 2. NaN is null. A
 * NUL in a text becomes U+FFFD, because cJSON's texts end at NUL. Members keep the
 * order they are written in; a member without a key is left out. Whoever makes a root
 * deletes it with cJSON_Delete. */
#ifndef EXPORT_JSON_TREE_H
#define EXPORT_JSON_TREE_H

#include "base/value.h"

struct arena;
struct cJSON;

struct json_member {
    const char *key;
    struct cJSON *value;
};

/* A comparison is an int in C: json_bool makes a bool of it. */
#define J(key, v)                                                                      \
    _Generic((v),                                                                      \
        struct str: json_text,                                                         \
        const char *: json_c,                                                          \
        char *: json_c,                                                                \
        bool: json_bool,                                                               \
        int: json_int,                                                                 \
        int64_t: json_int,                                                             \
        double: json_number,                                                           \
        struct cJSON *: json_branch)(key, v)

struct json_member json_text(const char *key, struct str v);
struct json_member json_plain_text(const char *key, struct str v); /* without NUL */
struct json_member json_opt(const char *key,
                            struct str v); /* null if the text is empty */
struct json_member json_c(const char *key, const char *v);
struct json_member json_bool(const char *key, bool v);
struct json_member json_int(const char *key, int64_t v);
struct json_member json_number(const char *key, double v);
struct json_member json_fixed(const char *key, double v, int decimals);
struct json_member json_exact(const char *key, double v); /* not rounded */
struct json_member json_null(const char *key);
struct json_member json_int_or_null(const char *key, bool known, int64_t v);
struct json_member json_texts(const char *key, const struct str *texts, int n);
struct json_member json_branch(const char *key, struct cJSON *v);

#define json_put(o, ...)                                                               \
    json_put_members(o, (const struct json_member[]){__VA_ARGS__, {0}})
#define json_object(...)    json_put(json_new(), __VA_ARGS__)
#define json_row(list, ...) json_push(list, json_object(__VA_ARGS__))

/* A name as a key, copied unless it is a literal. */
const char *json_key(struct arena *tmp, struct str name);

struct cJSON *json_new(void);
struct cJSON *json_list(void);
struct cJSON *json_put_members(struct cJSON *o, const struct json_member *m);
struct cJSON *json_put_object(struct cJSON *o, const char *key);
struct cJSON *json_put_array(struct cJSON *o, const char *key);
struct cJSON *json_push(struct cJSON *array, struct cJSON *item); /* the item */
void json_push_text(struct cJSON *array, struct str text);

/* The same while `room` lasts, in bytes of text and of what else a value takes; an item
 * that does not fit is deleted, and room is gone. False: it was not added. */
struct cJSON *json_within(struct cJSON *item, ptrdiff_t *room); /* NULL, or the item */
bool json_push_within(struct cJSON *array, struct cJSON *item, ptrdiff_t *room);
bool json_push_text_within(struct cJSON *array, struct str text, ptrdiff_t *room);

/* A recorded argument; null if absent or broken. */
struct cJSON *json_recorded(const struct value *v);

/* Sort the keys of this object and of all below it in byte order. */
void json_sort_keys(struct cJSON *tree);

#endif
