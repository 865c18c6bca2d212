/* tar_write.h - a folder as a tar, to standard output or another open file.
 *
 * POSIX's ustar, which every tar unpacks: plain files by name, with one owner, one mode
 * and no time, so that the same files give the same bytes. */
#ifndef RENDER_FOLDER_TAR_WRITE_H
#define RENDER_FOLDER_TAR_WRITE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdio.h>

/* The plain files in and below `folder`, without its name; `to` stays open. Links and
 * whatever else is there are left out. Fails on a name of more than 100 bytes, a file of
 * 8 GiB and more, and what cannot be read or written. */
MUST_CHECK bool tar_write(FILE *to, const char *folder, struct err *e);

#endif
