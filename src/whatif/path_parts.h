/* path_parts.h - what a critical path is made of, as values; critical_path.h finds it.
 */
#ifndef WHATIF_PATH_PARTS_H
#define WHATIF_PATH_PARTS_H

#include "base/str.h"

#include <stdint.h>

enum path_kind { PATH_KERNEL, PATH_COPY, PATH_HOST, PATH_LATENCY, PATH_KINDS };
struct str path_kind_word(enum path_kind k); /* "kernel" */

struct path_part {
    enum path_kind kind;
    struct str name; /* empty: latency */
    int64_t ns, count;
};

/* What the run waits for from one moment to another, on the clock of the trace. */
struct path_step {
    enum path_kind kind;
    int32_t
        event; /* device work; of the host the operator, else the call; -1: latency */
    int64_t from_ns, to_ns;
};

struct critical_path {
    struct path_part *parts; /* longest first */
    int32_t n, n_steps;
    int64_t total_ns, kind_ns[PATH_KINDS];
    struct path_step *steps; /* from the end back; n_steps 0: not asked for */
};

#endif
