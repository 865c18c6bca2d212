/* compare_inputs.h - what `tracefolio compare` compares: traces, capture files, and
 * folders of finished reports.
 *
 * A trace is read and analysed. A folder has tables and, unless an older version or
 * another tool wrote it, a capture file. Inputs own their traces until inputs_close. */
#ifndef COMPARE_INPUTS_H
#define COMPARE_INPUTS_H

#include "commands/options.h"

#include "analysis/trace_analyse.h"
#include "capture/capture.h"
#include "report/sheets.h"

struct compare_input {
    const char *path;
    int rank; /* of a job, as JOB:rank=7; -1: not said */
    struct str label;
    struct trace_result *trace; /* NULL: it is none */
    struct capture *capture;    /* NULL: a folder with tables alone */
    struct sheets sheets;       /* none: a capture file alone */
};

struct compare_inputs {
    struct compare_input *of[2]; /* captures of the reference, of the candidate */
    int n[2];
    const struct device_spec *device[2]; /* NULL: not known */
    struct capture *history;             /* earlier captures of the reference */
    int n_history;
};

/* Captures of a side by their digests. On failure nothing stays open. */
MUST_CHECK bool inputs_open(struct compare_inputs *in, const struct options *o,
                            struct arena *perm, struct arena tmp, struct err *e);
void inputs_close(struct compare_inputs *in);

#endif
