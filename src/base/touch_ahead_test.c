#include "touch_ahead.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 4 * TOUCH_BYTES };

/* Four pieces, aligned to one, that nobody touched. */
static char *fresh(void)
{
    char *p = mmap(NULL, BYTES + (size_t)TOUCH_BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    return p + (-(uintptr_t)p & (uintptr_t)(TOUCH_BYTES - 1));
}

/* Of [p, p + bytes) the pages that are in memory, in bytes. */
static ptrdiff_t in_memory(char *p, ptrdiff_t bytes)
{
    unsigned char there[BYTES / 4096];
    ptrdiff_t page = sysconf(_SC_PAGESIZE), n = 0;
    assert_int_equal(mincore(p, (size_t)bytes, there), 0);
    for (ptrdiff_t i = 0; i < bytes / page; i++)
        n += (there[i] & 1) * page;
    return n;
}

static void needs_support(void)
{
    char *p = fresh();
    if (madvise(p, (size_t)TOUCH_BYTES, MADV_POPULATE_WRITE) != 0)
        skip();
}

static void test_a_piece_comes_whole_and_up_to_the_end_alone(void **state)
{
    (void)state;
    needs_support();
    char *p = fresh();
    touch_ahead(p + 10, 20, p + BYTES);
    assert_int_equal(in_memory(p, BYTES), TOUCH_BYTES);
    touch_ahead(p + TOUCH_BYTES - 1, 2, p + TOUCH_BYTES + TOUCH_BYTES / 2);
    assert_int_equal(in_memory(p, BYTES), TOUCH_BYTES + TOUCH_BYTES / 2);
    assert_int_equal(p[TOUCH_BYTES], 0);
}

/* What was given back after it was asked for comes page by page. */
static void test_a_piece_is_asked_for_once(void **state)
{
    (void)state;
    needs_support();
    char *p = fresh();
    touch_ahead(p, 1, p + BYTES);
    madvise(p, (size_t)TOUCH_BYTES, MADV_DONTNEED);
    touch_ahead(p, 1, p + BYTES);
    assert_int_equal(in_memory(p, BYTES), 0);
}

static void test_pages_are_those_that_are_named(void **state)
{
    (void)state;
    needs_support();
    ptrdiff_t page = sysconf(_SC_PAGESIZE);
    char *p = fresh();
    touch_pages(p + page + 1, page);
    assert_int_equal(in_memory(p, page), 0);
    assert_int_equal(in_memory(p + page, 2 * page), 2 * page);
    assert_int_equal(in_memory(p, BYTES), 2 * page);
}

/* Memory that may not be written, or that is not there, is left alone without an error.
 */
static void test_what_cannot_be_written_is_left_alone(void **state)
{
    (void)state;
    char *p = fresh();
    mprotect(p, (size_t)TOUCH_BYTES, PROT_NONE);
    errno = 7;
    touch_ahead(p, 1, p + BYTES);
    touch_pages(p, TOUCH_BYTES);
    assert_int_equal(errno, 7);
    assert_int_equal(in_memory(p, BYTES), 0);
}

static void test_it_is_asked_a_limited_number_of_times(void **state)
{
    (void)state;
    char *p = fresh();
    atomic_store(&left, 1);
    touch_ahead(p, 2 * TOUCH_BYTES, p + BYTES);
    touch_pages(p + 3 * TOUCH_BYTES, TOUCH_BYTES);
    assert_true(in_memory(p, BYTES) <= TOUCH_BYTES);
    assert_int_equal(in_memory(p + TOUCH_BYTES, BYTES - TOUCH_BYTES), 0);
    atomic_store(&left, ASKED_MOST);
}

static void test_pieces_are_told_apart(void **state)
{
    (void)state;
    char *p = fresh();
    assert_false(TOUCH_CROSSES(p, p + TOUCH_BYTES - 1));
    assert_true(TOUCH_CROSSES(p, p + TOUCH_BYTES));
    assert_true(TOUCH_CROSSES(p + TOUCH_BYTES - 1, p + TOUCH_BYTES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_piece_comes_whole_and_up_to_the_end_alone),
        cmocka_unit_test(test_a_piece_is_asked_for_once),
        cmocka_unit_test(test_pages_are_those_that_are_named),
        cmocka_unit_test(test_what_cannot_be_written_is_left_alone),
        cmocka_unit_test(test_it_is_asked_a_limited_number_of_times),
        cmocka_unit_test(test_pieces_are_told_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
