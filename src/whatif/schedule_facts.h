/* schedule_facts.h - how well the replay of a trace explains it: values only. */
#ifndef WHATIF_SCHEDULE_FACTS_H
#define WHATIF_SCHEDULE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/* What bound the start of a device event; see schedule.h. */
enum start_rule {
    START_QUEUE,
    START_OTHER,
    START_LAUNCH,
    START_LATE,
    START_NONE,
    START_RULES
};

struct schedule_facts {
    int64_t recorded_ns; /* of the window */

    /* Counted device events and their time, by what bound their start. */
    int64_t events_by[START_RULES], ns_by[START_RULES];
    int64_t unlinked_ns; /* of events without a launch */
    bool exact;          /* replays to the recorded run */
    bool usable;         /* and at most 20 % of device time has no launch */
};

#endif
