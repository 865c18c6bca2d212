/* read_all.h - bytes of an open file, all that are asked for.
 *
 * The one loop for short reads and signals, of files that are read at once; a trace is
 * read by byte_source.h. */
#ifndef BASE_READ_ALL_H
#define BASE_READ_ALL_H

#include "base/str.h"

/* Reads up to the end of the file, or `most` bytes. Returns how many, or -1; then errno
 * says why. */
ptrdiff_t read_all(int fd, char *p, ptrdiff_t most);

#endif
