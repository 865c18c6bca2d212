#include "base/deflate.h"

#include "base/arena.h"

#include <assert.h>
#include <isa-l/igzip_lib.h>

enum {
    LEVEL = 2,
    ROOM = 1 << 16,      /* bytes made between two calls of out_bytes */
    INPUT_MAX = 1 << 30, /* bytes a call takes: ISA-L counts in 32 bits */
};

struct deflater {
    struct isal_zstream z;
    uint8_t tables[ISAL_DEF_LVL2_DEFAULT], made[ROOM];
};

struct deflater *deflater_open(void)
{
    return pages_reserve(sizeof(struct deflater));
}

void deflater_close(struct deflater *d)
{
    pages_release(d, sizeof *d);
}

static void start(struct deflater *d, enum deflate_frame frame)
{
    isal_deflate_init(&d->z);
    d->z.level = LEVEL;
    d->z.level_buf = d->tables;
    d->z.level_buf_size = sizeof d->tables;
    d->z.gzip_flag = frame == DEFLATE_GZIP ? IGZIP_GZIP : IGZIP_ZLIB;
}

void deflater_run(struct deflater *d, enum deflate_frame frame, struct str bytes,
                  struct out *o)
{
    start(d, frame);
    while (d->z.internal_state.state != ZSTATE_END) {
        if (!d->z.avail_in) {
            struct str part = str_head(bytes, INPUT_MAX);
            d->z.next_in = (uint8_t *)(uintptr_t)part.p;
            d->z.avail_in = (uint32_t)part.n;
            bytes = str_skip(bytes, part.n);
            d->z.end_of_stream = bytes.n == 0;
        }
        d->z.next_out = d->made;
        d->z.avail_out = ROOM;
        int code = isal_deflate(&d->z);
        assert(code == COMP_OK); /* the others are faults of what is asked */
        (void)code;
        out_bytes(o, d->made, ROOM - (ptrdiff_t)d->z.avail_out);
    }
}
