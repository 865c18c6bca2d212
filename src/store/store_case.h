/* store_case.h - for tests: a store read from JSON text in the test's source. */
#ifndef STORE_STORE_CASE_H
#define STORE_STORE_CASE_H

#include "store/event_store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Write `n` bytes to a new temporary file; its name replaces the pattern in `path`. */
static inline void case_file(char path[32], const void *bytes, size_t n)
{
    strcpy(path, "/tmp/tracefolio-XXXXXX");
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
        abort();
    close(fd);
}

/* Read a trace from `json` through a window of `window` bytes (0: the usual one). */
static inline bool case_store(struct event_store *s, const char *json, ptrdiff_t window,
                              struct err *e)
{
    char path[32];
    case_file(path, json, strlen(json));
    struct store_options o = {.source = {.window_bytes = window}};
    bool done = store_read(s, path, &o, e);
    s->file = "case";
    unlink(path);
    return done;
}

#endif
