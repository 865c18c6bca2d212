#include "report_host.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(struct trace_case *c, const char *says)
{
    case_open(c, NULL);
    struct str verdict = report_no_device_verdict(&c->perm, &c->tables);
    if (!str_eq(verdict, str_of(says)))
        fail_msg("got \"%.*s\", want \"%s\"", STRF(verdict), says);
    case_close(c);
}

static void device_events_without_times_are_not_unlinked(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_call(&c, "cudaLaunchKernel", 10, 1, 1);
    case_kernel(&c, "gemm", 7, 20, -5, 1);
    expect(&c, "No device event of the trace has a usable start and duration: without "
               "them there is no GPU time to analyse.");
    case_begin(&c);
    case_launch(&c, "gemm", 10, 20, 0, 1);
    expect(&c, "The device events of the trace take no time: all begin and end at one "
               "moment, so that there is no GPU time to analyse.");
}

static void labels_and_annotations_are_nothing_to_analyse(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    expect(&c, "The trace holds no events: there is nothing to analyse.");
    case_begin(&c);
    case_event(&c, "user_annotation", "step", 1, 10, 20, "");
    expect(&c, "The trace holds no operator, no launch and no device work: there is "
               "nothing to analyse.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_events_without_times_are_not_unlinked),
        cmocka_unit_test(labels_and_annotations_are_nothing_to_analyse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
