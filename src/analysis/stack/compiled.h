/* compiled.h - where the time of compiled code goes: what torch.compile made of a
 * program, region by region and graph by graph.
 *
 * A region is a frame that was compiled: "Torch-Compiled Region: 2/5" is the sixth
 * version of the third frame, so 5 versions were dropped before it. A graph is a call
 * of generated code, "## Call CompiledFxGraph f7zrj... ##". Between two graphs of one
 * step and thread the host runs code that was not compiled: a break. */
#ifndef ANALYSIS_STACK_COMPILED_H
#define ANALYSIS_STACK_COMPILED_H

#include "base/str.h"

#include <stdint.h>

struct arena;
struct tree_index;

enum compiled_kind {
    COMPILED_REGION,
    COMPILED_BACKWARD,
    COMPILED_GRAPH,
    COMPILED_KINDS
};
struct str compiled_kind_word(enum compiled_kind k); /* "region" */

struct compiled_row {
    struct str name; /* "2/5", "f7zrj..."; empty: not recorded */
    enum compiled_kind kind;
    int32_t frame, version; /* of a region; -1: not recorded */
    int64_t calls, kernels;
    int64_t host_ns, device_ns; /* both sums; of a region with what it calls */
    double share_pct;           /* of all device time */
    int64_t breaks, break_ns;   /* before its calls */
    struct str href;            /* to what tlparse says of it; empty: nothing */
};

struct compiled {
    struct compiled_row *rows; /* by kind, then by device time, longest first */
    int32_t n, n_regions, n_graphs;
    int64_t breaks, break_ns, longest_break_ns;
    int32_t n_steps; /* of the host, in which breaks are counted; 0: in all of it */
    int32_t recompiled, versions_most; /* frames with several versions; of one frame */
    double graphs_pct; /* of all device time: launched by graphs, or by regions */
};

/* rows of 0: nothing was compiled, or its calls are not recorded. */
struct compiled compiled_of(struct arena *perm, struct arena tmp,
                            const struct tree_index *t);

/* What tlparse made of the compilation of a frame's version, and of which attempt. */
struct compiled_link {
    int32_t frame, version, attempt;
    struct str href;
};

/* Sorts links and leaves one of each version of a frame, that of the last attempt,
 * whose code ran. Returns how many. */
int32_t compiled_links_settle(struct compiled_link *links, int32_t n);

/* Gives each region the link of its frame and version, of those that are settled. */
void compiled_add_links(struct compiled *c, const struct compiled_link *links,
                        int32_t n);

#endif
