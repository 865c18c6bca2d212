#include "base/plain_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Every byte at every place, in texts shorter and longer than one step. */
static void test_every_byte_everywhere(void **state)
{
    (void)state;
    char text[50];
    for (int byte = 0; byte < 256; byte++) {
        bool stops = byte < 0x20 || byte >= 0x7f || byte == '<' || byte == '\\';
        for (ptrdiff_t n = 1; n < (ptrdiff_t)sizeof text; n++)
            for (ptrdiff_t at = 0; at < n; at++) {
                memset(text, 'a', sizeof text);
                text[at] = (char)byte;
                assert_int_equal(plain_run((struct str){text, n}, "<\\"),
                                 stops ? at : n);
            }
    }
}

static void test_ends_with_the_text(void **state)
{
    (void)state;
    assert_int_equal(plain_run(S(""), "x"), 0);
    assert_int_equal(plain_run((struct str){"aaaa<", 4}, "<"), 4);
    assert_int_equal(plain_run(S("no stops at all, and ~"), ""), 22);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_byte_everywhere),
        cmocka_unit_test(test_ends_with_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
