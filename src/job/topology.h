/* topology.h - where ranks run, from a table that the user gives.
 *
 * The first line names the columns, of which rank and host count ("node" is host too);
 * others, as gpu, nic and switch, may be there. One rank a line after that; # begins a
 * remark. */
#ifndef JOB_TOPOLOGY_H
#define JOB_TOPOLOGY_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct job_place {
    int32_t rank, node; /* nodes are numbered by their first rank */
    struct str host;
};

struct job_topology {
    struct job_place *places; /* by rank */
    int n, n_nodes;           /* n 0: none was given */
};

/* Hosts are of `text`; `path` names it in errors. */
MUST_CHECK bool topology_read(struct arena *perm, struct arena tmp, struct str text,
                              const char *path, struct job_topology *t, struct err *e);

/* The place of a rank, or NULL. */
const struct job_place *topology_place(const struct job_topology *t, int32_t rank);

#endif
