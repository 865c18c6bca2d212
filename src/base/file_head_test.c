#include "base/file_head.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena_case.h"

static void test_no_more_than_asked_for_is_read(void **state)
{
    (void)state;
    static const ptrdiff_t most[] = {1, 4, 5, 100};
    static const char *const want[] = {"a", "a\nbc", "a\nbcd", "a\nbcd"};
    char path[] = "/tmp/tracefolio-file-XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, "a\nbcd", 5), 5);
    close(fd);
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        struct err e = {0};
        struct str text;
        assert_true(file_head(&a, path, most[i], &text, &e));
        assert_text(text, want[i]);
    }
    unlink(path);
}

static void test_what_cannot_be_read_is_named(void **state)
{
    (void)state;
    struct err none = {0}, folder = {0};
    struct str text = S("as before");
    assert_false(file_head(&a, "/no/such/file", 10, &text, &none));
    assert_string_equal(none.what, "cannot be opened: No such file or directory");
    assert_string_equal(none.file, "/no/such/file");
    assert_false(file_head(&a, "/", 10, &text, &folder));
    assert_string_equal(folder.what, "cannot be opened: Is a directory");
    assert_text(text, "as before");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_more_than_asked_for_is_read),
        cmocka_unit_test(test_what_cannot_be_read_is_named),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
