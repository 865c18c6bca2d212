/* host_profile.h - where the host's time goes, for traces without device work.
 *
 * Times are whole ns on the trace's clock. Self time is what an event does not spend in
 * events that it calls; that of all rows of a list adds up to the busy time of the
 * threads. Names are lent by the store, and hostile. */
#ifndef OPS_HOST_PROFILE_H
#define OPS_HOST_PROFILE_H

#include "base/str.h"

#include <stdint.h>

struct host_row {
    struct str name;
    int64_t calls, self_ns;
    int64_t total_ns; /* with what it calls; of calls inside itself once */
    int64_t most_ns;  /* of one call */
    double self_pct;  /* of the self time of all rows of its list */
};

struct host_thread {
    struct str process, name; /* may be empty */
    struct str tid;
    int64_t events, busy_ns; /* in any operator, call or frame */
    int64_t operator_ns;     /* in operators */
};

/* What a part of the run takes where the trace tells it; calls 0: it does not. */
struct host_cost {
    int64_t calls, total_ns, most_ns;
};

struct host_profile {
    int64_t span_ns; /* from the first event of the host to the end of the last */
    int64_t busy_ns; /* of all threads, summed */
    struct host_row *operators;  /* by self time */
    struct host_row *modules;    /* classes of modules, by self time */
    struct host_thread *threads; /* by busy time */
    int32_t n_operators, n_modules, n_threads;
    struct host_cost loading;             /* waiting for a data loader */
    struct host_cost compilation;         /* by torch.compile */
    int64_t allocations, allocated_bytes; /* of memory of the host */
    int64_t peak_bytes;                   /* -1: not recorded */
};

#endif
