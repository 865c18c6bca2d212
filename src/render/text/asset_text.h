/* asset_text.h - the script and the style sheet as pages load them.
 *
 * Each has several source files, indented for their readers. */
#ifndef RENDER_TEXT_ASSET_TEXT_H
#define RENDER_TEXT_ASSET_TEXT_H

#include "base/out.h"

/* A style sheet without indents, empty lines and comments that have lines of their own.
 */
void asset_lean(struct out *o, struct str text);

/* assets/js in the order of the paths, also without comments and spaces that are for
 * readers of the sources. */
void asset_script(struct out *o);

/* Likewise what only the timeline needs, after the other. */
void asset_zoom_script(struct out *o);

#endif
