/* file_kind.h - the first bytes of a file, decompressed, without using them up. */
#ifndef TRACE_FILE_KIND_H
#define TRACE_FILE_KIND_H

#include "trace/byte_source.h"

#include <stdbool.h>

struct file_kind {
    int fd;
    bool is_file;   /* which can be read anywhere, from its first byte on */
    bool is_packed; /* gzip or zstd */
    char *as_read;  /* of a pipe, for source_options.head; else nothing */
    ptrdiff_t n_read;
    char plain[SOURCE_HEAD_BYTES];
    ptrdiff_t n_plain;
};

/* Looks at `fd`, which stays as it was unless it is a pipe. What cannot be read looks
 * empty: whoever reads it says why. */
void file_kind_look(struct file_kind *k, int fd);
void file_kind_done(struct file_kind *k); /* what it read is used */

#endif
