/* replay_page.h - what templates/replay.html reads, from a set of packages.
 *
 * Fills the page's own keys; the shell's (page, report, nav) are the caller's. */
#ifndef RENDER_REPLAY_PAGE_H
#define RENDER_REPLAY_PAGE_H

#include "render/replay_zip.h"

struct arena;
struct cJSON;

/* The id of a package's row. */
struct str replay_row_id(struct arena *a, const struct replay_package *p);

/* `files` has a row a package (replay_write); it may be NULL where there is none. */
void replay_page_fill(struct cJSON *context, const struct replay_set *s,
                      const struct replay_file *files, struct arena tmp);

#endif
