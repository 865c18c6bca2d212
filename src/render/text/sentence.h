/* sentence.h - converts a sentence of the report to markup.
 *
 * Only `code spans` have an effect, so a name from the trace, quoted or not, cannot
 * become a link, a tag or emphasis. Text between two backticks is a name: monospace,
 * not translated, with places to wrap. Owns nothing. */
#ifndef RENDER_TEXT_SENTENCE_H
#define RENDER_TEXT_SENTENCE_H

#include "base/out.h"
#include "base/str.h"

void sentence_html(struct out *o, struct str text);

/* The same without backticks, for plain text: a title, a label. */
struct str sentence_plain(struct arena *a, struct str text);

#endif
