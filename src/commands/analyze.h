/* analyze.h - one trace in, one folder out: the stages in their order. */
#ifndef ANALYZE_H
#define ANALYZE_H

#include "commands/options.h"

struct trace_source;

MUST_CHECK bool analyze_run(const struct options *o, struct err *e);

/* The same, of a trace that is not the file o->trace; that is its name. */
MUST_CHECK bool analyze_source(const struct options *o, const struct trace_source *from,
                               struct err *e);

#endif
