#include "module_classes.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_class(const struct module_class *m, const char *name,
                         int32_t instances, int64_t outermost_ns)
{
    assert_true(str_eq(m->name, str_of(name)));
    assert_int_equal(m->instances, instances);
    assert_int_equal(m->outermost_ns, outermost_ns);
}

/*  nn.Module: DistributedDataParallel_0     0 .. 100
 *    nn.Module: ViT_0                       1 ..  60
 *      nn.Module: ViTLayer_0                2 ..  20   10 us of device work
 *      nn.Module: ViTLayer_1               30 ..  50   10 us
 *    nn.Module: Head_0                     70 ..  90    5 us
 *    nn.Module: Head_0                     92 ..  98    1 us, the same instance again
 */
static void the_outermost_below_a_wrapper_has_the_time(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "nn.Module: DistributedDataParallel_0", 0, 100);
    case_frame(&c, "nn.Module: ViT_0", 1, 59);
    case_frame(&c, "nn.Module: ViTLayer_0", 2, 18);
    case_launch(&c, "gemm", 5, 200, 10, 1);
    case_frame(&c, "nn.Module: ViTLayer_1", 30, 20);
    case_launch(&c, "gemm", 35, 210, 10, 2);
    case_frame(&c, "nn.Module: Head_0", 70, 20);
    case_launch(&c, "gemm", 75, 220, 5, 3);
    case_frame(&c, "nn.Module: Head_0", 92, 6);
    case_launch(&c, "gemm", 93, 225, 1, 4);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct module_classes m = module_classes_build(&c.perm, c.tmp, &t);
    assert_int_equal(m.n, 4);
    assert_class(&m.rows[0], "DistributedDataParallel", 1, 0);
    assert_class(&m.rows[1], "ViT", 1, 20000);
    assert_class(&m.rows[2], "ViTLayer", 2, 0);
    assert_class(&m.rows[3], "Head", 1, 6000);
    assert_true(module_is_wrapper(m.rows[0].name));
    case_close(&c);
}

static void without_frames_there_are_none(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "aten::mm", 0, 10);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    assert_int_equal(module_classes_build(&c.perm, c.tmp, &t).n, 0);
    assert_int_equal(module_classes_build(&c.perm, c.tmp, NULL).n, 0);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_outermost_below_a_wrapper_has_the_time),
        cmocka_unit_test(without_frames_there_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
