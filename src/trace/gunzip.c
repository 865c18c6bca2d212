#include "trace/gunzip.h"

#include "base/arena.h"

#include <libdeflate.h>

/* Bits of the header's flags. */
enum { HEADER_CRC = 2, EXTRA_FIELD = 4, FILE_NAME = 8, COMMENT = 16, RESERVED = 0xe0 };

void gunzip_start(struct gunzip *g, bool (*more)(void *context), void *context)
{
    *g = (struct gunzip){.more = more, .context = context};
    if (inflateInit2(&g->z, -MAX_WBITS) !=
        Z_OK) /* without a header: that is read here */
        arena_full();
}

void gunzip_stop(struct gunzip *g)
{
    inflateEnd(&g->z);
}

static bool breaks(struct gunzip *g, const char *what)
{
    g->broken = what;
    return false;
}

static bool has_input(struct gunzip *g)
{
    return g->in < g->in_end || g->more(g->context);
}

/* The next byte of a header or trailer. */
static bool take(struct gunzip *g, unsigned *byte)
{
    if (!has_input(g))
        return breaks(g, "ends too early");
    g->crc = libdeflate_crc32(g->crc, g->in, 1);
    *byte = *g->in++;
    return true;
}

static bool skip_text(struct gunzip *g)
{
    unsigned byte = 1;
    while (byte)
        if (!take(g, &byte))
            return false;
    return true;
}

static bool skip_extra(struct gunzip *g)
{
    unsigned low, high, byte;
    if (!take(g, &low) || !take(g, &high))
        return false;
    for (unsigned n = low | high << 8; n > 0; n--)
        if (!take(g, &byte))
            return false;
    return true;
}

static bool check_header(struct gunzip *g)
{
    uint32_t crc = g->crc;
    unsigned low, high;
    if (!take(g, &low) || !take(g, &high))
        return false;
    return (low | high << 8) == (crc & 0xffff) || breaks(g, "is damaged");
}

static bool open_member(struct gunzip *g)
{
    unsigned header[10];
    g->crc = 0;
    for (int i = 0; i < 10; i++)
        if (!take(g, &header[i]))
            return false;
    unsigned flags = header[3];
    if (header[0] != 0x1f || header[1] != 0x8b || header[2] != Z_DEFLATED ||
        flags & RESERVED)
        return breaks(g, "is damaged");
    if ((flags & EXTRA_FIELD && !skip_extra(g)) ||
        (flags & FILE_NAME && !skip_text(g)) || (flags & COMMENT && !skip_text(g)) ||
        (flags & HEADER_CRC && !check_header(g)))
        return false;
    inflateReset(&g->z);
    g->crc = g->bytes = 0;
    return g->open = true;
}

/* After a member: another one, zeros that pad the file, or its end. */
static bool next_member(struct gunzip *g)
{
    while (has_input(g) && *g->in == 0)
        g->in++;
    if (g->in == g->in_end)
        return !(g->ended = true);
    if (*g->in != 0x1f)
        return breaks(g, "is followed by something else");
    return open_member(g);
}

/* The trailer: check sum and length of what was inflated. */
static bool close_member(struct gunzip *g)
{
    uint32_t crc = g->crc, bytes = g->bytes, said[2] = {0, 0};
    g->open = false;
    for (int i = 0; i < 8; i++) {
        unsigned byte;
        if (!take(g, &byte))
            return false;
        said[i / 4] |= (uint32_t)byte << i % 4 * 8;
    }
    return (said[0] == crc && said[1] == bytes) || breaks(g, "is damaged");
}

static bool inflate_some(struct gunzip *g, unsigned char *to, ptrdiff_t room,
                         ptrdiff_t *made)
{
    if (!has_input(g))
        return breaks(g, "ends too early");
    g->z.next_in = (unsigned char *)(uintptr_t)g->in;
    g->z.avail_in = (unsigned)(g->in_end - g->in);
    g->z.next_out = to;
    g->z.avail_out = (unsigned)room;
    int code = inflate(&g->z, Z_NO_FLUSH);
    g->in = g->in_end - g->z.avail_in;
    *made = room - (ptrdiff_t)g->z.avail_out;
    g->crc = libdeflate_crc32(g->crc, to, (size_t)*made);
    g->bytes += (uint32_t)*made;
    if (code == Z_STREAM_END)
        return close_member(g);
    return code == Z_OK || code == Z_BUF_ERROR || breaks(g, "is damaged");
}

ptrdiff_t gunzip_fill(struct gunzip *g, unsigned char *to, ptrdiff_t room)
{
    ptrdiff_t n = 0, made;
    while (n < room && !g->ended && !g->broken) {
        if (!g->open && !(g->started ? next_member(g) : open_member(g)))
            break;
        g->started = true;
        made = 0;
        bool good = inflate_some(g, to + n, room - n, &made);
        n += made;
        if (!good)
            break;
    }
    return n;
}
