/* device_view.h - one of several devices as if it were alone, in the window of all.
 *
 * Calls, links and steps are those of the whole trace; what counts of the device work
 * is that of one device. Where it works later than the first of them, or not as long as
 * the last, the window begins or ends with idle time of it. */
#ifndef OPS_DEVICE_VIEW_H
#define OPS_DEVICE_VIEW_H

#include "ops/trace_view.h"

/* Of the device at a place of v->devices; most of the view is lent. It knows nothing of
 * a leading artefact: that is a time of all devices. */
struct trace_view device_view(struct arena *perm, struct arena tmp,
                              const struct trace_view *v, int device);

#endif
