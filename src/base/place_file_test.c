#include "place_file.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static char dir[64], path[128], part[128];

static int set_up(void **state)
{
    (void)state;
    snprintf(dir, sizeof dir, "/tmp/place_file_test.XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    snprintf(path, sizeof path, "%s/a.txt", dir);
    snprintf(part, sizeof part, "%s/.a.txt.tracefolio-part", dir);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    unlink(part);
    return rmdir(dir); /* nothing else is in it */
}

static void assert_holds(const char *file, const char *want)
{
    char got[64] = "";
    FILE *f = fopen(file, "r");
    assert_non_null(f);
    size_t n = fread(got, 1, sizeof got - 1, f);
    fclose(f);
    assert_int_equal(n, strlen(want));
    assert_string_equal(got, want);
}

static void put(const char *file, const char *text)
{
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void test_new_and_again(void **state)
{
    (void)state;
    struct err e = {0};
    assert_true(place_file(path, S("first, and longer"), &e));
    assert_holds(path, "first, and longer");
    assert_true(place_file(path, S("second"), &e));
    assert_holds(path, "second");
    assert_int_equal(access(part, F_OK), -1);
}

static void test_what_a_killed_program_left(void **state)
{
    (void)state;
    struct err e = {0};
    put(part, "half of something that is long");
    assert_true(place_file(path, S("whole"), &e));
    assert_holds(path, "whole");
    assert_int_equal(access(part, F_OK), -1);
}

/* Neither where a link leads nor a pipe without a reader. */
static void test_not_through_a_link(void **state)
{
    (void)state;
    struct err e = {0};
    char thesis[128];
    snprintf(thesis, sizeof thesis, "%s/thesis", dir);
    put(thesis, "mine");
    assert_int_equal(symlink("thesis", part), 0);
    assert_false(place_file(path, S("x"), &e));
    assert_int_equal(e.kind, ERR_OUTPUT);
    unlink(part);
    assert_int_equal(mkfifo(part, 0666), 0);
    e = (struct err){0};
    assert_false(place_file(path, S("x"), &e));
    assert_holds(thesis, "mine");
    unlink(thesis);
}

static void test_failure_leaves_the_old(void **state)
{
    (void)state;
    struct err e = {0};
    assert_int_equal(mkdir(path, 0777), 0); /* which no file replaces */
    assert_false(place_file(path, S("x"), &e));
    assert_int_equal(e.kind, ERR_OUTPUT);
    assert_int_equal(access(part, F_OK), -1);
    assert_int_equal(rmdir(path), 0);
    e = (struct err){0};
    assert_false(place_file("/no/such/folder/a", S("x"), &e));
    assert_string_equal(e.what, "cannot be written: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_new_and_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_a_killed_program_left, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_not_through_a_link, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failure_leaves_the_old, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
