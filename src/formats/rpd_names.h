/* rpd_names.h - what rocmProfileData calls things, in its database and in the JSON that
 * rpd2tracing.py makes of it. */
#ifndef FORMATS_RPD_NAMES_H
#define FORMATS_RPD_NAMES_H

#include "trace/event.h"

/* Calls that the tracer makes itself. */
bool rpd_is_own(struct str call);

/* Calls of HIP, HSA and CUDA; others are ranges. */
bool rpd_is_runtime(struct str call);

/* The category of an operation of the device by its type; sets the name of one that is
 * no kernel, which is constant, and the role of a copy. CAT_OTHER: a marker or a
 * barrier. */
enum event_cat rpd_op(struct event *ev, struct str type);

#endif
