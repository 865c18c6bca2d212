/* deflate.h - bytes to one gzip member, one zlib stream or one without a frame, as zips
 * have it (RFC 1952, RFC 1950, RFC 1951).
 *
 * Uses ISA-L at a level that gives the same bytes on every x86 processor of the last
 * fifteen years (SSE 4.2); level 3 does not. The 46 charts of a report, 69 MB of
 * pixels, take 15 ms; zlib's fastest level takes 130 ms. */
#ifndef BASE_DEFLATE_H
#define BASE_DEFLATE_H

#include "base/out.h"

enum deflate_frame { DEFLATE_GZIP, DEFLATE_ZLIB, DEFLATE_RAW };

struct deflater; /* 400 KB, for any number of streams one after the other */

struct deflater *deflater_open(void);
void deflater_close(struct deflater *d);

/* Appends the stream of `bytes` to `o`. The gzip header has neither file name nor time.
 */
void deflater_run(struct deflater *d, enum deflate_frame frame, struct str bytes,
                  struct out *o);

/* The same in parts. The parts decide the bytes of the stream, too. */
void deflater_begin(struct deflater *d, enum deflate_frame frame);
void deflater_feed(struct deflater *d, struct str bytes, bool last, struct out *o);

#endif
