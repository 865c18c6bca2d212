#include "analysis/lua/patterns_command.c"

#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char library[] =
    "pattern {id = 'one', category = 'gemm', summary = 'a product', path_a = 'x',\n"
    "  when = function() return true end}\n"
    "pattern {id = 'one', category = 'norm', summary = 'a norm', path_a = 'x',\n"
    "  when = function() return false end, informational = true}\n"
    "pattern {id = 'all', category = 'any', summary = 'any row', path_a = 'x',\n"
    "  when = function() return true end}\n"
    "pattern {id = 'told', category = 'sdpa_fwd', summary = 'of the program',\n"
    "  scope = 'advice', path_a = 'x'}\n";
static const char operators[] =
    "category {match = '^mylib::', category = 'norm'}\n"
    "model {op = 'mylib::scale', category = 'elementwise', cost = function() end}\n";

static void print_of(const char *text, const struct analysis *a, const char *want)
{
    struct arena perm = arena_reserve(64 << 20);
    char *start = perm.at;
    struct pattern_source source = {S("x.lua"), str_of(text)};
    struct pattern_host *h;
    struct err e = {0};
    struct out o;
    assert_true(pattern_host_open(&h, &perm, &source, 1, NULL, 0, &e));
    out_memory(&o);
    patterns_print(&o, h, a);
    assert_string_equal(str_c(&perm, out_text(&o, &perm)), want);
    pattern_host_close(h);
    arena_release(start, &perm);
}

static void without_a_trace(void **state)
{
    (void)state;
    print_of(library, NULL,
             "id    category  file   summary\n"
             "one   gemm      x.lua  a product\n"
             "told  sdpa_fwd  x.lua  of the program\n"
             "one   norm      x.lua  note: a norm\n"
             "all   any       x.lua  any row\n");
    print_of(operators, NULL,
             "id  category  file  summary\n"
             "\n"
             "operator      category     file   model\n"
             "^mylib::      norm         x.lua  no\n"
             "mylib::scale  elementwise  x.lua  yes\n");
}

/* A finding counts for the pattern of its own category, unless the pattern is of all,
 * or tells of what the program finds, wherever that is. */
static void findings_are_counted(void **state)
{
    (void)state;
    struct finding findings[] = {{.pattern = S("one"), .category = WORK_GEMM},
                                 {.pattern = S("one"), .category = WORK_GEMM},
                                 {.pattern = S("all"), .category = WORK_NORM},
                                 {.pattern = S("told"), .category = WORK_REDUCE},
                                 {.pattern = S("low_efficiency")}};
    struct analysis a = {.findings = findings, .n_findings = 5};
    print_of(library, &a,
             "id    category  file       hits  findings  summary\n"
             "one   gemm      x.lua         0         2  a product\n"
             "told  sdpa_fwd  x.lua         0         1  of the program\n"
             "one   norm      x.lua         0         0  note: a norm\n"
             "all   any       x.lua         0         1  any row\n");
    print_of(operators, &a,
             "id  category  file      hits  findings  summary\n"
             "\n"
             "operator      category     file      calls  model\n"
             "^mylib::      norm         x.lua         -  no\n"
             "mylib::scale  elementwise  x.lua         0  yes\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_trace),
        cmocka_unit_test(findings_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
