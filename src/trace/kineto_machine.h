/* kineto_machine.h - the machine as the members beside traceEvents describe it. */
#ifndef TRACE_KINETO_MACHINE_H
#define TRACE_KINETO_MACHINE_H

#include "base/machine.h"

struct arena;

/* `header` is a map, or anything, and lives as long as what is returned. */
struct machine kineto_machine(struct arena *perm, const struct value *header);

#endif
