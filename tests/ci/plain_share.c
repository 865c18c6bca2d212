/* plain_share.c - preloaded, it makes any folder behave like a plain network share: no
 * hard or symbolic links, no locks, no nameless files, no modes, no rename with flags,
 * onto a folder, or of a folder in which a file is open. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int refuse(int why)
{
    errno = why;
    return -1;
}

int link(const char *from, const char *to)
{
    (void)from, (void)to;
    return refuse(EPERM);
}

int linkat(int a, const char *from, int b, const char *to, int flags)
{
    (void)a, (void)from, (void)b, (void)to, (void)flags;
    return refuse(EPERM);
}

int symlink(const char *from, const char *to)
{
    (void)from, (void)to;
    return refuse(EPERM);
}

int symlinkat(const char *from, int b, const char *to)
{
    (void)from, (void)b, (void)to;
    return refuse(EPERM);
}

int fchmod(int fd, mode_t mode)
{
    (void)fd, (void)mode;
    return refuse(EPERM);
}

int fchmodat(int fd, const char *path, mode_t mode, int flags)
{
    (void)fd, (void)path, (void)mode, (void)flags;
    return refuse(EPERM);
}

/* Whether this process has a file open below a folder. */
static int is_in_use(int dir_fd, const char *name)
{
    char link[64], dir[PATH_MAX], inside[2 * PATH_MAX], open[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", dir_fd);
    ssize_t n = dir_fd == AT_FDCWD ? readlink("/proc/self/cwd", dir, sizeof dir - 1)
                                   : readlink(link, dir, sizeof dir - 1);
    if (n < 0)
        return 0;
    dir[n] = '\0';
    snprintf(inside, sizeof inside, *name == '/' ? "%.0s%s/" : "%s/%s/", dir, name);
    for (int fd = 0; fd < 256; fd++) {
        struct stat st;
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        n = readlink(link, open, sizeof open - 1);
        open[n < 0 ? 0 : n] = '\0';
        if (n > 0 && strncmp(open, inside, strlen(inside)) == 0 &&
            fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
            return 1;
    }
    return 0;
}

int renameat(int a, const char *from, int b, const char *to)
{
    static int (*real)(int, const char *, int, const char *);
    struct stat st;
    if (fstatat(b, to, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
        return refuse(EEXIST);
    if (is_in_use(a, from))
        return refuse(EACCES);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "renameat");
    return real(a, from, b, to);
}

int rename(const char *from, const char *to)
{
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int openat(int fd, const char *path, int flags, ...)
{
    static int (*real)(int, const char *, int, ...);
    va_list args;
    va_start(args, flags);
    mode_t mode = (mode_t)va_arg(args, int);
    va_end(args);
    if ((flags & O_TMPFILE) == O_TMPFILE)
        return refuse(EOPNOTSUPP);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "openat");
    return real(fd, path, flags, mode);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
    return flags ? refuse(EINVAL) : renameat(a, from, b, to);
}

int flock(int fd, int how)
{
    (void)fd, (void)how;
    return refuse(ENOLCK);
}

int fcntl(int fd, int command, ...)
{
    static int (*real)(int, int, ...);
    va_list args;
    va_start(args, command);
    void *argument = va_arg(args, void *);
    va_end(args);
    if (command == F_SETLK || command == F_SETLKW)
        return refuse(ENOLCK);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "fcntl");
    return real(fd, command, argument);
}
