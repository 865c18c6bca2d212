#include "compare_setup.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { STEPS = 5, MS = 1000000 };

/* Five steps of four products on each side. */
static struct capture sides[2];
static struct capture_row products[2];
static struct match match;
static struct compared_row row;
static struct comparison c;
static int32_t only_row[1];

static int begin(void **state)
{
    for (int side = 0; side < 2; side++) {
        products[side] =
            (struct capture_row){.name = S("aten::mm"), .dims = S("((8, 8), (8, 8))")};
        sides[side] = (struct capture){
            .label = side ? S("new") : S("old"), .rows = &products[side], .n_rows = 1};
    }
    match = (struct match){.level = MATCH_CALL,
                           .rows = {only_row, only_row},
                           .n_rows = {1, 1},
                           .n = {20, 20},
                           .ns = {20 * MS, 20 * MS},
                           .name = {S("aten::mm"), S("aten::mm")}};
    row = (struct compared_row){.match = &match, .of = {&products[0], &products[1]}};
    c = (struct comparison){.of = {&sides[0], &sides[1]},
                            .device_ns = {20 * MS, 20 * MS},
                            .selection = {.n_steps = STEPS},
                            .rows = &row,
                            .n_rows = 1};
    return set_up(state);
}

static void sets_up(const char *want, bool same_task)
{
    struct setup_cause cause = compare_setup_cause(&a, &c);
    if (!str_eq(cause.says, str_of(want)))
        fail_msg("%.*s", STRF(cause.says));
    assert_int_equal(cause.same_task, same_task);
}

static void test_implementation(void **state)
{
    (void)state;
    sets_up("", false);
    products[1].replayed = true;
    sets_up("`new` replays GPU graphs, `old` launches each kernel", true);
    c.parity = PARITY_OTHER_WORK;
    c.shared_gflop[0] = 100;
    c.shared_gflop[1] = 200;
    sets_up("`new` replays GPU graphs, `old` launches each kernel", false);
    products[1].replayed = false;
    c.shared_gflop[1] = 100;
    match.level = MATCH_DIMS;
    c.level_ns[MATCH_DIMS][0] = c.level_ns[MATCH_DIMS][1] = 20 * MS;
    products[0].types = S("('float', 'float')");
    products[1].types = S("('c10::BFloat16', 'c10::BFloat16')");
    sets_up("`new` computes in bf16, `old` in fp32", true);
    assert_null(compare_narrower_type(&c));
    products[0].types = S("('c10::BFloat16', 'c10::BFloat16')");
    products[1].types = S("('float', 'float')");
    assert_string_equal(compare_narrower_type(&c), "bf16");
}

static void test_blocks(void **state)
{
    (void)state;
    static struct match twice;
    static struct compared_row rows[2];
    match.n[1] = 25;
    sets_up("`new` runs the same block 5 times a step, `old` 4 times", false);
    twice = match;
    twice.n[0] = 40;
    twice.n[1] = 50;
    rows[0] = row;
    rows[0].match = &twice;
    rows[1] = row;
    c.rows = rows;
    c.n_rows = 2;
    sets_up("`new` runs the same block 5 times a step, `old` 4 times", false);
    twice.n[1] = 51; /* no block has that */
    sets_up("", false);
}

static void sized(const char *op, const char *old, const char *new)
{
    match.name[0] = match.name[1] = str_of(op);
    products[0].dims = str_of(old);
    products[1].dims = str_of(new);
}

/* What a size is, the definition of the operation tells. */
static void test_sizes(void **state)
{
    (void)state;
    match.level = MATCH_NAME;
    c.level_ns[MATCH_NAME][0] = c.level_ns[MATCH_NAME][1] = 20 * MS;
    sized("aten::_softmax", "((2, 16, 64, 64), (), ())", "((4, 16, 64, 64), (), ())");
    sets_up("a batch size of 4 against 2 (`aten::_softmax`)", false);
    sized("aten::_softmax", "((2, 16, 64, 64), (), ())", "((2, 8, 96, 96), (), ())");
    sets_up("a number of heads of 8 against 16, a length of 96 against 64 "
            "(`aten::_softmax`)",
            false);
    sized("aten::cudnn_convolution", "((64, 3, 224, 224), (64, 3, 7, 7))",
          "((32, 3, 224, 224), (64, 3, 7, 7))");
    sets_up("a batch size of 32 against 64 (`aten::cudnn_convolution`)", false);
    sized("aten::native_layer_norm", "((2, 64, 512), (512,))",
          "((2, 64, 768), (768,))");
    sets_up("a width of 768 against 512 (`aten::native_layer_norm`)", false);
    sized("aten::mm", "((8, 8), (8, 8))", "((16, 8), (8, 8))");
    sets_up("a number of rows of 16 against 8 (`aten::mm`)", false);
    sized("aten::mm", "((8, 8), (8, 8))", "((8, 8), (8, 16))"); /* another argument */
    sets_up("", false);
    sized("aten::mm", "(", "((99999999999999999999999, 1), ())"); /* no sizes */
    sets_up("", false);
}

static void test_attention(void **state)
{
    (void)state;
    static struct compared_bar bar = {
        .kind = BAR_CLASS, .category = WORK_SDPA_FWD, .ns = {0, 5 * MS}};
    c.bars = &bar;
    c.n_bars = 1;
    sets_up("attention is one fused call in `new` and several kernels in `old`", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_implementation, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_blocks, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_sizes, begin, tear_down),
        cmocka_unit_test_setup_teardown(test_attention, begin, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
