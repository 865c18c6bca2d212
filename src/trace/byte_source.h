/* byte_source.h - the bytes of a trace, decompressed, in consecutive windows.
 *
 * Knows files, standard input, gzip and zstd (recognised by content; several members or
 * frames are fine), but no format of traces. A second thread reads and inflates into a
 * ring of slots while the caller parses. The caller says how much of a window it has
 * not used and finds it again in front of the next bytes, so no token straddles two
 * windows. */
#ifndef TRACE_BYTE_SOURCE_H
#define TRACE_BYTE_SOURCE_H

#include "base/err.h"
#include "base/sha256.h"
#include "base/str.h"

#include <stddef.h>

struct byte_source;

enum {
    SOURCE_HEAD_BYTES = 1 << 12, /* that show what a file is */
    SOURCE_PAD_BYTES = 64,       /* behind the NUL of a window: may be read, not used */
    SOURCE_SLOTS = 8             /* of the ring */
};

struct source_options {
    ptrdiff_t window_bytes; /* of one slot; 0: the default. Tests use 1 to 64 */
    bool one_thread;        /* inflate in the caller's thread */
    bool no_digest;         /* source_digest will not be called */
    bool by_member;         /* a window ends where a member of gzip does */
    bool from_fd;           /* read `fd` in place of the path, which is then a label */
    int fd;                 /* owned by the source */
    const char *part;       /* of a file with several: "rank=1"; NULL: the first */
    const void *head;       /* what was read from `fd` before, to look at it; copied */
    ptrdiff_t head_n;
    /* Called by the inflating thread on a full slot that is not needed yet, to process
     * its bytes in advance; may be NULL. */
    void (*ahead)(void *context, int slot, const char *data, ptrdiff_t n);
    void *ahead_context;
};

/* A descriptor of what the options name; "-" is standard input. -1: e says why. */
int source_fd(const char *path, struct source_options o, struct err *e);

/* What is wrong with a file that begins so, which no reader takes; NULL: nothing. */
const char *source_refuses(struct str head);

/* Open `path`, which is lent until source_close. */
MUST_CHECK bool source_open(struct byte_source **s, const char *path,
                            struct source_options o, struct err *e);

/* Advances: *begin..*end holds the last `keep` bytes of the previous window, then new
 * ones. **end is a NUL that stops a scanner; the bytes are writable. False at the end
 * of the input, when the window is just what was kept, and on an error, which sets e.
 */
bool source_next(struct byte_source *s, ptrdiff_t keep, char **begin, char **end,
                 struct err *e);

/* Whether a file can be opened and, decompressed, begins with these bytes. */
bool source_begins_with(const char *path, struct str bytes);

/* The slot with the new bytes of the window if `ahead` has processed it, else -1. */
int source_slot_ahead(const struct byte_source *s);

/* Where in the file the member of gzip begins that the window begins with; -1: it does
 * not begin with one. Of sources in one thread, by member. */
int64_t source_member_at(const struct byte_source *s);

/* Uncompressed bytes handed out so far, and compressed bytes read so far. */
int64_t source_bytes(const struct byte_source *s);
int64_t source_file_bytes(const struct byte_source *s);
int64_t source_file_size(const struct byte_source *s); /* -1: not known */

/* SHA-256 of the file as stored, compressed or not, after source_next has reported the
 * end of the input; false if the input broke off. */
bool source_digest(struct byte_source *s, char hex[SHA256_HEX_BYTES]);

void source_close(struct byte_source *s);

#endif
