/* mistakes.h - what to say of natural mistakes on the command line: options and
 * commands of other tools, options spelled as other tools do, one argument too many. */
#ifndef MISTAKES_H
#define MISTAKES_H

#include "base/err.h"
#include "base/str.h"

/* Which options are ours. */
struct option_names {
    bool (*is)(struct str word);           /* "-o" or "--output" */
    const char *(*begun)(struct str word); /* the first that "--out" begins; or NULL */
};

/* False if a word of the command line is an option of another tool, or one of ours in
 * another spelling (-output, -out, -o=DIR), which getopt_long would take for something
 * else: "-out" for a folder "ut". */
bool mistake_spelling(int argc, char **argv, const struct option_names *names,
                      struct err *e);

/* False, and what to type, if `word` is a command of another tool, or empty. */
bool mistake_command(struct str word, struct err *e);

/* Always false: why `argument` of a command is one too many; `print`: the value of
 * --print, or NULL. */
bool mistake_argument(struct str command, const char *print, const char *argument,
                      struct err *e);

#endif
