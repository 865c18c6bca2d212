/* template_bundle.h - the templates that ship inside the program. */
#ifndef RENDER_TEXT_TEMPLATE_BUNDLE_H
#define RENDER_TEXT_TEMPLATE_BUNDLE_H

#include "render/text/template.h"

/* The text of "templates/NAME"; p NULL: no such template. */
struct str template_find_bundled(void *self, struct str name);

/* The templates of pages: escaped for HTML text and attributes, numbers by filters. */
struct template_set template_bundled(struct arena *perm);

#endif
