#include "base/arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

_Noreturn void arena_full(void)
{
    fputs(
        "tracefolio: out of memory; analyse a shorter trace or use a larger machine\n",
        stderr);
    _exit(1);
}

ptrdiff_t arena_machine_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page_bytes <= 0)
        return (ptrdiff_t)1 << 32;
    return (ptrdiff_t)pages * page_bytes;
}

static void *reserve(ptrdiff_t bytes)
{
    void *p = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

struct arena arena_reserve(ptrdiff_t bytes)
{
    char *p;
    /* A limit on address space (ulimit -v, strict overcommit) grants less; take that.
     */
    while (!(p = reserve(bytes)) && bytes > (ptrdiff_t)1 << 20)
        bytes /= 2;
    if (!p)
        arena_full();
    return (struct arena){p, p + bytes};
}

void arena_release(char *start, struct arena *a)
{
    munmap(start, (size_t)(a->end - start));
    a->at = a->end = NULL;
}

void arena_trim(struct arena a)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)a.at + page - 1) / page * page;
    uintptr_t to = (uintptr_t)a.end / page * page;
    if (from < to)
        madvise((void *)from, to - from, MADV_DONTNEED);
}

void *arena_take_raw(struct arena *a, ptrdiff_t size, ptrdiff_t align, ptrdiff_t n)
{
    assert(size > 0 && n >= 0 && align > 0 && (align & (align - 1)) == 0);
    ptrdiff_t pad = (ptrdiff_t)(-(uintptr_t)a->at & (uintptr_t)(align - 1));
    ptrdiff_t room = a->end - a->at - pad;
    if (room < 0 || n > room / size) /* divide, so that n * size cannot overflow */
        arena_full();
    char *p = a->at + pad;
    a->at = p + n * size;
    return p;
}

void *arena_take(struct arena *a, ptrdiff_t size, ptrdiff_t align, ptrdiff_t n)
{
    void *p = arena_take_raw(a, size, align, n);
    return memset(p, 0, (size_t)(n * size));
}

char *arena_copy(struct arena *a, const void *from, ptrdiff_t n)
{
    char *p = arena_take_raw(a, 1, 1, n);
    if (n > 0)
        memcpy(p, from, (size_t)n);
    return p;
}

void *pages_reserve(ptrdiff_t bytes)
{
    void *p = reserve(bytes);
    if (!p)
        arena_full();
    return p;
}

void pages_release(void *p, ptrdiff_t bytes)
{
    if (p)
        munmap(p, (size_t)bytes);
}
