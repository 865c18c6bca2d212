/* compare_devices.h - the devices of both sides of a comparison: what -p names, or else
 * what the captures recorded.
 *
 * Efficiencies compare only against peaks of one kind. Where the sides differ in it,
 * the data sheets of both count, or a line says that they do not compare. */
#ifndef COMPARE_DEVICES_H
#define COMPARE_DEVICES_H

#include "commands/options.h"

#include "perf/device_fit.h"

struct arena;

struct compare_devices {
    const struct options *o;
    struct arena *perm;
    bool asked;                      /* with -p, also for none */
    const struct device_spec *of[2]; /* NULL: not known, or not yet */
    struct str unknown[2];           /* the first of which no peaks are known */
};

/* What -p names: NAME, or REFERENCE,CANDIDATE. */
MUST_CHECK bool compare_devices_choose(struct compare_devices *d,
                                       const struct options *o, struct arena *perm,
                                       struct err *e);

/* Of a capture: what -p says, else the built-in device of this name and memory, else
 * the platform it was analysed with (empty: none). */
const struct device_spec *compare_device_of(struct compare_devices *d, int side,
                                            const struct traced_device *recorded,
                                            struct str platform);

/* When all captures are read: a line on what was found without -p. With --strict it
 * fails where no peaks are known. */
MUST_CHECK bool compare_devices_tell(const struct compare_devices *d, struct err *e);

/* After that: makes the peaks of both sides those of one kind. */
void compare_devices_level(struct compare_devices *d);

#endif
