/* critical_path.h - what the length of a replayed run hangs on: from its end back, each
 * node to the one that bound it.
 *
 * Kernels, copies and collectives are told by their names, the host by the operator in
 * which it makes the call, else by the call. What lies between the end of one and the
 * start of the next is latency. The parts add to the run, to the ns but for rounding.
 */
#ifndef WHATIF_CRITICAL_PATH_H
#define WHATIF_CRITICAL_PATH_H

#include "whatif/what_if.h"

enum path_kind { PATH_KERNEL, PATH_COPY, PATH_HOST, PATH_LATENCY, PATH_KINDS };

struct path_part {
    enum path_kind kind;
    struct str name; /* empty: latency */
    int64_t ns, count;
};

struct critical_path {
    struct path_part *parts; /* longest first */
    int32_t n;
    int64_t total_ns;
};

/* Of a lane that was replayed; saved_ns as what_if_run gave it. */
struct critical_path critical_path_find(struct arena *perm, struct arena tmp,
                                        const struct what_if *w, int lane,
                                        int64_t saved_ns);

#endif
