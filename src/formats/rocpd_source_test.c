#include "formats/rocpd_source.c"

#include "base/arena_case.h"
#include "formats/sqlite_case.h"

#define TABLES                                                                         \
    "create table rocpd_string (id, string);"                                          \
    "insert into rocpd_string values (1, 'hipLaunchKernel'), (2, 'hsa_signal_wait'),"  \
    "  (3, 'MEMORY_COPY_HOST_TO_DEVICE'), (4, 'MARKER_CORE_API'), (5, 'roctxPush');"   \
    "create table rocpd_info_kernel_symbol (id, display_name);"                        \
    "insert into rocpd_info_kernel_symbol values (9, 'gemm');"                         \
    "create table rocpd_info_agent (id, type, type_index, product_name, extdata);"     \
    "insert into rocpd_info_agent values (1, 'CPU', 0, 'EPYC', ''),"                   \
    "  (2, 'GPU', 3, 'MI300X', '{\"cu_count\":304}');"                                 \
    "create table rocpd_info_node (id, hostname);"                                     \
    "insert into rocpd_info_node values (1, 'node7');"                                 \
    "create table rocpd_event (id, category_id, stack_id, extdata);"                   \
    "insert into rocpd_event values (1, null, 77, ''), (2, null, 0, ''),"              \
    "  (3, 4, 5, '{\"message\":\"forward\"}');"                                        \
    "create table rocpd_region (id, start, end, pid, tid, event_id, name_id);"         \
    "create table rocpd_kernel_dispatch (id, start, end, pid, tid, agent_id, "         \
    "queue_id,"                                                                        \
    "  stream_id, event_id, kernel_id, grid_size_x, grid_size_y, grid_size_z,"         \
    "  workgroup_size_x, workgroup_size_y, workgroup_size_z);"                         \
    "create table rocpd_memory_copy (id, start, end, pid, tid, queue_id, stream_id,"   \
    "  event_id, name_id, dst_agent_id, src_agent_id, size);"

static void opened(const char *rows)
{
    case_opened(TABLES, rows, rocpd_is, rocpd_events);
}

/* A grid is recorded in work items: 1024 of them in groups of 256 are 4 blocks, and 5
 * in groups of 2 are 3. */
static void a_kernel_has_its_grid_in_blocks(void **state)
{
    (void)state;
    opened(
        "insert into rocpd_kernel_dispatch values (1, 1000, 4000, 11, 12, 2, 21, 22, "
        "1, 9, 1024, 5, 3, 256, 2, 1)");
    struct event *ev = next();
    assert_int_equal(ev->cat, CAT_KERNEL);
    assert_text(ev->name, "gemm");
    assert_int_equal(ev->start_ns, 1000);
    assert_int_equal(ev->dur_ns, 3000);
    assert_text(ev->pid, "3"); /* the device among those of its kind */
    assert_text(ev->tid, "22");
    assert_int_equal(event_args(ev)->correlation, 77);
    assert_int_equal(event_args(ev)->stream, 22);
    assert_text(event_args(ev)->rest, "{\"grid\":[4,3,3],\"block\":[256,2,1]}");
    assert_null(next());
    struct source_end end = events.end(events.state, &a);
    assert_text(end.machine.host, "node7");
    assert_int_equal(end.machine.n_devices, 1);
    assert_text(end.machine.devices[0].name, "MI300X");
    assert_int_equal(end.machine.devices[0].compute_units, 304);
    events.close(events.state);
}

/* Without a stream, the queue; without groups no grid. */
static void a_kernel_may_lack_stream_and_grid(void **state)
{
    (void)state;
    opened("insert into rocpd_kernel_dispatch values (1, 5, 4, 11, 12, 2, 21, null, 2, "
           "9, 1024, 1, 1, 0, 1, 1)");
    struct event *ev = next();
    assert_int_equal(event_args(ev)->stream, 21);
    assert_int_equal(event_args(ev)->correlation, NO_ID); /* stack 0 is none */
    assert_int_equal(event_args(ev)->rest.n, 0);
    assert_int_equal(ev->dur_ns, -1); /* it ends before it starts */
    events.close(events.state);
    opened("insert into rocpd_kernel_dispatch values (1, 5, 9, 11, 12, 2, 21, null, 2, "
           "9, 1024, 1, 1, 256, 0, 1)");
    assert_int_equal(event_args(next())->rest.n, 0);
    events.close(events.state);
}

/* Calls of HIP and HSA have the stack that device work has; a marker its text. */
static void calls_are_of_their_library(void **state)
{
    static const struct {
        const char *name;
        enum event_cat cat;
        int64_t correlation;
    } want[] = {{"hipLaunchKernel", CAT_RUNTIME, 77},
                {"hsa_signal_wait", CAT_DRIVER, NO_ID},
                {"forward", CAT_ANNOTATION, 0}};
    (void)state;
    opened("insert into rocpd_region values (1, 10, 20, 11, 12, 1, 1), "
           "(2, 30, 50, 11, 12, 2, 2), (3, 60, 90, 11, 13, 3, 5)");
    for (int k = 0; k < 3; k++) {
        struct event *ev = next();
        assert_int_equal(ev->cat, want[k].cat);
        assert_text(ev->name, want[k].name);
        if (ev->cat != CAT_ANNOTATION)
            assert_int_equal(event_args(ev)->correlation, want[k].correlation);
        assert_text(ev->pid, "11");
        assert_text(ev->tid, k < 2 ? "12" : "13");
    }
    events.close(events.state);
}

/* A copy is of the GPU, whichever way it goes. */
static void a_copy_is_of_its_gpu(void **state)
{
    (void)state;
    opened(
        "insert into rocpd_memory_copy values (1, 10, 20, 11, 12, 21, 22, 1, 3, 2, 1, "
        "4096), (2, 30, 40, 11, 12, 21, 22, 1, 2, 1, 2, 8)");
    struct event *ev = next();
    assert_int_equal(ev->cat, CAT_MEMCPY);
    assert_text(ev->pid, "3");
    assert_text(ev->name, "Memcpy HtoD (Host -> Device)");
    assert_int_equal(event_args(ev)->bytes, 4096);
    ev = next();
    assert_true(str_eq(ev->name, copy_unknown)); /* that name says nothing */
    assert_text(ev->pid, "3");
    assert_int_equal(event_args(ev)->bytes, 8);
    events.close(events.state);
}

/* A number of units that no device has is none. */
static void units_are_a_number_of_some(void **state)
{
    static const char *const counts[] = {"0", "1000000", "30.5", "\"many\""};
    (void)state;
    for (int k = 0; k < 4; k++) {
        opened(str_c(&a, str_printf(&a,
                                    "update rocpd_info_agent set extdata = "
                                    "'{\"cu_count\":%s}' where type = 'GPU'",
                                    counts[k])));
        struct source_end end = events.end(events.state, &a);
        assert_int_equal(end.machine.devices[0].compute_units, 0);
        events.close(events.state);
    }
}

/* "{"message":"..."}", in the quick way and with escapes. */
static void a_message_is_read_from_its_json(void **state)
{
    struct sqlite_source s = {.perm = a};
    (void)state;
    assert_text(message_of(&s, S("{\"message\":\"step 1\"}")), "step 1");
    assert_text(message_of(&s, S("{\"message\": \"step 1\"}")), "step 1");
    assert_text(message_of(&s, S("{\"message\":\"a\\\"b\"}")), "a\"b");
    assert_text(message_of(&s, S("{\"x\":1,\"message\":\"y\"}")), "y");
    assert_int_equal(message_of(&s, S("{}")).n, 0);
    assert_int_equal(message_of(&s, S("nonsense")).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_has_its_grid_in_blocks),
        cmocka_unit_test(a_kernel_may_lack_stream_and_grid),
        cmocka_unit_test(calls_are_of_their_library),
        cmocka_unit_test(a_copy_is_of_its_gpu),
        cmocka_unit_test(units_are_a_number_of_some),
        cmocka_unit_test(a_message_is_read_from_its_json),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
