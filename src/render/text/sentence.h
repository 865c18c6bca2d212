/* sentence.h - converts a sentence of the report, or of a pattern, to markup.
 *
 * CommonMark by cmark, of which two things have an effect: `code spans`, and *emphasis*
 * or **strong** text whose asterisks stand at the edges of words. Nothing else does, so
 * that a name from the trace, quoted or not, cannot become a link, a tag or a block.
 * Text between two backticks is a name: monospace, not translated, with places to wrap.
 * Between a number and its unit no line ends.
 * Owns nothing. */
#ifndef RENDER_TEXT_SENTENCE_H
#define RENDER_TEXT_SENTENCE_H

#include "base/out.h"
#include "base/str.h"

void sentence_html(struct out *o, struct str text);

/* The same without backticks, for plain text: a title, a label. */
struct str sentence_plain(struct arena *a, struct str text);

/* A sentence whose quantities have three digits at most, for a first screen: "393.1 ms"
 * is "393 ms"; names in backticks stay. */
struct str sentence_brief(struct arena *a, struct str text);

/* Plain text in which no line ends between a number and its unit. */
struct str sentence_whole(struct arena *a, struct str text);

/* The digits of a count, thousands apart: "239,093". */
struct str sentence_count(struct arena *a, struct str digits);

#endif
