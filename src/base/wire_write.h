/* wire_write.h - protobuf messages written field by field (formats/wire.h reads them).
 */
#ifndef BASE_WIRE_WRITE_H
#define BASE_WIRE_WRITE_H

#include "base/out.h"

static inline void put_varint(struct out *o, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        out_char(o, (char)(v | 0x80));
    out_char(o, (char)v);
}

static inline void put_number(struct out *o, uint32_t field, uint64_t v)
{
    put_varint(o, field << 3);
    put_varint(o, v);
}

static inline void put_text(struct out *o, uint32_t field, struct str s)
{
    put_varint(o, field << 3 | 2);
    put_varint(o, (uint64_t)s.n);
    out_str(o, s);
}

/* A message as a field of another; it is emptied. */
static inline void put_message(struct out *o, uint32_t field, struct out *message)
{
    put_text(o, field, out_view(message));
    message->n = 0;
}

#endif
