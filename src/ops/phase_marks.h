/* phase_marks.h - where the trace says that a model reads prompts or generates.
 *
 * By the annotations of a serving engine; without any, by annotations in words; without
 * those, by what operators of a generate loop look like. Times are ns on the trace's
 * clock. A trace that tells nothing has no marks. */
#ifndef OPS_PHASE_MARKS_H
#define OPS_PHASE_MARKS_H

#include "perf/step_annotation.h"

#include <stdint.h>

struct arena;
struct event_store;
struct trace_view;

enum phase_source {
    PHASES_NOT_TOLD,
    PHASES_BY_ENGINE, /* "step[DECODE bs=16]", "execute_context_..." */
    PHASES_BY_WORDS,  /* "prefill", "decode_step" */
    PHASES_BY_OPERATORS
};

struct phase_mark {
    int64_t start_ns, end_ns;
    int32_t lane, event;
    enum phase_source source;
    bool sure; /* step_phase_of_words */
    struct step_load load;
};

struct phase_marks { /* by lane and start; those of a lane are disjoint */
    struct phase_mark *rows;
    int32_t n;
};

/* What annotations say: of the host, and the same on a device, of its busiest lane. */
void phase_marks_find(struct arena *a, const struct trace_view *v,
                      struct phase_marks *host, struct phase_marks *device);

/* The first forward pass of a generate loop reads a prompt of several tokens; each
 * later one looks up one token for each sequence, and attends to all before it. */
struct phase_marks phase_marks_of_operators(struct arena *a,
                                            const struct event_store *s);

/* The mark of a lane that holds a time, or -1. */
int32_t phase_mark_at(const struct phase_marks *m, int32_t lane, int64_t at_ns);

#endif
