/* file_head.h - the beginning of a file, for files that should be small.
 *
 * Whoever needs all of it asks for a byte more than the file may have. */
#ifndef BASE_FILE_HEAD_H
#define BASE_FILE_HEAD_H

#include "base/err.h"
#include "base/str.h"

/* The first `most` bytes, or fewer if there are no more. */
MUST_CHECK bool file_head(struct arena *perm, const char *path, ptrdiff_t most,
                          struct str *text, struct err *e);

#endif
