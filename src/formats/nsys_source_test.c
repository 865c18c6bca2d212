#include "formats/nsys_source.c"

#include "base/arena_case.h"
#include "formats/sqlite_case.h"

/* Process 5 and its thread 6: (5 << 24) + 6 is 83886086. */
#define TABLES                                                                         \
    "create table StringIds (id, value);"                                              \
    "insert into StringIds values (1, 'void gemm()'), (2, 'cudaLaunchKernel_v7000'),"  \
    "  (3, 'cuMemcpyHtoDAsync_v2'), (4, 'forward');"                                   \
    "create table TARGET_INFO_GPU (id, name, totalMemory, smCount, computeMajor, "     \
    "  computeMinor);"                                                                 \
    "insert into TARGET_INFO_GPU values (0, 'A100', 1000, 108, 8, 0),"                 \
    "  (3, 'H100', 2000, 132, 9, 0);"                                                  \
    "create table CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, "        \
    "  correlationId, globalPid, demangledName, gridX, gridY, gridZ, blockX, blockY, " \
    "  blockZ, registersPerThread, staticSharedMemory, dynamicSharedMemory, "          \
    "  graphNodeId);"                                                                  \
    "create table CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, streamId, "        \
    "  correlationId, globalPid, bytes, copyKind, srcKind, dstKind);"                  \
    "create table CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, streamId, "        \
    "  correlationId, globalPid, bytes);"                                              \
    "create table CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, " \
    "  nameId);"                                                                       \
    "create table NVTX_EVENTS (start, end, globalTid, eventType, text, textId, "       \
    "  binaryData);"

static void opened(const char *rows)
{
    case_opened(TABLES, rows, nsys_is, nsys_events);
}

/* What each column becomes: all numbers differ, so that one in the place of another
 * shows. */
static void a_kernel_has_all_that_is_recorded(void **state)
{
    (void)state;
    opened("insert into CUPTI_ACTIVITY_KIND_KERNEL values (1000, 4000, 3, 7, 77, "
           "83886080, 1, 11, 12, 13, 21, 22, 23, 64, 2048, 512, 99)");
    struct event *ev = next();
    assert_int_equal(ev->cat, CAT_KERNEL);
    assert_text(ev->name, "void gemm()");
    assert_int_equal(ev->start_ns, 1000);
    assert_int_equal(ev->dur_ns, 3000);
    assert_text(ev->pid, "3");
    assert_text(ev->tid, "7");
    assert_int_equal(event_args(ev)->stream, 7);
    assert_int_equal(event_args(ev)->correlation, 77);
    assert_text(event_args(ev)->rest,
                "{\"registers per thread\":64,\"shared memory\":2560,\"graph node id\":"
                "99,\"grid\":[11,12,13],\"block\":[21,22,23]}");
    assert_null(next());
    struct source_end end = events.end(events.state, &a);
    assert_int_equal(end.machine.n_devices, 1);
    assert_text(end.machine.devices[0].name, "H100"); /* the one that it uses */
    assert_true(end.machine.devices[0].memory_bytes == 2000);
    assert_int_equal(end.machine.devices[0].compute_units, 132);
    assert_true(end.machine.devices[0].generation == 90);
    events.close(events.state);
}

/* Memory that is not recorded is none; without a grid nothing of the launch is. */
static void a_kernel_may_lack_memory_and_grid(void **state)
{
    (void)state;
    opened("insert into CUPTI_ACTIVITY_KIND_KERNEL values "
           "(1, 4, 3, 7, 77, 83886080, 1, 1, 1, 1, 32, 1, 1, 64, null, 512, null),"
           "(2, 4, 3, 7, 78, 83886080, 1, 1, 1, 1, 32, 1, 1, 64, 2048, null, null),"
           "(3, 4, 3, 7, 79, 83886080, 1, null, 1, 1, 32, 1, 1, 64, 0, 0, null)");
    static const char *const rest[] = {"{\"registers per thread\":64,\"shared "
                                       "memory\":512,\"grid\":[1,1,1],"
                                       "\"block\":[32,1,1]}",
                                       "{\"registers per thread\":64,\"shared "
                                       "memory\":2048,\"grid\":[1,1,1],"
                                       "\"block\":[32,1,1]}",
                                       ""};
    for (int k = 0; k < 3; k++)
        assert_text(event_args(next())->rest, rest[k]);
    events.close(events.state);
}

/* By kind, and by the kinds of memory between which they go. */
static void copies_say_from_where_to_where(void **state)
{
    (void)state;
    opened("insert into CUPTI_ACTIVITY_KIND_MEMCPY values "
           "(1, 3, 3, 7, 77, 83886080, 4096, 1, 1, 2),"
           "(4, 7, 3, 8, 78, 83886080, 100, 2, 2, 0),"
           "(8, 9, 3, 9, 79, 83886080, 200, 8, 2, 2);"
           "insert into CUPTI_ACTIVITY_KIND_MEMSET values "
           "(10, 12, 3, 7, 80, 83886080, 300)");
    static const struct {
        const char *name;
        int64_t bytes, stream, dur_ns;
        enum copy_direction way;
    } want[] = {{"Memcpy HtoD (Pinned -> Device)", 4096, 7, 2, COPY_H2D},
                {"Memcpy DtoH (Device -> Pageable)", 100, 8, 3, COPY_D2H},
                {"Memcpy DtoD (Device -> Device)", 200, 9, 1, COPY_D2D}};
    for (int k = 0; k < 3; k++) {
        struct event *ev = next();
        assert_int_equal(ev->cat, CAT_MEMCPY);
        assert_text(ev->name, want[k].name);
        assert_int_equal(event_args(ev)->bytes, want[k].bytes);
        assert_int_equal(event_args(ev)->stream, want[k].stream);
        assert_int_equal(ev->dur_ns, want[k].dur_ns);
        assert_int_equal(role_way(ev->role), want[k].way);
        assert_int_equal(role_copies_pageable(ev->role), k == 1);
    }
    struct event *set = next();
    assert_int_equal(set->cat, CAT_MEMSET);
    assert_int_equal(event_args(set)->bytes, 300);
    assert_null(next());
    events.close(events.state);
}

/* A call is of its library, without the version that the runtime adds; a range of NVTX
 * is of its text, or of the number of it. */
static void the_host_calls_and_marks(void **state)
{
    (void)state;
    opened("insert into CUPTI_ACTIVITY_KIND_KERNEL values "
           "(50, 60, 3, 7, 77, 83886080, 1, null, 1, 1, 32, 1, 1, 64, 0, 0, null);"
           "insert into CUPTI_ACTIVITY_KIND_RUNTIME values "
           "(10, 15, 83886086, 77, 2), (20, 26, 83886087, 78, 3);"
           "insert into NVTX_EVENTS values (5, 40, 83886086, 59, null, 4, null),"
           "(6, 30, 83886086, 60, 'mine', null, null),"
           "(7, null, 83886086, 34, 'a mark', null, null)");
    static const struct {
        const char *name, *tid;
        enum event_cat cat;
        int64_t start_ns, dur_ns;
    } want[] = {{"forward", "6", CAT_ANNOTATION, 5, 35},
                {"mine", "6", CAT_ANNOTATION, 6, 24},
                {"cudaLaunchKernel", "6", CAT_RUNTIME, 10, 5},
                {"cuMemcpyHtoDAsync_v2", "7", CAT_DRIVER, 20, 6}};
    for (int k = 0; k < 4; k++) {
        struct event *ev = next();
        assert_text(ev->name, want[k].name);
        assert_text(ev->tid, want[k].tid);
        assert_text(ev->pid, "5");
        assert_int_equal(ev->cat, want[k].cat);
        assert_int_equal(ev->start_ns, want[k].start_ns);
        assert_int_equal(ev->dur_ns, want[k].dur_ns);
    }
    assert_int_equal(next()->cat, CAT_KERNEL);
    assert_null(next());
    events.close(events.state);
}

/* A graph that is recorded as a whole, and the names of a process and its thread. */
static void graphs_and_threads_have_names(void **state)
{
    (void)state;
    opened("create table PROCESSES (globalPid, name);"
           "insert into PROCESSES values (83886080, 'python');"
           "create table ThreadNames (globalTid, nameId);"
           "insert into ThreadNames values (83886086, 4);"
           "create table CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, "
           "streamId, correlationId, globalPid, graphId);"
           "insert into CUPTI_ACTIVITY_KIND_GRAPH_TRACE values "
           "(10, 40, 3, 7, 77, 83886080, 12)");
    static const struct {
        const char *name, *tid, *text;
    } want[] = {{"process_name", "0", "python"}, {"thread_name", "6", "forward"}};
    for (int k = 0; k < 2; k++) {
        struct event *ev = next();
        assert_int_equal(ev->ph, 'M');
        assert_text(ev->name, want[k].name);
        assert_text(ev->pid, "5");
        assert_text(ev->tid, want[k].tid);
        assert_text(event_args(ev)->text, want[k].text);
    }
    struct event *ev = next();
    assert_int_equal(ev->cat, CAT_KERNEL);
    assert_text(ev->name, "CUDA graph 12");
    assert_text(ev->pid, "3");
    assert_text(ev->tid, "7");
    assert_int_equal(ev->start_ns, 10);
    assert_int_equal(ev->dur_ns, 30);
    assert_int_equal(event_args(ev)->correlation, 77);
    assert_null(next());
    events.close(events.state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_has_all_that_is_recorded),
        cmocka_unit_test(a_kernel_may_lack_memory_and_grid),
        cmocka_unit_test(copies_say_from_where_to_where),
        cmocka_unit_test(the_host_calls_and_marks),
        cmocka_unit_test(graphs_and_threads_have_names),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
