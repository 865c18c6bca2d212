#include "formats/message_stream.h"

enum {
    FIELD_BYTES_MOST = 1 << 25, /* of a packet: as of a record in JSON */
    HEAD_BYTES_MOST = 20        /* of a key and a length, ten bytes each */
};

bool message_stream_open(struct message_stream *m, const char *path,
                         struct source_options o, struct err *e)
{
    *m =
        (struct message_stream){.path = path, .at = "", .bytes_most = FIELD_BYTES_MOST};
    m->end = m->at;
    return source_open(&m->source, path, o, e);
}

void message_stream_close(struct message_stream *m)
{
    source_close(m->source);
}

int64_t message_stream_offset(const struct message_stream *m)
{
    return m->end_offset - (m->end - m->at);
}

static bool refill(struct message_stream *m, struct err *e)
{
    char *begin, *end;
    bool more = source_next(m->source, m->end - m->at, &begin, &end, e);
    m->at = begin;
    m->end = end;
    m->end_offset = source_bytes(m->source);
    return more;
}

/* The bytes that the next field takes; -1: not known before there are more bytes. */
static int64_t field_bytes(const struct message_stream *m)
{
    const unsigned char *start = (const void *)m->at, *end = (const void *)m->end;
    uint64_t key, n;
    const unsigned char *p = wire_varint(start, end, &key);
    if (!p || (key & 7) != WIRE_BYTES)
        return p || end - start > HEAD_BYTES_MOST ? 0 : -1;
    const unsigned char *body = wire_varint(p, end, &n);
    if (!body)
        return end - p > HEAD_BYTES_MOST ? 0 : -1;
    return n < INT64_MAX - HEAD_BYTES_MOST ? body - start + (int64_t)n : 0;
}

static bool refuse(struct message_stream *m, const char *what, struct err *e)
{
    m->ended = true;
    return err_set(e, ERR_INPUT, m->path, message_stream_offset(m), "%s", what);
}

static bool at_end(struct message_stream *m, struct err *e)
{
    m->ended = true;
    if (e->kind == ERR_NONE && m->end > m->at)
        return err_set(e, ERR_INPUT, m->path, m->end_offset,
                       "the trace is cut off after %lld packets; record or copy it "
                       "again",
                       (long long)m->n);
    return false;
}

bool message_stream_next(struct message_stream *m, struct wire_field *f, struct err *e)
{
    if (m->ended)
        return false;
    for (;;) {
        int64_t n = m->end > m->at ? field_bytes(m) : -1;
        if (n == 0)
            return refuse(m,
                          "not valid protobuf: a packet begins with no field; record "
                          "or copy the trace again",
                          e);
        if (n > m->bytes_most)
            return refuse(m,
                          "a packet of more bytes than the limit; record the trace "
                          "again",
                          e);
        if (n > 0 && n <= m->end - m->at) {
            struct wire w = wire_of((struct str){m->at, (ptrdiff_t)n});
            m->at += n;
            m->n++;
            return wire_next(&w, f) ? true
                                    : refuse(m,
                                             "not valid protobuf; record or copy the "
                                             "trace again",
                                             e);
        }
        if (!refill(m, e))
            return at_end(m, e);
    }
}
