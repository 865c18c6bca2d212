/* Streams that take turns, although their kernels fit on the device together. */
#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Of 304 compute units, each kernel takes so many; the second of two is launched so
 * long before it starts (a kernel takes 100 us), on this stream. */
struct turns_case {
    int blocks;
    double ahead_us;
    int stream;
    double overlap_us;
    bool found;
};

static const struct turns_case cases[] = {
    {152, 150, 20, 0, true},   {153, 150, 20, 0, false}, /* they do not fit */
    {152, 90, 20, 0, false},   /* launched when the first runs already */
    {152, 150, 7, 0, false},   /* one stream */
    {152, 150, 20, 10, false}, /* they overlap */
};

/* Twenty kernels, by turns on stream 7 and another. */
static void is_found(const struct turns_case *of)
{
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 20; k++) {
        char more[120];
        double at = 1000 + (100 - of->overlap_us) * k;
        case_call(&c, "cudaLaunchKernel", at - of->ahead_us, 5, k + 1);
        snprintf(
            more, sizeof more,
            "\"correlation\":%d,\"stream\":%d,\"grid\":[%d,1,1],\"block\":[64,1,1]",
            k + 1, k % 2 ? of->stream : 7, of->blocks);
        case_event(&c, "kernel", "k", k % 2 ? of->stream : 7, at, 100, more);
    }
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "streams_take_turns");
    assert_int_equal(f != NULL, of->found);
    if (f) {
        assert_int_equal(f->count, 10);
        assert_true(f->impact.high_ms > 0.999 && f->impact.high_ms < 1.001);
        assert_true(f->impact.low_ms <= 0);
    }
    case_close(&c);
}

static void only_what_could_run_at_once(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        is_found(&cases[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_what_could_run_at_once)};
    return cmocka_run_group_tests(tests, open_library, close_library);
}
