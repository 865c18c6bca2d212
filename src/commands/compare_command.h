/* compare_command.h - `tracefolio compare`: two captures in, one folder out. */
#ifndef COMPARE_COMMAND_H
#define COMPARE_COMMAND_H

#include "commands/options.h"

MUST_CHECK bool compare_run(const struct options *o, struct err *e);

#endif
