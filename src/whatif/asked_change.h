/* asked_change.h - "what if": a change of the recorded run in words.
 *
 *   kernel:GLOB=FACTOR      kernels by name
 *   op:GLOB=FACTOR          kernels of operators, those of operators below included
 *   copy:GLOB=FACTOR        copies and memsets by name
 *   collective:GLOB=FACTOR  device events that communicate
 *   finding:ID              what a finding of the report takes away: who knows findings
 *                           applies it
 *   host:GLOB=FACTOR        frames, operators and calls on the host: their own time.
 * What they wait for the device stays; a call whose own name is asked for at 0 is gone,
 * and waits no more
 *
 * FACTOR is what is left of the time, from 0 to 1. In GLOB * is any text, ? any byte.
 */
#ifndef WHATIF_ASKED_CHANGE_H
#define WHATIF_ASKED_CHANGE_H

#include "base/err.h"
#include "whatif/what_if.h"

enum asked_kind {
    ASKED_KERNEL,
    ASKED_OP,
    ASKED_COPY,
    ASKED_COLLECTIVE,
    ASKED_HOST,
    ASKED_FINDING,
    ASKED_KINDS
};

struct asked_change {
    enum asked_kind kind;
    struct str glob; /* or the id of a finding; lent by the text */
    double factor;
};

/* ERR_USAGE with the text and what is expected. */
MUST_CHECK bool asked_change_read(struct asked_change *c, const char *text,
                                  struct err *e);

/* Describes all changes in one lane of w. Of a device event that several are about the
 * least factor counts, of host events the outermost. n_events[] is how many events of
 * the trace each is about: 0 of one that changes nothing; of findings as it was.
 * `calls`: of all host events. */
void asked_changes_apply(struct what_if *w, int lane, struct arena tmp,
                         const struct call_tree *calls, const struct asked_change *c,
                         int n, int64_t n_events[]);

#endif
