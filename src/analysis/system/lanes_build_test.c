#include "lanes_build.c"

#include "analysis/system/host_time.h"
#include "analysis/trace_case.h"
#include "ops/kernel_classes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct lanes_case {
    struct trace_case c;
    const struct timeline_data *d;
    struct run_lanes *r;
    struct critical_path path;
};

static void open_lanes(struct lanes_case *x)
{
    struct trace_case *c = &x->c;
    case_open(c, NULL);
    struct tree_index tree = tree_index_build(&c->perm, c->tmp, &c->view);
    struct host_time host = host_time_build(&c->perm, c->tmp, &tree);
    int8_t *class_of = arena_new(&c->perm, int8_t, c->tables.judged.n + 1);
    x->d = timeline_data_build(&c->perm, c->tmp, &c->view);
    x->r = run_lanes_with_streams(
        &c->perm, c->tmp, run_lanes_of_host(&c->perm, c->tmp, &host, x->d), &c->view,
        x->d, kernel_class_of_events(&c->perm, &c->tables, class_of),
        kernel_op_of_events(&c->perm, &c->tables), &x->path);
}

static const struct run_lane *lane_of(const struct lanes_case *x,
                                      enum run_lane_kind kind, int depth)
{
    for (int k = 0; k < x->r->n; k++)
        if (x->r->at[k].kind == kind && x->r->at[k].depth == depth)
            return &x->r->at[k];
    fail_msg("no lane of kind %d, depth %d", (int)kind, depth);
    return NULL;
}

static const struct lane_name *name_of(const struct lanes_case *x,
                                       const struct run_lane *lane, int box)
{
    return &x->r->names[lane->boxes.at[box].name];
}

/* A frame around all, in it a module with an operator, a call that waits, and a second
 * frame; device work from 100 to 400 us on one stream, a copy and a collective on
 * another. */
static void begin(struct lanes_case *x)
{
    struct trace_case *c = &x->c;
    case_begin(c);
    case_frame(c, "main.py(1): main", 0, 1000);
    case_frame(c, "model.py(3): forward", 100, 300);
    case_op(c, "aten::mm", 110, 50);
    case_launch(c, "gemm", 120, 100, 300, 1);
    case_call(c, "hipDeviceSynchronize", 300, 80, 9);
    case_frame(c, "data.py(9): load", 500, 400);
    case_call(c, "hipMemcpyAsync", 510, 1, 2);
    case_call(c, "hipLaunchKernel", 512, 1, 3);
    case_kernel(c, "ncclDevKernel_AllReduce", 8, 350, 100, 3);
    case_kernel(c, "fill", 8, 425, 50, 77);
    case_copy(c, "Memcpy HtoD", 450, 650, 2, 4096);
    open_lanes(x);
}

/* From the end back: a kernel, latency, the call that launched it, a kernel that ends
 * later than the call begins. What lies outside of the timeline is cut. */
static void test_the_critical_path_is_a_lane(void **state)
{
    (void)state;
    struct lanes_case x = {.r = NULL};
    struct trace_case *c = &x.c;
    case_begin(c);
    case_launch(c, "gemm", 50, 100, 100, 1);
    case_launch(c, "fill", 190, 300, 100, 2);
    struct path_step steps[] = {{PATH_KERNEL, 3, 300000, 400000},
                                {PATH_LATENCY, -1, 191000, 300000},
                                {PATH_HOST, 1, 190000, 191000},
                                {PATH_KERNEL, 2, 90000, 190500}};
    x.path = (struct critical_path){.steps = steps, .n_steps = 4};
    static const struct str names[] = {S_INIT("fill"), S_INIT(""),
                                       S_INIT("hipLaunchKernel"), S_INIT("gemm")};
    open_lanes(&x);
    for (int k = 0; k < 4; k++) { /* events are sorted when they are read */
        for (event_id i = 0; i < c->store.n && names[k].n; i++)
            if (str_eq(store_name(&c->store, i), names[k]))
                steps[k].event = i;
    }
    struct run_lanes none = {.n = 0};
    int8_t *class = arena_new(&c->perm, int8_t, c->view.launch.n_all);
    x.r = run_lanes_with_streams(&c->perm, c->tmp, &none, &c->view, x.d, class,
                                 kernel_op_of_events(&c->perm, &c->tables), &x.path);
    assert_int_equal(x.r->n, 2);
    const struct run_lane *lane = lane_of(&x, RUN_PATH, 0);
    assert_int_equal(lane->boxes.n, 3);
    static const int64_t from[] = {0, 90500, 200000}, to[] = {90500, 91000, 300000};
    static const char *const is[] = {"gemm", "hipLaunchKernel", "fill"};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(lane->boxes.at[k].start_ns, from[k]);
        assert_int_equal(lane->boxes.at[k].end_ns, to[k]);
        assert_true(str_eq(name_of(&x, lane, k)->text, str_of(is[k])));
    }
    assert_int_equal(name_of(&x, lane, 1)->kind, LANE_RUNTIME);
    case_close(c);
}

static void test_streams_are_as_busy_as_the_timeline(void **state)
{
    (void)state;
    struct lanes_case x = {.r = NULL};
    begin(&x);
    for (int k = 0; k < x.d->n_streams; k++) {
        assert_int_equal(x.r->at[k].kind, RUN_STREAM);
        assert_true(str_eq(x.r->at[k].name, x.d->streams[k].name));
        assert_int_equal(x.r->at[k].busy_ns, x.d->streams[k].busy_ns);
    }
    const struct run_lane *busiest = &x.r->at[0];
    assert_int_equal(busiest->boxes.n, 2);
    assert_int_equal(name_of(&x, busiest, 0)->kind, 0);
    assert_int_equal(name_of(&x, busiest, 1)->kind, LANE_COPY);
    assert_int_equal(name_of(&x, &x.r->at[1], 0)->kind, LANE_COMMUNICATION);
    /* What another has begun keeps the time that both share. */
    assert_int_equal(x.r->at[1].boxes.at[1].start_ns, 350000);
    assert_int_equal(x.r->at[1].boxes.at[1].busy_ns, 25000);
    case_close(&x.c);
}

/* From 100 to 1100 us on the clock of the trace: 0 to 1000 us here. */
static void test_what_the_host_does(void **state)
{
    (void)state;
    struct lanes_case x = {.r = NULL};
    begin(&x);
    int64_t sum[HOST_PARTS] = {0}, all = 0;
    for (int p = 0; p < HOST_PARTS; p++)
        for (int b = 0; b < x.d->n_bins; b++)
            sum[p] += x.r->host_ns[p][b];
    for (int p = 0; p < HOST_PARTS; p++)
        all += sum[p];
    assert_int_equal(sum[HOST_WAITING], 80000);
    assert_int_equal(sum[HOST_DISPATCH], 49000);
    assert_int_equal(sum[HOST_RUNTIME], 3000);
    assert_int_equal(all, 900000); /* main ends 100 us before the copy */
    assert_int_equal(lane_of(&x, RUN_HOST, 0)->busy_ns, all);
    case_close(&x.c);
}

/* The call that launched a box, as far as a thread that launches made it, the operation
 * and what was recorded with it; shapes are kept once. */
static void test_where_boxes_come_from(void **state)
{
    (void)state;
    struct lanes_case x = {.r = NULL};
    begin(&x);
    assert_int_equal(x.r->n_threads, 1);
    assert_true(str_eq(x.r->threads[0], lane_of(&x, RUN_HOST, 0)->name));
    int found = 0;
    for (int k = 0; k < x.r->n && x.r->at[k].kind == RUN_STREAM; k++)
        for (int32_t i = 0; i < x.r->at[k].boxes.n; i++) {
            const struct lane_start *s = &x.r->starts[x.r->at[k].boxes.at[i].more];
            struct str name = name_of(&x, &x.r->at[k], i)->text;
            found++;
            if (str_eq(name, S("gemm"))) {
                assert_int_equal(s->thread, 0);
                assert_int_equal(s->call_ns, 20000);
                assert_true(s->op >= 0 && s->op < x.c.tables.judged.n);
                assert_int_equal(s->shape, -1);
            } else if (str_eq(name, S("fill"))) {
                assert_int_equal(s->thread, -1);
            } else if (str_eq(name, S("Memcpy HtoD"))) {
                assert_int_equal(s->call_ns, 410000);
                assert_true(str_eq(x.r->shapes[s->shape], S("4.0 KiB")));
            }
        }
    assert_int_equal(found, 4);
    case_close(&x.c);
}

/* A mark of the step says nothing: the thread of the backward pass does. */
static void test_the_other_thread(void **state)
{
    (void)state;
    struct lanes_case x = {.r = NULL};
    struct trace_case *c = &x.c;
    case_begin(c);
    case_op(c, "ProfilerStep#1", 0, 1000);
    case_op(c, "aten::mm", 100, 200);
    case_launch(c, "gemm", 110, 100, 900, 1);
    case_launch(c, "gemm", 120, 1000, 10, 3);
    case_event(c, "cpu_op", "MmBackward0", 2, 400, 300, "");
    case_event(c, "cuda_runtime", "hipLaunchKernel", 2, 500, 10, "\"correlation\":2");
    case_kernel(c, "gemm", 7, 1010, 90, 2);
    open_lanes(&x);
    const struct run_lane *host = lane_of(&x, RUN_HOST, 0);
    assert_int_equal(host->busy_ns, 500000);
    assert_true(str_eq(name_of(&x, host, host->boxes.n - 1)->text, S("MmBackward0")));
    case_close(&x.c);
}

/* main fills it all, so the levels begin below. */
static void test_calls_from_where_they_branch(void **state)
{
    (void)state;
    struct lanes_case x = {.r = NULL};
    begin(&x);
    const struct run_lane *first = lane_of(&x, RUN_CALLS, 1);
    assert_int_equal(first->skipped, 1);
    assert_int_equal(first->boxes.n, 2);
    assert_int_equal(first->busy_ns, 700000);
    assert_true(str_eq(name_of(&x, first, 0)->text, S("model.py(3): forward")));
    assert_int_equal(first->boxes.at[1].start_ns, 400000);
    const struct run_lane *second = lane_of(&x, RUN_CALLS, 2);
    assert_int_equal(second->boxes.n, 4);
    assert_int_equal(name_of(&x, second, 0)->kind, LANE_DISPATCH);
    assert_int_equal(name_of(&x, second, 1)->kind, LANE_WAITING);
    assert_int_equal(lane_of(&x, RUN_CALLS, 3)->boxes.n, 1);
    case_close(&x.c);
}

static void test_room_is_shared(void **state)
{
    (void)state;
    int64_t want[] = {10, 5000, 900, 8000};
    int32_t room[4];
    share_room(want, 4, 3000, room);
    assert_int_equal(room[0], 11);
    assert_int_equal(room[2], 901);
    assert_int_equal(room[1], (3000 - 910) / 2);
    assert_int_equal(room[3], room[1]);
    share_room(want, 1, 3000, room);
    assert_int_equal(room[0], 11);
}

static void test_no_device_work(void **state)
{
    (void)state;
    struct lanes_case x = {.r = NULL};
    case_begin(&x.c);
    case_op(&x.c, "aten::mm", 0, 10);
    open_lanes(&x);
    assert_int_equal(x.r->n, 0);
    case_close(&x.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_critical_path_is_a_lane),
        cmocka_unit_test(test_streams_are_as_busy_as_the_timeline),
        cmocka_unit_test(test_what_the_host_does),
        cmocka_unit_test(test_where_boxes_come_from),
        cmocka_unit_test(test_the_other_thread),
        cmocka_unit_test(test_calls_from_where_they_branch),
        cmocka_unit_test(test_room_is_shared),
        cmocka_unit_test(test_no_device_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
