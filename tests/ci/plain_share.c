/* plain_share.c - preloaded, it makes any folder behave like a plain network share: no
 * hard or symbolic links, no locks, no rename with flags. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdarg.h>
#include <sys/file.h>
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
