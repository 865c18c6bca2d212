/* event_read.h - profiler records, one event at a time.
 *
 * Knows the Chrome trace form as PyTorch writes it, from 2021 to today, and its
 * aliases; keeps nothing: an event is borrowed until the next call. Every array element
 * counts in `uid`, its place in traceEvents, whether or not anybody wants it. */
#ifndef TRACE_EVENT_READ_H
#define TRACE_EVENT_READ_H

#include "base/err.h"
#include "trace/byte_source.h"
#include "trace/json_scan.h"

enum event_cat {
    CAT_OTHER,
    CAT_CPU_OP,
    CAT_PYTHON,
    CAT_RUNTIME,
    CAT_DRIVER,
    CAT_KERNEL,
    CAT_MEMCPY,
    CAT_MEMSET,
    CAT_ANNOTATION,
    CAT_GPU_ANNOTATION,
    CAT_LAUNCH_FLOW, /* ac2g; async in 2021 */
    CAT_FWDBWD_FLOW,
    CAT_OVERHEAD,
    CAT_TRACE_SPAN,
    EVENT_CATS
};

#define NO_ID INT64_MIN /* an identifier that is not there */

/* What `args` may hold that somebody uses. Texts are raw JSON; n == 0: absent. */
struct event_args {
    struct str dims, types, strides, concrete;
    struct json_string call_stack; /* 2021: frames joined by ';' */
    struct json_string text;       /* name or labels of a metadata event */
    struct str rest; /* every other member that tells events apart, as one object */
    int64_t correlation, external_id, sequence, stream, bytes;
    int64_t total_allocated, total_reserved, device_type, device_id;
};

struct event {
    int32_t uid;
    char ph; /* X i M s f ...; 0: none */
    enum event_cat cat;
    struct json_string name;
    struct str pid, tid; /* without quotes: 12 and "12" are one lane */
    int64_t start_ns, dur_ns;
    bool has_start, has_dur;
    int64_t flow_id;
    bool has_args;
    struct event_args args;
};

struct event_reader;

MUST_CHECK bool reader_open(struct event_reader **r, const char *path,
                            struct source_options o, struct err *e);

/* The next event. False at the end of the trace, and on an error, which sets e. */
bool reader_next(struct event_reader *r, struct event *ev, struct err *e);

/* Members of the document beside traceEvents, as one JSON object without the values
 * longer than 1 MiB; lent until reader_close. Whole after reader_next said false. */
struct str reader_header(struct event_reader *r);

/* A bare array may lack its ']': legal there, but told. */
bool reader_unclosed(const struct event_reader *r);

struct byte_source *reader_source(const struct event_reader *r);
void reader_close(struct event_reader *r);

#endif
