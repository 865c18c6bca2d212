#include "timeline/gpu_timeline.c"

#include "store/store_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static enum gpu_class class_of(int cat, struct str name)
{
    return gpu_class_of(cat, what_it_says(name));
}

static void test_classes(void **state)
{
    (void)state;
    assert_int_equal(class_of(CAT_MEMCPY, S("Memcpy DtoH")), GPU_MEMCPY);
    assert_int_equal(class_of(CAT_KERNEL, S("__amd_rocclr_copyBuffer.kd")), GPU_MEMCPY);
    assert_int_equal(class_of(CAT_KERNEL, S("MEMORY_COPY_DEVICE_TO_HOST")), GPU_MEMCPY);
    assert_int_equal(class_of(CAT_KERNEL, S("__amd_rocclr_fillBuffer")), GPU_COMPUTE);
    assert_int_equal(class_of(CAT_KERNEL, S("ncclDevKernel_AllReduce")),
                     GPU_COMMUNICATION);
    assert_int_equal(class_of(CAT_KERNEL, S("void vllm::CROSS_device_reduce_1stage")),
                     GPU_COMMUNICATION);
    assert_int_equal(class_of(CAT_MEMSET, S("Memset (Device)")), GPU_COMPUTE);
    assert_int_equal(class_of(CAT_KERNEL, S("gemm")), GPU_COMPUTE);
}

/* us:  compute 0-10 20-30, communication 5-15, copy 8-18 40-41.
 * communication alone 10-15 = 5; copy without compute 10-18 40-41, less communication
 * 15-18 40-41 = 4; busy 0-18 20-30 40-41 = 29 of 41; idle 2 + 10 = 12; 20+5+4+12 = 41.
 */
static void test_exposed_parts(void **state)
{
    (void)state;
    struct event_store s;
    struct err e = {0};
    assert_true(case_store(
        &s,
        "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"ts\":0,\"dur\":10},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"ts\":20,\"dur\":10},"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclX\",\"ts\":5,\"dur\":10},"
        "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"m\",\"ts\":8,\"dur\":10},"
        "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"m\",\"ts\":40,\"dur\":1}]",
        0, &e));
    struct arena perm = arena_reserve(1 << 24), tmp = arena_reserve(1 << 24);
    const event_id events[] = {4, 3, 2, 1, 0};
    const uint8_t *names = gpu_names_of(&perm, &s, events, 5);
    struct gpu_timeline t = gpu_timeline_build(&perm, tmp, &s, names, events, 5);
    assert_int_equal(t.computation_ns, 20000);
    assert_int_equal(t.exposed_comm_ns, 5000);
    assert_int_equal(t.exposed_memcpy_ns, 4000);
    assert_int_equal(t.busy_ns, 29000);
    assert_int_equal(t.idle_ns, 12000);
    assert_int_equal(t.total_ns, 41000);
    assert_int_equal(t.total_comm_ns, 10000);
    assert_int_equal(t.total_memcpy_ns, 11000);
    assert_int_equal(busy_ns(tmp, &s, events + 2, 3), 25000); /* 0-15 20-30 */
    struct gpu_timeline none = gpu_timeline_build(&perm, tmp, &s, names, events, 0);
    assert_int_equal(none.total_ns, 0);
    store_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_classes),
                                       cmocka_unit_test(test_exposed_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
