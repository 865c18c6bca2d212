#include "trace/file_kind.h"

#include "base/arena.h"
#include "trace/gunzip.h"
#include "trace/unzstd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A block of zstd has up to 128 KB, and gives nothing until all of it is there. */
enum { ZSTD_HEAD_BYTES = (1 << 17) + (1 << 12) };

/* More bytes, up to `n` of them. */
static void read_more(struct file_kind *k, int64_t at, ptrdiff_t n)
{
    k->as_read = realloc(k->as_read, (size_t)n);
    if (!k->as_read)
        arena_full();
    while (k->n_read < n) {
        char *to = k->as_read + k->n_read;
        size_t room = (size_t)(n - k->n_read);
        ssize_t got =
            k->is_file ? pread(k->fd, to, room, at + k->n_read) : read(k->fd, to, room);
        if (got <= 0 && !(got < 0 && errno == EINTR))
            break;
        k->n_read += got > 0 ? got : 0;
    }
}

static bool no_more(void *context)
{
    (void)context;
    return false;
}

static ptrdiff_t unpack_gzip(struct str packed, char *to)
{
    struct gunzip g;
    gunzip_start(&g, no_more, NULL);
    g.in = (const unsigned char *)packed.p;
    g.in_end = g.in + packed.n;
    ptrdiff_t n = gunzip_fill(&g, (unsigned char *)to, SOURCE_HEAD_BYTES);
    gunzip_stop(&g);
    return n;
}

static ptrdiff_t unpack_zstd(struct str packed, char *to)
{
    struct unzstd z = {0};
    ptrdiff_t n = 0, made = 1;
    const char *broken = NULL;
    if (!unzstd_start(&z))
        return 0;
    while (!broken && n < SOURCE_HEAD_BYTES && (packed.n || made > 0)) {
        made = 0;
        broken = unzstd_some(&z, &packed, to + n, SOURCE_HEAD_BYTES - n, &made);
        n += made;
    }
    unzstd_stop(&z);
    return n;
}

void file_kind_look(struct file_kind *k, int fd)
{
    off_t at = lseek(fd, 0, SEEK_CUR);
    *k = (struct file_kind){.fd = fd, .is_file = at >= 0};
    read_more(k, at, SOURCE_HEAD_BYTES);
    struct str head = {k->as_read, k->n_read};
    bool zstd = unzstd_is(head), gzip = gunzip_is(head);
    if (zstd) {
        read_more(k, at, ZSTD_HEAD_BYTES);
        head = (struct str){k->as_read, k->n_read};
    }
    k->is_packed = zstd || gzip;
    k->n_plain = zstd   ? unpack_zstd(head, k->plain)
                 : gzip ? unpack_gzip(head, k->plain)
                        : k->n_read;
    if (!k->is_packed)
        memcpy(k->plain, k->as_read, (size_t)k->n_read);
    if (k->is_file) {
        k->is_file = at == 0;
        k->n_read = 0;
    }
}

void file_kind_done(struct file_kind *k)
{
    free(k->as_read);
    k->as_read = NULL;
}
