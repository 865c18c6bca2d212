/* job_command.h - `tracefolio job`: the captures of many ranks in, one site out. */
#ifndef JOB_COMMAND_H
#define JOB_COMMAND_H

#include "commands/options.h"

MUST_CHECK bool job_run(const struct options *o, struct err *e);

#endif
