/* fuzz_file.h - the bytes of one attempt as a file that has a path. */
#ifndef FUZZ_FILE_H
#define FUZZ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct fuzz_file {
    int fd;
    char path[32];
};

static inline struct fuzz_file fuzz_file_open(const uint8_t *data, size_t size)
{
    struct fuzz_file f = {.fd = memfd_create("attempt", 0)};
    if (f.fd < 0 || write(f.fd, data, size) != (ssize_t)size)
        abort();
    snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
    return f;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
