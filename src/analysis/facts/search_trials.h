/* search_trials.h - kernels that a library runs only to time them, before it chooses.
 */
#ifndef ANALYSIS_FACTS_SEARCH_TRIALS_H
#define ANALYSIS_FACTS_SEARCH_TRIALS_H

#include "store/event_store.h"

struct category_result;
struct fact_maker;
struct trace_view;

/* Calls that read how long lies between two events of the device. */
struct timings {
    const struct trace_view *v;
    struct sort_row *at; /* by start; row: the call */
    int32_t n;
};

struct timings timings_of(struct arena *tmp, const struct trace_view *v);

/* When a call times for the last time; before it begins: never. */
int64_t timings_last_ns(const struct timings *t, event_id call);

/* A call that reads how long lies between two events of the device (EventElapsedTime)
 * times what it tries: whatever it launched before the last of these is a trial. Rows
 * with such calls get `trial_calls` and `trials_ms`, device time in all; the category
 * `search_goes_on`, 1 if one of its last quarter of calls still searches. */
void facts_search_trials(struct fact_maker *m, struct category_result *c);

#endif
