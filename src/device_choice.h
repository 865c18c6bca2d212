/* device_choice.h - the device a user names: one of ours, or a file of theirs. */
#ifndef DEVICE_CHOICE_H
#define DEVICE_CHOICE_H

#include "options.h"
#include "perf/device_spec.h"

#include <stdio.h>

/* The platform of `o` is a name (case, spaces, a vendor in front and "SXM" behind do
 * not matter), the path of a JSON file of the same form, or "none" or NULL: then *known
 * is false. With figures of the user's it is what to call their device. */
MUST_CHECK bool device_choose(struct arena *perm, const struct options *o,
                              struct device_spec *d, bool *known, struct err *e);

/* One line a device, with its figures. */
MUST_CHECK bool device_list(FILE *to, struct err *e);

#endif
