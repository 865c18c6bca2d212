/* whatif_command.h - `tracefolio whatif`: how long the recorded run would take with
 * changes to it, and what its length would then hang on. */
#ifndef WHATIF_COMMAND_H
#define WHATIF_COMMAND_H

#include "commands/options.h"

MUST_CHECK bool whatif_run(const struct options *o, struct err *e);

#endif
