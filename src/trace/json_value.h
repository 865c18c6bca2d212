/* json_value.h - one JSON text, decoded.
 *
 * The tree is in the arena, except for strings and numbers that can be used as written:
 * these point into the JSON, which must live as long. Numbers keep their digits; NaN
 * and Infinity are accepted, as in Python. Strings are UTF-8: an invalid byte becomes
 * U+FFFD, a lone surrogate is kept in three bytes, as Python keeps it. */
#ifndef TRACE_JSON_VALUE_H
#define TRACE_JSON_VALUE_H

#include "base/value.h"

/* Never NULL: VALUE_BROKEN if it is not JSON, or nested deeper than VALUE_DEPTH. */
const struct value *json_value(struct arena *perm, struct str json);

#endif
