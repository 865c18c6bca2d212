#include "perf/param_list.c"

#include "trace/json_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect_quoted(struct str text, const char *want)
{
    struct out o;
    out_memory(&o);
    python_string(&o, text);
    assert_true(str_eq(out_view(&o), str_of(want)));
    out_free(&o);
}

static void quotes_as_python_does(void **state)
{
    (void)state;
    expect_quoted(S("c10::Half"), "'c10::Half'");
    expect_quoted(S("it's"), "\"it's\"");
    expect_quoted(S("'\""), "'\\'\"'");
    expect_quoted(S("a\\b\n\x01"), "'a\\\\b\\n\\x01'");
    expect_quoted((struct str){NULL, 0}, "''");
}

static const char *printed(struct arena *a, const struct perf_param *p)
{
    struct out o;
    out_memory(&o);
    python_param(&o, p);
    return str_c(a, out_text(&o, a));
}

static void texts_of_all_kinds(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 20);
    char *start = a.at;
    struct perf_param at[PARAMS_MAX];
    struct param_list l = {&a, at, 0};
    const struct value *json = json_value(&a, S("[1, [2], \"x\", null, true, 0.5]"));
    struct shape one = {1, {3}};
    struct str types[] = {S("float"), {NULL, 0}};
    param_bool(&l, "a", true);
    param_int(&l, "b", -0.0);
    param_int(&l, "c", (double)NAN);
    param_real(&l, "d", 12);
    param_text(&l, "e", S("x"));
    param_value(&l, "f", json);
    param_shape(&l, "g", &one);
    param_texts(&l, "h", types, 2);
    param_value(&l, "i", NULL);
    param_ints(&l, {"j", 1}, {"k", (double)NAN}, {"l", -3});
    const char *const want[] = {"True", "0",
                                "None", "12.0",
                                "'x'",  "(1, (2,), 'x', None, True, 0.5)",
                                "(3,)", "('float', None)",
                                "None", "1",
                                "None", "-3"};
    assert_int_equal(l.n, 12);
    assert_string_equal(at[11].key, "l");
    for (int i = 0; i < l.n; i++)
        assert_string_equal(printed(&a, &at[i]), want[i]);
    assert_true(str_eq(perf_param_str(&at[4]), S("x")));
    arena_release(start, &a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotes_as_python_does),
        cmocka_unit_test(texts_of_all_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
