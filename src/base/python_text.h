/* python_text.h - values as Python prints them: the cells that hold shapes and types.
 *
 * Knows nothing of tables; owns nothing. */
#ifndef BASE_PYTHON_TEXT_H
#define BASE_PYTHON_TEXT_H

#include "base/str.h"

struct out;
struct value;

/* The literal of one value: [[512], [141, 512]], {'k': None}, 'text', 17, 1e-09. A key
 * that occurs twice in one map is written twice, where Python keeps the last; no value
 * is None.
 *
 *   tuples  lists become tuples, ((8, 512), (), 'c10::Half'), except inside a map: the
 *           reference converts lists of lists and stops at anything else */
void python_value(struct out *o, const struct value *v, bool tuples);

/* repr() of a text: in single quotes, or double ones if it contains ' but not ". A byte
 * that is not UTF-8 becomes U+FFFD, but a three-byte surrogate is kept. Unassigned code
 * points count as printable. */
void python_string(struct out *o, struct str s);

#endif
