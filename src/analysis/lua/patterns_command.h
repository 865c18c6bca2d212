/* patterns_command.h - what `tracefolio patterns` prints. */
#ifndef ANALYSIS_LUA_PATTERNS_COMMAND_H
#define ANALYSIS_LUA_PATTERNS_COMMAND_H

struct analysis;
struct out;
struct pattern_host;

/* One line per pattern, in the order they are asked: id, category, file, what it looks
 * for; with an analysis (NULL: none) how often it hit and how many findings it made.
 * Then users' models and categories, and failures, worded as in the warnings. */
void patterns_print(struct out *o, const struct pattern_host *h,
                    const struct analysis *a);

#endif
