/* trace_capture.h - the capture of an analysed trace. */
#ifndef CAPTURE_TRACE_CAPTURE_H
#define CAPTURE_TRACE_CAPTURE_H

#include "capture/capture.h"

struct arena;
struct trace_result;

struct capture capture_of_trace(struct arena *perm, struct arena tmp,
                                const struct trace_result *t, struct str label);

#endif
