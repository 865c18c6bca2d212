/* trace_kind.h - what a recording is of, where that is not a GPU's work: the host alone,
 * kernels that were lost, another vendor's device, a log of compilation.
 *
 * Judged by the categories and names of events and processes. Texts are lent by the
 * store, and hostile. */
#ifndef OPS_TRACE_KIND_H
#define OPS_TRACE_KIND_H

#include "base/str.h"

#include <stdint.h>

struct event_store;

enum trace_kind {
    TRACE_DEVICE,       /* it has device work */
    TRACE_HOST,         /* operators of the host, and no launch of device work */
    TRACE_LOST_KERNELS, /* launch calls, and no device work */
    TRACE_APPLE_GPU,    /* operators ran on a GPU that this profiler does not record */
    TRACE_COMPILE_LOG,  /* phases of torch.compile */
    TRACE_FOREIGN       /* nothing that a framework's profiler writes */
};

struct trace_kind_facts {
    enum trace_kind kind;
    int64_t launches;   /* calls that launch device work */
    struct str vendor;  /* "Ascend NPU"; empty: a GPU, or unknown */
    struct str process; /* of TRACE_FOREIGN: its first process; may be empty */
};

struct trace_kind_facts trace_kind_of(const struct event_store *s);

#endif
