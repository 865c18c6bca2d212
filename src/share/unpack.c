#include "share/unpack.h"

#include <isa-l/igzip_lib.h>
#include <string.h>

typedef void (*unpack_part)(void *context, struct str name, struct str bytes,
                            struct arena tmp);

static uint32_t little(struct str s, ptrdiff_t at, int bytes)
{
    uint32_t v = 0;
    for (int k = 0; k < bytes && at + k < s.n; k++)
        v |= (uint32_t)(unsigned char)s.p[at + k] << (8 * k);
    return v;
}

static uint32_t big(struct str s, ptrdiff_t at)
{
    uint32_t v = 0;
    for (int k = 0; k < 4 && at + k < s.n; k++)
        v = v << 8 | (unsigned char)s.p[at + k];
    return v;
}

/* Everything that inflates, into `tmp`; members of a gzip one after the other. */
static struct str inflate_all(struct str in, uint32_t kind, struct arena *tmp)
{
    ptrdiff_t room = 4 * in.n + (1 << 16), n = 0;
    char *p = arena_take_raw(tmp, 1, 1, room);
    struct inflate_state state;
    isal_inflate_init(&state);
    state.crc_flag = kind;
    state.next_in = (uint8_t *)(uintptr_t)in.p;
    state.avail_in = (uint32_t)in.n;
    for (;;) {
        if (n == room) {
            char *more =
                room < UNPACK_BYTES_MAX ? arena_take_raw(tmp, 1, 1, 2 * room) : NULL;
            if (!more)
                break;
            memcpy(more, p, (size_t)n);
            p = more;
            room *= 2;
        }
        uint32_t before = state.avail_in;
        state.next_out = (uint8_t *)p + n;
        state.avail_out = (uint32_t)(room - n);
        int failed = isal_inflate(&state);
        ptrdiff_t made = room - n - (ptrdiff_t)state.avail_out;
        n += made;
        if (failed)
            break;
        if (state.block_state == ISAL_BLOCK_FINISH) {
            if (kind != ISAL_GZIP || !state.avail_in)
                break;
            isal_inflate_reset(&state);
            state.crc_flag = kind;
        } else if (!made && before == state.avail_in) {
            break;
        }
    }
    return (struct str){p, n};
}

/* By the central directory: that is what a reader goes by. */
static void unpack_zip(struct str s, struct arena tmp, unpack_part part, void *context)
{
    const struct str mark = S("PK\1\2");
    enum { HEADER = 46, LOCAL = 30, STORED = 0, DEFLATED = 8 };
    for (ptrdiff_t at = 0, found; (found = str_find(str_skip(s, at), mark)) >= 0;) {
        struct arena here = tmp;
        at += found;
        uint32_t method = little(s, at + 10, 2), packed = little(s, at + 20, 4);
        uint32_t name_n = little(s, at + 28, 2), local = little(s, at + 42, 4);
        struct str name = str_head(str_skip(s, at + HEADER), name_n);
        at += 4;
        ptrdiff_t from = (ptrdiff_t)local + LOCAL +
                         little(s, (ptrdiff_t)local + 26, 2) +
                         little(s, (ptrdiff_t)local + 28, 2);
        if (from > s.n || !str_starts(str_skip(s, local), S("PK\3\4")))
            continue;
        struct str bytes = str_head(str_skip(s, from), packed);
        if (method == DEFLATED)
            bytes = inflate_all(bytes, ISAL_DEFLATE, &here);
        if (method == DEFLATED || method == STORED)
            part(context, name, bytes, here);
    }
}

/* tEXt is seen as it is; zTXt and iTXt may be packed behind NULs. */
static void unpack_png(struct str s, struct arena tmp, unpack_part part, void *context)
{
    ptrdiff_t at = 8;
    while (at + 12 <= s.n) {
        struct arena here = tmp;
        ptrdiff_t n = big(s, at);
        struct str kind = str_head(str_skip(s, at + 4), 4);
        struct str body = str_head(str_skip(s, at + 8), n);
        at += 12 + n;
        bool is_z = str_eq(kind, S("zTXt")), is_i = str_eq(kind, S("iTXt"));
        if (!is_z && !is_i)
            continue;
        ptrdiff_t end = str_find(body, (struct str){"", 1});
        if (end < 0)
            continue;
        struct str packed = str_skip(body, end + 2);
        if (is_i) { /* method, language, translated keyword */
            packed = str_skip(packed, 1);
            for (int k = 0; k < 2; k++) {
                ptrdiff_t stop = str_find(packed, (struct str){"", 1});
                packed = str_skip(packed, stop < 0 ? packed.n : stop + 1);
            }
        }
        part(context, kind, inflate_all(packed, ISAL_ZLIB, &here), here);
    }
}

void unpack(struct str bytes, struct arena tmp, unpack_part part, void *context)
{
    struct arena here = tmp;
    if (str_starts(bytes, S("PK\3\4")))
        unpack_zip(bytes, tmp, part, context);
    else if (str_starts(bytes, S("\x1f\x8b")))
        part(context, S("unpacked"), inflate_all(bytes, ISAL_GZIP, &here), here);
    else if (str_starts(bytes, S("\x89PNG\r\n")))
        unpack_png(bytes, tmp, part, context);
}
