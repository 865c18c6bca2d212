#include "base/plain_file.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No system call that opens or reads a file here fails with it. */
enum { NOT_PLAIN = ENOTBLK };

/* O_NONBLOCK, so that a pipe does not wait for its writer before it is refused. */
static int open_plain(int folder_fd, const char *path, int how)
{
    struct stat st;
    int fd =
        openat(folder_fd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | how);
    if (fd < 0 && (errno == ENXIO || errno == ENODEV))
        errno = NOT_PLAIN; /* a socket, a device without a driver */
    if (fd < 0)
        return -1;
    bool known = fstat(fd, &st) == 0;
    if (known && S_ISREG(st.st_mode))
        return fd;
    int why = !known ? errno : S_ISDIR(st.st_mode) ? EISDIR : NOT_PLAIN;
    close(fd);
    errno = why;
    return -1;
}

int plain_open_at(int folder_fd, const char *name)
{
    int fd = open_plain(folder_fd, name, O_NOFOLLOW);
    if (fd < 0 && errno == ELOOP)
        errno = NOT_PLAIN;
    return fd;
}

static bool is_own(struct str path)
{
    return str_starts(path, S("/dev/fd/")) || str_starts(path, S("/proc/self/fd/")) ||
           str_eq(path, S("/dev/stdin")) || str_eq(path, S("/dev/null"));
}

int plain_open(const char *path)
{
    return is_own(str_of(path)) ? open(path, O_RDONLY | O_CLOEXEC)
                                : open_plain(AT_FDCWD, path, 0);
}

const char *plain_why(int why)
{
    return why == NOT_PLAIN ? "not a plain file" : strerror(why);
}
