/* python_text.h - values as Python prints them: the cells that hold shapes and types.
 *
 * Works on the raw JSON text, because a 64-bit integer must survive and a cell is built
 * for each distinct argument set: no tree, no recursion, no allocation but the sink's.
 * Knows nothing of tables; owns nothing. */
#ifndef OPS_PYTHON_TEXT_H
#define OPS_PYTHON_TEXT_H

#include "base/str.h"

struct out;

/* The literal of one JSON value: [[512], [141, 512]], {'k': None}, 'text', 17, 1e-09.
 *
 *   o        a memory sink; on failure it is as before
 *   json     one whole value; NaN and Infinity are read, as Python reads them
 *   returns  false: not JSON, or nested deeper than 256
 *
 * A key that occurs twice in one object is written twice, where Python keeps the last.
 */
bool python_list_of_json(struct out *o, struct str json);

/* The same with lists turned into tuples, ((8, 512), (), 'c10::Half'), except inside an
 * object: the reference converts lists of lists and stops at anything else. */
bool python_tuple_of_json(struct out *o, struct str json);

/* repr() of a text: single quotes, double ones if it holds ' and no ". A byte that is
 * not UTF-8 becomes U+FFFD. Unassigned code points count as printable. */
void python_string(struct out *o, struct str s);

#endif
