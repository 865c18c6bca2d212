#include "annotations.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static struct str lines_of(enum annotation_host host, const char *json)
{
    cJSON *summary = cJSON_Parse(json);
    struct out o;
    out_memory(&o);
    annotations_write(&o, host, summary, NULL);
    cJSON_Delete(summary);
    return out_text(&o, &a);
}

/* A line break, a percent sign or a colon from a name ends no command. */
static void test_escaped(void **state)
{
    (void)state;
    const char *json = "{\"gates\":[{\"text\":\"a>1%,b:c\",\"result\":\"failed\","
                       "\"says\":\"x\\r\\n::error::y 5%\",\"warns\":false}]}";
    assert_text(lines_of(ANNOTATE_GITHUB, json),
                "::error title=a>1%25%2Cb%3Ac::x\\x0d\\x0a::error::y 5%25\n");
}

static void test_what_is_shown(void **state)
{
    (void)state;
    const char *json =
        "{\"gates\":[{\"text\":\"p\",\"result\":\"passed\",\"says\":\"\"},"
        "{\"text\":\"w\",\"result\":\"failed\",\"says\":\"1\",\"warns\":true},"
        "{\"text\":\"o\",\"result\":\"not_evaluated\",\"says\":\"2\"}],"
        "\"findings\":[{\"severity\":\"low\",\"title\":\"l\",\"issue\":\"\"},"
        "{\"severity\":\"critical\",\"title\":\"v\",\"issue\":\"\",\"waived\":{}},"
        "{\"severity\":\"high\",\"title\":\"h\",\"issue\":\"3\"},"
        "{\"severity\":\"medium\",\"title\":\"m\",\"issue\":\"4\"}]}";
    assert_text(lines_of(ANNOTATE_GITHUB, json), "::warning title=w::1\n"
                                                 "::warning title=o::2\n"
                                                 "::warning title=h::3\n"
                                                 "::notice title=m::4\n");
    assert_text(lines_of(ANNOTATE_NONE, json), "");
    assert_true(str_has(lines_of(ANNOTATE_GITLAB, json), S("warning\033[0m h: 3\n")));
}

static void test_at_most_ten(void **state)
{
    (void)state;
    struct str json = S("{\"findings\":[");
    for (int i = 0; i < 12; i++)
        json = str_printf(&a, "%.*s%s{\"severity\":\"high\",\"title\":\"t\"}",
                          STRF(json), i ? "," : "");
    json = str_printf(&a, "%.*s]}", STRF(json));
    struct str lines = lines_of(ANNOTATE_GITHUB, str_c(&a, json));
    int n = 0;
    for (ptrdiff_t i = 0; i < lines.n; i++)
        n += lines.p[i] == '\n';
    assert_int_equal(n, ANNOTATIONS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_escaped),
                                       cmocka_unit_test(test_what_is_shown),
                                       cmocka_unit_test(test_at_most_ten)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
