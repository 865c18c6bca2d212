/* summarize_command.h - `tracefolio summarize`: a capture file for each trace. */
#ifndef SUMMARIZE_COMMAND_H
#define SUMMARIZE_COMMAND_H

#include "commands/options.h"

MUST_CHECK bool summarize_run(const struct options *o, struct err *e);

#endif
