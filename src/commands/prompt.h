/* prompt.h - ask on the terminal for what the command line left out.
 *
 * Only when standard input and standard error are a terminal, and the trace is missing.
 * The order is trace, cluster node, container, output folder. Each answer is checked at
 * once; an invalid one is explained and asked for again. */
#ifndef PROMPT_H
#define PROMPT_H

#include "commands/options.h"

#include "base/arena.h"

/* Whether there is somebody to ask. */
bool prompt_possible(void);

/* Fills in what is missing. False if the input ended, or if the trace named on the
 * command line cannot be read. */
MUST_CHECK bool prompt_options(struct options *o, struct arena *perm, struct err *e);

#endif
