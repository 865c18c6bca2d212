/* html_text.h - makes text of any origin safe for a page.
 *
 * Escapes text for HTML, SVG and attributes, repairs damaged or deceptive text (site.md
 * 17.3), and shortens long kernel names. Owns nothing: all functions take a pointer and
 * a length, so a NUL is a byte like any other. Repair is idempotent: its output passes
 * through unchanged. */
#ifndef RENDER_TEXT_HTML_TEXT_H
#define RENDER_TEXT_HTML_TEXT_H

#include "base/out.h"
#include "base/str.h"

/* The most bytes of one name that a page shows; the CSV files have the rest. */
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

/* The same as a text; and of a name at most HTML_NAME_BYTES_MAX. */
struct str text_repaired(struct arena *a, struct str s);
struct str name_repaired(struct arena *a, struct str name);

/* A readable name of at most `max_chars` characters (>= 16). Drops return type,
 * namespaces and argument lists; keeps the first functor of template arguments, the
 * function of a mangled name, and layout and tile of a generated GEMM kernel. Anything
 * still longer is cut in the middle. */
struct str name_short(struct arena *a, struct str name, int max_chars);

/* A name as markup: monospace, not translated, with places to wrap after , ( : and _.
 */
void html_name(struct out *o, struct str name);

/* The short name, and if that leaves something out, the full one in a fold. */
void html_name_folded(struct out *o, struct arena tmp, struct str name, int max_chars);

#endif
