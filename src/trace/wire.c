#include "trace/wire.h"

const unsigned char *wire_long_varint(const unsigned char *at, const unsigned char *end,
                                      uint64_t *value)
{
    uint64_t v = 0;
    if (end - at >= 10) { /* no end to ask for */
        unsigned shift = 0;
        do {
            v |= (uint64_t)(*at & 0x7f) << shift;
            shift += 7;
        } while (*at++ >= 0x80 && shift < 63);
        if (at[-1] < 0x80) {
            *value = v;
            return at;
        }
        *value = v | (uint64_t)(*at & 1) << 63;
        return *at < 0x80 ? at + 1 : NULL;
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

static bool fail(struct wire *w)
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
        return fail(w);
    f->value = little_endian(w->at, n);
    w->at += n;
    return true;
}

static bool take_bytes(struct wire *w, struct wire_field *f)
{
    uint64_t n;
    const unsigned char *p = wire_varint(w->at, w->end, &n);
    if (!p || n > (uint64_t)(w->end - p))
        return fail(w);
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
        return fail(w);
    w->at = p;
    f->number = (uint32_t)(key >> 3);
    f->type = (enum wire_type)(key & 7);
    f->value = 0;
    f->bytes = S("");
    switch (key & 7) {
    case WIRE_VARINT:
        w->at = wire_varint(p, w->end, &f->value);
        return w->at ? true : fail(w);
    case WIRE_FIXED64:
        return take_fixed(w, f, 8);
    case WIRE_BYTES:
        return take_bytes(w, f);
    case WIRE_FIXED32:
        return take_fixed(w, f, 4);
    default: /* groups, which nobody has written for twenty years */
        return fail(w);
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
