/* patterns_command.h - what `tracefolio patterns` prints. */
#ifndef ANALYSIS_PATTERNS_COMMAND_H
#define ANALYSIS_PATTERNS_COMMAND_H

#include <stdbool.h>

struct out;
struct pattern_host;

/* A line a pattern, in the order they are asked: id, category, file, how often it hit
 * where `with_hits` asks, what it looks for. Then what failed, as warnings say it. */
void patterns_print(struct out *o, const struct pattern_host *h, bool with_hits);

#endif
