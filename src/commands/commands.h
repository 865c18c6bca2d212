/* commands.h - the commands, each of a file of its own.
 *
 * A command checks what is asked of it, does it and writes what it says. False, and the
 * reason in e, if it could not. */
#ifndef COMMANDS_COMMANDS_H
#define COMMANDS_COMMANDS_H

#include "commands/options.h"

struct trace_source;

MUST_CHECK bool analyze_run(const struct options *o, struct err *e);
MUST_CHECK bool compare_run(const struct options *o, struct err *e);
MUST_CHECK bool cut_run(const struct options *o, struct err *e);
MUST_CHECK bool demo_run(const struct options *o, struct err *e);
MUST_CHECK bool job_run(const struct options *o, struct err *e);
MUST_CHECK bool patterns_run(const struct options *o, struct err *e);
MUST_CHECK bool summarize_run(const struct options *o, struct err *e);
MUST_CHECK bool tree_run(const struct options *o, struct err *e);
MUST_CHECK bool whatif_run(const struct options *o, struct err *e);

/* As analyze_run, of a trace that is not the file o->trace; that is its name. */
MUST_CHECK bool analyze_source(const struct options *o, const struct trace_source *from,
                               struct err *e);

#endif
