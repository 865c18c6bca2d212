#include "base/arena.c"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* What was taken stays as it is, to the byte before the free part; what scratch left
 * behind is gone from the first whole page on, and can be written again. */
static void test_trim_keeps_what_was_taken(void **state)
{
    (void)state;
    enum { TAKEN = 5000, LEFT = 100000 };
    ptrdiff_t page = sysconf(_SC_PAGESIZE);
    struct arena a = arena_reserve(1 << 20), scratch;
    char *start = a.at, *taken = arena_take_raw(&a, 1, 1, TAKEN);
    memset(taken, 1, TAKEN);
    scratch = a;
    char *left = arena_take_raw(&scratch, 1, 1, LEFT);
    memset(left, 2, LEFT);
    arena_trim(a);
    for (ptrdiff_t i = 0; i < TAKEN; i++)
        assert_int_equal(taken[i], 1);
    ptrdiff_t kept =
        (page - (left - start) % page) % page; /* of the page that is shared */
    for (ptrdiff_t i = 0; i < LEFT; i++)
        assert_int_equal(left[i], i < kept ? 2 : 0);
    memset(left, 3, LEFT);
    arena_release(start, &a);
}

/* Whether the mapping that holds `p` asks for huge pages. */
static bool is_huge(const void *p)
{
    FILE *f = fopen("/proc/self/smaps", "r");
    char line[512];
    bool inside = false, huge = false;
    while (f && fgets(line, sizeof line, f)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            inside = from <= (uintptr_t)p && (uintptr_t)p < to;
        huge |= inside && !strncmp(line, "VmFlags:", 8) && strstr(line, " hg");
    }
    if (f)
        fclose(f);
    return huge;
}

/* Only of what is free, which stays zeroed. */
static void test_huge_pages_of_the_free_part(void **state)
{
    (void)state;
    enum { TAKEN = 100000, MORE = 3 << 20 };
    if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK))
        skip();
    struct arena a = arena_reserve(16 << 20);
    char *start = a.at, *taken = arena_take_raw(&a, 1, 1, TAKEN);
    memset(taken, 7, TAKEN);
    arena_ask_huge(a);
    char *more = arena_take(&a, 1, 1, MORE);
    assert_true(is_huge(more + MORE / 2));
    assert_false(is_huge(taken));
    assert_int_equal(taken[TAKEN - 1], 7);
    assert_int_equal(more[0] | more[MORE - 1], 0);
    arena_release(start, &a);
}

/* Under a limit each reservation takes its share of what is left, and the last one
 * still has room. */
static void test_a_limit_on_address_space_is_shared(void **state)
{
    (void)state;
    enum { MANY = 20 };
    struct rlimit old, low = {1 << 30, 1 << 30};
    getrlimit(RLIMIT_AS, &old);
    low.rlim_max = old.rlim_max;
    if (number_in("/proc/self/statm", "") * sysconf(_SC_PAGESIZE) > 1 << 29)
        skip(); /* a sanitizer has taken it */
    ptrdiff_t before = arena_machine_bytes();
    struct arena taken[MANY];
    assert_int_equal(setrlimit(RLIMIT_AS, &low), 0);
    for (int i = 0; i < MANY; i++) {
        ptrdiff_t most = arena_machine_bytes();
        taken[i] = arena_reserve(most / 2);
        assert_in_range(most, 1 << 20, (1 << 30) / SHARE);
        assert_int_equal(taken[i].end - taken[i].at, most / 2);
    }
    setrlimit(RLIMIT_AS, &old);
    for (int i = 0; i < MANY; i++)
        arena_release(taken[i].at, &taken[i]);
    assert_true(arena_machine_bytes() >= before / 2);
}

static void test_numbers_of_the_system(void **state)
{
    (void)state;
    assert_true(number_in("/proc/meminfo", "\nCommitLimit:") > 0);
    assert_true(number_in("/proc/meminfo", "\nCommitted_AS:") > 0);
    assert_in_range(number_in("/proc/sys/vm/overcommit_memory", ""), 0, 2);
    assert_int_equal(number_in("/proc/meminfo", "\nNo such line:"), -1);
    assert_int_equal(number_in("/nonexistent", ""), -1);
}

static void test_a_column_grows_with_what_is_in_it(void **state)
{
    (void)state;
    enum { FIRST = 1 << 16, THEN = 1 << 24 };
    char *p = pages_grow(NULL, 0, FIRST);
    memset(p, 7, FIRST);
    p = pages_grow(p, FIRST, THEN);
    for (ptrdiff_t i = 0; i < THEN; i += FIRST / 4)
        assert_int_equal(p[i], i < FIRST ? 7 : 0);
    pages_release(p, THEN);
}

/* Whole pages only: the page that holds the first byte to keep stays. */
static void what_is_forgotten_is_given_back(void **state)
{
    (void)state;
    const ptrdiff_t page = sysconf(_SC_PAGESIZE), bytes = 4 * page;
    char *p = pages_reserve(bytes);
    memset(p, 7, (size_t)bytes);
    pages_forget(p, page - 1);
    assert_int_equal(p[0], 7);
    pages_forget(p, 2 * page + 9);
    assert_int_equal(p[0], 0);
    assert_int_equal(p[2 * page - 1], 0);
    assert_int_equal(p[2 * page], 7);
    pages_release(p, bytes);
}

static void test_a_list_grows_and_keeps_its_items(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 20);
    char *start = a.at;
    int32_t *list = NULL;
    for (int n = 0; n < 1000; n++) {
        int32_t *before = list;
        arena_new(&a, char, 1); /* lies behind the list, so that it must move */
        arena_grow(&a, list, n);
        assert_int_equal(list[n], 0);
        int full = n == 0 || n == 8 || n == 16 || n == 512; /* of those looked at */
        if (full || n == 7 || n == 9 || n == 24)
            assert_true((list != before) == full);
        list[n] = n;
    }
    for (int n = 0; n < 1000; n++)
        assert_int_equal(list[n], n);
    arena_release(start, &a);
}

static void test_a_list_at_the_end_takes_no_more_than_it_holds(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 20);
    char *start = a.at;
    int64_t *list = NULL;
    struct arena scratch = a;
    memset(arena_take_raw(&scratch, 1, 1, 4096), 7, 4096); /* which it leaves behind */
    for (int n = 0; n < 256; n++) {
        arena_grow(&a, list, n);
        assert_int_equal(list[n], 0);
        list[n] = n;
    }
#ifndef ARENA_GUARDED
    assert_ptr_equal(list, start);
    assert_int_equal(a.at - start, 256 * sizeof *list);
#endif
    arena_release(start, &a);
}

static void halves_share_nothing(void **state)
{
    (void)state;
    struct arena whole = arena_reserve(1 << 20), rest = whole;
    (void)arena_take(&rest, 1, 1, 5);
    struct arena first = arena_first_half(&rest);
#ifndef ARENA_GUARDED
    assert_ptr_equal(first.at, whole.at + 5);
    assert_ptr_equal(first.end, rest.at);
#endif
    assert_ptr_equal(rest.end, whole.end);
    assert_in_range(rest.end - rest.at, first.end - first.at,
                    first.end - first.at + 32);
    arena_release(whole.at, &whole);
}

static bool is_mapped(void *page)
{
    unsigned char in_memory;
    return mincore(page, 1, &in_memory) == 0;
}

/* But where errors are sought: a fuzzer that kept all of each run had no room for the
 * nine hundredth. */
static void nothing_is_released_at_the_end(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 20);
    char *start = a.at, *page = pages_reserve(4096);
    char *text_page = start - (uintptr_t)start % 4096;
    assert_string_equal(arena_copy(&a, "text", 5), "text");
    page[9] = 'x';
    ends = false;
    arena_process_ends();
    arena_release(start, &a);
    pages_release(page, 4096);
    assert_null(a.at);
#ifdef ARENA_GUARDED
    assert_false(is_mapped(text_page) || is_mapped(page));
#else
    assert_true(is_mapped(text_page) && is_mapped(page));
    assert_string_equal(start, "text");
    assert_int_equal(page[9], 'x');
    ends = false;
    munmap(start, 1 << 20);
    pages_release(page, 4096);
#endif
}

#ifdef ARENA_GUARDED
static bool is_guarded(const void *p)
{
    return __asan_address_is_poisoned(p);
}

/* AddressSanitizer sees what lies before and behind anything that was taken, what
 * scratch left behind once its owner takes more, the rest of a list and where it was
 * before, and both ends of a column. */
static void errors_in_arenas_are_seen(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 20), scratch = a;
    char *start = a.at, *left = arena_take(&scratch, 1, 1, 100000);
    assert_false(is_guarded(left + 99999));
    int64_t *first = arena_new(&a, int64_t, 3), *second = arena_new(&a, int64_t, 2);
    assert_true(is_guarded(left + 99999));
    assert_true(is_guarded(first - 1) && is_guarded(first + 3));
    assert_true(is_guarded(second - 1) && is_guarded(second + 2));
    assert_false(is_guarded(first) || is_guarded(first + 2) || is_guarded(second + 1));
    int32_t *list = NULL, *before = NULL;
    for (int n = 0; n < 9; n++) {
        before = n == 7 ? list : before;
        arena_grow(&a, list, n);
        assert_true(is_guarded(list + n + 1));
        assert_false(is_guarded(list + n));
    }
    assert_true(is_guarded(before));
    struct arena outer = a, half = arena_first_half(&outer);
    char *in_half = arena_take(&half, 1, 1, 10), *beside = arena_take(&outer, 1, 1, 10);
    assert_true(is_guarded(in_half - 1) && is_guarded(beside - 1));
    arena_new(&a, char, 1);
    assert_true(is_guarded(in_half) && is_guarded(beside));
    arena_release(start, &a);
    int64_t *column = pages_reserve(800);
    pages_seal(column, 80, 800);
    assert_true(is_guarded(column + 10));
    assert_false(is_guarded(column + 9));
    pages_release(column, 800);
}
#else
static void errors_in_arenas_are_seen(void **state)
{
    (void)state;
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_share_nothing),
        cmocka_unit_test(nothing_is_released_at_the_end),
        cmocka_unit_test(errors_in_arenas_are_seen),
        cmocka_unit_test(test_trim_keeps_what_was_taken),
        cmocka_unit_test(test_huge_pages_of_the_free_part),
        cmocka_unit_test(test_a_limit_on_address_space_is_shared),
        cmocka_unit_test(test_numbers_of_the_system),
        cmocka_unit_test(test_a_column_grows_with_what_is_in_it),
        cmocka_unit_test(what_is_forgotten_is_given_back),
        cmocka_unit_test(test_a_list_grows_and_keeps_its_items),
        cmocka_unit_test(test_a_list_at_the_end_takes_no_more_than_it_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
