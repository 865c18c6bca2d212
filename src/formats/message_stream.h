/* message_stream.h - the fields of one large protobuf message, one at a time.
 *
 * Traces are one message of very many small ones, so no more than one of these is in
 * memory. Knows files as byte_source does, and no message. */
#ifndef FORMATS_MESSAGE_STREAM_H
#define FORMATS_MESSAGE_STREAM_H

#include "formats/wire.h"
#include "trace/byte_source.h"

struct message_stream {
    const char *path;
    struct byte_source *source;
    const char *at, *end; /* of the window */
    int64_t end_offset;   /* uncompressed */
    int64_t n;            /* fields so far */
    int64_t bytes_most;   /* of one field */
    bool ended;
};

MUST_CHECK bool message_stream_open(struct message_stream *m, const char *path,
                                    struct source_options o, struct err *e);

/* The next field, lent until the next call. False at the end, and on an error, which
 * sets e. */
bool message_stream_next(struct message_stream *m, struct wire_field *f, struct err *e);

/* Where the last field ends, for errors about it. */
int64_t message_stream_offset(const struct message_stream *m);
void message_stream_close(struct message_stream *m);

#endif
