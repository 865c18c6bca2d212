/* trace_sink.h - where the bytes of a sample go: a file, a .gz file, stdout, or
 * nowhere.
 *
 * The sink owns its handles and one buffer, and remembers its first failure; sink_close
 * tells. "Nowhere" is for runs that need only times and counts. */
#ifndef SAMPLE_TRACE_SINK_H
#define SAMPLE_TRACE_SINK_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_sink {
    char *buf;
    ptrdiff_t n;
    int fd;     /* -1: nowhere, or gz */
    void *gz;   /* gzFile */
    int failed; /* errno of the first failure */
    const char *path;
};

/* `path` ends in .gz, is "-" for stdout, or NULL for nowhere; lent until sink_close. */
MUST_CHECK bool sink_open(struct trace_sink *s, const char *path, struct err *e);
MUST_CHECK bool sink_close(struct trace_sink *s, struct err *e);

bool sink_discards(const struct trace_sink *s);
void sink_bytes(struct trace_sink *s, const char *p, ptrdiff_t n);
void sink_text(struct trace_sink *s, const char *c_string);
void sink_i64(struct trace_sink *s, int64_t v);

/* Nanoseconds as microseconds with three decimals. */
void sink_us(struct trace_sink *s, int64_t ns);

#endif
