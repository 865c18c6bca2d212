#include "devices_finding.c"

#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MS = 1000000 };

/* A call of the host, and what it starts on a device. */
static void work(struct trace_case *c, int on, const char *cat, const char *name,
                 double start_us, double dur_us, double called_us)
{
    int id = c->n_events + 1;
    case_call(c, "cudaLaunchKernel", called_us, 1, id);
    out_printf(&c->text,
               ",{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":7,"
               "\"ts\":%.3f,\"dur\":%.3f,"
               "\"args\":{\"correlation\":%d,\"stream\":7,\"device\":%d,\"bytes\":4}}",
               cat, name, on, start_us, dur_us, id, on);
}

/* Two devices that share 120 ms as `d` says. */
static struct device_uses uses(int64_t busy0, int64_t busy1, int64_t together)
{
    struct device_uses d = {.n = 2, .turns = 15, .n_copies = 8, .copies_ns = 3 * MS};
    int64_t busy[2] = {busy0 * MS, busy1 * MS};
    for (int k = 0; k < 2; k++)
        d.of[k] = (struct device_use){.name = k ? S("1") : S("0"),
                                      .n_events = 1000,
                                      .busy_ns = busy[k],
                                      .alone_ns = busy[k] - together * MS,
                                      .waits_ns = busy[!k] - together * MS};
    d.busy_ns = (busy0 + busy1 - together) * MS;
    d.at_once_ns[0] = d.busy_ns - together * MS;
    d.at_once_ns[1] = together * MS;
    return d;
}

/* The only finding; title NULL: none. */
static struct finding found(const struct device_uses *d, double exposed_ms)
{
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "gemm", 0, 10, 100, 1);
    case_open(&c, NULL);
    struct analysis a = case_analysis(&c);
    struct device_uses own = *d;
    c.view.devices = &own;
    a.patterns = library;
    a.total_ms = 120;
    a.exposed_comm_ms = exposed_ms;
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    devices_finding(&library_perm, c.tmp, &a, &t);
    assert_int_equal(a.n_warnings, 0);
    struct finding f = a.n_findings ? a.findings[0] : (struct finding){0};
    case_close(&c);
    return f;
}

static void saves(const struct finding *f, double low_ms, double high_ms)
{
    assert_near(f->impact.low_ms, low_ms, 1e-9);
    assert_near(f->impact.high_ms, high_ms, 1e-9);
    assert_near(f->impact_kernel.high_ms, high_ms, 1e-9);
}

static void devices_that_take_turns(void **state)
{
    (void)state;
    struct device_uses d = uses(60, 50, 10);
    struct finding f = found(&d, 7);
    assert_text(f.title, "Run the 2 GPUs concurrently: they take turns");
    assert_text(f.issue,
                "Each of the 2 GPUs is idle for 50.0 to 58.3% of the time: for 90.00 "
                "ms only one of them is active, and work passes from one to another 15 "
                "times; 8 copies between them take 3.00 ms.");
    saves(&f, 0, 100 - 55); /* half of the work each */
    assert_int_equal(f.count, 2);
    assert_near(f.time_ms, 45, 1e-9);
    assert_int_equal(f.n_evidence, 2);
    assert_text(f.evidence[1].text,
                "GPU 1 works for 50.00 ms, 40.00 ms of that alone.");
}

static void a_device_that_waits_for_the_other(void **state)
{
    (void)state;
    struct device_uses d = uses(40, 100, 40);
    struct finding f = found(&d, 7);
    assert_text(f.title, "Move work from GPU 1 to GPU 0, which waits for it");
    assert_text(f.issue, "GPU 0 is active for 40.00 ms and GPU 1 for 100.0 ms; for "
                         "60.00 ms GPU 0 is idle while others are active.");
    saves(&f, 0, 30);
    d = uses(70, 81, 70); /* 5.5 of 120 ms */
    assert_null(found(&d, 0).title.p);
    d = uses(88, 100, 88); /* less than an eighth */
    assert_null(found(&d, 0).title.p);
}

/* 20 ms of its collectives are exposed; of 30 ms that GPU 0 works more, these are 20.
 */
static void a_model_that_is_copied_in_each_step(void **state)
{
    (void)state;
    struct device_uses d = uses(100, 70, 70);
    d.data_parallel = true;
    struct finding f = found(&d, 20);
    assert_true(str_starts(f.title, S("Use DistributedDataParallel")));
    assert_text(f.issue, "Broadcasts and reductions between the 2 GPUs take 20.00 ms "
                         "(16.7% of the run) in which nothing is computed; GPU 1 is "
                         "active for 70.00 ms and GPU 0 for 100.0 ms.");
    assert_true(str_has(f.algorithmic, S("for which GPU 1 waits (30.00 ms)")));
    saves(&f, 16, 25);
    f = found(&d, 40);
    saves(&f, 32, 40);
    d = uses(100, 99, 99);
    d.data_parallel = true;
    f = found(&d, 6); /* 5 % of the run */
    saves(&f, 4.8, 6);
    assert_null(found(&d, 5.9).title.p);
}

/* Four steps of 300 us: a teacher on GPU 1, which sends what it makes, and a student on
 * GPU 0, for which the host waits. */
static void a_teacher_may_run_ahead(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 4; k++) {
        double at = 300 * k + 20;
        work(&c, 1, "kernel", "teacher", at, 100, at - 10);
        work(&c, 1, "gpu_memcpy", "Memcpy PtoP (Device -> Device)", at + 100, 20,
             at - 8);
        work(&c, 0, "kernel", "student", at + 120, 170, at - 6);
        work(&c, 0, "gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", at + 290, 1,
             at - 2);
        case_op(&c, "aten::item", at - 1, 288);
        case_call(&c, "cudaStreamSynchronize", at, 285, 0);
    }
    case_open(&c, NULL);
    struct analysis a = case_analysis(&c);
    a.patterns = library;
    c.tables.traits.training = true;
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    devices_finding(&c.perm, c.tmp, &a, &t);
    assert_int_equal(a.n_findings, 1);
    const struct finding *f = &a.findings[0];
    assert_text(f->title,
                "Launch the next batch on GPU 1 before the wait in aten::item, "
                "which keeps it idle");
    assert_true(str_has(f->issue, S("behind each of 3 waits in aten::item")));
    assert_true(str_has(f->algorithmic, S("0.300 ms of its work")));
    saves(f, 0.24, 0.3);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_that_take_turns),
        cmocka_unit_test(a_device_that_waits_for_the_other),
        cmocka_unit_test(a_model_that_is_copied_in_each_step),
        cmocka_unit_test(a_teacher_may_run_ahead),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
