/* patterns_run.h - `tracefolio patterns`: the pattern library, and its matches in a
 * trace. */
#ifndef PATTERNS_RUN_H
#define PATTERNS_RUN_H

#include "base/err.h"

struct options;

MUST_CHECK bool patterns_run(const struct options *o, struct err *e);

#endif
