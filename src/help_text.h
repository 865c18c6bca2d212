/* help_text.h - `tracefolio help`: the options, or one of the guides that ship inside.
 *
 * Whoever has the program alone has the guides and their examples, too. */
#ifndef HELP_TEXT_H
#define HELP_TEXT_H

#include "base/err.h"

#include <stdio.h>

/* The commands alone, and where there is more. */
void help_usage(FILE *to);

/* `topic`: NULL, a command, or what the text lists under "Topics". */
MUST_CHECK bool help_print(FILE *to, const char *topic, struct err *e);

#endif
