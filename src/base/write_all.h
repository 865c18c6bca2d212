/* write_all.h - bytes to an open file, all of them.
 *
 * The one loop for short writes and signals: of sinks (out.h), of the queue of files,
 * of files put in the place of others. */
#ifndef BASE_WRITE_ALL_H
#define BASE_WRITE_ALL_H

#include "base/str.h"

/* Returns 0, or errno of the write that failed, which is left set: then any part of
 * `bytes` may be there. */
int write_all(int fd, struct str bytes);

/* From here on no more than that many bytes are written, to all files together; then
 * writes fail with EDQUOT. */
void write_limit_set(int64_t bytes);
bool write_limit_met(void);

#endif
