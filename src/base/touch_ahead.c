#include "base/touch_ahead.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

enum { ASKED_MOST = 1 << 12, PIECES = 1 << 10 };

/* How often the system may still be asked. */
static atomic_int left = ASKED_MOST;
/* Of pieces with like numbers the one asked for last; another thread's may be lost,
 * which is then asked for again. */
static _Atomic uintptr_t asked[PIECES];

/* Fails where not all of it may be written, as behind the end of a heap, or where the
 * system knows no such call. */
static void populate(uintptr_t from, uintptr_t to)
{
    int before = errno;
    if (from < to)
        (void)madvise((void *)from, to - from, MADV_POPULATE_WRITE);
    errno = before;
}

static uintptr_t page_of(uintptr_t at)
{
    return at & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
}

static bool may_ask(void)
{
    return atomic_load_explicit(&left, memory_order_relaxed) > 0 &&
           atomic_fetch_sub_explicit(&left, 1, memory_order_relaxed) > 0;
}

void touch_pages(void *from, ptrdiff_t bytes)
{
    uintptr_t at = (uintptr_t)from;
    if (may_ask())
        populate(page_of(at), at + (uintptr_t)bytes);
}

void touch_ahead(void *from, ptrdiff_t bytes, void *end)
{
    uintptr_t at = (uintptr_t)from, last = (at + (uintptr_t)bytes) / TOUCH_BYTES;
    for (uintptr_t piece = at / TOUCH_BYTES; piece <= last; piece++) {
        _Atomic uintptr_t *known = &asked[piece % PIECES];
        if (atomic_load_explicit(known, memory_order_relaxed) == piece)
            continue;
        if (!may_ask())
            return;
        atomic_store_explicit(known, piece, memory_order_relaxed);
        uintptr_t begin = piece * TOUCH_BYTES, to = begin + TOUCH_BYTES;
        populate(begin < at ? page_of(at) : begin,
                 to < (uintptr_t)end ? to : (uintptr_t)end);
    }
}
