#include "device_ahead.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int bytes; /* of each copy */

/* A call of the host, and what it starts on a device. */
static void work(struct trace_case *c, int device, const char *cat, const char *name,
                 double start_us, double dur_us, double called_us)
{
    int id = c->n_events + 1;
    out_printf(&c->text,
               "%s{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
               "\"pid\":9,\"tid\":1,\"ts\":%.3f,\"dur\":1,"
               "\"args\":{\"correlation\":%d}},"
               "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":7,"
               "\"ts\":%.3f,\"dur\":%.3f,"
               "\"args\":{\"correlation\":%d,\"stream\":7,\"device\":%d,\"bytes\":%d}}",
               c->n_events++ ? "," : "", called_us, id, cat, name, device, start_us,
               dur_us, id, device, bytes);
}

enum variant { TEACHER, COPIED_BACK, NO_WAIT, BESIDE, READ_WHOLE, REDUCED, LATE_HOST };

/* Four steps of 300 us: a teacher on GPU 1 (100 us), a copy of what it makes (20 us), a
 * student on GPU 0 (170 us), and a wait for that, behind which the next step begins. */
static struct device_ahead of(enum variant which, bool training)
{
    struct trace_case c;
    bytes = which == READ_WHOLE ? 1025 : 1024;
    case_begin(&c);
    for (int k = 0; k < 4; k++) {
        double at = 300 * k + 20, early = which == BESIDE && k ? 150 : 0;
        work(&c, 1, "kernel", "teacher", at - early, 100, at - early - 10);
        work(&c, 1, "gpu_memcpy", "Memcpy PtoP (Device -> Device)", at + 100, 20,
             at - 8);
        work(&c, 0, "kernel", "student", at + 120, 85, at - 6);
        if (which == COPIED_BACK)
            work(&c, 0, "gpu_memcpy", "Memcpy PtoP (Device -> Device)", at + 205, 1,
                 at - 5);
        work(&c, 0, "kernel", "student", at + 206, 84, at - 4);
        work(&c, 0, "gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", at + 290, 1,
             at - 2);
        if (which == REDUCED)
            work(&c, 0, "kernel", "ncclDevKernel_AllReduce_Sum", at + 291, 1, at - 1);
        if (which != NO_WAIT)
            case_event(&c, "cuda_runtime", "cudaStreamSynchronize", 1, at,
                       which == LATE_HOST ? 160 : 285, "");
    }
    case_open(&c, NULL);
    struct device_ahead x = device_ahead_of(c.tmp, &c.view, training);
    if (x.device >= 0)
        x.device = (int)(str_eq(c.view.devices->of[x.device].name, S("1")));
    case_close(&c);
    return x;
}

/* The first teacher has nothing to run beside; three of four have. */
static void a_teacher_may_run_ahead(void **state)
{
    (void)state;
    struct device_ahead x = of(TEACHER, true);
    assert_int_equal(x.device, 1);
    assert_int_equal(x.waits, 3);
    assert_int_equal(x.saved_ns, 300000);
    assert_int_equal(of(TEACHER, false).device, -1);    /* tokens may come back */
    assert_int_equal(of(COPIED_BACK, true).device, -1); /* a model that is split */
    assert_int_equal(of(NO_WAIT, true).device, -1);     /* nothing holds it up */
    assert_true(of(BESIDE, true).saved_ns < 3000);      /* it does run ahead */
    assert_int_equal(of(READ_WHOLE, true).device, -1);  /* more than a loss */
    assert_int_equal(of(REDUCED, true).device, -1);     /* ranks tell it something */
    assert_int_equal(of(LATE_HOST, true).device, -1);   /* other work holds it up */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_teacher_may_run_ahead)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
