/* wire.h - the wire format of protobuf: one field after the other.
 *
 * Knows varints, lengths and packed lists, but no message. A cursor is a value: a
 * nested message is read by a cursor of its own, as deep as the caller goes. Nothing is
 * read behind `end`, whatever the bytes say. */
#ifndef FORMATS_WIRE_H
#define FORMATS_WIRE_H

#include "base/str.h"

enum wire_type { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES, WIRE_FIXED32 = 5 };

struct wire {
    const unsigned char *at, *end;
    bool broken; /* what is left is not protobuf */
};

struct wire_field {
    uint32_t number;
    enum wire_type type;
    uint64_t value;   /* of all but WIRE_BYTES */
    struct str bytes; /* text, a message or a packed list */
};

static inline struct wire wire_of(struct str bytes)
{
    const unsigned char *at = (const void *)bytes.p;
    return (struct wire){at, bytes.n ? at + bytes.n : at, false}; /* may be NULL */
}

/* The place after a varint, or NULL: cut off, or of more than ten bytes. */
const unsigned char *wire_long_varint(const unsigned char *at, const unsigned char *end,
                                      uint64_t *value);
static inline const unsigned char *
wire_varint(const unsigned char *at, const unsigned char *end, uint64_t *value)
{
    if (at < end && *at < 0x80) { /* most are small */
        *value = *at;
        return at + 1;
    }
    if (end - at > 1 && at[1] < 0x80) { /* lengths of packets */
        *value = (uint64_t)(at[0] & 0x7f) | (uint64_t)at[1] << 7;
        return at + 2;
    }
    return wire_long_varint(at, end, value);
}

bool wire_next_any(struct wire *w, struct wire_field *f);
bool wire_fail(struct wire *w); /* false */

/* The next field. False at the end, and where the bytes are broken. Most have a key of
 * one or two bytes, and a number, or less than 128 bytes. */
static inline bool wire_next(struct wire *w, struct wire_field *f)
{
    const unsigned char *p = w->at;
    if (w->end - p < 3)
        return wire_next_any(w, f);
    uint32_t key = *p++;
    if (key >= 0x80 && *p >= 0x80)
        return wire_next_any(w, f);
    if (key >= 0x80)
        key = (key & 0x7f) | (uint32_t)*p++ << 7;
    f->number = key >> 3;
    f->type = (enum wire_type)(key & 7);
    if (key >= 8 && f->type == WIRE_VARINT) {
        f->bytes = S("");
        w->at = wire_varint(p, w->end, &f->value);
        return w->at ? true : wire_fail(w);
    }
    if (key < 8 || f->type != WIRE_BYTES || *p >= 0x80 || *p >= w->end - p)
        return wire_next_any(w, f);
    f->value = 0;
    f->bytes = (struct str){(const char *)p + 1, *p};
    w->at = p + 1 + *p;
    return true;
}

/* The next number of a field that may be repeated: of a packed list, which `list` keeps
 * the rest of, or the only one. `list` begins as the field. False after the last. */
bool wire_next_number(struct wire_field *list, uint64_t *value);

/* The first field of a number in a message; false: there is none. */
bool wire_find(struct str message, uint32_t number, struct wire_field *f);

double wire_double(uint64_t bits);

#endif
