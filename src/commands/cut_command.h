/* cut_command.h - `tracefolio cut`: a window of one trace, or the same window of the
 * traces of several ranks, as one file for a trace viewer. */
#ifndef CUT_COMMAND_H
#define CUT_COMMAND_H

#include "commands/options.h"

MUST_CHECK bool cut_run(const struct options *o, struct err *e);

#endif
