/* idle_parts.h - the parts of gaps, added up by group while the gaps are followed. */
#ifndef ANALYSIS_SYSTEM_IDLE_PARTS_H
#define ANALYSIS_SYSTEM_IDLE_PARTS_H

#include "analysis/system/beside_graphs.h"
#include "analysis/system/data_waits.h"
#include "analysis/system/expert_loop.h"
#include "analysis/system/graph_cover.h"
#include "analysis/system/host_time.h"
#include "analysis/system/idle_input.h"
#include "analysis/system/idle_late.h"
#include "analysis/system/idle_pool.h"
#include "analysis/system/idle_start.h"
#include "analysis/system/idle_tally.h"
#include "analysis/system/short_kinds.h"
#include "ops/timeline_data.h"

struct gap_cause;

struct building { /* a group, until all gaps are read */
    event_id blame;
    struct str fixed; /* its name where no event has it */
    event_id last_call;
    int32_t last_gap;
    event_id memory[2]; /* taken from the driver, given back: a call of each, or -1 */
    int64_t memory_ns[2];
};

struct follow {
    struct arena *perm, *tmp;
    const struct tree_index *t;
    const struct event_store *s;
    const struct idle_gaps *g;
    struct idle_result *r;
    struct host_time *host;
    bool many_short;
    struct short_kinds short_kinds; /* of these */
    event_id *first_of;             /* by name: the first device event */
    int32_t *piece_of;              /* by event, from -1: its first piece in one gap */
    struct building *b;             /* beside r->groups */
    struct int_map group_of;
    struct data_waits data;
    struct graph_cover cover;
    const uint8_t *holds_graph;   /* by event; NULL: none does */
    const struct late_part *late; /* by gap */
    const uint8_t *input;         /* by gap: enum input_gap */
    struct idle_start start;
    struct expert_loops loops;
    struct tallies tallies;
    const int32_t *twins; /* thread_twin.h */
    int32_t *notes_of;    /* annotations by name; NULL: frames tell places */
    struct idle_span_row *spans;
    int32_t n_spans;
    /* the gap being read */
    int32_t gap;
    const struct gap_row *row;      /* it, or that of all devices around its part */
    const struct late_part *behind; /* of that */
    const struct expert_loop *loop; /* that its launch is in; NULL */
    enum short_kind kind;           /* of one that is short */
    event_id within;                /* call of Python that was last found in it; -1 */
    struct {
        event_id call;
        int32_t group, row;
    } told; /* that was last counted as one that pieces are in, and its row */
    event_id asked, own; /* the last that was asked if it writes; it, or -1 */
    double gap_us;
    struct gap_cause *cause;
    int64_t part_ns; /* of the host, that the cause is of */
    int64_t class_ns[IDLE_CLASSES];
    bool in_graph;
    bool
        before_loader; /* a part before it is asked for the batch that the gap is for */
    bool starts;       /* the recording begins with it */
    event_id module;   /* that the last short gap was in; -1 */
    struct str root;   /* the outermost around it */
    /* where its next part begins, on the timeline */
    struct timeline_data frame;
    int64_t at_ns, bin_end_ns;
    int bin;
};

/* The group of a class and of what is blamed, or of a fixed name. */
int32_t parts_group(struct follow *f, enum idle_class class, event_id blame,
                    struct str fixed);

/* The group of short gaps: those of loops over experts are one of its own, and so may
 * those of other kinds be. */
int32_t parts_short_group(struct follow *f);
struct str parts_short_name(const struct follow *f);

/* The outermost call of Python (without frames: operator) around a piece that begins
 * and ends in the gap; -1. The next piece is mostly in the same. */
event_id parts_call_within(struct follow *f, const struct host_piece *p);

/* What a replay may take away; event: -1 if none is recorded. */
void parts_add_span(struct follow *f, int32_t group, int32_t lane, event_id event,
                    int64_t from, int64_t to);

/* The next `ns` of the gap belong to the class and to the group. */
void parts_add_time(struct follow *f, int32_t group, enum idle_class class, int64_t ns,
                    event_id call);

struct part_sum {
    int64_t ns, longest_ns;
};

/* Pieces of the host of one group, in one part of a gap: there may be thousands. */
struct piece_sums {
    struct part_sum of[IDLE_CLASSES];
    int64_t compiled_ns;
};

/* The next piece of the gap belongs to the group, and is told of once more with the
 * sums of all. */
void parts_add_piece(struct follow *f, int32_t group, const struct host_piece *p,
                     struct piece_sums *sums);
void parts_add_sums(struct follow *f, int32_t group, const struct piece_sums *sums,
                    event_id blame);

/* A wait is known by what the user called, and where. `leaf`: what runs in it; -1:
 * behind it. */
void parts_add_wait(struct follow *f, event_id call, event_id leaf, int64_t from,
                    int64_t to);

/* After all gaps: gives each group of waits all the waits of its operator and code. */
void parts_place_waits(struct follow *f);

typedef void on_part(struct follow *f, const struct host_piece *p, int32_t group,
                     event_id blame);

/* Of a part that meets it. */
void parts_cut_late(struct follow *f, const struct host_piece *p, int32_t group,
                    event_id blame, on_part *tell);

static inline bool parts_meet_late(const struct follow *f, const struct host_piece *p)
{
    const struct late_part *late = f->behind;
    return late->sync >= 0 &&
           later(p->start_ns, late->from_ns) < sooner(p->end_ns, late->to_ns);
}

/* What of a part is in a wait that the host is late from, or behind it, is of that
 * wait. The rest goes to `tell`, in the order of time. Most parts meet none. */
static inline void parts_add_around_late(struct follow *f, const struct host_piece *p,
                                         int32_t group, event_id blame, on_part *tell)
{
    if (parts_meet_late(f, p))
        parts_cut_late(f, p, group, blame, tell);
    else if (p->end_ns > p->start_ns)
        tell(f, p, group, blame);
}

#endif
