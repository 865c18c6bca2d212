#include "trace/kineto_machine.c"

#include "trace/json_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena a;

static struct machine of(const char *header)
{
    return kineto_machine(&a, json_value(&a, str_of(header)));
}

static void what_kineto_writes(void **state)
{
    (void)state;
    a = arena_reserve(1 << 20);
    struct machine m =
        of("{\"deviceProperties\":[{\"name\":\"NVIDIA H100\",\"totalGlobalMem\":8e10,"
           "\"numSms\":132,\"computeMajor\":9,\"computeMinor\":0}],"
           "\"distributedInfo\":{\"rank\":1,\"world_size\":8,\"backend\":\"nccl\","
           "\"nccl_version\":\"2.27.7\",\"pg_config\":[{\"pg_name\":\"0\",\"ranks\":"
           "[0,1]}]},\"cuda_driver_version\":13030,\"baseTimeNanoseconds\":"
           "1751410836000000001,\"profile_memory\":1}");
    struct machine_device d = machine_first(&m);
    assert_true(str_eq(d.name, S("NVIDIA H100")) && d.memory_bytes == 8e10);
    assert_true(d.compute_units == 132 && d.generation == 90);
    assert_true(m.rank == 1 && m.world_size == 8 && m.records_memory == 1);
    assert_true(str_eq(m.backend, S("nccl")) && str_eq(m.library, S("2.27.7")));
    assert_int_equal(m.base_exact_ns, 1751410836000000001);
    assert_int_equal(m.n_versions, 1);
    assert_true(str_eq(m.driver, S("13030")) && !m.runtime.n);
    assert_int_equal(m.n_groups, 1);
    assert_int_equal(value_count(m.groups[0].ranks), 2);
}

static void anything_else_is_not_known(void **state)
{
    (void)state;
    const char *const headers[] = {
        "no JSON", "{}", "[]",
        "{\"deviceProperties\":{\"name\":1},\"distributedInfo\":7,"
        "\"baseTimeNanoseconds\":\"soon\"}",
        "{\"deviceProperties\":[7],\"distributedInfo\":{\"rank\":-1,"
        "\"world_size\":1e300,\"pg_config\":\"\"},\"baseTimeNanoseconds\":1e300}"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct machine m = of(headers[i]);
        struct machine_device d = machine_first(&m);
        assert_true(m.rank == -1 && m.world_size == -1 && m.base_exact_ns == 0);
        assert_true(!d.name.n && d.memory_bytes == 0 && isnan(d.generation));
        assert_true(m.n_groups == 0 && m.n_versions == 0 && m.records_memory < 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_kineto_writes),
                                       cmocka_unit_test(anything_else_is_not_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
