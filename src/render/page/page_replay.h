/* page_replay.h - the context of templates/replay.html, from a set of packages.
 *
 * Fills the page's own keys; the shell's (page, report, nav) are the caller's. */
#ifndef RENDER_PAGE_PAGE_REPLAY_H
#define RENDER_PAGE_PAGE_REPLAY_H

#include "render/folder/replay_zip.h"

struct arena;
struct cJSON;
struct report;

/* The id of a package's row. */
struct str replay_row_id(struct arena *a, const struct replay_package *p);

/* `r` gives the category and finding of a package's operation. `files` has one row per
 * package (replay_write) and may be NULL if there are none. */
void replay_page_fill(struct cJSON *context, const struct report *r,
                      const struct replay_set *s, const struct replay_file *files,
                      struct arena tmp);

#endif
