/* unpack.h - what is inside a file: of a zip its entries, of a gzip its content, of a
 * PNG its texts. What cannot be unpacked is said, with the reason. */
#ifndef BASE_UNPACK_H
#define BASE_UNPACK_H

#include "base/arena.h"
#include "base/str.h"

/* More than that many times its packed size, and this much anyway, is not unpacked: it
 * was made to fill the memory. */
enum { UNPACK_TIMES = 50, UNPACK_BYTES_ANYWAY = 1 << 22, UNPACK_BYTES_MAX = 1 << 29 };

struct unpacking {
    void *context;
    /* Whether an entry of a zip is unpacked at all; NULL: all are. */
    bool (*wanted)(void *context, struct str name);
    /* Each part; its texts are lent for the call. */
    void (*part)(void *context, struct str name, struct str bytes, struct arena tmp);
    /* What of it could not be read; `name` may be empty. */
    void (*unread)(void *context, struct str name, const char *why);
};

/* Whether a file is one that holds others, or is packed in any way that is known. */
bool unpack_is_packed(struct str bytes);

void unpack(struct str bytes, struct arena tmp, const struct unpacking *u);

#endif
