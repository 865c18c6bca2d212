/* file_queue.h - files handed over whole, to be written by several threads.
 *
 * On a share that takes milliseconds to open and to close a file, a site of a hundred
 * files takes a second if one thread writes them. While the queue runs, every sink of
 * out.h for a file collects its bytes in memory, and out_close hands them over: files
 * are written in any order, and all before file_queue_finish returns. */
#ifndef BASE_FILE_QUEUE_H
#define BASE_FILE_QUEUE_H

#include "base/err.h"

#include <stddef.h>

enum { FILE_QUEUE_THREADS = 16 };

/* Without it, or if no thread can be created, files are written as they are closed. */
void file_queue_start(void);
bool file_queue_runs(void);

/* `buf` is from malloc and given away; the path is copied. Waits while what is not yet
 * written takes much memory. */
void file_queue_put(const char *path, char *buf, ptrdiff_t n);

/* Waits for all files. False: what was wrong with the first that failed. Does nothing
 * if the queue does not run. */
MUST_CHECK bool file_queue_finish(struct err *e);

#endif
