#include "base/small_blocks.h"

#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEP = 16,   /* bytes between sizes of blocks, and what they are aligned to */
    SIZES = 24,  /* of blocks handled here: malloc serves larger ones */
    HEAD = STEP, /* bytes in front of a block, of which one int is used */
    CHUNK = 1 << 20,
    OF_MALLOC = -1
};

/* A free block begins with the next one of its size. */
struct block {
    struct block *next;
};

/* One per thread: nothing is shared, so nothing is locked. */
static _Thread_local struct {
    struct block *free[SIZES];
    struct arena chunk;
} kept;

static int *size_of(void *p)
{
    return (int *)(void *)((char *)p - HEAD);
}

static void *from_malloc(size_t bytes)
{
    char *p = bytes > SIZE_MAX - HEAD ? NULL : malloc(HEAD + bytes);
    if (!p)
        arena_full();
    *size_of(p + HEAD) = OF_MALLOC;
    return p + HEAD;
}

void *small_take(size_t bytes)
{
    size_t size = bytes ? (bytes - 1) / STEP : 0;
    if (size >= SIZES)
        return from_malloc(bytes);
    struct block *b = kept.free[size];
    if (b) {
        kept.free[size] = b->next;
        return b;
    }
    ptrdiff_t room = HEAD + STEP * ((ptrdiff_t)size + 1);
    if (kept.chunk.end - kept.chunk.at < room) {
        char *chunk = pages_reserve(CHUNK); /* never freed, like every block */
        kept.chunk = (struct arena){.at = chunk, .end = chunk + CHUNK};
    }
    char *p = (char *)arena_take_raw(&kept.chunk, 1, STEP, room) + HEAD;
    *size_of(p) = (int)size;
    return p;
}

void small_free(void *p)
{
    if (!p)
        return;
    int size = *size_of(p);
    if (size == OF_MALLOC) {
        free((char *)p - HEAD);
        return;
    }
    struct block *b = p;
    b->next = kept.free[size];
    kept.free[size] = b;
}

void *small_resize(void *p, size_t had, size_t bytes)
{
#ifdef SMALL_BLOCKS
    void *q = bytes ? small_take(bytes) : NULL;
    if (p && q)
        memcpy(q, p, had < bytes ? had : bytes);
    small_free(p);
    return q;
#else
    (void)had;
    if (bytes)
        return realloc(p, bytes);
    free(p);
    return NULL;
#endif
}
