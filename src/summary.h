/* summary.h - what `analyze` prints when it is done: the report in four lines. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "options.h"

#include <stdio.h>

struct report;

/* The verdict, the first finding, the number of findings of each level, and the path of
 * the report: `out_dir` is the folder as the user named it. */
void summary_print(FILE *to, const struct options *o, const struct report *r,
                   const char *out_dir);

#endif
