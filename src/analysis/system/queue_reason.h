/* queue_reason.h - what a device waited for though its next work had been launched. */
#ifndef ANALYSIS_SYSTEM_QUEUE_REASON_H
#define ANALYSIS_SYSTEM_QUEUE_REASON_H

#include "analysis/system/idle_gaps.h"

enum queue_reason {
    QUEUE_COLLECTIVE,
    QUEUE_IN_GRAPH,
    QUEUE_BEHIND_GRAPH, /* whose last node may not be recorded */
    QUEUE_BEFORE_GRAPH,
    QUEUE_OTHER_STREAM,
    QUEUE_COPIES,
    QUEUE_KERNELS
};

/* `call`: that launched what ends the gap. */
enum queue_reason queue_reason(const struct trace_view *v, const struct gap_row *gap,
                               event_id call);
struct str queue_reason_words(enum queue_reason r); /* "before a collective" */

/* Nothing of another stream or rank, and no copy, is what the queue waited for. */
bool queue_is_alone(const struct trace_view *v, const struct gap_row *gap);

#endif
