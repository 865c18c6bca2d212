/* job_read.h - the captures of a job into its builder, by several threads.
 *
 * -j threads share the files; where there are fewer files than threads, several read
 * the captures of one pack. The job does not depend on who reads what. Of several
 * inputs that fail, the error of the first is told. */
#ifndef JOB_READ_H
#define JOB_READ_H

#include "commands/job_inputs.h"
#include "job/job_make.h"

MUST_CHECK bool job_inputs_read(const struct job_files *files, const struct options *o,
                                struct arena tmp, struct arena tmp2,
                                struct job_builder *b, struct err *e);

#endif
