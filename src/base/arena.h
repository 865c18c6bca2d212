/* arena.h - memory that is given back all at once.
 *
 * A stage takes two: `perm` by pointer, for what it returns, and `tmp` by value, for
 * scratch. What is taken from the copy is free again when the stage returns, on every
 * path. Address space is reserved once and pages arrive as they are touched, so an
 * arena may be generous. Running out ends the program with one line: nothing here
 * returns NULL. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
    char *at, *end;
};

#define arena_new(a, T, n) ((T *)arena_take((a), sizeof(T), _Alignof(T), (n)))

/* As much address space as this machine has memory, in bytes: what one arena may need.
 */
ptrdiff_t arena_machine_bytes(void);

/* Reserve `bytes` of zeroed address space; less where the system grants less. */
struct arena arena_reserve(ptrdiff_t bytes);

/* Give a whole reservation back; `start` is the `at` it began with. */
void arena_release(char *start, struct arena *a);

/* Give back the memory of what is free, and keep the address space: of scratch whose
 * high water will not come again. */
void arena_trim(struct arena a);

/* `n` zeroed objects of `size` bytes, aligned to `align`, a power of two. */
void *arena_take(struct arena *a, ptrdiff_t size, ptrdiff_t align, ptrdiff_t n);

/* The same without zeroing, for what is written at once. */
void *arena_take_raw(struct arena *a, ptrdiff_t size, ptrdiff_t align, ptrdiff_t n);

/* A copy of `n` bytes. */
char *arena_copy(struct arena *a, const void *from, ptrdiff_t n);

/* Say that memory is out and end the program with status 1. */
_Noreturn void arena_full(void);

/* Zeroed, untouched address space for `bytes`; never NULL. Columns live in it: they
 * grow in place and are resident only as far as they are written. */
void *pages_reserve(ptrdiff_t bytes);
void pages_release(void *p, ptrdiff_t bytes);

#endif
