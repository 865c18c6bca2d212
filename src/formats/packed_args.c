#include "formats/packed_args.h"

#include "base/arena.h"
#include "base/touch_ahead.h"

#include <stdint.h>
#include <string.h>

/* A row in memory: numbers, then texts. */
enum {
    NUMBERS = 8,
    TEXTS = 6,
    VARINT_MOST = 10,
    ROW_MOST = 2 + (NUMBERS + TEXTS) * VARINT_MOST,
    BYTES_FIRST = 1 << 16
};
_Static_assert(sizeof(struct arg_row) ==
                   NUMBERS * sizeof(int64_t) + TEXTS * sizeof(name_id),
               "a member without a place in the mask");

static unsigned char *put(unsigned char *to, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *to++ = (unsigned char)(v | 0x80);
    *to++ = (unsigned char)v;
    return to;
}

static const unsigned char *take(const unsigned char *from, uint64_t *v)
{
    unsigned shift = 0;
    for (*v = 0; *from >= 0x80; shift += 7)
        *v |= (uint64_t)(*from++ & 0x7f) << shift;
    *v |= (uint64_t)*from++ << shift;
    return from;
}

static void make_room(struct packed_args *p)
{
    if (p->max - p->n < ROW_MOST) {
        ptrdiff_t max = p->max ? 2 * p->max : BYTES_FIRST;
        p->bytes = pages_grow(p->bytes, p->max, max);
        p->max = max;
    }
    unsigned char *at = p->bytes + p->n;
    if (!p->n || TOUCH_CROSSES(at, at + ROW_MOST))
        touch_ahead(at, ROW_MOST, p->bytes + p->max);
}

void packed_args_add(struct packed_args *p, const struct arg_row *row)
{
    make_room(p);
    unsigned char *mask = p->bytes + p->n, *to = mask + 2;
    int64_t number[NUMBERS];
    name_id text[TEXTS];
    unsigned has = 0;
    memcpy(number, row, sizeof number);
    memcpy(text, &row->dims, sizeof text);
    for (int k = 0; k < NUMBERS; k++)
        if (number[k] != NO_ID) {
            has |= 1U << k;
            to = put(to, (uint64_t)number[k]);
        }
    for (int k = 0; k < TEXTS; k++)
        if (text[k] >= 0) {
            has |= 1U << (NUMBERS + k);
            to = put(to, (uint64_t)text[k]);
        }
    mask[0] = (unsigned char)has;
    mask[1] = (unsigned char)(has >> 8);
    p->n = to - p->bytes;
}

struct arg_row packed_args_next(struct packed_args *p)
{
    struct arg_row row;
    const unsigned char *from = p->bytes + p->read;
    unsigned has = from[0] | (unsigned)from[1] << 8;
    int64_t number[NUMBERS];
    name_id text[TEXTS];
    uint64_t v;
    from += 2;
    for (int k = 0; k < NUMBERS; k++) {
        v = (uint64_t)NO_ID;
        if (has & 1U << k)
            from = take(from, &v);
        number[k] = (int64_t)v;
    }
    for (int k = 0; k < TEXTS; k++) {
        v = (uint64_t)-1;
        if (has & 1U << (NUMBERS + k))
            from = take(from, &v);
        text[k] = (name_id)v;
    }
    memcpy(&row, number, sizeof number);
    memcpy(&row.dims, text, sizeof text);
    p->read = from - p->bytes;
    return row;
}

void packed_args_forget(struct packed_args *p)
{
    pages_forget(p->bytes, p->read);
}

void packed_args_close(struct packed_args *p)
{
    pages_release(p->bytes, p->max);
    *p = (struct packed_args){0};
}
