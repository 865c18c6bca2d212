/* prose.h - converts markdown, ours or the user's, to HTML.
 *
 * CommonMark by cmark in its safe mode: raw HTML and links that could run are left out,
 * bytes that are not UTF-8 are replaced. Owns nothing. */
#ifndef RENDER_TEXT_PROSE_H
#define RENDER_TEXT_PROSE_H

#include "base/out.h"

/* Headings are lowered by `deeper` levels (to at most h6), so that a whole document
 * fits under a heading of the page. */
void prose_html(struct out *o, struct str markdown, int deeper);

#endif
