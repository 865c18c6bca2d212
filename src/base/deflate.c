#include "base/deflate.h"

#include "base/arena.h"

#include <assert.h>
#include <isa-l/igzip_lib.h>
#include <stdatomic.h>

enum {
    LEVEL = 2,
    ROOM = 1 << 16,      /* bytes made between two calls of out_bytes */
    INPUT_MAX = 1 << 30, /* bytes per call: ISA-L counts in 32 bits */
    FIRST = 8,           /* and the first call: at least 4, and fewer than 17 */
};

struct deflater {
    struct isal_zstream z;
    uint8_t tables[ISAL_DEF_LVL2_DEFAULT], made[ROOM];
};

/* One that nobody uses: its pages are mapped, and a run opens a dozen. */
static _Atomic(struct deflater *) spare;

struct deflater *deflater_open(void)
{
    struct deflater *d = atomic_exchange(&spare, NULL);
    return d ? d : pages_reserve(sizeof(struct deflater));
}

void deflater_close(struct deflater *d)
{
    d = atomic_exchange(&spare, d);
    if (d)
        pages_release(d, sizeof *d);
}

void deflater_begin(struct deflater *d, enum deflate_frame frame)
{
    static const uint16_t flags[] = {[DEFLATE_GZIP] = IGZIP_GZIP,
                                     [DEFLATE_ZLIB] = IGZIP_ZLIB,
                                     [DEFLATE_RAW] = IGZIP_DEFLATE};
    isal_deflate_init(&d->z);
    d->z.level = LEVEL;
    d->z.level_buf = d->tables;
    d->z.level_buf_size = sizeof d->tables;
    d->z.gzip_flag = flags[frame];
}

/* Takes the next part off *bytes.
 *
 * The first bytes are compressed separately and flushed. ISA-L 2.30 starts its search
 * for matches with a hash of the address of its own state instead of a hash of the
 * input (rcx at .write_first_byte of igzip_icf_body_h1_gr_bt.asm), so at one address in
 * a few thousand it finds other matches. A flushed block goes through another routine,
 * and after it the state is no longer in its initial form. Costs about 20 bytes.
 */
static void next_part(struct deflater *d, struct str *bytes)
{
    bool first = d->z.total_in == 0;
    struct str part = str_head(*bytes, first ? FIRST : INPUT_MAX);
    d->z.next_in = (uint8_t *)(uintptr_t)part.p;
    d->z.avail_in = (uint32_t)part.n;
    d->z.flush = first ? SYNC_FLUSH : NO_FLUSH;
    *bytes = str_skip(*bytes, part.n);
}

void deflater_feed(struct deflater *d, struct str bytes, bool last, struct out *o)
{
    bool full = true; /* the last call filled what there was room for */
    while (bytes.n || d->z.avail_in ||
           (last ? d->z.internal_state.state != ZSTATE_END : full)) {
        if (!d->z.avail_in)
            next_part(d, &bytes);
        d->z.end_of_stream = last && bytes.n == 0;
        d->z.next_out = d->made;
        d->z.avail_out = ROOM;
        int code = isal_deflate(&d->z);
        assert(code == COMP_OK); /* all other errors are ours */
        (void)code;
        full = d->z.avail_out == 0;
        out_bytes(o, d->made, ROOM - (ptrdiff_t)d->z.avail_out);
    }
}

void deflater_run(struct deflater *d, enum deflate_frame frame, struct str bytes,
                  struct out *o)
{
    deflater_begin(d, frame);
    deflater_feed(d, bytes, true, o);
}
