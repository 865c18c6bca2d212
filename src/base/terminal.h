/* terminal.h - the gate to whoever reads standard output and standard error: a person
 * at a terminal, or the log of a build.
 *
 * Names come from traces, folders and extensions. What would move a cursor, reverse the
 * text, begin another line or be a command to the host of a build (::error::, ##[...])
 * is shown as \x1b. No other source writes to a stream (.ci/gates.py). */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include "base/out.h"

#include <stdio.h>

/* One line, whatever the arguments hold; the end of the line is added. */
void terminal_line(FILE *to, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* "tracefolio: warning: ..." on standard error. */
void terminal_warn(const char *fmt, ...) __attribute__((cold, format(printf, 1, 2)));

/* An extension may fail at every call: of its failures the first are told, and then how
 * many more there are of all n. */
enum { WARNINGS_TOLD = 20 };
void terminal_warn_of_more(FILE *to, int n);

/* A part of a line, without its end. */
void terminal_part(FILE *to, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Lines, of which each goes through the gate. */
void terminal_text(FILE *to, struct str lines);

/* Bytes as they are: our own texts, and what must be a command. */
void terminal_raw(FILE *to, struct str ours);

/* One line into a sink, for terminal_text; without its end. */
void out_visible(struct out *o, struct str line);

#endif
