/* device_choice.h - the device that -p names: built in, or a JSON file. */
#ifndef DEVICE_CHOICE_H
#define DEVICE_CHOICE_H

#include "commands/options.h"
#include "perf/device_fit.h"
#include "perf/device_spec.h"

#include <stdio.h>

/* The platform of `o` is a built-in name, in any spelling that a trace may have
 * ("NVIDIA A100-SXM4-80GB"), or the path of a JSON file. For "none" and NULL, *known is
 * false. With figures on the command line it is just a name for that device. */
MUST_CHECK bool device_choose(struct arena *perm, const struct options *o,
                              struct device_spec *d, bool *known, struct err *e);

/* The built-in device whose name, memory and board are those that a trace recorded;
 * false if there is none. */
bool device_of_trace(struct arena *perm, const struct traced_device *recorded,
                     struct device_spec *d);

/* The name of a built-in device that is like the recorded one, to be suggested and not
 * taken; empty: none is. */
struct str device_relative(const struct traced_device *recorded);

/* One line per device, with its figures. */
MUST_CHECK bool device_list(FILE *to, struct err *e);

#endif
