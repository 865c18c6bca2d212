/* tree_command.h - `tracefolio tree`: events of a trace by name, what called one of
 * them, and what it called. */
#ifndef TREE_COMMAND_H
#define TREE_COMMAND_H

#include "commands/options.h"

MUST_CHECK bool tree_run(const struct options *o, struct err *e);

#endif
