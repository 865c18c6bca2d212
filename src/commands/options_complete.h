/* options_complete.h - whether the command line names all that its command needs, and
 * nothing that contradicts the rest. */
#ifndef OPTIONS_COMPLETE_H
#define OPTIONS_COMPLETE_H

#include "commands/options.h"

/* Checks that everything the command needs was given. */
MUST_CHECK bool options_complete(const struct options *o, struct err *e);

/* False if the trace is a URL. */
MUST_CHECK bool options_trace_is_file(const char *trace, struct err *e);

#endif
