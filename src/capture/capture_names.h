/* capture_names.h - what names tell: the path of a trace of its rank and host, a node
 * of the modules that calls are made in.
 *
 * "rank[-_/[]?N" or "worker...N", in the file's name before the folders'; and the host
 * of "<host>_<pid>.<time>.pt.trace.json", as the profiler's own handler names files. */
#ifndef CAPTURE_CAPTURE_NAMES_H
#define CAPTURE_CAPTURE_NAMES_H

#include "base/arena.h"
#include "base/str.h"
#include "capture/capture.h"

int rank_of_path(struct str path);        /* -1: it does not tell */
int rank_of_number(struct str path);      /* the same by "r7", or the last number */
struct str host_of_path(struct str path); /* lent; empty: it does not tell */

/* The name of the folder that a file lies in; lent, empty if the path does not say. */
struct str folder_of_path(struct str path);

/* The name of a file with `by` for its host, whether that is what the path tells or
 * what is known of it (may be empty). */
struct str file_without_host(struct arena *perm, struct str file, struct str host,
                             struct str by);

/* How kineto marks the frame of a module. */
#define CAPTURE_MODULE_MARK S("nn.Module: ")

/* "Model/Attention": the modules of a path; empty: none. */
struct str capture_module_path(struct arena *perm, const struct capture *c,
                               int32_t node);

/* "Attention" of "nn.Module: Attention". */
struct str capture_node_name(const struct capture_node *n);

#endif
