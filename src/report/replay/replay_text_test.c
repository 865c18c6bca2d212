#include "replay_text.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena perm;

static void assert_str(struct str s, const char *want)
{
    if (!str_eq(s, str_of(want)))
        fail_msg("'%.*s' is not '%s'", STRF(s), want);
}

static void strides_are_told_where_they_are_not_dense(void **state)
{
    static const struct {
        int64_t shape[2], strides[2];
        const char *want;
    } all[] = {
        {{8, 4}, {4, 1}, "self float[8x4]"},
        {{8, 4}, {1, 8}, "self float[8x4] strides (1, 8)"},
        {{8, 4}, {5, 1}, "self float[8x4] strides (5, 1)"},
        {{8, 4}, {0, 1}, "self float[8x4] strides (0, 1)"},
        {{1, 4}, {99, 1}, "self float[1x4]"},
        {{8, 1}, {1, 77}, "self float[8x1]"},
        {{0, INT64_MAX}, {1, 77}, "self float[0x9223372036854775807]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct replay_tensor t = {.shape = all[i].shape,
                                  .strides = all[i].strides,
                                  .n_dims = 2,
                                  .dtype = S("float")};
        struct replay_arg a = {.name = S("self"),
                               .value = {.kind = REPLAY_TENSOR, .tensors = &t, .n = 1}};
        struct replay_call c = {.args = &a, .n_args = 1};
        assert_str(replay_tensors_text(&perm, &c), all[i].want);
    }
}

static void many_tensors_are_cut(void **state)
{
    struct replay_tensor t = {.dtype = S("int")};
    struct replay_arg a[10];
    struct replay_call c = {.args = a, .n_args = 10};
    (void)state;
    for (int i = 0; i < 10; i++)
        a[i] = (struct replay_arg){
            .name = S("x"), .value = {.kind = REPLAY_TENSOR, .tensors = &t, .n = 1}};
    assert_str(
        replay_tensors_text(&perm, &c),
        "x int[], x int[], x int[], x int[], x int[], x int[], x int[], x int[], "
        "...");
    c.n_args = 0;
    assert_str(replay_tensors_text(&perm, &c), "no tensors");
}

static void a_spread_of_nothing_is_one_number(void **state)
{
    struct replay_call c = {.min_us = 2.0, .max_us = 3.5};
    (void)state;
    assert_str(replay_spread_text(&perm, &c), "2.00 to 3.50");
    c.max_us = 2.001;
    assert_str(replay_spread_text(&perm, &c), "2.00");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides_are_told_where_they_are_not_dense),
        cmocka_unit_test(many_tensors_are_cut),
        cmocka_unit_test(a_spread_of_nothing_is_one_number),
    };
    perm = arena_reserve(1 << 24);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
