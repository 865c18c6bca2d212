/* stack_paths.h - which path of calls takes how much time: nothing folded away, for
 * tools that draw flame graphs.
 *
 * A path is a thread, then frames, modules, operators and runtime calls by name; of
 * device time the last is what the device did. The time of a path is its own, so that
 * all add up: of the host what calls take less what they called, of the device the sum
 * over streams of the work that counts (trace_view.h). Calls deeper than
 * STACK_LEVELS_MAX count to the path that is cut there, so what is written of a trace
 * stays linear. Names are the trace's, and hostile. */
#ifndef ANALYSIS_STACK_STACK_PATHS_H
#define ANALYSIS_STACK_STACK_PATHS_H

#include "base/str.h"

#include <stdint.h>

struct arena;
struct tree_index;

enum { STACK_LEVELS_MAX = 256 };
enum stack_side { STACKS_OF_HOST, STACKS_OF_DEVICE };

struct stack_path {
    int64_t ns, n;         /* its own; calls, or pieces of device work */
    int32_t parent, frame; /* parent: -1 for a thread */
    int32_t depth;
};

struct stack_paths {
    struct stack_path *at; /* parents before those below them */
    struct str *frames;    /* distinct names, lent */
    int32_t n, n_frames;
    enum stack_side side;
    int64_t total_ns;
};

struct stack_paths stack_paths_build(struct arena *perm, struct arena tmp,
                                     const struct tree_index *t, enum stack_side side);

/* Frames of a path into `to`, outermost first; how many. */
int stack_path_frames(const struct stack_paths *p, int32_t path,
                      int32_t to[STACK_LEVELS_MAX + 2]);

#endif
