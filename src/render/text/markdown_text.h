/* markdown_text.h - makes text and numbers of any origin safe for a markdown file.
 *
 * A name from the trace appears only in a code span, so that nothing in it has any
 * effect: no tag, no mention, no emphasis, no table cell. Our own sentences may quote
 * names; words in them that look like names get a code span too. Owns nothing. */
#ifndef RENDER_TEXT_MARKDOWN_TEXT_H
#define RENDER_TEXT_MARKDOWN_TEXT_H

#include "base/out.h"
#include "base/str.h"

struct arena;

enum { MD_NAME_CHARS = 120, MD_KERNEL_BYTES = 75, MD_SPAN_CHARS = 64 };

/* Where a text goes: in a cell a '|' would end it, unless escaped or outside a span. */
enum md_place { MD_LINE, MD_CELL };

/* A name in a code span, repaired and cut at 120 characters; empty: a dash. */
void md_name(struct out *o, struct arena tmp, struct str name, enum md_place place);

/* Our own code, which may quote a type from the trace, uncut. */
void md_code(struct out *o, struct arena tmp, struct str code, enum md_place place);

/* A readable form, for use next to a table with the full name: long names lose
 * namespaces and arguments. */
void md_name_short(struct out *o, struct arena tmp, struct str name,
                   enum md_place place);

/* The same as md_name, cut at 75 bytes and followed by "...". */
void md_kernel(struct out *o, struct arena tmp, struct str name, enum md_place place);

/* A sentence: words that look like identifiers in code spans, our own code spans kept
 * (long names in them shortened), everything else escaped. Always a single line. */
void md_prose(struct out *o, struct arena tmp, struct str text, enum md_place place);

/* Lines of any origin between fences longer than any run of backticks in them; the
 * caller writes the newline after them. */
void md_block(struct out *o, struct arena tmp, struct str lines);

/* The first sentence with its full stop; and what follows it. */
struct str md_first_sentence(struct str text);
struct str md_after_first(struct str text);

/* Numbers as reports show them; a dash if unknown.
 *   ms, pct   no unit written; ms: 1 decimal from 100, 2 from 1, else 3;
 *             pct: 1 decimal, 2 below 1 */
void md_ms(struct out *o, double ms);
void md_pct(struct out *o, double pct);
void md_real(struct out *o, double v, int decimals);

/* A name as part of a heading's anchor: only letters, digits, '_' and '-'. */
void md_anchor(struct out *o, struct str s);

#endif
