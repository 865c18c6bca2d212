/* perfetto_args.h - annotations of Perfetto's events as arguments, in JSON.
 *
 * A value is written as JSON when it is first seen; the same bytes are the same value
 * from then on. */
#ifndef FORMATS_PERFETTO_ARGS_H
#define FORMATS_PERFETTO_ARGS_H

#include "base/out.h"
#include "formats/perfetto_intern.h"
#include "trace/kineto_terms.h"

/* What is kept of the arguments of one event. */
struct arg_row {
    int64_t correlation, external_id, sequence, stream, bytes, comms_sequence;
    int64_t begin_ns, end_ns; /* rocprofv3 says them itself; NO_ID: not */
    name_id dims, types, strides, concrete, rest, call_stack;
};
static const struct arg_row no_arg_row = {
    NO_ID, NO_ID, NO_ID, NO_ID, NO_ID, NO_ID, NO_ID, NO_ID, -1, -1, -1, -1, -1, -1};

struct arg_value { /* of one distinct annotation */
    name_id value; /* JSON */
    name_id pair;  /* "key":JSON */
};

enum { ARG_KEYS_RECENT = 64 };

struct perfetto_args {
    struct name_pool *texts;
    struct perfetto_intern *intern;
    struct name_pool keys; /* names of annotations */
    uint8_t *meaning;      /* of each: place in the table of the reader */
    struct {
        name_id key;
        uint8_t meaning;
    } recent[ARG_KEYS_RECENT]; /* keys that were looked up last, by their ends */
    int32_t max_keys;
    struct name_pool raw; /* distinct annotations */
    struct arg_value *values;
    int32_t max_values;
    struct out json, rest; /* scratch; rest: what is collected of one event */
};

void perfetto_args_open(struct perfetto_args *a, struct name_pool *texts,
                        struct perfetto_intern *intern);
void perfetto_args_close(struct perfetto_args *a);

/* Adds one DebugAnnotation of an event of a category. */
void perfetto_args_add(struct perfetto_args *a, struct arg_row *row, enum event_cat cat,
                       uint32_t sequence, struct str annotation);

/* The same for what is written as two texts. */
void perfetto_args_add_text(struct perfetto_args *a, struct arg_row *row,
                            struct str key, struct str value);

/* Appends to what is collected: "key":JSON. */
struct out *perfetto_args_put(struct perfetto_args *a, struct str key);

/* What was collected, lent until the next event; empty: nothing. */
struct str perfetto_args_rest(struct perfetto_args *a);
void perfetto_args_clear(struct perfetto_args *a);

#endif
