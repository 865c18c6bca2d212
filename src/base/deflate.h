/* deflate.h - bytes to one gzip member or one zlib stream (RFC 1952, RFC 1950).
 *
 * Uses ISA-L at a level that gives the same bytes on every x86 processor of the last
 * fifteen years (SSE 4.2); level 3 does not. The 46 charts of a report, 69 MB of
 * pixels, take 15 ms; zlib's fastest level takes 130 ms. */
#ifndef BASE_DEFLATE_H
#define BASE_DEFLATE_H

#include "base/out.h"

enum deflate_frame { DEFLATE_GZIP, DEFLATE_ZLIB };

struct deflater; /* 400 KB, for any number of streams one after the other */

struct deflater *deflater_open(void);
void deflater_close(struct deflater *d);

/* Appends the stream of `bytes` to `o`. The gzip header has neither file name nor time.
 */
void deflater_run(struct deflater *d, enum deflate_frame frame, struct str bytes,
                  struct out *o);

#endif
