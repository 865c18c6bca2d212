/* out.h - where bytes go: a file, or memory.
 *
 * A sink remembers its first failure, so writers need not check each call: out_close
 * reports it. A file sink buffers; a memory sink grows until out_text takes its text.
 */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct sha256_ctx;

struct out {
    char *buf;
    ptrdiff_t n, cap; /* bytes */
    int fd;           /* -1: memory */
    int failed;       /* errno of the first failure, or 0 */
    int64_t bytes;    /* handed to the file so far */
    const char *file; /* named in the error */
    bool queued;      /* goes to file_queue.h when closed */
    struct sha256_ctx
        *digest;       /* of what is in the file, for written_files.h, or NULL */
    const char *known; /* the same in hex, if it was known before */
};

/* Creates or truncates `path`, which is lent until out_close. While the queue of files
 * runs, all of that happens later, and file_queue_finish tells what fails. */
MUST_CHECK bool out_open(struct out *o, const char *path, struct err *e);
MUST_CHECK bool out_close(struct out *o, struct err *e);

/* The SHA-256 in hex of all that will be written, lent until out_close: it need not be
 * found again. */
void out_known(struct out *o, const char *sha256);

void out_memory(struct out *o);
struct str out_view(const struct out *o);            /* lent until the next write */
struct str out_text(struct out *o, struct arena *a); /* a copy; the sink is freed */
void out_free(struct out *o);

/* Room for OUT_ROOM_MAX more bytes: write some there and add how many to `n`. */
enum { OUT_ROOM_MAX = 64 };
void out_grow(struct out *o); /* out_room's own */
static inline char *out_room(struct out *o)
{
    if (o->cap - o->n < OUT_ROOM_MAX)
        out_grow(o);
    return o->buf + o->n;
}

void out_bytes_more(struct out *o, const void *p, ptrdiff_t n); /* out_bytes' own */
static inline void out_bytes(struct out *o, const void *p, ptrdiff_t n)
{
    if (n <= 0)
        return;
    if (n > o->cap - o->n) {
        out_bytes_more(o, p, n);
        return;
    }
    memcpy(o->buf + o->n, p, (size_t)n);
    o->n += n;
}
static inline void out_str(struct out *o, struct str s)
{
    out_bytes(o, s.p, s.n);
}
static inline void out_c(struct out *o, const char *c_string)
{
    out_bytes(o, c_string, (ptrdiff_t)strlen(c_string));
}
void out_char_more(struct out *o, char c); /* out_char's own */
static inline void out_char(struct out *o, char c)
{
    if (o->n < o->cap)
        o->buf[o->n++] = c;
    else
        out_char_more(o, c);
}
void out_i64(struct out *o, int64_t v);
void out_code_point(struct out *o, uint32_t code); /* encoded by utf8_bytes */
void out_printf(struct out *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
#define out_lit(o, lit) out_bytes((o), (lit), (ptrdiff_t)sizeof(lit) - 1)

/* The shortest decimal that reads back as v, as Python prints a float: 12.0, 1e-09,
 * 7.2192e-05, inf, nan. */
void out_real(struct out *o, double v);
int real_text(char buf[32], double v); /* the same into buf; returns the length */

/* v with `decimals` places, halves away from zero on the decimal representation. */
void out_fixed(struct out *o, double v, int decimals);
int fixed_text(char buf[64], double v, int decimals);

/* The same with one decimal, or with none if that is 0: 12, 12.5. */
void out_tenths(struct out *o, double v);

#endif
