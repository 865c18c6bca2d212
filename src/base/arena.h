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

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define ARENA_GUARDED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define ARENA_GUARDED 1
#endif

struct arena {
    char *at, *end;
#ifdef ARENA_GUARDED
    struct arena_region *region; /* arena_guard.h */
#endif
};

#define arena_new(a, T, n) ((T *)arena_take((a), sizeof(T), _Alignof(T), (n)))

/* How many bytes to reserve for one arena: as many as the machine has memory. If
 * address space is limited (ulimit -v) or committed strictly (vm.overcommit_memory=2),
 * a quarter of what is left, so that later reservations get less but never nothing. */
ptrdiff_t arena_machine_bytes(void);

/* Reserves `bytes` of zeroed address space, or less if the system grants less. */
struct arena arena_reserve(ptrdiff_t bytes);

/* Releases a whole reservation; `start` is its initial `at`. */
void arena_release(char *start, struct arena *a);

/* From here on nothing is released: the process ends, and the system takes all of it
 * back at once, sooner than one by one. When no other thread runs. Does nothing under
 * AddressSanitizer, which sees what is still used, and where a fuzzer runs again. */
void arena_process_ends(void);

/* Takes the first half of what is free: one for what is built, one for scratch. */
struct arena arena_first_half(struct arena *a);

/* Returns the memory of the free part to the system but keeps the address space: for
 * scratch that will not be used as far again. */
void arena_trim(struct arena a);

/* The free part is in huge pages where the system has them: for much that is touched
 * all over, as a page fault costs more than to clear a page. Takes up to 2 MiB more. */
void arena_ask_huge(struct arena a);

/* `n` zeroed objects of `size` bytes, aligned to `align`, a power of two. */
void *arena_take(struct arena *a, ptrdiff_t size, ptrdiff_t align, ptrdiff_t n);

/* The same without zeroing, for memory that is written at once. */
void *arena_take_raw(struct arena *a, ptrdiff_t size, ptrdiff_t align, ptrdiff_t n);

/* Makes room for one more item, zeroed, in a list of `n` that grows only this way. At
 * powers of two the list is full: it takes what lies behind it in the arena, or else is
 * copied to one of twice the size, and the old one stays behind. */
#define arena_grow(a, list, n) ((list) = arena_grown((a), (list), sizeof *(list), (n)))
void *arena_grown(struct arena *a, void *list, ptrdiff_t size, ptrdiff_t n);

/* A copy of `n` bytes. */
char *arena_copy(struct arena *a, const void *from, ptrdiff_t n);

/* Reports that memory has run out and exits with status 1, after a call of what
 * arena_on_full set. */
void arena_on_full(void (*clean_up)(void));
_Noreturn __attribute__((cold)) void arena_full(void);
_Noreturn __attribute__((cold)) void arena_over_limit(void); /* memory_limit.h */

/* Zeroed, untouched address space for `bytes`; never NULL. Columns live in it: they
 * grow in place and use memory only as far as they are written. */
void *pages_reserve(ptrdiff_t bytes);

/* Enlarges a reservation; it may move, but is not copied. NULL is an empty one. */
void *pages_grow(void *p, ptrdiff_t old_bytes, ptrdiff_t bytes);
void pages_release(void *p, ptrdiff_t bytes);

/* The first bytes are read no more: the whole pages of them become free. */
void pages_forget(void *p, ptrdiff_t bytes);

/* Nothing more is written behind the first `used` bytes; AddressSanitizer is told. */
void pages_seal(void *p, ptrdiff_t used, ptrdiff_t bytes);

#endif
