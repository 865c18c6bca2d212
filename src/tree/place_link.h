/* place_link.h - which call started which device work, where only places tell.
 *
 * An arrow of Ascend's trace_view.json begins inside a call, at no recorded boundary,
 * and ends where a task of the device begins; neither has an id. One call starts
 * several tasks. */
#ifndef TREE_PLACE_LINK_H
#define TREE_PLACE_LINK_H

#include "tree/call_tree.h"

/* Fills `call` of device events `all` that have none (-1) and returns how many it
 * linked. Arrows from calls of the runtime are taken, and those from operators only in
 * a trace without these. */
int32_t place_link(struct arena tmp, const struct event_store *s,
                   const struct call_tree *t, const event_id *all, int32_t n_all,
                   event_id *call);

#endif
