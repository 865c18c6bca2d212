#include "waivers.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena_case.h"

static bool read_text(const char *text, struct waivers *w, struct err *e)
{
    char path[] = "/tmp/waivers_test.XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    fputs(text, f);
    fclose(f);
    bool done = waivers_read(&a, path, S("2026-03-01"), w, e);
    unlink(path);
    return done;
}

static void test_dates(void **state)
{
    (void)state;
    const char *const good[] = {"2026-01-31", "2024-02-29", "2000-02-29", "1999-12-31"};
    const char *const bad[] = {
        "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-01-32",
        "2026-1-01",  "2026/01/01", "1969-01-01", "20260-1-01", ""};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(date_is_good(str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(date_is_good(str_of(bad[i])));
}

static void test_holds_to_its_date(void **state)
{
    (void)state;
    struct waivers w;
    struct err e = {0};
    assert_true(read_text("# a note\n\n"
                          "f-1 2026-02-28 ended\r\n"
                          "f-2\t2026-03-01   today  is in\n"
                          "  a.key 2026-03-02 later",
                          &w, &e));
    assert_int_equal(w.n, 3);
    assert_true(waiver_is_over(&w, &w.at[0]));
    assert_false(waiver_is_over(&w, &w.at[1]));
    assert_false(waiver_is_over(&w, &w.at[2]));
    assert_text(waiver_find(w.at, w.n, S("x"), S("f-2"))->why, "today  is in");
    assert_int_equal(waiver_find(w.at, w.n, S("a.key"), S("f-9"))->line, 5);
    assert_null(waiver_find(w.at, w.n, S("b.key"), S("f-9")));
    assert_null(waiver_find(NULL, 0, S("a.key"), S("f-9")));
}

static void test_refuses(void **state)
{
    (void)state;
    const char *const lines[] = {"f-1\n", "f-1 2026-03-01\n", "f-1 soon because\n",
                                 "f-1 2026-02-30 because\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct waivers w;
        struct err e = {0};
        assert_false(read_text(lines[i], &w, &e));
        assert_int_equal(e.kind, ERR_INPUT);
        assert_non_null(strstr(e.what, "line 1:"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dates),
                                       cmocka_unit_test(test_holds_to_its_date),
                                       cmocka_unit_test(test_refuses)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
