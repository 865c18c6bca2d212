#include "trace_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { SINK_BYTES = 1 << 17 };

bool sink_open(struct trace_sink *s, const char *path, struct err *e)
{
    *s = (struct trace_sink){.fd = -1, .path = path};
    if (!path)
        return true;
    s->buf = malloc(SINK_BYTES);
    if (!s->buf)
        return err_set(e, ERR_INTERNAL, NULL, -1, "out of memory");
    size_t n = strlen(path);
    if (strcmp(path, "-") == 0) {
        s->fd = STDOUT_FILENO;
    } else if (n > 3 && strcmp(path + n - 3, ".gz") == 0) {
        s->gz = gzopen(path, "wb5"); /* no name and no date in the header */
    } else {
        s->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (s->fd < 0 && !s->gz) {
        int why = errno ? errno : ENOMEM;
        free(s->buf);
        return err_set(e, ERR_OUTPUT, path, -1, "cannot create: %s", strerror(why));
    }
    return true;
}

bool sink_discards(const struct trace_sink *s)
{
    return !s->path;
}

static void flush(struct trace_sink *s)
{
    const char *p = s->buf;
    while (s->n > 0 && !s->failed) {
        ssize_t did = s->gz ? (ssize_t)gzwrite(s->gz, p, (unsigned)s->n)
                            : write(s->fd, p, (size_t)s->n);
        if (did < 0 && errno == EINTR)
            continue;
        if (did <= 0) {
            s->failed = errno ? errno : EIO;
            break;
        }
        p += did;
        s->n -= did;
    }
    s->n = 0;
}

bool sink_close(struct trace_sink *s, struct err *e)
{
    if (!s->path)
        return true;
    flush(s);
    if (s->gz && gzclose(s->gz) != Z_OK && !s->failed)
        s->failed = errno ? errno : EIO;
    if (s->fd > STDERR_FILENO && close(s->fd) != 0 && !s->failed)
        s->failed = errno;
    free(s->buf);
    s->buf = NULL;
    if (s->failed)
        return err_set(e, ERR_OUTPUT, s->path, -1, "cannot write: %s",
                       strerror(s->failed));
    return true;
}

void sink_bytes(struct trace_sink *s, const char *p, ptrdiff_t n)
{
    if (!s->path)
        return;
    while (n > 0) {
        ptrdiff_t room = SINK_BYTES - s->n, take = n < room ? n : room;
        memcpy(s->buf + s->n, p, (size_t)take);
        s->n += take;
        p += take;
        n -= take;
        if (s->n == SINK_BYTES)
            flush(s);
    }
}

void sink_text(struct trace_sink *s, const char *c_string)
{
    sink_bytes(s, c_string, (ptrdiff_t)strlen(c_string));
}

/* Digits of v into the end of buf; returns where they begin. */
static char *digits(char *end, uint64_t v)
{
    do {
        *--end = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    return end;
}

void sink_i64(struct trace_sink *s, int64_t v)
{
    char buf[24], *end = buf + sizeof buf;
    char *p = digits(end, v < 0 ? -(uint64_t)v : (uint64_t)v);
    if (v < 0)
        *--p = '-';
    sink_bytes(s, p, end - p);
}

void sink_us(struct trace_sink *s, int64_t ns)
{
    char frac[4] = {'.', (char)('0' + ns / 100 % 10), (char)('0' + ns / 10 % 10),
                    (char)('0' + ns % 10)};
    sink_i64(s, ns / 1000);
    sink_bytes(s, frac, sizeof frac);
}
