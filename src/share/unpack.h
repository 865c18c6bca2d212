/* unpack.h - what is inside a file: of a zip its entries, of a gzip its content, of a
 * PNG its texts.
 *
 * Damaged ones give what can be read of them. What would be larger than
 * UNPACK_BYTES_MAX is cut there. */
#ifndef SHARE_UNPACK_H
#define SHARE_UNPACK_H

#include "base/arena.h"
#include "base/str.h"

enum { UNPACK_BYTES_MAX = 1 << 30 };

/* Calls `part` for each; its texts are lent for the call. */
void unpack(struct str bytes, struct arena tmp,
            void (*part)(void *context, struct str name, struct str bytes,
                         struct arena tmp),
            void *context);

#endif
