/* capture_parts.h - the parts of a capture that need modules of their own. */
#ifndef CAPTURE_CAPTURE_PARTS_H
#define CAPTURE_CAPTURE_PARTS_H

#include "capture/capture.h"

struct arena;
struct system_results;
struct trace_result;
struct trace_view;

/* Steps marked by the profiler, else by a serving engine; which of them are steady. */
void capture_find_steps(struct arena *perm, struct arena tmp,
                        const struct trace_view *v, struct capture *c);

/* A step whose annotation says what it serves; false: it says nothing. */
bool capture_read_step(struct str annotation, struct capture_step *step);

/* Idle time of the window and of its steps by cause; what is left is unknown. */
void capture_find_idle(struct arena *perm, struct arena tmp,
                       const struct system_results *system, struct capture *c);

/* What a comparison should know of the machine, the recording and the work. */
void capture_find_setup(struct arena *perm, const struct trace_result *t,
                        struct capture *c);

/* What the device does together with other ranks, by start. */
void capture_find_collectives(struct arena *perm, struct arena tmp,
                              const struct trace_result *t, struct capture *c);

/* The parts of each segment, blocks and covers. */
void capture_find_segments(struct arena *perm, struct arena tmp,
                           const struct trace_result *t,
                           const struct system_results *system, struct capture *c);

#endif
