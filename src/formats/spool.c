#include "formats/spool.h"

#include "base/write_all.h"
#include "trace/file_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of a copy: a few MB of gzip can hold a disk full. A variable, so that a test can
 * reach it. */
static int64_t copy_bytes_most = (int64_t)1 << 34;

static int open_unnamed(const char **folder)
{
    const char *asked = getenv("TMPDIR");
    char name[4096];
    *folder = asked && *asked ? asked : "/tmp";
    int fd = open(*folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || snprintf(name, sizeof name, "%s/tracefolio-XXXXXX", *folder) >=
                       (int)sizeof name)
        return fd;
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    return fd;
}

static bool cannot_copy(const char *path, const char *folder, struct err *e)
{
    return err_set(e, ERR_INPUT, path, -1,
                   "this format needs a plain file, and a copy cannot be written to "
                   "%.100s: %s; unpack the file, or set TMPDIR",
                   folder, strerror(errno));
}

/* Reads all of it; to `copy`, unless that is -1. */
static bool read_through(struct byte_source *s, int copy, const char *path,
                         const char *folder, struct err *e)
{
    char *begin, *end;
    while (source_next(s, 0, &begin, &end, e)) {
        if (copy >= 0 && source_bytes(s) > copy_bytes_most)
            return err_set(
                e, ERR_INPUT, path, -1,
                "more than %lld MB when unpacked, which is the limit; unpack "
                "it first, or record a shorter trace",
                (long long)(copy_bytes_most >> 20));
        if (copy >= 0 && write_all(copy, (struct str){begin, end - begin}))
            return cannot_copy(path, folder, e);
    }
    return e->kind == ERR_NONE;
}

bool spool_file(struct trace_file *f, const char *path, struct file_kind *k,
                struct source_options o, struct err *e)
{
    const char *folder = "";
    struct byte_source *s;
    bool as_is = k->is_file && !k->is_packed;
    int own = as_is ? dup(k->fd) : open_unnamed(&folder);
    if (own < 0) {
        cannot_copy(path, folder, e);
        close(k->fd);
        return false;
    }
    o.from_fd = true;
    o.fd = k->fd;
    o.head = k->as_read;
    o.head_n = k->n_read;
    o.ahead = NULL;
    bool done = source_open(&s, path, o, e);
    if (done) {
        done = read_through(s, as_is ? -1 : own, path, folder, e);
        f->bytes = source_bytes(s);
        if (done)
            source_digest(s, f->sha256);
        source_close(s);
    }
    f->fd = own;
    if (!done)
        close(own);
    return done;
}
