/* err.h - what went wrong in the world: a file, a trace, a full disk.
 *
 * Always the last parameter of a function that can fail, which then returns false. A
 * bug is an assert; out of memory ends the program (arena.h). Only main.c prints. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>
#include <stdint.h>

#define MUST_CHECK __attribute__((warn_unused_result))

enum err_kind {
    ERR_NONE,
    ERR_USAGE,  /* invalid usage: exit 2 */
    ERR_INPUT,  /* missing, unreadable, or not a trace: exit 3 */
    ERR_OUTPUT, /* cannot be written: exit 4 */
    ERR_INTERNAL,
    ERR_INCOMPLETE, /* written, but part of the analysis failed: exit 5 */
    ERR_GATE,      /* written, but a gate failed: exit 10 */
    ERR_FORBIDDEN, /* a forbidden word would leave, so nothing is written: exit 12 */
    ERR_KINDS
};

struct err {
    enum err_kind kind; /* ERR_NONE until the first failure, which stays */
    char file[1024];    /* the path the user typed, or empty */
    int64_t offset;     /* in the uncompressed bytes of `file`; -1: no such place */
    char what[400];     /* one sentence, no newline: what is wrong and what to do */
    char doing[80];     /* added by callers on the way up: "reading rank 3" */
};

/* Records the first failure. Returns false, so: return err_set(...). `file` may be
 * NULL. */
bool err_set(struct err *e, enum err_kind kind, const char *file, int64_t offset,
             const char *fmt, ...) __attribute__((cold, format(printf, 5, 6)));

/* Adds what was being done; the first caller to say so wins. Returns false. */
bool err_doing(struct err *e, const char *fmt, ...)
    __attribute__((cold, format(printf, 2, 3)));

/* "file: byte N: what (doing)", control characters made visible, into buf. */
void err_line(const struct err *e, char *buf, int buf_bytes);

#endif
