/* counter_meaning.h - what a counter measures, by its name and its unit.
 *
 * Profilers write the unit behind the name ("SM Active (%)", "GPC Clock Frequency
 * [MHz]"), as the key of the number (Ascend's "AI Core Freq" with "MHz"), or nowhere
 * (rocm-smi's "sclk", in MHz). A counter means what is said only if its unit agrees. */
#ifndef ANALYSIS_MODEL_COUNTER_MEANING_H
#define ANALYSIS_MODEL_COUNTER_MEANING_H

#include "base/str.h"

#include <stdbool.h>

enum counter_role {
    COUNTER_SM,    /* part of the time in which an SM has a warp, mean of all, in % */
    COUNTER_DRAM,  /* bandwidth of device memory, in % of its peak */
    COUNTER_POWER, /* of the device, in W */
    COUNTER_CLOCK, /* of its compute units, in MHz */
    COUNTER_TEMPERATURE,
    COUNTER_OTHER,
    COUNTER_ROLES
};
struct str counter_role_word(enum counter_role r); /* "power" */

struct counter_meaning {
    enum counter_role role;
    struct str name, unit; /* name: without the unit; parts of what was given */
    double scale;          /* of the recorded values, to the unit */
    bool of_host;          /* of the CPU, whatever the process */
};

struct counter_meaning counter_meaning_of(struct str name, struct str key);

#endif
