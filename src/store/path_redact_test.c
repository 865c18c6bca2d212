#include "path_redact.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena_case.h"

struct path_case {
    const char *text, *project, *name; /* NULL: the text itself */
};

static void assert_cases(const struct path_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct path_case *c = &cases[i];
        assert_text(path_redact(&a, str_of(c->text), PATH_KEEPS_PROJECT),
                    c->project ? c->project : c->text);
        assert_text(path_redact(&a, str_of(c->text), PATH_KEEPS_NAME),
                    c->name ? c->name : c->text);
    }
}

static void test_frames(void **state)
{
    (void)state;
    static const struct path_case cases[] = {
        {"/home/eve/vit/train.py(3): main", ".../vit/train.py(3): main",
         "train.py(3): main"},
        {"/app/xDiT/xfuser/base.py(9): f", ".../xDiT/xfuser/base.py(9): f",
         "base.py(9): f"},
        {"/train.py(3): main", ".../train.py(3): main", "train.py(3): main"},
        {"/home/m\xc3\xbcller/\xc3\xbc/x.py(1): f", ".../\xc3\xbc/x.py(1): f",
         "x.py(1): f"},
        {"/home/eve/My Project/x.py(1): f", ".../My Project/x.py(1): f", "x.py(1): f"},
        {"C:\\Users\\eve\\vit\\x.py(1): f", ".../vit\\x.py(1): f", "x.py(1): f"},
        {"D:\\vit\\src\\x.py(1): f", ".../src\\x.py(1): f", "x.py(1): f"},
        {"/opt/v/lib/python3.10/site-packages/torch/nn/m.py(7): call",
         "torch/nn/m.py(7): call", "torch/nn/m.py(7): call"},
        {"C:\\py\\Lib\\site-packages\\torch\\m.py(7): call", "torch\\m.py(7): call",
         "torch\\m.py(7): call"},
        {"/usr/lib/python3.11/json/x.py(1): f", "json/x.py(1): f", "json/x.py(1): f"},
        {"/tmp/torchinductor_root/od/cod.py(1): call", NULL, "cod.py(1): call"},
        {"/home/eve/a.py(1): f;/home/eve/b.py(2): g", ".../a.py(1): f;.../b.py(2): g",
         "a.py(1): f;b.py(2): g"},
        {"torch/nn/x.py(2): f", NULL, NULL},
    };
    assert_cases(cases, sizeof cases / sizeof *cases);
}

static void test_texts(void **state)
{
    (void)state;
    static const struct path_case cases[] = {
        {"and/or", NULL, NULL},
        {"a / b //", NULL, NULL},
        {"see https://x.example/a/b.py", NULL, NULL},
        {"/encoder/layer.0/MatMul", NULL, "MatMul"}, /* a module, by its exporter */
        {"{\"File\": \"/a/b/c.py\", \"n\": 1}", "{\"File\": \".../b/c.py\", \"n\": 1}",
         "{\"File\": \"c.py\", \"n\": 1}"},
        {"{\"t\":\"x:\\nfoo\\\"bar\"}", NULL, NULL},
        {"at /home/eve/", "at ~", "at ~"},
        {"out=/home/eve/a/x.bin", "out=.../a/x.bin", "out=x.bin"},
        {"/a/run=7/x.pt,/a/y.pt", ".../run=7/x.pt,.../y.pt", "x.pt,y.pt"},
        {"/data/of eve", ".../of eve", "of eve"},
        {"", NULL, NULL},
    };
    assert_cases(cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_frames),
                                       cmocka_unit_test(test_texts)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
