#include "base/arena.h"

#include "base/arena_guard.h"
#include "base/touch_ahead.h"

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

static _Noreturn void end_with(const char *line)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&said))
        pause(); /* another thread ends the program */
    (void)!write(STDERR_FILENO, line, strlen(line));
    if (at_full)
        at_full();
    _exit(1);
}

_Noreturn void arena_full(void)
{
    end_with(
        "tracefolio: out of memory; raise the limit (ulimit -v), analyse a shorter "
        "trace, or use a larger machine\n");
}

_Noreturn void arena_over_limit(void)
{
    end_with("tracefolio: this takes more memory than --max-memory allows; allow more, "
             "or analyse a shorter trace\n");
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

static char *reserve_some(ptrdiff_t *bytes, ptrdiff_t guards)
{
    char *p;
    while (!(p = reserve(*bytes + guards)) && *bytes > (ptrdiff_t)1 << 20)
        *bytes /= 2;
    if (!p)
        arena_full();
    return p;
}

struct arena arena_reserve(ptrdiff_t bytes)
{
#ifdef ARENA_GUARDED
    char *p = reserve_some(&bytes, GUARD_PAGE);
    return (struct arena){.at = p + GUARD_PAGE,
                          .end = p + GUARD_PAGE + bytes,
                          .region = guard_region(p, GUARD_PAGE)};
#else
    char *p = reserve_some(&bytes, 0);
    return (struct arena){p, p + bytes};
#endif
}

static bool ends;

void arena_process_ends(void)
{
#ifndef ARENA_GUARDED
    ends = true;
#endif
}

static void give_back(void *p, ptrdiff_t bytes)
{
    if (!ends)
        munmap(p, (size_t)bytes);
}

void arena_release(char *start, struct arena *a)
{
#ifdef ARENA_GUARDED
    start -= GUARD_PAGE;
    if (!ends)
        guard_release(start, a->region);
#endif
    give_back(start, a->end - start);
    *a = (struct arena){0};
}

/* [at, end) of what is free in `a`. */
static struct arena part_of(struct arena *a, char *at, char *end)
{
#ifdef ARENA_GUARDED
    return guard_part(a, at, end);
#else
    (void)a;
    return (struct arena){at, end};
#endif
}

struct arena arena_first_half(struct arena *a)
{
    enum { ALIGNED = 16 };
    ptrdiff_t half = (a->end - a->at) / 2 / ALIGNED * ALIGNED;
#ifdef ARENA_GUARDED
    half = least(half, GUARD_HALF_MOST);
#endif
    char *middle = a->at + half;
    struct arena whole = *a, first = part_of(&whole, a->at, middle);
    *a = part_of(&whole, middle, a->end);
    return first;
}

static void advise_free(struct arena a, int advice)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)a.at + page - 1) / page * page;
    uintptr_t to = (uintptr_t)a.end / page * page;
    if (from < to)
        madvise((void *)from, to - from, advice);
}

void arena_trim(struct arena a)
{
    advise_free(a, MADV_DONTNEED);
}

void arena_ask_huge(struct arena a)
{
    advise_free(a, MADV_HUGEPAGE);
}

static void *take(struct arena *a, ptrdiff_t size, ptrdiff_t align, ptrdiff_t n)
{
    assert(size > 0 && n >= 0 && align > 0 && (align & (align - 1)) == 0);
#ifdef ARENA_GUARDED
    char *guarded = guard_filled(guard_take(a, size, align, n), n * size);
    if (guarded)
        return guarded;
#endif
    ptrdiff_t pad = (ptrdiff_t)(-(uintptr_t)a->at & (uintptr_t)(align - 1));
    ptrdiff_t room = a->end - a->at - pad;
    if (room < 0 || n > room / size) /* divide, so that n * size cannot overflow */
        arena_full();
    char *p = a->at + pad;
    a->at = p + n * size;
#ifdef ARENA_GUARDED
    ASAN_UNPOISON_MEMORY_REGION(p, (size_t)(n * size));
#endif
    return p;
}

/* What is written soon. The guards of AddressSanitizer lie between. */
static void touch(const struct arena *a, void *p, ptrdiff_t bytes)
{
#ifdef ARENA_GUARDED
    (void)a, (void)p, (void)bytes;
#else
    if (TOUCH_CROSSES(p, (char *)p + bytes))
        touch_ahead(p, bytes, a->end);
#endif
}

void *arena_take(struct arena *a, ptrdiff_t size, ptrdiff_t align, ptrdiff_t n)
{
    void *p = take(a, size, align, n);
    touch(a, p, n * size);
    return memset(p, 0, (size_t)(n * size));
}

void *arena_take_raw(struct arena *a, ptrdiff_t size, ptrdiff_t align, ptrdiff_t n)
{
    enum { SURE = 3 << 17 }; /* a longer one may be as long as the longest could be */
    void *p = take(a, size, align, n);
    if (n * size <= SURE)
        touch(a, p, n * size);
    return p;
}

#ifdef ARENA_GUARDED
/* A list that moves whenever it grows, and of which nothing but its items is seen. */
static void *guard_grown(struct arena *a, void *list, ptrdiff_t size, ptrdiff_t n,
                         ptrdiff_t least)
{
    char *items = list;
    if (n == 0 || (n >= least && !(n & (n - 1)))) {
        ptrdiff_t room = n ? 2 * n : least;
        items = arena_take_raw(a, size, _Alignof(max_align_t), room);
        if (n) {
            memcpy(items, list, (size_t)(n * size));
            ASAN_POISON_MEMORY_REGION(list, (size_t)(n * size));
        }
        ASAN_POISON_MEMORY_REGION(items + n * size, (size_t)((room - n) * size));
    }
    ASAN_UNPOISON_MEMORY_REGION(items + n * size, (size_t)size);
    memset(items + n * size, 0, (size_t)size);
    return items;
}
#endif

void *arena_grown(struct arena *a, void *list, ptrdiff_t size, ptrdiff_t n)
{
    enum { LARGE_BYTES = 64 };
    ptrdiff_t least = size > LARGE_BYTES ? 1 : 8;
#ifdef ARENA_GUARDED
    if (a->region)
        return guard_grown(a, list, size, n, least);
#endif
    char *items = list;
    if (n == 0) {
        items = take(a, size, _Alignof(max_align_t), least);
    } else if (n >= least && !(n & (n - 1))) {
        if (items + n * size == a->at) { /* nothing lies behind it */
            take(a, size, 1, n);
        } else {
            items = take(a, size, _Alignof(max_align_t), 2 * n);
            touch(a, items, n * size);
            memcpy(items, list, (size_t)(n * size));
        }
    }
    touch(a, items + n * size, size); /* no more than a piece ahead of what is needed */
    memset(items + n * size, 0, (size_t)size);
    return items;
}

char *arena_copy(struct arena *a, const void *from, ptrdiff_t n)
{
    char *p = arena_take_raw(a, 1, 1, n);
    if (n > 0)
        memcpy(p, from, (size_t)n);
    return p;
}

void pages_forget(void *p, ptrdiff_t bytes)
{
    ptrdiff_t page = sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)p + (uintptr_t)page - 1) & ~((uintptr_t)page - 1);
    ptrdiff_t whole = ((char *)p + bytes - (char *)from) & ~(page - 1);
    if (whole > 0)
        madvise((void *)from, (size_t)whole, MADV_DONTNEED);
}

#ifdef ARENA_GUARDED
void *pages_reserve(ptrdiff_t bytes)
{
    void *p = guard_pages(reserve(bytes + 3 * (ptrdiff_t)GUARD_PAGE), bytes);
    if (!p)
        arena_full();
    return p;
}

void *pages_grow(void *p, ptrdiff_t old_bytes, ptrdiff_t bytes)
{
    void *more = pages_reserve(bytes);
    if (p)
        memcpy(more, p, (size_t)old_bytes);
    pages_release(p, old_bytes);
    return more;
}

void pages_release(void *p, ptrdiff_t bytes)
{
    if (p && bytes && __asan_address_is_poisoned((char *)p + bytes - 1))
        ASAN_UNPOISON_MEMORY_REGION(p, (size_t)bytes); /* it was sealed */
    if (p)
        give_back((char *)p - GUARD_PAGE, bytes + 3 * (ptrdiff_t)GUARD_PAGE);
}

void pages_seal(void *p, ptrdiff_t used, ptrdiff_t bytes)
{
    ASAN_POISON_MEMORY_REGION((char *)p + used, (size_t)(bytes - used));
}
#else
void *pages_reserve(ptrdiff_t bytes)
{
    void *p = reserve(bytes);
    if (!p)
        arena_full();
    return p;
}

void *pages_grow(void *p, ptrdiff_t old_bytes, ptrdiff_t bytes)
{
    enum { HUGE_FROM = 16 << 20 };
    if (!p)
        return pages_reserve(bytes);
    p = mremap(p, (size_t)old_bytes, (size_t)bytes, MREMAP_MAYMOVE);
    if (p == MAP_FAILED)
        arena_full();
    if (bytes >= HUGE_FROM)
        madvise(p, (size_t)bytes, MADV_HUGEPAGE);
    return p;
}

void pages_release(void *p, ptrdiff_t bytes)
{
    if (p)
        give_back(p, bytes);
}

void pages_seal(void *p, ptrdiff_t used, ptrdiff_t bytes)
{
    (void)p;
    (void)used;
    (void)bytes;
}
#endif
