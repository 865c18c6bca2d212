/* arena_guard.h - what AddressSanitizer is told of arenas, so that it sees errors in
 * memory that no malloc gave: free space, the space between what was taken, and what
 * scratch left behind cannot be read or written. Nothing in other builds.
 *
 * Copies of an arena share a region, which knows how far any of them went: what one
 * takes, all of what lies behind is free again. A half is a region of its own within
 * the first. Regions lie at the beginning of the memory that they tell of. Arenas made
 * by hand have none, and are not guarded. Only arena.c includes this, after arena.h. */
#ifndef BASE_ARENA_GUARD_H
#define BASE_ARENA_GUARD_H

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#ifdef ARENA_GUARDED
#include <sanitizer/asan_interface.h>

enum {
    GUARD_PAGE = 4096,
    GUARD_LEAST = 32,         /* bytes on either side, or as many as an item has, ... */
    GUARD_MOST = 512,         /* ... up to these */
    GUARD_AHEAD = 65536,      /* of free space that nothing has touched */
    GUARD_HALF_MOST = 1 << 28 /* so that little has to be cleared on release */
};

struct arena_region {
    char *start, *high; /* [start, high) may be taken, ... */
    char *poisoned;     /* ... and [high, poisoned) is not to be touched */
    char *last;         /* nothing from here on was ever poisoned */
    struct arena_region *inner, *next;
};

/* A region is written only here, as nobody else may touch it. */
#define GUARD_UNSEEN __attribute__((no_sanitize_address))

GUARD_UNSEEN static void guard_poison(struct arena_region *r, char *from, char *to)
{
    ASAN_POISON_MEMORY_REGION(from, (size_t)(to - from));
    r->poisoned = to;
    r->last = to > r->last ? to : r->last;
}

GUARD_UNSEEN static struct arena_region *guard_region(char *at, ptrdiff_t bytes)
{
    struct arena_region *r =
        (struct arena_region *)(void *)(at + (-(uintptr_t)at & 15));
    *r = (struct arena_region){.start = at + bytes, .high = at + bytes};
    guard_poison(r, at, at + bytes);
    return r;
}

/* From `at` on all is free. */
GUARD_UNSEEN static void guard_free(struct arena_region *r, char *at)
{
    char *from = at > r->start ? at : r->start;
    if (r->high > from) {
        ASAN_POISON_MEMORY_REGION(from, (size_t)(r->high - from));
        r->high = from;
    }
    struct arena_region **link = &r->inner;
    while (*link) {
        struct arena_region *in = *link;
        guard_free(in, at);
        r->last = in->last > r->last ? in->last : r->last;
        if (in->start >= at)
            *link = in->next;
        else
            link = &in->next;
    }
}

/* As arena_take_raw; NULL: too little is left for guards on both sides. */
GUARD_UNSEEN static char *guard_take(struct arena *a, ptrdiff_t size, ptrdiff_t align,
                                     ptrdiff_t n)
{
    struct arena_region *r = a->region;
    if (!r)
        return NULL;
    guard_free(r, a->at);
    ptrdiff_t guard = size < GUARD_LEAST ? GUARD_LEAST : size;
    guard = guard < GUARD_MOST ? guard : GUARD_MOST;
    align = align < 8 ? 8 : align; /* what the sanitizer knows apart */
    ptrdiff_t pad =
        guard + (ptrdiff_t)(-(uintptr_t)(a->at + guard) & (uintptr_t)(align - 1));
    ptrdiff_t room = a->end - a->at - pad - guard;
    if (room < 0 || n > room / size)
        return NULL;
    char *p = a->at + pad;
    ASAN_POISON_MEMORY_REGION(a->at, (size_t)pad);
    ASAN_UNPOISON_MEMORY_REGION(p, (size_t)(n * size));
    r->high = p + n * size;
    if (r->poisoned < r->high + guard) {
        ptrdiff_t left = a->end - r->high;
        guard_poison(r, r->high, r->high + (left < GUARD_AHEAD ? left : GUARD_AHEAD));
    }
    a->at = r->high + guard;
    return p;
}

/* What was never written is no zero either. */
static char *guard_filled(char *p, ptrdiff_t bytes)
{
    enum { FILLED = 4096, NOBODYS = 0xA5 };
    if (p)
        memset(p, NOBODYS, (size_t)(bytes < FILLED ? bytes : FILLED));
    return p;
}

/* [at, end), which was free in `a`, as an arena of its own. */
GUARD_UNSEEN static struct arena guard_part(struct arena *a, char *at, char *end)
{
    struct arena part = {.at = at, .end = end, .region = NULL};
    if (!a->region || end - at < GUARD_PAGE)
        return part;
    guard_free(a->region, at);
    part.region = guard_region(at, 16 + sizeof *part.region);
    part.region->next = a->region->inner;
    a->region->inner = part.region;
    part.at = part.region->start;
    return part;
}

/* [from, to) may be touched. What the sanitizer knows of whole pages is given back, and
 * is zero again: of a region of gigabytes it would be written byte by byte, and most of
 * it never was. */
static void guard_clear(char *from, char *to)
{
    size_t scale, offset;
    __asan_get_shadow_mapping(&scale, &offset);
    size_t step = (size_t)GUARD_PAGE << scale;
    char *first = from + (-(uintptr_t)from & (step - 1)),
         *last = to - ((uintptr_t)to & (step - 1));
    if (first >= last) {
        ASAN_UNPOISON_MEMORY_REGION(from, (size_t)(to - from));
        return;
    }
    ASAN_UNPOISON_MEMORY_REGION(from, (size_t)(first - from));
    madvise((void *)(((uintptr_t)first >> scale) + offset),
            (size_t)(last - first) >> scale, MADV_DONTNEED);
    ASAN_UNPOISON_MEMORY_REGION(last, (size_t)(to - last));
}

GUARD_UNSEEN static void guard_release(char *page, struct arena_region *r)
{
    guard_free(r, page);
    guard_clear(page, r->last);
}

/* Columns begin and end at a page that nobody can touch. */
static void *guard_pages(char *p, ptrdiff_t bytes)
{
    ptrdiff_t whole = (bytes + GUARD_PAGE - 1) / GUARD_PAGE * GUARD_PAGE;
    if (!p)
        return NULL;
    mprotect(p, GUARD_PAGE, PROT_NONE);
    mprotect(p + GUARD_PAGE + whole, GUARD_PAGE, PROT_NONE);
    return p + GUARD_PAGE;
}
#endif
#endif
