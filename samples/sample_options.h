/* sample_options.h - the command line of the generator. */
#ifndef SAMPLE_OPTIONS_H
#define SAMPLE_OPTIONS_H

#include "base/err.h"
#include "defect.h"
#include "job_plan.h"

#include <stdbool.h>
#include <stdint.h>

struct sample_device;

struct sample_options {
    enum workload_kind kind;
    const struct sample_device *device;
    uint64_t seed;
    int64_t layers, steps, batch, seq, events; /* 0: not given */
    int rank, world;                           /* world 0: not given */
    uint64_t defects, fixed, near;
    int second_gpu; /* enum second_gpu */
    bool hostile, no_python, no_shapes, empty, help;
    const char *out, *truth;
    struct job_options job;
};

/* From argv, which is lent for the life of *o. */
MUST_CHECK bool options_parse(int argc, char **argv, struct sample_options *o,
                              struct err *e);

void options_help(void);

#endif
