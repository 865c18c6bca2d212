/* event_parse.h - one profiler record, from JSON text to fields.
 *
 * Knows the Chrome trace format as PyTorch has written it since 2021, with its aliases;
 * nothing of files or of what surrounds a record. The result depends only on the text,
 * so any thread with its own parser may read any record. */
#ifndef TRACE_EVENT_PARSE_H
#define TRACE_EVENT_PARSE_H

#include "base/out.h"
#include "trace/event.h"
#include "trace/json_scan.h"
#include "trace/record_guess.h"
#include "trace/value_guess.h"

/* Texts that still contain escapes: bits of event.escaped. */
enum { ESCAPED_NAME = 1, ESCAPED_STACK = 2, ESCAPED_TEXT = 4 };

/* Sorts of events whose args have members of their own, in an order of their own. */
enum arg_sort {
    ARGS_OF_CALL,
    ARGS_OF_LAUNCH,
    ARGS_OF_DEVICE,
    ARGS_OF_OTHER,
    ARG_SORTS
};

struct event_parser {
    struct json_scan scan;
    struct member_guess members, args[ARG_SORTS]; /* of events, and of their args */
    struct record_guess pieces;                   /* of events */
    struct value_guess values;                    /* of args */
    struct out *rest;      /* lent: what event_args.rest is a part of */
    ptrdiff_t rest_from;   /* where that of the last record begins */
    const char *late_args; /* of this record, written before its phase; NULL: none */
    bool reads_desc;       /* "desc" of records without a category is kept, too */
    bool reads_origin;     /* whose record it was, in a file of many ranks: */
    int64_t rank;          /* NO_ID: it does not say */
    struct str own_pid;    /* that it had; n 0: it keeps its own */
};

void parser_open(struct event_parser *ps, struct out *rest);
void parser_close(struct event_parser *ps);

/* Parses the record at `p`; any value that is not an object gives an empty record. The
 * caller sets its uid. Returns the place after it, or NULL as described in json_scan.h.
 * Strings point into the input, args.rest into *ps->rest, which the caller empties when
 * it is done with the record. */
const char *event_parse(struct event_parser *ps, struct event *ev, const char *p);

#endif
