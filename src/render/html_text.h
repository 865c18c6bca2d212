/* html_text.h - text of any origin, made fit for a page.
 *
 * Knows how HTML, SVG and attributes want their text escaped, how damaged or deceptive
 * text is repaired (site.md 17.3), and how a long kernel name is shortened. Owns
 * nothing: all functions take a pointer and a length, so a NUL is a byte like any
 * other. Repair is idempotent: what it writes passes through it unchanged. */
#ifndef RENDER_HTML_TEXT_H
#define RENDER_HTML_TEXT_H

#include "base/out.h"
#include "base/str.h"

/* Bytes of one name that a page shows at most; the CSV files have the rest. */
#define HTML_NAME_BYTES_MAX 16384

/* Repaired, with & < > escaped: for element content, also in SVG. */
void html_text(struct out *o, struct str s);

/* Repaired, with & < > " ' escaped: for attributes in double quotes, and safe as text.
 */
void html_attr(struct out *o, struct str s);

/* The repair alone: bytes that are not UTF-8 become U+FFFD; control, bidirectional,
 * zero-width and private-use characters are shown as \u{202e}, a newline as \n; the
 * ninth and later of a row of combining marks are shown the same way. Returns how many
 * characters were changed. */
int64_t text_repair(struct out *o, struct str s);

/* A name for reading: at most `max_chars` characters (>= 16). Return type, namespaces
 * and argument lists are dropped; of template arguments the first functor stays; of a
 * mangled name the function; a generated GEMM kernel keeps its layout and tile. What is
 * longer still is cut in the middle. */
struct str name_short(struct arena *a, struct str name, int max_chars);

/* A name as markup: monospace, not translated, with places to wrap after , ( : and _.
 */
void html_name(struct out *o, struct str name);

/* The short name, and where that leaves something out, the full one in a fold. */
void html_name_folded(struct out *o, struct arena tmp, struct str name, int max_chars);

#endif
