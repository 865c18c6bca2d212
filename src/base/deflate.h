/* deflate.h - bytes to one gzip member or one zlib stream (RFC 1952, RFC 1950).
 *
 * By ISA-L, at a level whose bytes are the same on every x86 processor of the last
 * fifteen years (SSE 4.2); those of level 3 are not. For the 46 charts of a report, 69
 * MB of pixels, it takes 15 ms; zlib's quickest level takes 130. */
#ifndef BASE_DEFLATE_H
#define BASE_DEFLATE_H

#include "base/out.h"

enum deflate_frame { DEFLATE_GZIP, DEFLATE_ZLIB };

struct deflater; /* 400 KB, for any number of streams one after the other */

struct deflater *deflater_open(void);
void deflater_close(struct deflater *d);

/* The stream of all of `bytes`, at the end of `o`. The header of a gzip member names no
 * file and no time. */
void deflater_run(struct deflater *d, enum deflate_frame frame, struct str bytes,
                  struct out *o);

#endif
