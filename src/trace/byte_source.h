/* byte_source.h - the bytes of a trace, inflated, in windows that follow one another.
 *
 * Knows files, standard input and gzip (several members too, told by content, not by
 * suffix); knows nothing of JSON. A thread of its own reads and inflates into a ring of
 * slots while the caller parses. The caller hands back what it has not used of a window
 * and gets it again in front of the next bytes, so a token never straddles an edge. */
#ifndef TRACE_BYTE_SOURCE_H
#define TRACE_BYTE_SOURCE_H

#include "base/err.h"
#include "base/sha256.h"

#include <stddef.h>

struct byte_source;

enum {
    SOURCE_PAD_BYTES = 32, /* behind the NUL of a window: may be read, not used */
    SOURCE_SLOTS = 16      /* of the ring */
};

struct source_options {
    ptrdiff_t window_bytes; /* of one slot; 0: the default. Tests use 1 to 64 */
    bool one_thread;        /* inflate in the caller's thread */
    bool from_fd;           /* read `fd` in place of the path, which is then a label */
    int fd;                 /* owned by the source */
    /* For a slot that is full and not needed soon, by the thread that inflates: what
     * can be made of its bytes before the caller has them; NULL: nothing. */
    void (*ahead)(void *context, int slot, const char *data, ptrdiff_t n);
    void *ahead_context;
};

/* Open `path`; "-" is standard input. `path` is lent until source_close. */
MUST_CHECK bool source_open(struct byte_source **s, const char *path,
                            struct source_options o, struct err *e);

/* Advance: *begin..*end holds the `keep` last bytes of the window before, then new
 * ones.
 * **end is a NUL that a scanner may run into; the bytes are writable. False at the end
 * of the input (the window is then just what was kept) and on an error, which sets e.
 */
bool source_next(struct byte_source *s, ptrdiff_t keep, char **begin, char **end,
                 struct err *e);

/* The slot that the new bytes of the window are in, when `ahead` has had it; else -1.
 */
int source_slot_ahead(const struct byte_source *s);

/* Uncompressed bytes handed out so far, and compressed bytes read so far. */
int64_t source_bytes(const struct byte_source *s);
int64_t source_file_bytes(const struct byte_source *s);
int64_t source_file_size(const struct byte_source *s); /* -1: not known */

/* SHA-256 of the file as it is, compressed or not, after source_next has said that the
 * input ended; false where it broke off. */
bool source_digest(struct byte_source *s, char hex[SHA256_HEX_BYTES]);

void source_close(struct byte_source *s);

#endif
