/* arena_case.h - for tests: one arena, made before the cases and released after them.
 */
#ifndef BASE_ARENA_CASE_H
#define BASE_ARENA_CASE_H

#include "base/arena.h"

static struct arena a;
static char *start;

static int set_up(void **state)
{
    (void)state;
    a = arena_reserve(1 << 20);
    start = a.at;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_release(start, &a);
    return 0;
}

#define assert_text(s, want) assert_string_equal(str_c(&a, (s)), (want))

#endif
