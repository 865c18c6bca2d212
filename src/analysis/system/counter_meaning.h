/* counter_meaning.h - what a counter measures, by its name and its unit.
 *
 * Profilers write the unit behind the name ("SM Active (%)", "GPC Clock Frequency
 * [MHz]"), as the key of the number (Ascend's "AI Core Freq" with "MHz"), or nowhere
 * (rocm-smi's "sclk", in MHz). A counter means what is said only if its unit agrees. */
#ifndef ANALYSIS_SYSTEM_COUNTER_MEANING_H
#define ANALYSIS_SYSTEM_COUNTER_MEANING_H

#include "analysis/system/counters.h"

struct counter_meaning {
    enum counter_role role;
    struct str name, unit; /* name: without the unit; parts of what was given */
    double scale;          /* of the recorded values, to the unit */
    bool of_host;          /* of the CPU, whatever the process */
};

struct counter_meaning counter_meaning_of(struct str name, struct str key);

#endif
