#include "base/write_all.h"

#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

static int64_t most = INT64_MAX;
static _Atomic int64_t written;
static atomic_bool met;

void write_limit_set(int64_t bytes)
{
    most = bytes;
}

bool write_limit_met(void)
{
    return met;
}

int write_all(int fd, struct str bytes)
{
    if (atomic_fetch_add(&written, bytes.n) + bytes.n > most) {
        met = true;
        return errno = EDQUOT;
    }
    while (bytes.n > 0) {
        ssize_t n = write(fd, bytes.p, (size_t)bytes.n);
        if (n < 0 && errno != EINTR)
            return errno;
        bytes = str_skip(bytes, n > 0 ? n : 0);
    }
    return 0;
}
