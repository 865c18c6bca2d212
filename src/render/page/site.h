/* site.h - the folder form of the site: every page, its style sheet and script.
 *
 * Reads the report model alone. Pages lie side by side at the root of the folder,
 * assets are named by their content, links are relative. The navigation names a page
 * that cannot be made, with the reason. */
#ifndef RENDER_PAGE_SITE_H
#define RENDER_PAGE_SITE_H

#include "base/err.h"
#include "render/page/site_options.h"
#include "report/report.h"

struct arena;
struct publish;

/* `folder` NULL: pages go into o->single alone. */
MUST_CHECK bool site_write(const struct report *r, const struct site_options *o,
                           const struct publish *folder, struct arena tmp,
                           struct err *e);

/* Writes pages that nobody has begun, beside site_write (site_options.share). */
MUST_CHECK bool site_help(struct site_pages *p, struct arena tmp, struct err *e);

#endif
