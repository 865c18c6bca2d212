/* mistakes.h - what to say of natural mistakes on the command line: options of other
 * tools, one argument too many. */
#ifndef MISTAKES_H
#define MISTAKES_H

#include "base/err.h"
#include "base/str.h"

/* Of an option of another tool, what it is here ("tracefolio analyze TRACE"); NULL:
 * not known. */
const char *mistake_option(struct str typed);

/* Always false: why `argument` of a command is one too many; `print`: the value of
 * --print, or NULL. */
bool mistake_argument(struct str command, const char *print, const char *argument,
                      struct err *e);

#endif
