/* launched_within.h - device work by the annotation or Python frame that launched it.
 */
#ifndef ANALYSIS_SYSTEM_LAUNCHED_WITHIN_H
#define ANALYSIS_SYSTEM_LAUNCHED_WITHIN_H

#include "ops/trace_view.h"

struct launched {
    event_id *at; /* in the order of the file */
    int32_t n;
    int64_t total_ns;
};

struct named_spans {
    event_id *at; /* by start */
    int32_t n;
};

/* Events of a category with one of the names, '|'-separated parts of them in lower
 * case; and whether a call of the same thread begins in one of them. Before 2022,
 * annotations were recorded as operators. */
struct named_spans named_spans_of(struct arena *a, const struct event_store *s,
                                  enum event_cat cat, const char *names);
bool named_spans_hold(const struct named_spans *x, const struct event_store *s,
                      event_id call);

/* Whether one of them runs at a time, on any thread; of nested ones, of the last 16 that
 * begin before. */
bool named_spans_run(const struct named_spans *x, const struct event_store *s,
                     int64_t at_ns);

/* Kernels whose call lies in an event of a category with one of the names,
 * '|'-separated parts of them in lower case; fills, too, if they are asked for. */
struct launched launched_within(struct arena *a, const struct trace_view *v,
                                enum event_cat cat, const char *names, bool fills);

#endif
