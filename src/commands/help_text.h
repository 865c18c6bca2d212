/* help_text.h - `tracefolio help`: the options, or one of the guides that ship inside.
 *
 * Whoever has the program alone has the guides and their examples, too. */
#ifndef HELP_TEXT_H
#define HELP_TEXT_H

#include "commands/options.h"

#include <stdio.h>

/* What the program is and how to begin: three lines. */
void help_first(FILE *to);

/* `topic`: NULL (the commands), a command (its options), "options" (of all), or what
 * the text lists under "Help topics". */
MUST_CHECK bool help_print(FILE *to, const char *topic, struct err *e);

#endif
