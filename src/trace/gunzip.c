#include "trace/gunzip.h"

#include "base/arena.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>

/* Bits of the header's flags. */
enum { HEADER_CRC = 2, EXTRA_FIELD = 4, FILE_NAME = 8, COMMENT = 16, RESERVED = 0xe0 };

enum { DEFLATED = 8 }; /* the only method there is */

void gunzip_start(struct gunzip *g, bool (*more)(void *context), void *context)
{
    *g = (struct gunzip){.more = more, .context = context};
    g->inflate = malloc(sizeof *g->inflate);
    if (!g->inflate)
        arena_full();
}

void gunzip_stop(struct gunzip *g)
{
    free(g->inflate);
    g->inflate = NULL;
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
    g->crc = crc32_gzip_refl(g->crc, g->in, 1);
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
    if (header[0] != 0x1f || header[1] != 0x8b || header[2] != DEFLATED ||
        flags & RESERVED)
        return breaks(g, "is damaged");
    if ((flags & EXTRA_FIELD && !skip_extra(g)) ||
        (flags & FILE_NAME && !skip_text(g)) || (flags & COMMENT && !skip_text(g)) ||
        (flags & HEADER_CRC && !check_header(g)))
        return false;
    isal_inflate_init(g->inflate);
    g->inflate->crc_flag = ISAL_GZIP_NO_HDR_VER; /* it checks the trailer, too */
    return g->open = true;
}

/* After a member come another member, zero padding, or the end of the file. */
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

/* Even without input there may be output for which the last call had no room. */
static bool inflate_some(struct gunzip *g, unsigned char *to, ptrdiff_t room,
                         ptrdiff_t *made)
{
    struct inflate_state *state = g->inflate;
    bool fed = has_input(g);
    state->next_in = (unsigned char *)(uintptr_t)g->in;
    state->avail_in = fed ? (uint32_t)(g->in_end - g->in) : 0;
    state->next_out = to;
    state->avail_out = (uint32_t)room;
    int code = isal_inflate(state);
    g->in += fed ? g->in_end - g->in - state->avail_in : 0;
    *made = room - (ptrdiff_t)state->avail_out;
    g->open = state->block_state != ISAL_BLOCK_FINISH;
    if (code != ISAL_DECOMP_OK)
        return breaks(g, "is damaged");
    return fed || *made || !g->open || breaks(g, "ends too early");
}

bool gunzip_at_member(struct gunzip *g)
{
    return !g->open && !g->ended && !g->broken && has_input(g) && *g->in == 0x1f;
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
        if (!good || (g->by_member && !g->open && n))
            break;
    }
    return n;
}
