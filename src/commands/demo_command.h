/* demo_command.h - `tracefolio demo`: a report of a trace that ships inside. */
#ifndef DEMO_COMMAND_H
#define DEMO_COMMAND_H

#include "commands/options.h"

/* Into -o, or tracefolio-demo in the current folder. */
MUST_CHECK bool demo_run(const struct options *o, struct err *e);

#endif
