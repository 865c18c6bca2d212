/* event_parse.h - one profiler record, from JSON text to fields.
 *
 * Knows the Chrome trace form as PyTorch writes it, from 2021 to today, and its
 * aliases; nothing of files and of what stands around a record. What comes out depends
 * on the text alone, so any thread that has a parser may read any record. */
#ifndef TRACE_EVENT_PARSE_H
#define TRACE_EVENT_PARSE_H

#include "base/out.h"
#include "trace/json_scan.h"
#include "trace/member_guess.h"

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

struct event_parser {
    struct json_scan scan;
    struct member_guess members, args; /* of events, and of their args */
    struct out *rest;                  /* lent: what event_args.rest is a part of */
    ptrdiff_t rest_from;               /* where that of the last record begins */
};

void parser_open(struct event_parser *ps, struct out *rest);
void parser_close(struct event_parser *ps);

/* The record at `p`, or any other value, which is a record of no kind; its uid is the
 * caller's to set. Returns the place after it, or NULL as json_scan.h says. Its texts
 * are those of the text, and args.rest is the end of *ps->rest: the caller empties that
 * when it is done with it. */
const char *event_parse(struct event_parser *ps, struct event *ev, const char *p);

#endif
