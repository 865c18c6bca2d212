/* malloc, calloc and realloc that never fail: running out of memory is one line and
 * status 1 everywhere (arena.h), also in libraries that do not look at what they get.
 * They stand in the program, so the libraries' calls come here too. Only with glibc,
 * which lends its own under other names; a sanitizer brings its own. */
#include "base/arena.h"
#include "base/touch_ahead.h"

#include <stdint.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||             \
    __has_feature(memory_sanitizer)
#define HAS_OWN_MALLOC
#endif
#endif

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                            \
    !defined(__SANITIZE_THREAD__) && !defined(HAS_OWN_MALLOC)

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t n, size_t bytes);
extern void *__libc_realloc(void *p, size_t bytes);

/* Large blocks are mapped each by itself, and may be written only in part. */
static void *touched(void *p, size_t bytes)
{
    enum { LARGE = 1 << 17 };
    if (bytes < LARGE)
        touch_ahead(p, (ptrdiff_t)bytes, (void *)UINTPTR_MAX);
    return p;
}

void *malloc(size_t bytes)
{
    void *p = __libc_malloc(bytes);
    if (!p)
        arena_full();
    return touched(p, bytes);
}

void *calloc(size_t n, size_t bytes)
{
    void *p = __libc_calloc(n, bytes);
    if (!p)
        arena_full();
    return p;
}

void *realloc(void *old, size_t bytes)
{
    void *p = __libc_realloc(old, bytes);
    if (!p && bytes)
        arena_full();
    return p ? touched(p, bytes) : p;
}

#endif
