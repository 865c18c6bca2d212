#include "formats/nvtx_name.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct event of(const char *text)
{
    struct event ev;
    event_clear(&ev);
    nvtx_name(&ev, str_of(text));
    return ev;
}

static void assert_range(const char *text, enum event_cat cat, const char *name)
{
    struct event ev = of(text);
    if (ev.cat != cat || !str_eq(ev.name, str_of(name)))
        fail_msg("%s: %d '%.*s'", text, (int)ev.cat, STRF(ev.name));
}

static void operators_have_numbers_and_sizes(void **state)
{
    (void)state;
    struct event ev = of("aten::mm, seq = 5, op_id = 7, sizes = [[2, 3], [3, 4]], "
                         "input_op_ids = [(6,0)]");
    assert_int_equal(ev.cat, CAT_CPU_OP);
    assert_true(str_eq(ev.name, S("aten::mm")));
    assert_int_equal(ev.args.sequence, 5);
    assert_true(str_eq(ev.args.dims, S("[[2, 3], [3, 4]]")));
    ev = of("aten::add, op_id = 8");
    assert_true(ev.cat == CAT_CPU_OP && ev.args.sequence == NO_ID && !ev.args.dims.n);
    ev = of("aten::mm, seq = 5x, op_id = 7, sizes = [[2"); /* cut off */
    assert_true(ev.args.sequence == NO_ID && str_eq(ev.args.dims, S("[[2")));
}

static void what_a_program_opens_is_an_annotation(void **state)
{
    (void)state;
    assert_range("FSDP::pre_forward (blocks.0), op_id = 3", CAT_ANNOTATION,
                 "FSDP::pre_forward (blocks.0)");
    assert_range("ProfilerStep#3, op_id = 3", CAT_ANNOTATION, "ProfilerStep#3");
    assert_range("nccl:all_to_all, op_id = 3", CAT_ANNOTATION, "nccl:all_to_all");
    assert_range("epoch", CAT_ANNOTATION, "epoch");
    assert_range("", CAT_ANNOTATION, "");
    assert_range("autograd::engine::evaluate_function: MmBackward0, op_id = 3",
                 CAT_CPU_OP, "autograd::engine::evaluate_function: MmBackward0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_have_numbers_and_sizes),
        cmocka_unit_test(what_a_program_opens_is_an_annotation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
