#include "base/place_file.h"

#include "base/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool place_synced(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOSYS; /* it keeps nothing */
}

bool place_is_same(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

static bool same_file(int fd, const char *path)
{
    struct stat a, b;
    return fstat(fd, &a) == 0 && lstat(path, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino && S_ISREG(a.st_mode);
}

/* Alone with it: whoever waited for the lock may hold what was renamed meanwhile. */
static int open_part(const char *part)
{
    enum { TRIES = 100 };
    for (int k = 0; k < TRIES; k++) {
        int fd =
            open(part, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (fd < 0)
            return -1;
        (void)!flock(fd, LOCK_EX); /* a share may have none */
        if (same_file(fd, part) && ftruncate(fd, 0) == 0)
            return fd;
        close(fd);
        errno = EBUSY;
    }
    return -1;
}

bool place_is_stream(const char *path)
{
    return strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0 ||
           strncmp(path, "/dev/fd/", 8) == 0;
}

/* After what was written to it before. */
static bool put_into_stream(const char *path, struct str content, struct err *e)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
    int why = fd < 0 ? errno : write_all(fd, content);
    if (fd >= 0)
        close(fd);
    return !why || err_set(e, ERR_OUTPUT, path, -1, "%s", strerror(why));
}

bool place_file(const char *path, struct str content, struct err *e)
{
    if (place_is_stream(path))
        return put_into_stream(path, content, e);
    char part[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int head = slash ? (int)(slash + 1 - path) : 0;
    if (snprintf(part, sizeof part, "%.*s.%.200s.tracefolio-part", head, path,
                 path + head) >= (int)sizeof part)
        return err_set(e, ERR_OUTPUT, path, -1, "the path is too long");
    int fd = open_part(part);
    bool done = fd >= 0 && write_all(fd, content) == 0 && place_synced(fd) &&
                rename(part, path) == 0;
    if (!done)
        err_set(e, ERR_OUTPUT, path, -1, "cannot be written: %s", strerror(errno));
    if (!done && fd >= 0)
        unlink(part);
    if (fd >= 0)
        close(fd);
    return done;
}
