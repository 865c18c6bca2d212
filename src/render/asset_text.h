/* asset_text.h - the script and the style sheet as pages load them.
 *
 * Their sources are several files each, indented for who reads them. */
#ifndef RENDER_ASSET_TEXT_H
#define RENDER_ASSET_TEXT_H

#include "base/out.h"

/* Without indents and empty lines: a tenth of what a browser would load. */
void asset_lean(struct out *o, struct str text);

/* assets/js in the order of the paths. */
void asset_script(struct out *o);

#endif
