/* capture_nodes.h - names of the modules and operators that calls are made in. */
#ifndef CAPTURE_CAPTURE_NODES_H
#define CAPTURE_CAPTURE_NODES_H

#include "capture/capture.h"

struct arena;

/* How kineto marks the frame of a module. */
#define CAPTURE_MODULE_MARK S("nn.Module: ")

/* "Model/Attention": the modules of a path; empty: none. */
struct str capture_module_path(struct arena *perm, const struct capture *c,
                               int32_t node);

/* "Attention" of "nn.Module: Attention". */
struct str capture_node_name(const struct capture_node *n);

#endif
