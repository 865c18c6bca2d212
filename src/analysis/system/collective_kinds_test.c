#include "collective_kinds.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* One kernel of 50 us, launched within an annotation if that is not NULL. */
static enum comm_kind_id kind(const char *kernel, const char *note)
{
    struct trace_case c;
    struct comm_kind kinds[COMM_KINDS];
    struct micro_batches batches;
    case_begin(&c);
    if (note)
        case_event(&c, "user_annotation", note, 1, 0, 30, "");
    case_op(&c, "mine::exchange", 5, 10);
    case_launch(&c, kernel, 6, 100, 50, 1);
    case_open(&c, NULL);
    collective_kinds_measure(&c.perm, c.tmp, &c.view, &c.tables.traits, kinds,
                             &batches);
    int found = COMM_KINDS;
    for (int k = 0; k < COMM_KINDS; k++)
        found = kinds[k].count ? k : found;
    case_close(&c);
    return (enum comm_kind_id)found;
}

static void the_annotation_beats_the_kernel(void **state)
{
    static const char generic[] = "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage)";
    (void)state;
    assert_int_equal(kind(generic, NULL), COMM_OTHER);
    assert_int_equal(kind(generic, "nccl:all_reduce"), COMM_ALL_REDUCE);
    assert_int_equal(kind(generic, "forward"), COMM_OTHER);
    assert_int_equal(kind("ncclDevKernel_SendRecv", "nccl:all_to_all"),
                     COMM_ALL_TO_ALL);
    assert_int_equal(kind("ncclDevKernel_SendRecv", NULL), COMM_SEND_RECV);
}

static void exchanges_of_experts_are_all_to_all(void **state)
{
    (void)state;
    assert_int_equal(kind("void deep_ep::internode::dispatch<false>", NULL),
                     COMM_ALL_TO_ALL);
    assert_int_equal(kind("ep::intranode::combine", NULL), COMM_ALL_TO_ALL);
    assert_int_equal(kind("moe_combine_kernel", NULL), COMM_KINDS); /* computes */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_annotation_beats_the_kernel),
        cmocka_unit_test(exchanges_of_experts_are_all_to_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
