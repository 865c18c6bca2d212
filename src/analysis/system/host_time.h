/* host_time.h - what a host thread did in an interval: self time of the deepest event
 * recorded at each moment.
 *
 * Runtime calls, operators and Python frames count, and annotations where none of these
 * is recorded; what lies in an annotation of torch.compile is compilation. Where a
 * thread has nothing recorded, or is inside the call that runs the backward pass on
 * another thread, that other thread is followed. An interval costs the depth of the
 * tree and the events inside it. Memory is the builder's `perm`. */
#ifndef ANALYSIS_SYSTEM_HOST_TIME_H
#define ANALYSIS_SYSTEM_HOST_TIME_H

#include "analysis/model/system_results.h"
#include "analysis/stack/tree_index.h"

struct host_piece {
    event_id event; /* -1: nothing recorded */
    int32_t lane;
    int64_t start_ns, end_ns;
    uint8_t class; /* enum idle_class */
    bool compiled; /* below a compiled region */
};

struct capture { /* launches are recorded into a graph, not run */
    int32_t lane;
    int64_t start_ns, end_ns;
};

struct deepest { /* as last asked of a lane: what is later starts there */
    int32_t pos; /* 2 beyond that of the last begun, as one before the first is -1 */
    event_id event;
    int64_t at_ns;
};

struct host_time {
    const struct tree_index *t;
    struct call_tree notes;      /* annotations */
    int32_t *frame_at, *note_at; /* by lane: its first position in the order */
    struct deepest *frame_last[2], *note_last[2]; /* by who asks, then by lane */
    uint16_t *bits;                               /* by name; 0: not judged yet */
    struct capture *captures;                     /* by lane and start */
    int32_t n_captures, n_compiled_captures;      /* the latter by torch.compile */
    event_id *compiles; /* outermost annotations of compilation, by lane and start */
    int32_t n_compiles;
    int32_t n_recaptures; /* behind a graph launch that is behind the capture before */
    int32_t main_lane;    /* thread that says most of what runs; -1: none */
    struct host_piece *pieces; /* of the last split */
    int32_t n_pieces, room;
    struct arena *arena;
    int32_t lane, other_lane; /* of the split that runs */
    event_id waiting;         /* the event that waits for another thread; -1: none */
    uint8_t *said;            /* by event in the tree of frames: class, and bits */
};

struct host_time host_time_build(struct arena *perm, struct arena tmp,
                                 const struct tree_index *t);

/* To be asked from the start again, from another thread if `h` is asked no more. Its
 * pieces lie in `a`. */
struct host_time host_time_again(const struct host_time *h, struct arena *a);

/* Fills `pieces` with [from, to) in order, without holes. `other_lane`: -1: none. */
void host_time_split(struct host_time *h, int32_t lane, int32_t other_lane,
                     int64_t from, int64_t to);

/* The deepest frame, operator or annotation of the lane that covers nine tenths of
 * [from, to); -1: none. Framework plumbing only if there is nothing else. */
event_id host_time_cover(struct host_time *h, int32_t lane, int64_t from, int64_t to);

/* Of the last split, with work on the CPU: the code that calls most of it, among the
 * first few; without frames, the operator. */
event_id host_time_worker(const struct host_time *h);

/* The nearest code of the user's that i is, or is in; -1: none is recorded. */
event_id host_time_code(const struct host_time *h, event_id i);

/* The call, frame or annotation at or above i with which compilation began; i if none.
 */
event_id host_time_compile(struct host_time *h, event_id i);

/* Whether the name of i is that of code which writes a log or a file, or sends it. */
bool host_time_writes(struct host_time *h, event_id i);

/* Whether the name of i is that of a compiled region. */
bool host_time_is_compiled(struct host_time *h, event_id i);

/* Whether a call is below one. */
bool host_time_in_compiled(const struct host_time *h, event_id call);

/* The innermost annotation around i that is no mark of a step, and whose name recurs,
 * by how many have it: others count what happens; -1. */
event_id host_time_note(struct host_time *h, const int32_t *by_name, event_id i);

/* What is around i: annotations, outermost first, then its callers, nearest first. */
struct str host_time_around(struct host_time *h, struct arena *a, event_id i);

/* "Optimizer.step#Adam.step": the optimizer's annotation around i; empty if none. */
struct str host_time_optimizer(struct host_time *h, event_id i);

/* The class of a runtime or driver call. */
enum idle_class host_call_class(event_role call);

/* Device memory is taken from the driver or given back: one cause for both. */
bool host_call_is_pool(event_role call);
enum idle_class host_time_call_class(struct host_time *h, event_id i); /* kept */

/* From now on call `i` counts as loading code, whatever its name says. */
void host_time_sets_up(struct host_time *h, event_id i);

#endif
