/* asked_file.h - the places of files that the user names beside the report.
 *
 * What is there already is replaced only if it is a plain file that we wrote, or by
 * force; never what the run reads, nor a link, a device or a pipe. */
#ifndef RENDER_FOLDER_ASKED_FILE_H
#define RENDER_FOLDER_ASKED_FILE_H

#include "render/folder/publish.h"

struct asked_places {
    const struct publish *folder; /* NULL: no report is written */
    const char *const *reads;     /* paths; NULL ends them */
    bool force;
};

/* `is_ours` is asked of a plain file with something in it; NULL: anything may be there,
 * because it is only added to. */
MUST_CHECK bool asked_check(const struct asked_places *b, const char *path,
                            bool (*is_ours)(const char *path), struct err *e);

/* Whether the beginning of a file holds `mark`. */
bool asked_has_mark(const char *path, struct str mark);

#endif
