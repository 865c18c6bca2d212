/* place_file.h - a file put in the place of another, whole or not at all.
 *
 * Written beside it under a hidden name, brought to the disk, and renamed: whatever
 * ends the program or the machine, a reader finds the old file or the new one. What a
 * killed program leaves is taken by the next that writes the same file. */
#ifndef BASE_PLACE_FILE_H
#define BASE_PLACE_FILE_H

#include "base/err.h"
#include "base/str.h"

/* Whether a path names a stream that the caller has opened: /dev/stdout, /dev/stderr,
 * /dev/fd/N, which a shell also makes of >(command). */
bool place_is_stream(const char *path);

/* Whether both paths lead to one file. */
bool place_is_same(const char *a, const char *b);

/* Into a stream, after what it holds. */
MUST_CHECK bool place_file(const char *path, struct str content, struct err *e);

/* fsync, where the file system has it. */
bool place_synced(int fd);

#endif
