/* event_store.h - every event that matters, kept as columns.
 *
 * A row takes 22 bytes, plus 20 unless it is a Python frame; each distinct text is
 * stored once. Flow arrows, labels and memory records have their own columns. Times are
 * whole nanoseconds on the clock of the trace. Oddities in a trace are counted, not
 * refused. The store owns everything from store_read to store_close; ids stay valid
 * until then. */
#ifndef STORE_EVENT_STORE_H
#define STORE_EVENT_STORE_H

#include "base/arena.h"
#include "base/name_pool.h"
#include "store/bit_rows.h"
#include "store/counter_samples.h"
#include "store/narrow.h"
#include "store/role_column.h"
#include "store/value_pool.h"
#include "trace/byte_source.h"
#include "trace/event_source.h"

#include <assert.h>

typedef int32_t event_id; /* row of the store; -1: none */

/* The arguments of an operator call, for store_value and store_args: equal ids are
 * equal values; -1: not recorded. */
struct op_texts {
    name_id dims, types, strides, concrete;
    name_id rest; /* other members of args that distinguish calls, a map */
};

/* Fields of all events except Python frames. */
struct event_detail {
    narrow_num correlation, external_id, stream;
    int32_t texts; /* row of op_texts; -1: none */
    int32_t more;  /* row of detail_more; -1: none of that */
};

/* Fields that few of them have. */
struct detail_more {
    narrow_num sequence, bytes, comms_sequence;
    name_id call_stack;
};

struct lane { /* a thread of the host, or a stream of a device */
    name_id pid, tid;
    name_id process_name, process_label, thread_name; /* -1: unknown */
};

struct flow { /* one end of an arrow from a launch call to its device work */
    narrow_num id;
    uint32_t is_start : 1, lane : 31;
};

struct place_arrow { /* one end of an arrow whose id no call has: places join them */
    int64_t at_ns, id;
    int32_t lane;
    bool is_start, of_operator;
};

struct lane_label { /* one metadata event */
    name_id pid, tid, kind, text;
};

struct memory_record {
    int64_t at_ns, bytes, total_allocated, total_reserved, device_type, device_id;
    int64_t addr;
    int32_t lane;
};

struct unknown_cat {
    name_id name;
    int64_t n;
};
enum { UNKNOWN_CATS = 6 };

struct store_census {
    int64_t by_cat[EVENT_CATS];
    int64_t foreign;         /* spans of no category of a framework */
    int64_t plain_operators; /* nor have these, but their names are PyTorch's */
    int64_t n_unknown; /* spans of categories that are not known, and some of these */
    struct unknown_cat unknown[UNKNOWN_CATS];
    int32_t n_events;      /* elements of traceEvents */
    int64_t without_phase; /* skipped, as are the next three */
    int64_t without_start, without_duration, negative_duration;
    int64_t out_of_bounds;  /* skipped: times, durations or sizes whose sums could
                               overflow */
    int64_t cut_names;      /* longer than any profiler's: the end is left out */
    int64_t repaired_names; /* distinct texts that are not valid UTF-8 */
    bool unclosed_array;
    bool saw_nan; /* NaN or infinities, which JSON does not have */
};

/* What grows by itself, each with its columns. */
enum store_table {
    STORE_EVENTS,
    STORE_MORE,
    STORE_FLOWS,
    STORE_ARROWS,
    STORE_EDGES,
    STORE_TEXTS,
    STORE_LANES,
    STORE_LABELS,
    STORE_MEMORY,
    STORE_TABLES
};

struct event_store {
    const char *file;   /* the path the user typed */
    const char *lender; /* the trace that operators of graphs are from; NULL: none */
    int32_t n, n_details, n_more, n_flows, n_arrows, n_edges, n_texts, n_lanes,
        n_labels, n_memory;
    int32_t max_rows[STORE_TABLES];  /* that there is room for */
    int32_t near_rows[STORE_TABLES]; /* whose memory was asked for */

    int64_t *start_ns;
    narrow_num *dur; /* read by store_dur_ns */
    name_id *name;
    int32_t *lane;
    uint8_t *cat;                /* enum event_cat */
    struct role_column roles;    /* read by store_role */
    struct bit_rows *has_detail; /* all except Python frames; read by store_row */

    /* Place in traceEvents: a bit for each element that is an event here, and the place
     * of every UID_ROWS-th event. Read by store_uid. */
    uint32_t *kept;
    ptrdiff_t kept_words;
    int32_t *uid_at;

    struct event_detail *details;
    struct detail_more *more;
    struct wide_column wide; /* of every narrow number here */
    struct flow *flows;
    struct place_arrow *arrows;
    struct place_arrow *edges; /* of GPU graphs, between device events */
    struct op_texts *texts;
    struct lane *lanes;
    struct lane_label *labels;
    struct memory_record *memory;
    struct counter_samples counters;

    struct name_pool names;
    struct value_pool *values;   /* of the names that are arguments */
    collective_read *collective; /* of those of kernels and operators */
    struct machine machine;
    struct arena machine_memory;
    char *machine_start;
    const struct source_abilities *abilities; /* of the profiler */
    bool shapes_hidden;                       /* store_redact.h */
    struct store_census census;
    int64_t trace_bytes;           /* uncompressed */
    char sha256[SHA256_HEX_BYTES]; /* of the file */
};

/* Called from time to time while reading: uncompressed bytes, fraction of the file read
 * (0 to 1, negative if unknown), events. */
typedef void store_progress(void *context, int64_t bytes, double frac, int64_t events);

struct store_options {
    struct source_options source;
    store_progress *progress; /* may be NULL */
    void *progress_context;
};

/* Reads a whole trace from a file. `path` is lent for the life of the store. */
MUST_CHECK bool store_read(struct event_store *s, const char *path,
                           const struct store_options *o, struct err *e);

/* The same from any source, which it closes. */
MUST_CHECK bool store_take(struct event_store *s, struct event_source source,
                           const struct store_options *o, struct err *e);
void store_close(struct event_store *s);

/* Memory used by the columns and texts. */
ptrdiff_t store_memory_bytes(const struct event_store *s);

/* Every stage asks these of every event: only a sanitized build takes the time. */
#ifdef ARENA_GUARDED
#define STORE_HAS(s, i) assert((i) >= 0 && (i) < (s)->n)
#else
#define STORE_HAS(s, i) ((void)0)
#endif

static inline int64_t store_dur_ns(const struct event_store *s, event_id i)
{
    STORE_HAS(s, i);
    return narrow_value(&s->wide, s->dur[i]);
}

/* Profilers that keep microseconds as floating-point numbers round the start and the
 * length apart: what follows or fills an event may then seem to overlap its end by
 * this. */
enum { ROUNDING_NS = 2 };

static inline int64_t store_end_ns(const struct event_store *s, event_id i)
{
    return s->start_ns[i] + store_dur_ns(s, i);
}

static inline struct str store_name(const struct event_store *s, event_id i)
{
    STORE_HAS(s, i);
    return pool_text(&s->names, s->name[i]);
}

/* What a runtime call or a copy does; 0 for other events. */
static inline event_role store_role(const struct event_store *s, event_id i)
{
    STORE_HAS(s, i);
    return role_at(&s->roles, s->name[i]);
}

/* Place in traceEvents: the reference's UID. */
int32_t store_uid(const struct event_store *s, event_id i);

/* Row of `details` and of every other column without Python frames; -1 for those. */
static inline int32_t store_row(const struct event_store *s, event_id i)
{
    STORE_HAS(s, i);
    return bit_row(s->has_detail, i);
}

/* NO_ID: the event has none. */
int64_t store_correlation(const struct event_store *s, event_id i);
int64_t store_external_id(const struct event_store *s, event_id i);
int64_t store_stream(const struct event_store *s, event_id i);
int64_t store_sequence(const struct event_store *s, event_id i);
int64_t store_comms_sequence(const struct event_store *s, event_id i);
int64_t store_bytes(const struct event_store *s, event_id i);

/* Frames joined by ';', as traces of 2021 have them; -1: none. */
name_id store_call_stack(const struct event_store *s, event_id i);

/* Row of the texts of an operator call, or -1. */
static inline int32_t store_texts_row(const struct event_store *s, event_id i)
{
    int32_t row = store_row(s, i);
    return row < 0 ? -1 : s->details[row].texts;
}

/* The texts of an operator call, or NULL. */
static inline const struct op_texts *store_texts(const struct event_store *s,
                                                 event_id i)
{
    int32_t row = store_texts_row(s, i);
    return row < 0 ? NULL : &s->texts[row];
}

/* The value of one of them, NULL for -1. Decoded when it is first asked for. */
static inline const struct value *store_value(const struct event_store *s, name_id id)
{
    return values_get(s->values, id);
}

/* What a kernel, or the operator that launched it, says of its collective: of another
 * event, nothing. Never NULL. */
static inline const struct collective *store_collective(const struct event_store *s,
                                                        const struct op_texts *t)
{
    return t ? values_collective(s->values, t->rest, s->collective) : &no_collective;
}

/* All arguments of a call; none if `t` is NULL. */
struct call_args store_args(const struct event_store *s, const struct op_texts *t);

/* The same in the caller's arena, and at addresses of its own: for calls of which there
 * may be as many as events, so that their values do not stay. */
struct call_args store_args_apart(const struct event_store *s, const struct op_texts *t,
                                  struct arena *a);

static inline bool cat_is_gpu(int cat)
{
    return cat == CAT_KERNEL || cat == CAT_MEMCPY || cat == CAT_MEMSET;
}

static inline bool cat_is_runtime(int cat)
{
    return cat == CAT_RUNTIME || cat == CAT_DRIVER;
}

#endif
