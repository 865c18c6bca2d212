/* page_asset.h - a file that pages load, named after its content.
 *
 * assets/STEM.HASH.EXT: a browser may keep it forever, as its name changes with its
 * content. */
#ifndef RENDER_PAGE_PAGE_ASSET_H
#define RENDER_PAGE_PAGE_ASSET_H

#include "render/folder/publish.h"

#include "base/str.h"

MUST_CHECK bool page_asset(const struct publish *folder, struct arena *perm,
                           const char *stem, const char *extension, struct str bytes,
                           struct str *path, struct err *e);

#endif
