/* touch_ahead.h - memory brought in by the piece before it is written.
 *
 * A page that is written for the first time costs a page fault, which on a virtual
 * machine takes ten times as long as to clear the page. Whoever knows that memory will
 * be written soon asks for the pages of it in one call instead. Nothing depends on it:
 * where the system cannot do it (Linux before 5.14), or did it already, the pages come
 * as they are touched. */
#ifndef BASE_TOUCH_AHEAD_H
#define BASE_TOUCH_AHEAD_H

#include <stddef.h>

/* What is brought in at once, and so at most more than is used of an arena. */
#define TOUCH_BYTES ((ptrdiff_t)1 << 16)

/* All pages of [from, to), which nobody wrote to yet. */
void touch_pages(void *from, ptrdiff_t bytes);

/* The pieces, aligned to TOUCH_BYTES, that [from, from + bytes) lies in, as far as
 * `end`, unless they were asked for before. Asks a limited number of times: where that
 * much is used, what it saves is small. */
void touch_ahead(void *from, ptrdiff_t bytes, void *end);

/* Whether the two lie in different pieces. */
#define TOUCH_CROSSES(from, to)                                                        \
    (((uintptr_t)(from) ^ (uintptr_t)(to)) >= (uintptr_t)TOUCH_BYTES)

#endif
