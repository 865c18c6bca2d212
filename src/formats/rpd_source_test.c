#include "formats/rpd_source.c"

#include "base/arena_case.h"
#include "formats/sqlite_case.h"

#define TABLES                                                                         \
    "create table rocpd_string (id, string);"                                          \
    "insert into rocpd_string values (1, 'hipLaunchKernel'),"                          \
    "  (2, 'hipExtModuleLaunchKernel'), (3, 'gemm'), (4, 'KernelExecution');"          \
    "create table rocpd_api (id, pid, tid, start, end, apiName_id, args_id);"          \
    "create table rocpd_api_ops (api_id, op_id);"                                      \
    "create table rocpd_op (id, gpuId, queueId, start, end, description_id, "          \
    "  opType_id);"                                                                    \
    "create table rocpd_kernelapi (api_ptr_id, gridX, gridY, gridZ, workgroupX,"       \
    "  workgroupY, workgroupZ);"                                                       \
    "insert into rocpd_api_ops values (11, 21), (12, 22), (13, 23);"

/* One call of each kind, and one without a size. */
static const char launches[] =
    "insert into rocpd_api values (11, 7, 8, 0, 1, 1, 0), (12, 7, 8, 1, 2, 2, 0),"
    "  (13, 7, 8, 2, 3, 2, 0);"
    "insert into rocpd_kernelapi values (11, 1025, 6, 1, 256, 4, 1),"
    "  (12, 1025, 6, 1, 256, 4, 1);"
    "insert into rocpd_op values (21, 2, 0, 10, 20, 3, 4), (22, 2, 0, 20, 30, 3, 4),"
    "  (23, 2, 0, 30, 40, 3, 4);";

/* Two calls count work items, of which the last block may be cut off; all others of HIP
 * count blocks. */
static void a_grid_is_in_whole_blocks(void **state)
{
    (void)state;
    static const char *const rest[] = {"{\"grid\":[1025,6,1],\"block\":[256,4,1]}",
                                       "{\"grid\":[5,2,1],\"block\":[256,4,1]}", ""};
    case_opened(TABLES, launches, rpd_is, rpd_events);
    int n = 0;
    for (struct event *ev; (ev = next());) {
        if (ev->cat != CAT_KERNEL)
            continue;
        assert_true(n < 3);
        struct str got = event_args(ev)->rest;
        if (!str_eq(got, str_of(rest[n++])))
            fail_msg("%.*s", STRF(got));
    }
    assert_int_equal(n, 3);
    events.close(events.state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_is_in_whole_blocks),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
