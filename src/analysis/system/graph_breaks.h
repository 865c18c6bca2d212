/* graph_breaks.h - breaks in a compiled graph that are where the host reads a value:
 * the short gaps around the regions go with the wait, and are no finding of their own.
 */
#ifndef ANALYSIS_SYSTEM_GRAPH_BREAKS_H
#define ANALYSIS_SYSTEM_GRAPH_BREAKS_H

#include "analysis/model/finding.h"
#include "analysis/stack/tree_index.h"

/* After the findings of idle time: one about waits, of which there is one between most
 * regions that follow each other, takes in the one about graph breaks. */
void graph_breaks_join(struct arena *perm, struct arena tmp, struct analysis *a,
                       const struct tree_index *t);

#endif
