/* written_files.h - size and SHA-256 of each file that out.h writes, so that a manifest
 * of a folder need not read it back when all is done.
 *
 * One list for the process, as its writers share no other context; several threads may
 * add to it. A path is known as it was given to out_open. Folders may be added, too. */
#ifndef BASE_WRITTEN_FILES_H
#define BASE_WRITTEN_FILES_H

#include "base/sha256.h"

#include <stdbool.h>
#include <stdint.h>

struct written_file {
    int64_t bytes;
    char sha256[SHA256_HEX_BYTES];
};

void written_files_start(void); /* forgets what was written before */
bool written_files_run(void);
void written_files_end(void);

/* Written again, a file is as the last time. */
void written_files_add(const char *path, struct written_file f);

/* Adds a file that another library wrote, if files are added at all; one that cannot be
 * read stays unknown. */
void written_files_read(const char *path);

/* False: nothing was written there. */
bool written_files_find(const char *path, struct written_file *f);

#endif
