#include "render/text/base64.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_base64(struct str bytes, const char *want)
{
    struct out o;
    out_memory(&o);
    out_base64(&o, bytes);
    if (!str_eq(out_view(&o), str_of(want)))
        fail_msg("%.*s is not %s", STRF(out_view(&o)), want);
    out_free(&o);
}

/* RFC 4648, section 10. */
static void it_is_that_of_the_standard(void **state)
{
    (void)state;
    assert_base64(S(""), "");
    assert_base64(S("f"), "Zg==");
    assert_base64(S("fo"), "Zm8=");
    assert_base64(S("foo"), "Zm9v");
    assert_base64(S("foob"), "Zm9vYg==");
    assert_base64(S("fooba"), "Zm9vYmE=");
    assert_base64(S("foobar"), "Zm9vYmFy");
    assert_base64(S("\0\xff\xfe\xfb"), "AP/++w==");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_that_of_the_standard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
