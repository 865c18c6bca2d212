/* kernel_rows.h - the names of rows that are about one kernel of a call:
 * "hipGraphLaunch->kernel (Synthetic Op)".
 *
 * Each pair of a call's and a kernel's name is written once, however many rows have it,
 * and no name is longer than its parts' limits: a name of 64 kB would otherwise be
 * copied for each of a thousand kernels. */
#ifndef OPS_KERNEL_ROWS_H
#define OPS_KERNEL_ROWS_H

#include "base/int_map.h"
#include "store/event_store.h"

enum { ROW_CALL_BYTES = 512, ROW_KERNEL_BYTES = 8192 };

struct kernel_rows {
    struct int_map at; /* by the two names, where in `names` */
    struct str *names;
    int32_t n;
};

struct str kernel_row_name(struct kernel_rows *r, struct arena *a,
                           const struct event_store *s, event_id call, event_id gpu);

#endif
