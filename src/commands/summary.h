/* summary.h - what a command prints when it is done: a report in four lines. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "commands/options.h"

#include <stdio.h>

struct analysis;
struct report;

/* The verdict, the first finding, the number of findings of each level, and the path of
 * the report: `out_dir` is the folder as the user named it. */
void summary_print(FILE *to, const struct options *o, const struct report *r,
                   const char *out_dir);

/* Where the report is: `out_dir` is the folder as the user named it. */
void summary_place(FILE *to, const struct options *o, const char *out_dir);

/* A line for each of the first warnings that name one of the user's extensions. */
void warnings_print(FILE *to, const struct analysis *a);

#endif
