/* bundle.h - the files that ship inside the program: templates, assets, themes, a font.
 *
 * Listed in bundle.def, embedded by bundle_bytes.S, lent for the run. Paths are those
 * of the source tree ("templates/page.html"); the font's is "fonts/DejaVuSans.ttf". */
#ifndef RENDER_TEXT_BUNDLE_H
#define RENDER_TEXT_BUNDLE_H

#include "base/str.h"

/* The bytes of one file; p is NULL if no such file ships. */
struct str bundle_file(struct str path);

/* Files whose path starts with `prefix`, in the order of their paths. */
int bundle_count(struct str prefix);
struct str bundle_path(struct str prefix, int i); /* 0 <= i < bundle_count(prefix) */

#endif
