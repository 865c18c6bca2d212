/* trace_folder.h - a folder where one trace is meant: what is in it. */
#ifndef TRACE_FOLDER_H
#define TRACE_FOLDER_H

#include "base/err.h"

struct arena;

/* False if `trace` is a folder: says what to name instead. */
MUST_CHECK bool trace_is_no_folder(struct arena *perm, const char *trace,
                                   struct err *e);

#endif
