/* trace_folder.h - a folder, or a page of one, where a trace is meant. */
#ifndef TRACE_FOLDER_H
#define TRACE_FOLDER_H

#include "base/err.h"

struct arena;

/* False if `trace` is a folder, or a page of a report: says what to name instead. */
MUST_CHECK bool trace_is_no_folder(struct arena *perm, const char *trace,
                                   struct err *e);

#endif
