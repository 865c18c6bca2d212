/* patterns_command.h - what `tracefolio patterns` prints. */
#ifndef ANALYSIS_PATTERNS_COMMAND_H
#define ANALYSIS_PATTERNS_COMMAND_H

struct analysis;
struct out;
struct pattern_host;

/* A line a pattern, in the order they are asked: id, category, file, what it looks for;
 * with an analysis (NULL: none) how often it hit and how many findings are its own.
 * Then users' models and categories, and what failed, as warnings say it. */
void patterns_print(struct out *o, const struct pattern_host *h,
                    const struct analysis *a);

#endif
