#include "idle_devices.c"

#include "analysis/trace_case.h"
#include "ops/timeline_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct devices_case {
    struct trace_case c;
    struct tree_index t;
    struct idle_gaps all;
    struct system_results r;
};

/* A kernel of a device, and the call of a thread that launches it. */
static void work(struct trace_case *c, int device, int thread, double call_us,
                 double start_us, double dur_us)
{
    int id = c->n_events + 1;
    out_printf(&c->text,
               "%s{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
               "\"pid\":9,\"tid\":%d,\"ts\":%.3f,\"dur\":2,"
               "\"args\":{\"correlation\":%d}},"
               "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":%d,\"tid\":7,"
               "\"ts\":%.3f,\"dur\":%.3f,"
               "\"args\":{\"correlation\":%d,\"stream\":7,\"device\":%d}}",
               c->n_events ? "," : "", thread, call_us, id, device, start_us, dur_us,
               id, device);
    c->n_events++;
}

static void check_sums(const struct devices_case *x, int k)
{
    const struct idle_result *r = &x->r.devices[k].idle;
    struct timeline_data frame = timeline_frame(&x->c.view);
    int64_t classes = 0, groups = 0, pools = 0;
    for (int c = 0; c < IDLE_CLASSES; c++) {
        int64_t binned = 0;
        for (int b = 0; b < frame.n_bins && r->class_bins[c]; b++)
            binned += r->class_bins[c][b];
        assert_int_equal(binned, r->class_ns[c]);
        classes += r->class_ns[c];
    }
    for (int32_t g = 0; g < r->n_groups; g++)
        groups += r->groups[g].total_ns;
    for (int p = 0; p < IDLE_POOLS; p++)
        pools += r->pool_ns[p];
    assert_int_equal(classes, x->r.devices[k].idle_ns);
    assert_int_equal(groups, x->r.devices[k].idle_ns);
    assert_int_equal(pools, x->r.devices[k].idle_ns);
    assert_int_equal(x->r.devices[k].gaps_ns, x->r.devices[k].idle_ns);
    assert_int_equal(x->r.devices[k].idle_ns + x->r.devices[k].busy_ns,
                     view_total_ns(&x->c.view));
}

static void open_devices(struct devices_case *x)
{
    case_open(&x->c, NULL);
    x->t = tree_index_build(&x->c.perm, x->c.tmp, &x->c.view);
    x->all = idle_gaps_find(&x->c.perm, x->c.tmp, &x->t);
    struct host_time host = host_time_build(&x->c.perm, x->c.tmp, &x->t);
    struct analysis a = {.total_ms = ms_of(view_total_ns(&x->c.view))};
    system_idle_of_devices(&x->c.perm, x->c.tmp, &a, &host, &x->all, &x->r);
    for (int k = 0; k < x->r.n_devices; k++)
        check_sums(x, k);
}

static int64_t pool_us(const struct devices_case *x, int device, enum idle_pool p)
{
    return (x->r.devices[device].idle.pool_ns[p] + 500) / 1000;
}

/* GPU 0 works from 10 to 1010 us and from 2020 to 3020, GPU 1 from 1010 on: what the
 * gap of GPU 0 is by what the host does in it. */
static void a_gap_beside_another_device(void **state)
{
    (void)state;
    static const struct {
        double sync_from, sync_to, call_us, peer_end_us;
        int64_t peer, host, calls, hidden, queued;
    } cases[] = {
        /* the host waits for GPU 1: no hidden work of GPU 0 */
        {40, 2005, 2010, 2000, 990, 15, 5, 0, 0},
        /* prepares meanwhile: late, whatever GPU 1 does */
        {0, 0, 2010, 2000, 0, 1010, 0, 0, 0},
        /* had launched: the kernel waits for GPU 1 */
        {0, 0, 30, 2015, 1005, 0, 0, 0, 5},
        /* waits on, though no device works */
        {40, 2005, 2010, 1400, 390, 15, 0, 605, 0},
        /* a short wait that GPU 1 outlasts is for something else */
        {1500, 1520, 2010, 2000, 0, 990, 20, 0, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct devices_case x = {0};
        case_begin(&x.c);
        case_frame(&x.c, "prep.py(8): prepare", 25, 3000);
        work(&x.c, 0, 1, 5, 10, 1000);
        work(&x.c, 1, 1, 20, 1010, cases[k].peer_end_us - 1010);
        if (cases[k].sync_to > 0)
            case_call(&x.c, "cudaStreamSynchronize", cases[k].sync_from,
                      cases[k].sync_to - cases[k].sync_from, 90);
        work(&x.c, 0, 1, cases[k].call_us, 2020, 1000);
        open_devices(&x);
        assert_int_equal(x.r.n_devices, 2);
        assert_int_equal(pool_us(&x, 0, POOL_PEER), cases[k].peer);
        assert_int_equal(pool_us(&x, 0, POOL_HOST), cases[k].host);
        assert_int_equal(pool_us(&x, 0, POOL_CALLS), cases[k].calls);
        assert_int_equal(pool_us(&x, 0, POOL_HIDDEN), cases[k].hidden);
        assert_int_equal(pool_us(&x, 0, POOL_QUEUED), cases[k].queued);
        /* GPU 1 waits for GPU 0 before its work, and has none behind it. */
        assert_true(pool_us(&x, 1, POOL_PEER) >= 2000);
        assert_int_equal(x.r.decides, 0);
        int64_t told_ns = 0;
        for (int32_t g = 0; g < x.r.devices[0].idle.n_groups; g++)
            if (str_eq(x.r.devices[0].idle.groups[g].blame, S("GPU 1")))
                told_ns += x.r.devices[0].idle.groups[g].total_ns;
        assert_int_equal((told_ns + 500) / 1000, cases[k].peer);
        case_close(&x.c);
    }
}

/* Two threads, a device each: the late one waits for its own thread alone. */
static void two_threads(void **state)
{
    (void)state;
    struct devices_case x = {0};
    case_begin(&x.c);
    case_event(&x.c, "python_function", "slow.py(3): decode", 2, 120, 870, "");
    for (int k = 0; k < 10; k++)
        work(&x.c, 0, 1, 100 * k + 5, 100 * k + 10, 90);
    work(&x.c, 1, 2, 6, 10, 100);
    work(&x.c, 1, 2, 990, 995, 5);
    open_devices(&x);
    const struct idle_group *g = &x.r.devices[1].idle.groups[0];
    assert_int_equal(pool_us(&x, 1, POOL_PEER), 0);
    assert_int_equal(pool_us(&x, 1, POOL_HOST), 885);
    assert_text(g->blame, "decode");
    assert_int_equal(g->gaps, 1);
    assert_int_equal(x.r.decides, 0);
    case_close(&x.c);
}

/* One thread launches short kernels for both in turn: the launches are what takes long,
 * of whichever device. */
static void one_thread_launches_for_both(void **state)
{
    (void)state;
    struct devices_case x = {0};
    case_begin(&x.c);
    for (int k = 0; k < 400; k++)
        work(&x.c, k / 50 % 2, 1, 20 * k + 5, 20 * k + 10, 4);
    open_devices(&x);
    for (int k = 0; k < 2; k++) {
        const struct idle_group *g = &x.r.devices[k].idle.groups[0];
        assert_int_equal(g->class, IDLE_HOST_BOUND);
        assert_true(10 * g->total_ns > 8 * x.r.devices[k].idle_ns);
        assert_int_equal(pool_us(&x, k, POOL_QUEUED), 0);
    }
    case_close(&x.c);
}

static void one_device_has_one_timeline(void **state)
{
    (void)state;
    struct devices_case x = {0};
    case_begin(&x.c);
    work(&x.c, 0, 1, 5, 10, 1000);
    work(&x.c, 0, 1, 2000, 2010, 1000);
    open_devices(&x);
    assert_int_equal(x.r.n_devices, 0);
    assert_ptr_equal(idle_that_decides(&x.r), &x.r.idle);
    case_close(&x.c);
}

/* What the recording itself stopped all devices for. */
static void an_artefact_is_a_hole(void **state)
{
    (void)state;
    struct span hole =
        hole_of(&(struct trace_window){.artefact_from_ns = 10, .artefact_ns = 5});
    assert_int_equal(hole.start_ns, 10);
    assert_int_equal(hole.end_ns, 15);
    hole = hole_of(&(struct trace_window){.artefact_from_ns = 10});
    assert_int_equal(hole.end_ns - hole.start_ns, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gap_beside_another_device),
        cmocka_unit_test(two_threads),
        cmocka_unit_test(one_thread_launches_for_both),
        cmocka_unit_test(one_device_has_one_timeline),
        cmocka_unit_test(an_artefact_is_a_hole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
