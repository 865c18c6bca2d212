/* value.h - a recorded value, whatever format it was recorded in.
 *
 * What profilers record of an argument: a shape is a list of numbers, a type is a text,
 * and so on, nested up to VALUE_DEPTH. Immutable; lives in the arena of whoever decoded
 * it. A missing value is NULL, which every function below accepts. */
#ifndef BASE_VALUE_H
#define BASE_VALUE_H

#include "base/str.h"

enum { VALUE_DEPTH = 256 };

enum value_kind {
    VALUE_NULL,
    VALUE_BOOL,
    VALUE_NUMBER,
    VALUE_TEXT,
    VALUE_LIST,
    VALUE_MAP,
    VALUE_BROKEN /* could not be decoded; kept as text, not used in calculations */
};

struct value {
    enum value_kind kind;
    int32_t n; /* bytes of the text, items of a list, keys and values of a map */
    union {
        const char *
            text; /* of a number, as written, so that all 64 bits survive; n may be 0 */
        const struct value *items; /* of a map: key, value, key, value ... */
    };
    double number; /* of a truth value 0 or 1 */
};

/* The arguments of one call, as recorded: lists with one item per operand, and a map of
 * whatever else distinguishes calls. NULL: not recorded. */
struct call_args {
    const struct value *dims, *types, *strides, *concrete, *extra;
};

static inline bool value_is(const struct value *v, enum value_kind kind)
{
    return v && v->kind == kind;
}

/* Items of a list; 0 for anything else. */
static inline int value_count(const struct value *v)
{
    return value_is(v, VALUE_LIST) ? v->n : 0;
}

/* Item i of a list, or NULL. */
static inline const struct value *value_at(const struct value *v, int i)
{
    return i >= 0 && i < value_count(v) ? &v->items[i] : NULL;
}

/* The text; p is NULL for any other kind. */
static inline struct str value_text(const struct value *v)
{
    bool is = value_is(v, VALUE_TEXT);
    return (struct str){is ? v->text : NULL, is ? v->n : 0};
}

static inline bool value_is_whole(const struct value *v)
{
    return value_is(v, VALUE_NUMBER) && v->number == __builtin_floor(v->number);
}

/* The value of the first such key in a map, or NULL. */
const struct value *value_get(const struct value *map, const char *key);

/* Python's bool(v). */
bool value_truth(const struct value *v);

#endif
