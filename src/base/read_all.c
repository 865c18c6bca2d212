#include "base/read_all.h"

#include <errno.h>
#include <unistd.h>

ptrdiff_t read_all(int fd, char *p, ptrdiff_t most)
{
    ptrdiff_t n = 0;
    while (n < most) {
        ssize_t k = read(fd, p + n, (size_t)(most - n));
        if (k == 0)
            break;
        if (k < 0 && errno != EINTR)
            return -1;
        n += k > 0 ? k : 0;
    }
    return n;
}
