#include "render/page/page_checks.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"

static void failures_are_listed_apart(void **state)
{
    struct report_warning warnings[] = {{.text = S("it failed"), .failure = true},
                                        {.text = S("be careful")}};
    struct report r = {.warnings = warnings, .n_warning_list = 2};
    (void)state;
    cJSON *c = json_new();
    add_failures(c, &r, a);
    char *all = cJSON_PrintUnformatted(c);
    assert_non_null(strstr(all, "it failed"));
    assert_null(strstr(all, "be careful"));
    cJSON_free(all);
    cJSON_Delete(c);
    r.n_warning_list = 0;
    c = json_new();
    add_failures(c, &r, a);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(c, "failures")));
    cJSON_Delete(c);
}

/* Without operations there are no pages of them. */
static void a_check_leads_to_the_page_that_it_is_about(void **state)
{
    struct report r = {.n_ops = 1};
    (void)state;
    assert_text(affected_page(&r, S("peaks")), "roofline.html");
    assert_text(affected_page(&r, S("views")), "operations.html");
    assert_text(affected_page(&r, S("graph-launches")), "kernels.html");
    assert_text(affected_page(&r, S("none")), "");
    r.n_ops = 0;
    assert_text(affected_page(&r, S("peaks")), "index.html");
    assert_text(affected_page(&r, S("none")), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_are_listed_apart),
        cmocka_unit_test(a_check_leads_to_the_page_that_it_is_about),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
