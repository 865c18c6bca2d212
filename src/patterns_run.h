/* patterns_run.h - the pattern library of a run, and `tracefolio patterns`.
 *
 * Built-in files come from the bundle; the host is closed by the caller. */
#ifndef PATTERNS_RUN_H
#define PATTERNS_RUN_H

#include "base/err.h"

struct arena;
struct options;
struct pattern_host;

MUST_CHECK bool patterns_open(struct pattern_host **h, struct arena *perm,
                              const char *const *extensions, int n_extensions,
                              struct err *e);

/* Print the library; where a trace is named, analyse it and say how often each hit. */
MUST_CHECK bool patterns_run(const struct options *o, struct err *e);

#endif
