/* copy_name.h - the name of a copy, as Kineto writes it: "Memcpy HtoD (Host ->
 * Device)".
 *
 * What profilers of AMD call CopyHostToDevice or MEMORY_COPY_HOST_TO_DEVICE. */
#ifndef FORMATS_COPY_NAME_H
#define FORMATS_COPY_NAME_H

#include "trace/event.h"

/* Of a copy whose direction is not recorded. */
extern const struct str copy_unknown;

/* Whether it is the type of a copy; sets its name, which is constant, and its role. */
bool copy_of_type(struct event *ev, struct str type);

#endif
