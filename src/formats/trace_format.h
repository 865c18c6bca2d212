/* trace_format.h - how a format of traces is recognised and opened. */
#ifndef FORMATS_TRACE_FORMAT_H
#define FORMATS_TRACE_FORMAT_H

#include "trace/byte_source.h"
#include "trace/event_source.h"

/* A whole file, decompressed, that may be read anywhere. */
struct trace_file {
    int fd; /* owned by whoever opens it */
    int64_t bytes;
    char sha256[SHA256_HEX_BYTES]; /* of the file as it was given */
};

/* One of the two functions that open is set. `head`: at most SOURCE_HEAD_BYTES
 * decompressed bytes, all there are of a shorter file. */
struct trace_format {
    const char *name; /* as errors list them; NULL: a writing of one that is listed */
    bool (*is)(struct str head);
    bool (*open_stream)(struct event_source *events, const char *path,
                        struct source_options o, struct err *e);
    bool (*open_file)(struct event_source *events, const char *path,
                      const struct trace_file *f, struct source_options o,
                      struct err *e);
    /* The traces in one file; closes it. NULL: reading them all counts them. */
    int (*parts)(const char *path, const struct trace_file *f);
    bool has_parts; /* may hold several */
};

#endif
