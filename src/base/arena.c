#include "base/arena.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static void (*at_full)(void);

void arena_on_full(void (*clean_up)(void))
{
    at_full = clean_up;
}

_Noreturn void arena_full(void)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&said))
        pause(); /* another thread ends the program */
    static const char line[] =
        "tracefolio: out of memory; raise the limit (ulimit -v), analyse a shorter "
        "trace, or use a larger machine\n";
    (void)!write(STDERR_FILENO, line, sizeof line - 1);
    if (at_full)
        at_full();
    _exit(1);
}

enum { SHARE = 4 };

/* The number after `key` in a small /proc file, or -1. */
static ptrdiff_t number_in(const char *path, const char *key)
{
    char text[4096];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = '\0';
    const char *at = n ? strstr(text, key) : NULL;
    return at ? (ptrdiff_t)strtoll(at + strlen(key), NULL, 10) : -1;
}

static ptrdiff_t least(ptrdiff_t a, ptrdiff_t b)
{
    return a < b ? a : b;
}

static bool overcommit_is_strict(void)
{
    enum { UNKNOWN, LAX, STRICT };
    static atomic_int known = UNKNOWN; /* asked once: a run reserves a dozen times */
    if (known == UNKNOWN)
        known = number_in("/proc/sys/vm/overcommit_memory", "") == 2 ? STRICT : LAX;
    return known == STRICT;
}

/* Strict overcommit counts all reserved memory, touched or not. Memory reserved without
 * access (PROT_NONE) would not count until made accessible step by step, but scratch
 * arenas copy `end`, so every allocation would have to look up how far that went. */
ptrdiff_t arena_machine_bytes(void)
{
    ptrdiff_t page = sysconf(_SC_PAGESIZE), pages = sysconf(_SC_PHYS_PAGES);
    ptrdiff_t bytes = pages > 0 && page > 0 ? pages * page : (ptrdiff_t)1 << 32;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < PTRDIFF_MAX) {
        ptrdiff_t mapped = number_in("/proc/self/statm", "");
        ptrdiff_t left = (ptrdiff_t)limit.rlim_cur - (mapped > 0 ? mapped * page : 0);
        bytes = least(bytes, left / SHARE);
    }
    if (overcommit_is_strict()) {
        ptrdiff_t limit_kb = number_in("/proc/meminfo", "\nCommitLimit:");
        ptrdiff_t used_kb = number_in("/proc/meminfo", "\nCommitted_AS:");
        bytes = least(bytes, (limit_kb - used_kb) * 1024 / SHARE);
    }
    return bytes > 1 << 20 ? bytes : 1 << 20;
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
    while (!(p = reserve(bytes)) && bytes > (ptrdiff_t)1 << 20)
        bytes /= 2;
    if (!p)
        arena_full();
    return (struct arena){p, p + bytes};
}

static bool ends;

void arena_process_ends(void)
{
    ends = true;
}

static void give_back(void *p, ptrdiff_t bytes)
{
    if (!ends)
        munmap(p, (size_t)bytes);
}

void arena_release(char *start, struct arena *a)
{
    give_back(start, a->end - start);
    a->at = a->end = NULL;
}

struct arena arena_first_half(struct arena *a)
{
    enum { ALIGNED = 16 };
    struct arena first = *a;
    a->at += (a->end - a->at) / 2 / ALIGNED * ALIGNED;
    first.end = a->at;
    return first;
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

void *arena_grown(struct arena *a, void *list, ptrdiff_t size, ptrdiff_t n)
{
    enum { LARGE_BYTES = 64 };
    ptrdiff_t least = size > LARGE_BYTES ? 1 : 8;
    char *items = list;
    if (n == 0) {
        items = arena_take_raw(a, size, _Alignof(max_align_t), least);
    } else if (n >= least && !(n & (n - 1))) {
        if (items + n * size == a->at) { /* nothing lies behind it */
            arena_take_raw(a, size, 1, n);
        } else {
            items = arena_take_raw(a, size, _Alignof(max_align_t), 2 * n);
            memcpy(items, list, (size_t)(n * size));
        }
    }
    memset(items + n * size, 0, (size_t)size); /* no more is touched than is needed */
    return items;
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

void *pages_grow(void *p, ptrdiff_t old_bytes, ptrdiff_t bytes)
{
    if (!p)
        return pages_reserve(bytes);
    p = mremap(p, (size_t)old_bytes, (size_t)bytes, MREMAP_MAYMOVE);
    if (p == MAP_FAILED)
        arena_full();
    return p;
}

void pages_release(void *p, ptrdiff_t bytes)
{
    if (p)
        give_back(p, bytes);
}
