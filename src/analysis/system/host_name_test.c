#include "host_name.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void names_lose_what_changes(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"src/prep.py(368): preprocess", "preprocess", "prep.py:368"},
        {"<string>(2): __init__", "__init__", "<string>:2"},
        {"nn.Module: BertLayer_3", "BertLayer", ""},
        {"<built-in method all of type object at 0x7fd01a>",
         "<built-in method all of type object>", ""},
        {"ProfilerStep#12", "ProfilerStep", ""},
        {"Optimizer.step#SGD.step", "Optimizer.step#SGD.step", ""},
        {"NativeBatchNormBackward0", "NativeBatchNormBackward0", ""},
        {"## Call CompiledFxGraph fb3en3pmdtsn2pziyq6jiyhnewgh ##",
         "## Call CompiledFxGraph ##", ""},
        {"/tmp/torchinductor_root/ov/cov463.py(90): call", "generated call", ""},
        {"aten::mm", "aten::mm", ""},
        {"(): ", "():", ""},
        {"#", "#", ""},
        {"", "", ""}};
    struct arena a = arena_reserve(1 << 20);
    char *start = a.at;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct host_name n = host_name_of(&a, str_of(cases[k][0]));
        assert_text(n.name, cases[k][1]);
        assert_text(n.place, cases[k][2]);
    }
    arena_release(start, &a);
}

/* What a file runs when it is started is named by its place. */
static void modules_are_named_by_their_place(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20);
    struct str s = host_name_text(&perm, S("<module>"), S("train.py:44"));
    assert_true(str_eq(s, S("`train.py:44`")));
    s = host_name_text(&perm, S("load"), S("train.py:44"));
    assert_true(str_eq(s, S("`load` (train.py:44)")));
}

static void lines_do_not_tell_apart_but_files_do(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 20);
    char *start = a.at;
    uint64_t key = host_name_key(a, S("a/x.py(1): f"));
    assert_true(key == host_name_key(a, S("a/x.py(99): f")));
    assert_true(key != host_name_key(a, S("b/y.py(1): f")));
    assert_true(key != host_name_key(a, S("a/x.py(1): g")));
    assert_true(host_name_key(a, S("nn.Module: A_1")) ==
                host_name_key(a, S("nn.Module: A_2")));
    arena_release(start, &a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_lose_what_changes),
        cmocka_unit_test(modules_are_named_by_their_place),
        cmocka_unit_test(lines_do_not_tell_apart_but_files_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
