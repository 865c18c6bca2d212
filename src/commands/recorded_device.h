/* recorded_device.h - without -p: the built-in device that a trace names.
 *
 * A device that is not built in is no reason to refuse a trace: it is analysed without
 * peaks, and a line on standard error says so. */
#ifndef RECORDED_DEVICE_H
#define RECORDED_DEVICE_H

#include "commands/options.h"
#include "perf/device_fit.h"

/* *device is NULL if no peaks are known for it; with --strict that fails. */
MUST_CHECK bool recorded_device_find(struct arena *perm, const struct options *o,
                                     const struct traced_device *recorded,
                                     const struct device_spec **device, struct err *e);

/* The same for trace_options.device_of of a command that has nothing else to tell:
 * `context` is a device_question. */
struct device_question {
    const struct options *o;
    struct arena *perm;
};
MUST_CHECK bool recorded_device_of(void *context, const struct traced_device *recorded,
                                   const struct device_spec **device, struct err *e);

/* `"Some GPU 9" with 192 GB`, or "a device that the trace does not name". */
struct str recorded_device_words(struct arena *a, const struct traced_device *recorded);

#endif
