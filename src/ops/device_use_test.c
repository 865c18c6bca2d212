#include "device_use.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A kernel on a device, and its launch by a process. */
static void work(struct trace_case *c, int device, int host, double start_us,
                 double dur_us, int id)
{
    out_printf(&c->text,
               "%s{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
               "\"pid\":%d,\"tid\":1,\"ts\":%.3f,\"dur\":1,"
               "\"args\":{\"correlation\":%d}},"
               "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":%d,\"tid\":7,"
               "\"ts\":%.3f,\"dur\":%.3f,"
               "\"args\":{\"correlation\":%d,\"stream\":7,\"device\":%d}}",
               c->n_events++ ? "," : "", host, start_us - 5, id, device, start_us,
               dur_us, id, device);
}

static void two_that_take_turns(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 8; k++)
        work(&c, k % 2, 9, 100 * k + 10, 100, 1 + k);
    case_open(&c, NULL);
    const struct device_uses *d = c.view.devices;
    assert_int_equal(d->n, 2);
    assert_int_equal(d->busy_ns, 800000);
    assert_int_equal(d->at_once_ns[0], 800000);
    assert_int_equal(d->turns, 7);
    assert_int_equal(d->of[0].waits_ns, 400000);
    assert_int_equal(d->of[1].alone_ns, 400000);
    assert_true(devices_take_turns(d));
    case_close(&c);
}

static void two_at_once(void **state)
{
    (void)state;
    struct trace_case c;
    int busiest;
    case_begin(&c);
    for (int k = 0; k < 8; k++)
        work(&c, k % 2, 9, 100 * (k / 2) + 10 + k % 2, 100, 1 + k);
    case_open(&c, NULL);
    const struct device_uses *d = c.view.devices;
    assert_int_equal(d->n, 2);
    assert_int_equal(d->busy_ns, 401000);
    assert_int_equal(d->at_once_ns[0], 2000);
    assert_int_equal(d->at_once_ns[1], 399000);
    assert_false(devices_take_turns(d));
    assert_int_equal(device_behind(d, &busiest), -1);
    case_close(&c);
}

/* GPU 1 has a quarter of the work of GPU 0. */
static void one_with_less_work(void **state)
{
    (void)state;
    struct trace_case c;
    int busiest;
    case_begin(&c);
    for (int k = 0; k < 4; k++) {
        work(&c, 0, 9, 100 * k + 10, 100, 1 + 2 * k);
        work(&c, 1, 9, 100 * k + 20, 25, 2 + 2 * k);
    }
    case_open(&c, NULL);
    const struct device_uses *d = c.view.devices;
    assert_false(devices_take_turns(d));
    assert_int_equal(device_behind(d, &busiest), 1);
    assert_int_equal(busiest, 0);
    assert_int_equal(d->of[1].waits_ns, 300000);
    case_close(&c);
}

/* Of three, in whatever place, the one with least work is behind the one with most;
 * nobody is, once one has three events only. */
static void least_of_three(void **state)
{
    static const int us[][3] = {
        {100, 25, 50}, {25, 100, 50}, {25, 50, 100}, {50, 25, 100}};
    (void)state;
    for (size_t i = 0; i < sizeof us / sizeof *us; i++)
        for (int n = 3; n <= 4; n++) {
            struct trace_case c;
            int busiest, least = 0, most = 0;
            case_begin(&c);
            for (int k = 0; k < 12; k++)
                if (k % 3 || k / 3 < n)
                    work(&c, k % 3, 9, 100 * (k / 3) + 10 + k % 3, us[i][k % 3], 1 + k);
            for (int k = 0; k < 3; k++) {
                least = us[i][k] == 25 ? k : least;
                most = us[i][k] == 100 ? k : most;
            }
            case_open(&c, NULL);
            const struct device_uses *d = c.view.devices;
            assert_int_equal(d->n, 3);
            assert_int_equal(device_behind(d, &busiest), n == 4 ? least : -1);
            assert_int_equal(busiest, most);
            assert_ptr_equal(pool_text(&c.store.names, d->of[2].pid).p,
                             d->of[2].name.p);
            case_close(&c);
        }
}

/* From one to another: counted, and by which one sends. */
static void copies_between_devices(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 4; k++)
        work(&c, k % 2, 9, 100 * k + 10, 20, 1 + k);
    for (int k = 0; k < 3; k++)
        out_printf(&c.text,
                   ",{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy %s "
                   "(Device -> Device)\",\"pid\":1,\"tid\":7,\"ts\":%d,\"dur\":%d}",
                   k < 2 ? "PtoP" : "DtoD", 500 + 100 * k, 10 + k);
    case_open(&c, NULL);
    const struct device_uses *d = c.view.devices;
    assert_int_equal(d->n_copies, 2);
    assert_int_equal(d->copies_ns, 21000);
    assert_int_equal(d->of[0].n_copies_out, 0);
    assert_int_equal(d->of[1].n_copies_out, 2);
    case_close(&c);
}

/* A file of two ranks, and a device alone, are no devices of one process. */
static void others_are_not_told_apart(void **state)
{
    (void)state;
    struct trace_case c;
    for (int same = 0; same < 2; same++) {
        case_begin(&c);
        for (int k = 0; k < 4; k++)
            work(&c, same ? 0 : k % 2, same ? 9 : 8 + k % 2, 100 * k + 10, 100, 1 + k);
        case_open(&c, NULL);
        assert_int_equal(c.view.devices->n, 0);
        case_close(&c);
    }
}

/* torch.nn.DataParallel: its frames or module, or that a batch is split and collected.
 */
static void a_model_that_is_copied_in_each_step(void **state)
{
    (void)state;
    static const struct {
        const char *cat, *name[2];
        bool is;
    } cases[] = {
        {"python_function", {"torch/nn/parallel/data_parallel.py(167): forward"}, true},
        {"python_function", {"torch/nn/parallel/replicate.py(80): replicate"}, true},
        {"python_function", {"nn.Module: DataParallel_0"}, true},
        {"python_function", {"nn.Module: DistributedDataParallel_0"}, false},
        {"python_function", {"torch/nn/parallel/distributed.py(9): forward"}, false},
        {"cpu_op", {"Scatter", "Gather"}, true},
        {"cpu_op", {"Scatter", "aten::gather"}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_case c;
        case_begin(&c);
        for (int k = 0; k < 2 && cases[i].name[k]; k++)
            case_event(&c, cases[i].cat, cases[i].name[k], 1, 1 + k, 1, "");
        for (int k = 0; k < 8; k++)
            work(&c, k % 2, 9, 100 * k + 10, 100, 1 + k);
        case_open(&c, NULL);
        assert_int_equal(c.view.devices->data_parallel, cases[i].is);
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_that_take_turns),
        cmocka_unit_test(two_at_once),
        cmocka_unit_test(one_with_less_work),
        cmocka_unit_test(least_of_three),
        cmocka_unit_test(copies_between_devices),
        cmocka_unit_test(a_model_that_is_copied_in_each_step),
        cmocka_unit_test(others_are_not_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
