/* prompt.h - ask on the terminal for what the command line left out.
 *
 * Only when standard input and standard error are a terminal. The order is trace,
 * platform, cluster or node, container, output folder. */
#ifndef PROMPT_H
#define PROMPT_H

#include "options.h"

#include "base/arena.h"

/* Whether there is somebody to ask. */
bool prompt_possible(void);

/* Fill in what is missing. False: the input ended, or stayed empty where it must not.
 */
MUST_CHECK bool prompt_options(struct options *o, struct arena *perm, struct err *e);

#endif
