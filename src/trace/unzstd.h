/* unzstd.h - decompresses zstd frames, one after the other (RFC 8878). */
#ifndef TRACE_UNZSTD_H
#define TRACE_UNZSTD_H

#include "base/str.h"

struct unzstd {
    void *stream; /* libzstd's; NULL: not started */
    bool inside;  /* a frame, so that the input may not end */
};

/* Whether a file begins as zstd does; with a skippable frame, too. */
bool unzstd_is(struct str head);

bool unzstd_start(struct unzstd *z);
void unzstd_stop(struct unzstd *z);

/* Uses up some of `in`, which is empty at the end of the file, and makes some bytes.
 * Both may be none. What is wrong with the data, or NULL. */
const char *unzstd_some(struct unzstd *z, struct str *in, char *to, ptrdiff_t room,
                        ptrdiff_t *made);

#endif
