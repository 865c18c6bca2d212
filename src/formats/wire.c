#include "formats/wire.h"

#include <string.h>

static uint64_t eight_bytes(const unsigned char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

/* The seven bits of each of eight bytes, side by side: two, four, then eight at once.
 */
static uint64_t sevens(uint64_t v)
{
    v = (v & 0x007f007f007f007f) | (v & 0x7f007f007f007f00) >> 1;
    v = (v & 0x00003fff00003fff) | (v & 0x3fff00003fff0000) >> 2;
    return (v & 0x000000000fffffff) | (v & 0x0fffffff00000000) >> 4;
}

const unsigned char *wire_long_varint(const unsigned char *at, const unsigned char *end,
                                      uint64_t *value)
{
    uint64_t v = 0;
    if (end - at >= 10) { /* no end to ask for */
        uint64_t bytes = eight_bytes(at), last = ~bytes & 0x8080808080808080;
        if (last) {
            *value = sevens(bytes & (last ^ (last - 1)));
            return at + __builtin_ctzll(last) / 8 + 1;
        }
        v = sevens(bytes) | (uint64_t)(at[8] & 0x7f) << 56;
        if (at[8] < 0x80) {
            *value = v;
            return at + 9;
        }
        *value = v | (uint64_t)(at[9] & 1) << 63;
        return at[9] < 0x80 ? at + 10 : NULL;
    }
    for (unsigned shift = 0; at < end && shift < 70; shift += 7) {
        unsigned char c = *at++;
        if (shift < 64)
            v |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80) {
            *value = v;
            return at;
        }
    }
    return NULL;
}

bool wire_fail(struct wire *w)
{
    w->broken = true;
    w->at = w->end;
    return false;
}

static uint64_t little_endian(const unsigned char *p, int n)
{
    uint64_t v = 0;
    for (int i = 0; i < n; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

/* A value of so many bytes. */
static bool take_fixed(struct wire *w, struct wire_field *f, int n)
{
    if (w->end - w->at < n)
        return wire_fail(w);
    f->value = little_endian(w->at, n);
    w->at += n;
    return true;
}

static bool take_bytes(struct wire *w, struct wire_field *f)
{
    uint64_t n;
    const unsigned char *p = wire_varint(w->at, w->end, &n);
    if (!p || n > (uint64_t)(w->end - p))
        return wire_fail(w);
    f->bytes = (struct str){(const char *)p, (ptrdiff_t)n};
    w->at = p + n;
    return true;
}

bool wire_next_any(struct wire *w, struct wire_field *f)
{
    uint64_t key;
    if (w->at == w->end)
        return false;
    const unsigned char *p = wire_varint(w->at, w->end, &key);
    if (!p || key >> 3 == 0 || key >> 3 > UINT32_MAX >> 3)
        return wire_fail(w);
    w->at = p;
    f->number = (uint32_t)(key >> 3);
    f->type = (enum wire_type)(key & 7);
    f->value = 0;
    f->bytes = S("");
    switch (key & 7) {
    case WIRE_VARINT:
        w->at = wire_varint(p, w->end, &f->value);
        return w->at ? true : wire_fail(w);
    case WIRE_FIXED64:
        return take_fixed(w, f, 8);
    case WIRE_BYTES:
        return take_bytes(w, f);
    case WIRE_FIXED32:
        return take_fixed(w, f, 4);
    default: /* groups, which nobody has written for twenty years */
        return wire_fail(w);
    }
}

bool wire_next_number(struct wire_field *list, uint64_t *value)
{
    if (list->type != WIRE_BYTES) {
        bool first = list->number != 0;
        *value = list->value;
        list->number = 0;
        return first;
    }
    const unsigned char *at = (const void *)list->bytes.p, *end = at + list->bytes.n;
    const unsigned char *p = wire_varint(at, end, value);
    if (p)
        list->bytes = str_skip(list->bytes, p - at);
    return p != NULL;
}

bool wire_find(struct str message, uint32_t number, struct wire_field *f)
{
    struct wire w = wire_of(message);
    while (wire_next(&w, f))
        if (f->number == number)
            return true;
    return false;
}

double wire_double(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
