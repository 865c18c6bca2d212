/* capture_paths.h - where calls are made from: modules and operators, layers folded.
 *
 * A path is a node of a tree whose root is the recording. Frames of plain functions are
 * not told, and "nn.Module: Attention_3" is Attention: layers are alike. */
#ifndef CAPTURE_CAPTURE_PATHS_H
#define CAPTURE_CAPTURE_PATHS_H

#include "base/int_map.h"
#include "base/name_pool.h"
#include "capture/capture.h"
#include "tree/call_tree.h"

struct capture_paths {
    struct arena *perm;
    const struct event_store *s;
    const struct call_tree *tree;
    struct capture *c;
    struct name_pool names;
    struct int_map children; /* by parent and name: the node */
    uint16_t *node_of;       /* by event, plus 1; 0: not yet known */
    event_id *chain;
    int32_t chain_cap;
};

/* Adds the root to the capture, and nodes as they are asked for. `node_of` lives in
 * tmp. */
struct capture_paths paths_open(struct arena *perm, struct arena *tmp,
                                const struct event_store *s,
                                const struct call_tree *tree, struct capture *c);

/* The node that an event lies in: its own, if it is an operator or a module; 0: none.
 */
int32_t paths_node(struct capture_paths *p, event_id event);
void paths_close(struct capture_paths *p);

#endif
