#include "base/out.h"

#include "base/arena.h"
#include "base/digit_pairs.h"
#include "base/file_queue.h"
#include "base/quick_print.h"
#include "base/real_digits.h"
#include "base/utf8.h"
#include "base/write_all.h"
#include "base/written_files.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FILE_BUFFER_BYTES = 1 << 16,
    QUEUED_START_BYTES = 1 << 14,
    MEMORY_START_BYTES = 1 << 10
};

static void resize(struct out *o, ptrdiff_t cap)
{
    char *p = realloc(o->buf, (size_t)cap);
    if (!p)
        arena_full();
    o->buf = p;
    o->cap = cap;
}

static void digest_start(struct out *o)
{
    o->digest = written_files_run() ? malloc(sizeof *o->digest) : NULL;
    if (o->digest)
        sha256_init(o->digest);
}

static void digest_add(struct out *o)
{
    if (o->digest)
        sha256_update(o->digest, (size_t)o->n, (const uint8_t *)o->buf);
}

static void digest_end(struct out *o)
{
    struct written_file f = {.bytes = o->bytes};
    if (o->digest)
        sha256_hex(o->digest, f.sha256);
    else if (o->known)
        memcpy(f.sha256, o->known, sizeof f.sha256);
    if ((o->digest || o->known) && !o->failed)
        written_files_add(o->file, f);
    free(o->digest);
    o->digest = NULL;
}

void out_known(struct out *o, const char *sha256)
{
    o->known = o->digest ? sha256 : NULL;
    free(o->digest);
    o->digest = NULL;
}

static void flush(struct out *o)
{
    if (!o->failed)
        o->failed = write_all(o->fd, (struct str){o->buf, o->n});
    digest_add(o);
    o->bytes += o->n;
    o->n = 0;
}

bool out_open(struct out *o, const char *path, struct err *e)
{
    *o = (struct out){.file = path, .fd = -1, .queued = file_queue_runs()};
    if (o->queued) {
        digest_start(o);
        resize(o, QUEUED_START_BYTES);
        return true;
    }
    o->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (o->fd < 0)
        return err_set(e, ERR_OUTPUT, path, -1, "cannot be written: %s",
                       strerror(errno));
    digest_start(o);
    resize(o, FILE_BUFFER_BYTES);
    return true;
}

bool out_close(struct out *o, struct err *e)
{
    if (o->queued) {
        digest_add(o);
        o->bytes = o->n;
        digest_end(o);
        file_queue_put(o->file, o->buf, o->n);
        o->buf = NULL;
        return true;
    }
    if (o->fd >= 0) {
        flush(o);
        if (close(o->fd) != 0 && !o->failed)
            o->failed = errno;
    }
    digest_end(o);
    free(o->buf);
    o->buf = NULL;
    if (o->failed)
        return err_set(e, ERR_OUTPUT, o->file, -1, "cannot be written: %s",
                       strerror(o->failed));
    return true;
}

void out_memory(struct out *o)
{
    *o = (struct out){.fd = -1};
}

struct str out_view(const struct out *o)
{
    return (struct str){o->buf ? o->buf : "", o->n};
}

struct str out_text(struct out *o, struct arena *a)
{
    struct str s = str_copy(a, out_view(o));
    out_free(o);
    return s;
}

void out_free(struct out *o)
{
    free(o->buf);
    *o = (struct out){.fd = -1};
}

/* Makes room for n more bytes; false if a file sink should write them directly. */
static bool room(struct out *o, ptrdiff_t n)
{
    if (o->cap - o->n >= n)
        return true;
    if (o->fd >= 0) {
        flush(o);
        return n <= o->cap;
    }
    ptrdiff_t cap = o->cap ? o->cap : MEMORY_START_BYTES;
    while (cap - o->n < n)
        cap *= 2;
    resize(o, cap);
    return true;
}

/* Writes text that does not fit into the buffer. */
void out_bytes_more(struct out *o, const void *p, ptrdiff_t n)
{
    const char *at = p;
    while (!room(o, n)) {
        memcpy(o->buf, at, (size_t)o->cap);
        o->n = o->cap;
        at += o->cap;
        n -= o->cap;
    }
    if (n > 0)
        memcpy(o->buf + o->n, at, (size_t)n);
    o->n += n;
}

void out_char_more(struct out *o, char c)
{
    room(o, 1);
    o->buf[o->n++] = c;
}

void out_grow(struct out *o)
{
    room(o, OUT_ROOM_MAX);
}

void out_i64(struct out *o, int64_t v)
{
    char *p = out_room(o);
    int n = (v < 0) + digit_count(magnitude(v));
    *p = '-';
    digits_before(p + n, magnitude(v), n - (v < 0));
    o->n += n;
}

void out_printf(struct out *o, const char *fmt, ...)
{
    char small[256];
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = quick_vprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n >= (int)sizeof small) {
        char *big = malloc((size_t)n + 1);
        if (!big)
            arena_full();
        vsnprintf(big, (size_t)n + 1, fmt, again);
        out_bytes(o, big, n);
        free(big);
    } else if (n > 0) {
        out_bytes(o, small, n);
    }
    va_end(again);
}

/* `units` of 10^-decimals. Returns the length. */
static int units_text(char *buf, uint64_t units, int decimals)
{
    int n = digit_count(units);
    if (n <= decimals)
        n = decimals + 1;
    char *end = buf + n + (decimals > 0), *p = end;
    for (int i = 0; i < decimals; i++, units /= 10)
        *--p = (char)('0' + units % 10);
    if (decimals > 0)
        *--p = '.';
    digits_before(p, units, (int)(p - buf));
    return (int)(end - buf);
}

/* Fast path for whole thousandths, such as times in us: no library call. */
static int thousandths_text(char *buf, double v)
{
    double scaled = v * 1000.0;
    if (!(scaled < 1e15))
        return 0;
    uint64_t units = (uint64_t)scaled;
    if ((double)units != scaled || scaled / 1000.0 != v)
        return 0;
    int decimals = 3;
    for (; decimals > 1 && units % 10 == 0; units /= 10)
        decimals--;
    return units_text(buf, units, decimals);
}

static int exponent_text(char *p, int exponent)
{
    unsigned u = (unsigned)abs(exponent);
    int n = 0;
    p[n++] = 'e';
    p[n++] = exponent < 0 ? '-' : '+';
    if (u >= 100)
        p[n++] = (char)('0' + u / 100);
    p[n++] = (char)('0' + u / 10 % 10);
    p[n++] = (char)('0' + u % 10);
    return n;
}

int real_text(char buf[32], double v)
{
    if (isnan(v))
        return (int)strlen(strcpy(buf, "nan"));
    if (isinf(v))
        return (int)strlen(strcpy(buf, v < 0 ? "-inf" : "inf"));
    int n = 0;
    if (signbit(v)) {
        buf[n++] = '-';
        v = -v;
    }
    if (v == 0.0) {
        memcpy(buf + n, "0.0", 3);
        return n + 3;
    }
    int k = v >= 1e-3 ? thousandths_text(buf + n, v) : 0;
    if (k)
        return n + k;
    char digits[REAL_DIGITS_MAX];
    int exponent, count = real_digits(v, digits, &exponent);
    if (exponent < -4 || exponent >= 16) {
        buf[n++] = digits[0];
        if (count > 1)
            buf[n++] = '.';
        memcpy(buf + n, digits + 1, (size_t)(count - 1));
        n += count - 1;
        return n + exponent_text(buf + n, exponent);
    }
    if (exponent < 0) {
        memcpy(buf + n, "0.000", (size_t)(1 - exponent));
        n += 1 - exponent;
        memcpy(buf + n, digits, (size_t)count);
        return n + count;
    }
    for (int i = 0; i <= exponent; i++)
        buf[n++] = i < count ? digits[i] : '0';
    buf[n++] = '.';
    int rest = count - exponent - 1;
    if (rest <= 0)
        buf[n++] = '0';
    for (int i = 0; i < rest; i++)
        buf[n++] = digits[exponent + 1 + i];
    return n;
}

void out_real(struct out *o, double v)
{
    char *p = out_room(o);
    o->n += real_text(p, v);
}

/* v >= 0 in whole units of 10^-decimals, by one multiplication; false if rounding the
 * product might give another digit than rounding the shortest decimal. Both are off by
 * less than 2^-52 of the product, so by 2^-12 below 2^40. Handles most numbers, in a
 * fifth of the instructions that finding their digits takes. */
static bool scale_quickly(double v, int decimals, uint64_t *units)
{
    static const double scale[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6};
    if (decimals < 0 || decimals >= (int)(sizeof scale / sizeof *scale))
        return false;
    double scaled = v * scale[decimals];
    if (!(scaled < 0x1p40))
        return false;
    *units = (uint64_t)scaled;
    double rest = scaled - (double)*units;
    *units += rest > 0.5;
    return fabs(rest - 0.5) > 0x1p-11;
}

/* The same for any v of fewer units than 1e19. Halves of the shortest decimal round up,
 * so 2.675 becomes 2.68, as a reader expects. */
static uint64_t scale_by_digits(double v, int decimals)
{
    char digits[REAL_DIGITS_MAX];
    int exponent = 0, count = v == 0.0 ? 0 : real_digits(v, digits, &exponent);
    int keep = exponent + 1 + decimals; /* digits to keep */
    uint64_t units = 0;
    for (int i = 0; i < keep; i++)
        units = 10 * units + (uint64_t)(i < count ? digits[i] - '0' : 0);
    return units + (keep >= 0 && keep < count && digits[keep] >= '5');
}

int fixed_text(char buf[64], double v, int decimals)
{
    if (!isfinite(v) || fabs(v) >= 1e15)
        return snprintf(buf, 64, "%g", v);
    if (fabs(v) >= 1e10 && decimals > 3) /* more units than 64 bits hold */
        return snprintf(buf, 64, "%.*f", decimals, v);
    uint64_t units;
    if (!scale_quickly(fabs(v), decimals, &units))
        units = scale_by_digits(fabs(v), decimals);
    bool negative = v < 0 && units;
    buf[0] = '-';
    int n = negative + units_text(buf + negative, units, decimals);
    buf[n] = '\0';
    return n;
}

void out_fixed(struct out *o, double v, int decimals)
{
    char *p = out_room(o);
    o->n += fixed_text(p, v, decimals);
}

void out_tenths(struct out *o, double v)
{
    uint64_t units;
    if (!scale_quickly(fabs(v), 1, &units)) {
        if (!(fabs(v) < 1e15)) {
            out_fixed(o, v, 1);
            return;
        }
        units = scale_by_digits(fabs(v), 1);
    }
    char *p = out_room(o);
    *p = '-';
    p += v < 0 && units;
    int n = digit_count(units / 10);
    digits_before(p + n, units / 10, n);
    p += n;
    if (units % 10) {
        *p++ = '.';
        *p++ = (char)('0' + units % 10);
    }
    o->n = p - o->buf;
}

void out_code_point(struct out *o, uint32_t code)
{
    char buf[4];
    out_bytes(o, buf, utf8_bytes(buf, code));
}
