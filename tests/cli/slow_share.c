/* slow_share.c - a file system that answers slowly, for a test: preloaded, it makes
 * every open, create, rename, unlink and close of a file take 5 ms longer.
 *
 *   cc -shared -fPIC -o slow_share.so slow_share.c -ldl
 *   LD_PRELOAD=./slow_share.so tracefolio analyze ...
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void answer_slowly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

/* The function that this one stands before, called after the wait. */
#define REAL(name)                                                                     \
    static __typeof__(name) *real;                                                     \
    if (!real)                                                                         \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                     \
    answer_slowly()

static mode_t mode_of(int flags, va_list more)
{
    return flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? va_arg(more, mode_t) : 0;
}

#define OPENS(name)                                                                    \
    int name(const char *path, int flags, ...)                                         \
    {                                                                                  \
        REAL(name);                                                                    \
        va_list more;                                                                  \
        va_start(more, flags);                                                         \
        mode_t mode = mode_of(flags, more);                                            \
        va_end(more);                                                                  \
        return real(path, flags, mode);                                                \
    }
#define OPENS_AT(name)                                                                 \
    int name(int fd, const char *path, int flags, ...)                                 \
    {                                                                                  \
        REAL(name);                                                                    \
        va_list more;                                                                  \
        va_start(more, flags);                                                         \
        mode_t mode = mode_of(flags, more);                                            \
        va_end(more);                                                                  \
        return real(fd, path, flags, mode);                                            \
    }
#define STREAMS(name)                                                                  \
    FILE *name(const char *path, const char *how)                                      \
    {                                                                                  \
        REAL(name);                                                                    \
        return real(path, how);                                                        \
    }

OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)
STREAMS(fopen)
STREAMS(fopen64)

int creat(const char *path, mode_t mode)
{
    REAL(creat);
    return real(path, mode);
}

int mkstemp(char *path)
{
    REAL(mkstemp);
    return real(path);
}

int close(int fd)
{
    REAL(close);
    return real(fd);
}

int fclose(FILE *f)
{
    REAL(fclose);
    return real(f);
}

int unlink(const char *path)
{
    REAL(unlink);
    return real(path);
}

int unlinkat(int fd, const char *path, int flags)
{
    REAL(unlinkat);
    return real(fd, path, flags);
}

int rename(const char *from, const char *to)
{
    REAL(rename);
    return real(from, to);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
    REAL(renameat);
    return real(from_fd, from, to_fd, to);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
    REAL(renameat2);
    return real(from_fd, from, to_fd, to, flags);
}
