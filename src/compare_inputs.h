/* compare_inputs.h - what `tracefolio compare` compares: traces, and folders of
 * finished reports.
 *
 * A folder has tables alone; a trace is read and analysed. Inputs own their traces
 * until inputs_close. */
#ifndef COMPARE_INPUTS_H
#define COMPARE_INPUTS_H

#include "options.h"

#include "analysis/trace_analyse.h"
#include "report/sheets.h"

struct compare_input {
    const char *path;
    struct str label;
    struct trace_result *trace; /* NULL: a folder */
    const struct device_spec *device;
    struct sheets sheets;
};

struct compare_inputs {
    struct compare_input *of[2]; /* captures of the reference, of the candidate */
    int n[2];
};

/* In the order given. On failure nothing stays open. */
MUST_CHECK bool inputs_open(struct compare_inputs *in, const struct options *o,
                            struct arena *perm, struct arena tmp, struct err *e);
void inputs_close(struct compare_inputs *in);

#endif
