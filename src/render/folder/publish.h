/* publish.h - replaces a folder as a whole: readers see the old one or the new one.
 *
 * Everything is written into `.NAME.tmp-XXXXXX` beside the target and swapped with it
 * at the end, so no reader sees half a site, and any failure leaves the old folder as
 * it was. A folder is replaced if it is empty, or if all in it is as its MANIFEST.txt
 * says we wrote it. Any other is refused, or by force moved to NAME.replaced-1: what we
 * did not write is never removed. Signals that end the program remove the temporary
 * folder. Owns it from publish_begin to publish_commit or publish_abort. */
#ifndef RENDER_FOLDER_PUBLISH_H
#define RENDER_FOLDER_PUBLISH_H

#include "base/err.h"
#include "base/str.h"

#include <stdio.h>

struct arena;

enum { PUBLISH_PATH_BYTES = 4096, PUBLISH_NAME_BYTES = 256 };

struct publish {
    const char *asked;               /* the target as the user typed it; lent */
    char parent[PUBLISH_PATH_BYTES]; /* resolved, absolute */
    char name[PUBLISH_NAME_BYTES];   /* of the target in it */
    char build[PUBLISH_NAME_BYTES];  /* of the temporary folder in it */
    int parent_fd, mark_fd;          /* the mark, locked while we run */
    int n_made;                      /* of the folders that end with the parent */
    bool force;
    bool
        lasts; /* brought to the disk though it replaces nothing; set before a commit */
    bool slow; /* each file takes milliseconds to open and close, as on a share */
    char foreign[PUBLISH_NAME_BYTES];     /* in the target, not written by us; or "" */
    char moved_aside[PUBLISH_NAME_BYTES]; /* after a commit: the old folder, or "" */
    /* After a commit: remains of the old folder that could not be removed, or "". */
    char left_behind[PUBLISH_NAME_BYTES];
};

/* Make the temporary folder, and the target's parents. Also removes leftovers of killed
 * runs beside it, of any target: this machine's at once, another's after an hour. A
 * target that is a link to a folder means that folder. */
MUST_CHECK bool publish_begin(struct publish *p, const char *target_dir, bool force,
                              struct err *e);

/* Where to write `name`, such as "assets/a.css" (the rule of zip_file.h); creates its
 * folders. NULL: they cannot be created. Several threads may call it, each with its own
 * arena. */
const char *publish_path(const struct publish *p, struct arena *a, const char *name,
                         struct err *e);

/* The same for a folder, which exists then. */
const char *publish_folder(const struct publish *p, struct arena *a, const char *name,
                           struct err *e);

/* Of a file that a writer has closed; -1: it was not written. */
int64_t publish_bytes(const struct publish *p, struct arena tmp, struct str name);

/* Checks that what the run reads does not lie in the target. A path that does not exist
 * passes. */
MUST_CHECK bool publish_spares(const struct publish *p, const char *read_path,
                               struct err *e);

/* Whether a resolved folder is the target, or lies in it. */
bool publish_replaces(const struct publish *p, const char *dir);

/* The temporary folder itself. */
const char *publish_dir(const struct publish *p, struct arena *a);

/* Write the manifest and swap the folders. On failure, same as publish_abort. */
MUST_CHECK bool publish_commit(struct publish *p, struct arena tmp, struct err *e);

/* Remove the temporary folder. If a writer's error `e` (may be NULL) names a path in
 * it, change that to the path the user would have seen. Does nothing after a commit. */
void publish_abort(struct publish *p, struct err *e);

/* After a commit: a line for each folder that it left beside the target. */
void publish_tell(const struct publish *p, FILE *to);

#endif
