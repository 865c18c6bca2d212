/* trace_capture.h - the capture of an analysed trace. */
#ifndef CAPTURE_TRACE_CAPTURE_H
#define CAPTURE_TRACE_CAPTURE_H

#include "capture/capture.h"

struct arena;
struct system_results;
struct trace_result;

struct capture capture_of_trace(struct arena *perm, struct arena tmp,
                                const struct trace_result *t, struct str label);

/* The same in two parts: the first can be made while the analysis judges, with the idle
 * time of `system` alone (trace_idle). */
struct capture capture_of_work(struct arena *perm, struct arena tmp,
                               const struct trace_result *t,
                               const struct system_results *system, struct str label);
void capture_add_findings(struct arena *perm, struct capture *c,
                          const struct trace_result *t);

#endif
