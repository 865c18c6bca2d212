/* run_copy.h - a report copied into a root, file by file as its manifest lists them. */
#ifndef RUNS_RUN_COPY_H
#define RUNS_RUN_COPY_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* The name that the report at `folder` has in a root. */
MUST_CHECK bool run_name(struct arena *perm, const char *folder, struct str *name,
                         struct err *e);

/* Copies it to root/name, unless it is there. A file that is not as the manifest says
 * is an error. */
MUST_CHECK bool run_copy(const char *folder, const char *root, struct str name,
                         struct arena tmp, struct err *e);

#endif
