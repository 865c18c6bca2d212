#include "formats/trace_part.c"

#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_rank_behind_a_name(void **state)
{
    (void)state;
    struct part_path p;
    assert_true(part_path_of(&p, "a/b.sqlite:rank=12"));
    assert_string_equal(p.file, "a/b.sqlite");
    assert_string_equal(p.part, "rank=12");
    assert_true(part_path_of(&p, "a:rank=1:rank=2"));
    assert_string_equal(p.file, "a:rank=1");
    const char *const none[] = {"a",       "",         ":rank=1",
                                "a:rank=", "a:rank=x", "a:rank=1.db"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(part_path_of(&p, none[i]));
}

static void a_file_of_that_name_is_that_file(void **state)
{
    (void)state;
    struct part_path p;
    char path[64];
    snprintf(path, sizeof path, "/tmp/tracefolio-%d:rank=1", (int)getpid());
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
    assert_false(part_path_of(&p, path));
    remove(path);
    assert_true(part_path_of(&p, path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_behind_a_name),
        cmocka_unit_test(a_file_of_that_name_is_that_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
