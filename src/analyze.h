/* analyze.h - one trace in, one folder out: the stages in their order. */
#ifndef ANALYZE_H
#define ANALYZE_H

#include "options.h"

MUST_CHECK bool analyze_run(const struct options *o, struct err *e);

#endif
