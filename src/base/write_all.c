#include "base/write_all.h"

#include <errno.h>
#include <unistd.h>

int write_all(int fd, struct str bytes)
{
    while (bytes.n > 0) {
        ssize_t n = write(fd, bytes.p, (size_t)bytes.n);
        if (n < 0 && errno != EINTR)
            return errno;
        bytes = str_skip(bytes, n > 0 ? n : 0);
    }
    return 0;
}
