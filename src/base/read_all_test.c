/* The call of the system that fails here: interrupted, and a part at a time. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static const char there[] = "eleven more";
static size_t at_there;
static int calls, broken_at;

static ssize_t read_parts(int fd, void *p, size_t n)
{
    size_t left = sizeof there - 1 - at_there;
    (void)fd;
    if (++calls == broken_at || calls % 2) {
        errno = calls == broken_at ? EIO : EINTR;
        return -1;
    }
    n = n < left ? n : left;
    n = n < 3 ? n : 3;
    memcpy(p, there + at_there, n);
    at_there += n;
    return (ssize_t)n;
}

#define read read_parts
#include "base/read_all.c"
#undef read

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static int set_up(void **state)
{
    (void)state;
    at_there = 0;
    calls = broken_at = 0;
    return 0;
}

static void test_what_is_interrupted_goes_on(void **state)
{
    (void)state;
    char got[32] = "";
    assert_int_equal(read_all(3, got, sizeof got), 11);
    assert_string_equal(got, "eleven more");
}

static void test_no_more_than_asked_for(void **state)
{
    (void)state;
    char got[9] = "";
    assert_int_equal(read_all(3, got, 7), 7);
    assert_string_equal(got, "eleven ");
}

static void test_what_fails_in_the_middle(void **state)
{
    (void)state;
    char got[32];
    broken_at = 3;
    errno = 0;
    assert_int_equal(read_all(3, got, sizeof got), -1);
    assert_int_equal(errno, EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_what_is_interrupted_goes_on, set_up),
        cmocka_unit_test_setup(test_no_more_than_asked_for, set_up),
        cmocka_unit_test_setup(test_what_fails_in_the_middle, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
