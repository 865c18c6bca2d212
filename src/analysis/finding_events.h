/* finding_events.h - the device events that a finding is about. */
#ifndef ANALYSIS_FINDING_EVENTS_H
#define ANALYSIS_FINDING_EVENTS_H

#include "analysis/model/finding.h"

struct arena;

struct device_events {
    int32_t *at; /* ids of the store */
    int32_t n;
};

/* Of kernels and fusion: those of its rows' calls, layout conversions alone if it is
 * about them. Of the system: copies of its directions, or collectives; none of idle
 * time, nor of the pace of the device. */
struct device_events finding_events(struct arena *a, const struct analysis *all,
                                    const struct finding *f);

#endif
