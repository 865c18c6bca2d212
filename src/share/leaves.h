/* leaves.h - the kinds of text in a folder that may say more than is meant: paths of a
 * machine, addresses of mail, of machines and of pages, and source files. */
#ifndef SHARE_LEAVES_H
#define SHARE_LEAVES_H

#include "base/arena.h"
#include "base/err.h"

#include <stdio.h>

enum { LEAVES_EXAMPLES = 3 };

/* A line for each kind: how many different ones, and the first of them by name. Pages,
 * markdown and data files are read, not what is packed. */
MUST_CHECK bool leaves_print(FILE *to, const char *dir, struct arena *perm,
                             struct arena tmp, struct err *e);

#endif
