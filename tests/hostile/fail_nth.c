/* A preloaded library in which one call fails: the FAIL_AT-th of the kind FAIL_KIND
 * (memory, open, write, folder, rename, sync, list, input, close, unlink, thread, or
 * again: a read or write that is interrupted). With FAIL_COUNT=FILE it writes into that file how many of each kind there
 * are, and none fails. Not for programs with a sanitizer, which replaces the same
 * functions. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const kinds[] = {"memory", "open", "write", "folder", "rename", "sync",
                                    "list", "input", "again", "close", "unlink", "thread"};
enum { KINDS = sizeof kinds / sizeof *kinds };
static atomic_long calls[128]; /* by the first letter of the kind */
static long fail_at;
static char kind;

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAIL_AT"), *of = getenv("FAIL_KIND");
    kind = of ? of[0] : 0;
    fail_at = at ? atol(at) : 0;
    for (int i = 0; i < KINDS; i++)
        atomic_store(&calls[(int)kinds[i][0]], 0);
}

__attribute__((destructor)) static void count(void)
{
    const char *path = getenv("FAIL_COUNT");
    long n[KINDS];
    for (int i = 0; i < KINDS; i++)
        n[i] = atomic_load(&calls[(int)kinds[i][0]]);
    kind = 0;
    FILE *f = path ? fopen(path, "w") : NULL;
    for (int i = 0; f && i < KINDS; i++)
        fprintf(f, "%s %ld\n", kinds[i], n[i]);
    if (f)
        fclose(f);
}

static int fails(char which, int why)
{
    if (atomic_fetch_add(&calls[(int)which], 1) + 1 != fail_at || which != kind)
        return 0;
    errno = why;
    return 1;
}

/* The function of the C library, by its name. */
#define NEXT(name)                                                                     \
    static __typeof__(name) *next;                                                     \
    if (!next)                                                                         \
    *(void **)&next = dlsym(RTLD_NEXT, #name)

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

void *malloc(size_t n)
{
    return fails('m', ENOMEM) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return fails('m', ENOMEM) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return fails('m', ENOMEM) ? NULL : __libc_realloc(p, n);
}

void *mmap(void *at, size_t n, int protection, int flags, int file, off_t offset)
{
    NEXT(mmap);
    return fails('m', ENOMEM) ? MAP_FAILED
                              : next(at, n, protection, flags, file, offset);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    NEXT(open);
    return fails('o', EMFILE) ? -1 : next(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    NEXT(openat);
    return fails('o', EMFILE) ? -1 : next(folder, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    NEXT(fopen);
    return fails('o', EMFILE) ? NULL : next(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    NEXT(fopen64);
    return fails('o', EMFILE) ? NULL : next(path, mode);
}

ssize_t write(int file, const void *bytes, size_t n)
{
    NEXT(write);
    return file > 2 && (fails('w', ENOSPC) || fails('a', EINTR)) ? -1
                                                                 : next(file, bytes, n);
}

ssize_t read(int file, void *bytes, size_t n)
{
    NEXT(read);
    return fails('i', EIO) || fails('a', EINTR) ? -1 : next(file, bytes, n);
}

DIR *opendir(const char *path)
{
    NEXT(opendir);
    return fails('l', EMFILE) ? NULL : next(path);
}

DIR *fdopendir(int file)
{
    NEXT(fdopendir);
    return fails('l', ENOMEM) ? NULL : next(file);
}

struct dirent *readdir(DIR *folder)
{
    NEXT(readdir);
    return fails('l', EIO) ? NULL : next(folder);
}

int fstatat(int folder, const char *path, struct stat *st, int flags)
{
    NEXT(fstatat);
    return fails('l', EIO) ? -1 : next(folder, path, st, flags);
}

int fstat(int file, struct stat *st)
{
    NEXT(fstat);
    return fails('l', EIO) ? -1 : next(file, st);
}

int stat(const char *path, struct stat *st)
{
    NEXT(stat);
    return fails('l', EIO) ? -1 : next(path, st);
}

int lstat(const char *path, struct stat *st)
{
    NEXT(lstat);
    return fails('l', EIO) ? -1 : next(path, st);
}

int access(const char *path, int how)
{
    NEXT(access);
    return fails('l', EIO) ? -1 : next(path, how);
}

int faccessat(int folder, const char *path, int how, int flags)
{
    NEXT(faccessat);
    return fails('l', EIO) ? -1 : next(folder, path, how, flags);
}

/* As a network share does: what was written may be lost, and the file is closed. */
int close(int file)
{
    NEXT(close);
    int rc = next(file);
    return fails('c', EIO) ? -1 : rc;
}

int unlink(const char *path)
{
    NEXT(unlink);
    return fails('u', EIO) ? -1 : next(path);
}

int unlinkat(int folder, const char *path, int flags)
{
    NEXT(unlinkat);
    return fails('u', EIO) ? -1 : next(folder, path, flags);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                   void *with)
{
    NEXT(pthread_create);
    return fails('t', EAGAIN) ? EAGAIN : next(thread, how, run, with);
}

size_t fwrite(const void *bytes, size_t size, size_t n, FILE *file)
{
    NEXT(fwrite);
    return file != stdout && file != stderr && fails('w', ENOSPC)
               ? 0
               : next(bytes, size, n, file);
}

int mkdir(const char *path, mode_t mode)
{
    NEXT(mkdir);
    return fails('f', ENOSPC) ? -1 : next(path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    NEXT(mkdirat);
    return fails('f', ENOSPC) ? -1 : next(folder, path, mode);
}

int rename(const char *from, const char *to)
{
    NEXT(rename);
    return fails('r', EIO) ? -1 : next(from, to);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
    NEXT(renameat2);
    return fails('r', EIO) ? -1 : next(a, from, b, to, flags);
}

int renameat(int a, const char *from, int b, const char *to)
{
    NEXT(renameat);
    return fails('r', EIO) ? -1 : next(a, from, b, to);
}

int fsync(int file)
{
    NEXT(fsync);
    return fails('s', EIO) ? -1 : next(file);
}
