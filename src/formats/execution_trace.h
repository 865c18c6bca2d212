/* execution_trace.h - shapes of a PyTorch execution trace (Chakra), for a trace that
 * has none.
 *
 * ExecutionTraceObserver writes what each operator was given, and no times. Where it
 * ran beside the profiler, both call an operator by the same number: "rf_id" here,
 * "Record function id" there, which is 0 without the observer. Fields follow
 * torch/csrc/profiler/standalone/execution_trace_observer.cpp, schemas 1.0.1 to 1.1.1.
 */
#ifndef FORMATS_EXECUTION_TRACE_H
#define FORMATS_EXECUTION_TRACE_H

#include "base/int_map.h"
#include "base/name_pool.h"
#include "trace/byte_source.h"
#include "trace/event_source.h"

/* What operators were given, as PyTorch's profiler writes it. */
struct execution_trace {
    struct name_pool texts;
    struct arena memory;
    char *start;
    struct int_map by_id; /* row */
    struct shape_row {
        name_id name, dims, types, strides, concrete;
    } * rows;
    int32_t n;
    char sha256[SHA256_HEX_BYTES];
};

/* Whether a file that begins so is one; and whether the file at a path is. */
bool execution_trace_is(struct str head);
bool execution_trace_is_file(const char *path);

/* False: not readable; then there is nothing to close. */
MUST_CHECK bool execution_trace_read(struct execution_trace *x, const char *path,
                                     struct source_options o, struct err *e);
void execution_trace_close(struct execution_trace *x);

/* A trace whose operators without shapes get those of x, by number and name. */
struct shaped_source {
    struct event_source trace;
    const struct execution_trace *from;
    int32_t operators, lent; /* without shapes; of these, with some now */
};

/* `s` is where the state lives; it closes `trace`. */
struct event_source shaped_source_open(struct shaped_source *s,
                                       struct event_source trace,
                                       const struct execution_trace *from);

#endif
