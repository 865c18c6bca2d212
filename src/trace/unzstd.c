#include "trace/unzstd.h"

#include <zstd.h>

enum { WINDOW_LOG_MOST = 27 }; /* 128 MB of memory, zstd's own limit without --long */

bool unzstd_is(struct str head)
{
    bool skippable = head.n >= 4 && (head.p[0] & 0xf0) == 0x50 &&
                     str_starts(str_skip(head, 1), S("\x2a\x4d\x18"));
    return skippable || str_starts(head, S("\x28\xb5\x2f\xfd"));
}

bool unzstd_start(struct unzstd *z)
{
    z->stream = ZSTD_createDStream();
    if (z->stream)
        ZSTD_DCtx_setParameter(z->stream, ZSTD_d_windowLogMax, WINDOW_LOG_MOST);
    return z->stream != NULL;
}

void unzstd_stop(struct unzstd *z)
{
    ZSTD_freeDStream(z->stream);
    z->stream = NULL;
}

const char *unzstd_some(struct unzstd *z, struct str *in, char *to, ptrdiff_t room,
                        ptrdiff_t *made)
{
    ZSTD_inBuffer from = {in->p, (size_t)in->n, 0};
    ZSTD_outBuffer out = {to, (size_t)room, 0};
    if (!in->n && !z->inside)
        return NULL;
    size_t left = ZSTD_decompressStream(z->stream, &out, &from);
    bool ends = in->n == 0;
    *in = str_skip(*in, (ptrdiff_t)from.pos);
    *made = (ptrdiff_t)out.pos;
    if (ZSTD_isError(left))
        return "is damaged";
    z->inside = left != 0;
    return ends && z->inside && !*made ? "ends too early" : NULL;
}
