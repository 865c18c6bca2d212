#include "capture/capture_tables.h"

#include "analysis/model/system_results.h"

#define AT(type, member, kind)                                                         \
    {                                                                                  \
#member, offsetof(struct type, member), kind, 0                                \
    }
#define NAMED(key, type, member, kind)                                                 \
    {                                                                                  \
        key, offsetof(struct type, member), kind, 0                                    \
    }
#define ONE_OF(type, member, n)                                                        \
    {                                                                                  \
#member, offsetof(struct type, member), COLUMN_ENUM, n                         \
    }

static const struct capture_column blocks[] = {
    AT(capture_block, dur_ns, COLUMN_I64),
    NAMED("start_ns_delta", capture_block, start_ns, COLUMN_DELTA),
};

_Static_assert((int)CAPTURE_CAUSES == (int)IDLE_CLASSES, "a column for each");

#define CAUSE(word, id)                                                                \
    NAMED("idle_" word "_ns", capture_collective, cause_ns[IDLE_##id], COLUMN_I64)

/* Sorted by key, as are all; a cause is between idle_ns and its neighbours. */
static const struct capture_column collectives[] = {
    AT(capture_collective, compute_ns, COLUMN_I64),
    AT(capture_collective, copy_ns, COLUMN_I64),
    AT(capture_collective, dur_ns, COLUMN_I64),
    CAUSE("dispatch", DISPATCH),
    CAUSE("first_launch", FIRST_LAUNCH),
    CAUSE("graph", GRAPH),
    CAUSE("host_bound", HOST_BOUND),
    CAUSE("latency", LATENCY),
    CAUSE("launch", LAUNCH),
    CAUSE("load", LOAD),
    CAUSE("memory", MEMORY),
    CAUSE("nothing", NOTHING),
    AT(capture_collective, idle_ns, COLUMN_I64),
    CAUSE("python", PYTHON),
    CAUSE("queued", QUEUED),
    CAUSE("runtime", RUNTIME),
    CAUSE("sync", SYNC),
    CAUSE("unlinked", UNLINKED),
    AT(capture_collective, issue_ns, COLUMN_I64),
    AT(capture_collective, other_wait_ns, COLUMN_I64),
    AT(capture_collective, peer, COLUMN_I32),
    AT(capture_collective, sequence, COLUMN_I64),
    ONE_OF(capture_collective, sequence_source, SEQUENCE_COMMS_ID + 1),
    AT(capture_collective, signature, COLUMN_I32),
    NAMED("start_ns_delta", capture_collective, start_ns, COLUMN_DELTA),
    AT(capture_collective, stream, COLUMN_I32),
};

static const struct capture_column covers[] = {
    AT(capture_block, dur_ns, COLUMN_I64),
    NAMED("start_ns_delta", capture_block, start_ns, COLUMN_DELTA),
};

static const struct capture_column events[] = {
    AT(capture_event, begins, COLUMN_BOOL),
    NAMED("dur_ns", capture_event, end_ns, COLUMN_LENGTH),
    AT(capture_event, kernel, COLUMN_TEXT),
    AT(capture_event, row, COLUMN_I32),
    NAMED("start_ns_delta", capture_event, start_ns, COLUMN_DELTA),
    AT(capture_event, stream, COLUMN_I32),
};

static const struct capture_column findings[] = {
    AT(finding, category, COLUMN_CATEGORY),
    AT(finding, id, COLUMN_TEXT),
    AT(finding, informational, COLUMN_BOOL),
    ONE_OF(finding, priority, PRIORITY_CRITICAL + 1),
    AT(finding, time_ms, COLUMN_REAL),
    AT(finding, title, COLUMN_TEXT),
};

static const struct capture_column gaps[] = {
    AT(capture_idle, cause, COLUMN_TEXT),
    AT(capture_idle, ns, COLUMN_I64),
    AT(capture_idle, step, COLUMN_I32),
};

static const struct capture_column groups[] = {
    AT(capture_group, description, COLUMN_TEXT), AT(capture_group, key, COLUMN_U64),
    AT(capture_group, name, COLUMN_TEXT),        AT(capture_group, size, COLUMN_I32),
    AT(capture_group, source, COLUMN_TEXT),
};

static const struct capture_column histograms[] = {
    AT(capture_bin, bin, COLUMN_I32),
    AT(capture_bin, n, COLUMN_I64),
    AT(capture_bin, row, COLUMN_I32),
};

static const struct capture_column operators[] = {
    AT(capture_row, base, COLUMN_TEXT),
    AT(capture_row, byte, COLUMN_REAL),
    AT(capture_row, category, COLUMN_CATEGORY),
    AT(capture_row, compute_spec, COLUMN_TEXT),
    AT(capture_row, concrete, COLUMN_TEXT),
    AT(capture_row, dims, COLUMN_TEXT),
    AT(capture_row, flop, COLUMN_REAL),
    AT(capture_row, kernel, COLUMN_TEXT),
    AT(capture_row, kernel_ns, COLUMN_I64),
    AT(capture_row, n_calls, COLUMN_I64),
    AT(capture_row, n_events, COLUMN_I64),
    AT(capture_row, name, COLUMN_TEXT),
    AT(capture_row, node, COLUMN_I32),
    AT(capture_row, parent, COLUMN_TEXT),
    ONE_OF(capture_row, part, DEVICE_PARTS),
    AT(capture_row, replayed, COLUMN_BOOL),
    AT(capture_row, strides, COLUMN_TEXT),
    AT(capture_row, types, COLUMN_TEXT),
    AT(capture_row, unlinked, COLUMN_BOOL),
};

static const struct capture_column paths[] = {
    AT(capture_node, depth, COLUMN_I32),
    AT(capture_node, module, COLUMN_BOOL),
    AT(capture_node, name, COLUMN_TEXT),
    AT(capture_node, parent, COLUMN_I32),
};

static const struct capture_column setup[] = {
    AT(capture_setup_line, value, COLUMN_TEXT),
    AT(capture_setup_line, what, COLUMN_TEXT),
};

static const struct capture_column signatures[] = {
    AT(capture_signature, custom, COLUMN_BOOL),
    AT(capture_signature, dtype, COLUMN_TEXT),
    AT(capture_signature, group, COLUMN_I32),
    AT(capture_signature, in_elements, COLUMN_I64),
    AT(capture_signature, in_split, COLUMN_TEXT),
    AT(capture_signature, kind, COLUMN_TEXT),
    ONE_OF(capture_signature, kind_source, FACT_NAME + 1),
    AT(capture_signature, name, COLUMN_TEXT),
    AT(capture_signature, out_elements, COLUMN_I64),
    AT(capture_signature, out_split, COLUMN_TEXT),
    AT(capture_signature, root, COLUMN_I32),
    ONE_OF(capture_signature, size_source, FACT_NAME + 1),
};

static const struct capture_column steps[] = {
    NAMED("context_requests", capture_step, requests[0], COLUMN_REAL),
    NAMED("dur_ns", capture_step, end_ns, COLUMN_LENGTH),
    NAMED("generation_requests", capture_step, requests[1], COLUMN_REAL),
    AT(capture_step, kept, COLUMN_BOOL),
    AT(capture_step, new_tokens, COLUMN_REAL),
    AT(capture_step, number, COLUMN_I64),
    AT(capture_step, phase, COLUMN_TEXT),
    AT(capture_step, seen_tokens, COLUMN_REAL),
    NAMED("start_ns_delta", capture_step, start_ns, COLUMN_DELTA),
    AT(capture_step, steady, COLUMN_BOOL),
};

#define TABLE(key, type, columns)                                                      \
    {                                                                                  \
        key, sizeof(struct type), sizeof columns / sizeof *columns, columns            \
    }

const struct capture_table capture_tables[CAPTURE_TABLES] = {
    [TABLE_BLOCKS] = TABLE("blocks", capture_block, blocks),
    [TABLE_COLLECTIVES] = TABLE("collectives", capture_collective, collectives),
    [TABLE_COVERS] = TABLE("covers", capture_block, covers),
    [TABLE_EVENTS] = TABLE("events", capture_event, events),
    [TABLE_FINDINGS] = TABLE("findings", finding, findings),
    [TABLE_GAPS] = TABLE("gaps", capture_idle, gaps),
    [TABLE_GROUPS] = TABLE("groups", capture_group, groups),
    [TABLE_HISTOGRAMS] = TABLE("histograms", capture_bin, histograms),
    [TABLE_OPERATORS] = TABLE("operators", capture_row, operators),
    [TABLE_P2P] = TABLE("p2p", capture_collective, collectives),
    [TABLE_PATHS] = TABLE("paths", capture_node, paths),
    [TABLE_SETUP] = TABLE("setup", capture_setup_line, setup),
    [TABLE_SIGNATURES] = TABLE("signatures", capture_signature, signatures),
    [TABLE_STEPS] = TABLE("steps", capture_step, steps),
};

struct capture_rows capture_rows_of(struct capture *c, enum capture_table_id t)
{
    struct capture_ranks *r = &c->ranks;
    struct capture_rows of[CAPTURE_TABLES] = {
        [TABLE_BLOCKS] = {&r->blocks, &r->n_blocks},
        [TABLE_COLLECTIVES] = {&r->collectives, &r->n_collectives},
        [TABLE_COVERS] = {&r->covers, &r->n_covers},
        [TABLE_EVENTS] = {&c->events, &c->n_events},
        [TABLE_FINDINGS] = {&c->findings, &c->n_findings},
        [TABLE_GAPS] = {&c->idle, &c->n_idle},
        [TABLE_GROUPS] = {&r->groups, &r->n_groups},
        [TABLE_HISTOGRAMS] = {&c->bins, &c->n_bins},
        [TABLE_OPERATORS] = {&c->rows, &c->n_rows},
        [TABLE_P2P] = {&r->p2p, &r->n_p2p},
        [TABLE_PATHS] = {&c->nodes, &c->n_nodes},
        [TABLE_SETUP] = {&c->setup, &c->n_setup},
        [TABLE_SIGNATURES] = {&r->signatures, &r->n_signatures},
        [TABLE_STEPS] = {&c->steps, &c->n_steps},
    };
    return of[t];
}

struct str capture_part_name(int part)
{
    static const struct str more[] = {S_INIT("exposed_communication"),
                                      S_INIT("exposed_copy"), S_INIT("idle")};
    return part < WORK_CATEGORIES ? work_category_name((enum work_category)part)
                                  : more[part - WORK_CATEGORIES];
}
