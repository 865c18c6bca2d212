/* event_store.h - every event that matters, kept as columns.
 *
 * A row costs 22 bytes, and 20 more when it is no Python frame; texts are kept once
 * each. Flow arrows, labels and memory records have columns of their own. Times are
 * whole nanoseconds on the clock of the trace. What is odd in a trace is counted, not
 * refused. Owned by the store from store_read to store_close; ids are good for the run.
 */
#ifndef STORE_EVENT_STORE_H
#define STORE_EVENT_STORE_H

#include "base/bit_rows.h"
#include "base/narrow.h"
#include "store/name_pool.h"
#include "trace/event_read.h"

typedef int32_t event_id; /* row of the store; -1: none */

/* The arguments of an operator call as raw JSON texts; -1: the key was absent. */
struct op_texts {
    name_id dims, types, strides, concrete;
    name_id rest; /* other members of args that tell calls apart, one JSON object */
};

/* What events beside Python frames carry. */
struct event_detail {
    narrow_num correlation, external_id, stream;
    int32_t texts; /* row of op_texts; -1: none */
    int32_t more;  /* row of detail_more; -1: none of that */
};

/* What few of them carry. */
struct detail_more {
    narrow_num sequence, bytes;
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

struct lane_label { /* one metadata event */
    name_id pid, tid, kind, text;
};

struct memory_record {
    int64_t at_ns, bytes, total_allocated, total_reserved, device_type, device_id;
};

struct store_census {
    int64_t by_cat[EVENT_CATS];
    int32_t n_events;      /* elements of traceEvents */
    int64_t without_phase; /* skipped, as are the next three */
    int64_t without_start, without_duration, negative_duration;
    int64_t repaired_names; /* distinct texts that are not valid UTF-8 */
    bool unclosed_array;
};

struct event_store {
    const char *file; /* the path the user typed */
    int32_t n, n_details, n_more, n_flows, n_texts, n_lanes, n_labels, n_memory;
    int32_t max_rows;

    int64_t *start_ns;
    narrow_num *dur; /* read by store_dur_ns */
    name_id *name;
    int32_t *lane;
    uint8_t *cat;                /* enum event_cat */
    struct bit_rows *has_detail; /* all but Python frames; read by store_row */

    /* Place in traceEvents: a bit for each element that is an event here, and the place
     * of every UID_ROWS-th event. Read by store_uid. */
    uint32_t *kept;
    int32_t *uid_at;

    struct event_detail *details;
    struct detail_more *more;
    struct wide_column wide; /* of every narrow number here */
    struct flow *flows;
    struct op_texts *texts;
    struct lane *lanes;
    struct lane_label *labels;
    struct memory_record *memory;

    struct name_pool names;
    struct str header; /* the document beside traceEvents, one JSON object */
    struct store_census census;
    int64_t trace_bytes;           /* uncompressed */
    char sha256[SHA256_HEX_BYTES]; /* of the file */
};

/* Called now and then while reading: uncompressed bytes, part of the file read (0 to 1,
 * or less than 0 when not known), events. */
typedef void store_progress(void *context, int64_t bytes, double frac, int64_t events);

struct store_options {
    struct source_options source;
    store_progress *progress; /* may be NULL */
    void *progress_context;
};

/* Read a whole trace. `path` is lent for the life of the store. */
MUST_CHECK bool store_read(struct event_store *s, const char *path,
                           const struct store_options *o, struct err *e);
void store_close(struct event_store *s);

/* Memory that the columns and texts take. */
ptrdiff_t store_memory_bytes(const struct event_store *s);

static inline int64_t store_dur_ns(const struct event_store *s, event_id i)
{
    return narrow_value(&s->wide, s->dur[i]);
}

static inline int64_t store_end_ns(const struct event_store *s, event_id i)
{
    return s->start_ns[i] + store_dur_ns(s, i);
}

static inline struct str store_name(const struct event_store *s, event_id i)
{
    return pool_text(&s->names, s->name[i]);
}

/* Place in traceEvents: the reference's UID. */
int32_t store_uid(const struct event_store *s, event_id i);

/* Row of `details`, and of every column for what is no Python frame; -1 for those. */
static inline int32_t store_row(const struct event_store *s, event_id i)
{
    return bit_row(s->has_detail, i);
}

/* NO_ID: the event has none. */
int64_t store_correlation(const struct event_store *s, event_id i);
int64_t store_external_id(const struct event_store *s, event_id i);
int64_t store_stream(const struct event_store *s, event_id i);
int64_t store_sequence(const struct event_store *s, event_id i);
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

static inline bool cat_is_gpu(int cat)
{
    return cat == CAT_KERNEL || cat == CAT_MEMCPY || cat == CAT_MEMSET;
}

static inline bool cat_is_runtime(int cat)
{
    return cat == CAT_RUNTIME || cat == CAT_DRIVER;
}

#endif
