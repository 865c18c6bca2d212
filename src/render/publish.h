/* publish.h - a folder that is either the old one or the whole new one.
 *
 * Everything is written into `.NAME.tmp-XXXXXX` beside the target and changes places
 * with it in the end, so no reader sees half a site, and whatever fails leaves the old
 * one as it was. A folder is replaced if it is empty, if its MANIFEST.txt says it is
 * ours, or by force. Owns the temporary folder from publish_begin to publish_commit or
 * publish_abort. */
#ifndef RENDER_PUBLISH_H
#define RENDER_PUBLISH_H

#include "base/err.h"

struct arena;

enum { PUBLISH_PATH_BYTES = 4096, PUBLISH_NAME_BYTES = 256 };

struct publish {
    const char *asked;               /* the target as the user typed it; lent */
    char parent[PUBLISH_PATH_BYTES]; /* resolved, absolute */
    char name[PUBLISH_NAME_BYTES];   /* of the target in it */
    char build[PUBLISH_NAME_BYTES];  /* of the temporary folder in it */
    int parent_fd, mark_fd;          /* the mark is locked while we live */
    bool force;
    /* After a commit: what is left of the old folder and could not be removed, or "".
     */
    char left_behind[PUBLISH_NAME_BYTES];
};

/* Make the temporary folder, and the target's parents. Also removes what runs killed
 * more than an hour ago left for the same target. A target that is a link to a folder
 * stands for that folder. */
MUST_CHECK bool publish_begin(struct publish *p, const char *target_dir, bool force,
                              struct err *e);

/* The place to write `name` to, "assets/a.css" (the rule of zip_file.h); makes its
 * folders. NULL: they cannot be made. May be called by several threads, each with its
 * arena. */
const char *publish_path(const struct publish *p, struct arena *a, const char *name,
                         struct err *e);

/* The temporary folder itself. */
const char *publish_dir(const struct publish *p, struct arena *a);

/* Write the manifest and change places. On failure all is as publish_abort leaves it.
 */
MUST_CHECK bool publish_commit(struct publish *p, struct arena tmp, struct err *e);

/* Remove the temporary folder. An error of a writer names a path in it: `e`, unless
 * NULL, then names the path the user would have seen. Does nothing after a commit. */
void publish_abort(struct publish *p, struct err *e);

#endif
