#include "link_path.c"

#include "base/arena_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void leads(const char *from, const char *to, const char *link)
{
    struct str found = link_between(&a, str_of(from), str_of(to));
    if (!str_eq(found, str_of(link)))
        fail_msg("%s to %s: %.*s, not %s", from, to, STRF(found), link);
}

static void from_a_folder_to_another(void **state)
{
    (void)state;
    leads("/runs/out", "/runs/tl_out", "../tl_out");
    leads("/runs/out", "/runs/out/tl", "tl");
    leads("/runs/out", "/runs", "..");
    leads("/runs/out", "/runs/out", ".");
    leads("/runs/out", "/logs/tl", "../../logs/tl");
    leads("/out", "/output", "../output"); /* whole names, not beginnings */
    leads("/", "/logs", "logs");
}

static void bytes_that_mean_something_in_a_link(void **state)
{
    (void)state;
    assert_text(link_encoded(&a, S("../a-b_c.~/x")), "../a-b_c.~/x");
    assert_text(link_encoded(&a, S("a b#?%\"<")), "a%20b%23%3F%25%22%3C");
    assert_text(link_encoded(&a, S("\xc3\xa9\0:")), "%C3%A9%00%3A");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_a_folder_to_another),
        cmocka_unit_test(bytes_that_mean_something_in_a_link),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
