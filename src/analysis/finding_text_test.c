#include "analysis/finding_text.c"

#include "ops/op_groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* One row of double precision. */
static struct str path_of_double(struct arena *perm, enum finding_kind kind,
                                 const char *dtype, bool kernel)
{
    static const struct pattern_hit hit = {.path_a = S_INIT("Do that."),
                                           .path_b = S_INIT("Tune that.")};
    struct op_call_row first = {.name = S("aten::mul")};
    struct op_group group = {.first = &first};
    struct work_row row = {
        .group = &group, .name = first.name, .time_ms = 1, .count = 1};
    struct work_row *rows[] = {&row};
    work_set(perm, &row, FACT("dtype", str_of(dtype)));
    struct finding_group g = {.kind = kind,
                              .rows = rows,
                              .n_rows = 1,
                              .count = 1,
                              .time_ms = 1,
                              .hit = kind == FIND_PATTERN ? &hit : NULL};
    return path_of(perm, &g, kernel, S("Reduce traffic."));
}

/* What a pattern recommends comes first; nothing general can be better than fp32. */
static void double_precision_and_a_pattern(void **state)
{
    (void)state;
    static const struct {
        enum finding_kind kind;
        const char *dtype;
        bool kernel;
        const char *want;
    } cases[] = {
        {FIND_PATTERN, "fp64", false,
         "Do that. Compute in fp32 where accuracy allows: the operands are fp64, twice "
         "the bytes."},
        {FIND_BOTTLENECK, "fp64", false,
         "Compute in fp32 where accuracy allows: the operands are fp64, twice the "
         "bytes. Reduce traffic."},
        {FIND_PATTERN, "fp64", true, "Tune that."},
        {FIND_PATTERN, "bf16", false, "Do that."},
        {FIND_BOTTLENECK, "bf16", false, "Reduce traffic."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena perm = arena_reserve(1 << 20);
        char *start = perm.at;
        struct str path =
            path_of_double(&perm, cases[i].kind, cases[i].dtype, cases[i].kernel);
        assert_string_equal(str_c(&perm, path), cases[i].want);
        arena_release(start, &perm);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_precision_and_a_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
