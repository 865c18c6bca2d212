/* Streams that take turns, although their kernels fit on the device together. */
#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Of 304 compute units, each of two kernels takes so many; the second one is launched
 * so long before it starts, on this stream. The first takes 100 us. */
struct turns_case {
    int blocks[2];
    double ahead_us;
    int stream;
    double second_us, overlap_us; /* below 0: a gap */
    bool found;
};

static const struct turns_case cases[] = {
    {{152, 152}, 150, 20, 100, 0, true},
    {{104, 200}, 150, 20, 60, 0, true},
    {{200, 104}, 150, 20, 140, -19, true},
    {{104, 201}, 150, 20, 60, 0, false},    /* they do not fit */
    {{152, 152}, 90, 20, 100, 0, false},    /* launched when the first runs already */
    {{152, 152}, 150, 7, 100, 0, false},    /* one stream */
    {{152, 152}, 150, 20, 100, 10, false},  /* they overlap */
    {{152, 152}, 150, 20, 100, -20, false}, /* too late to be behind the first */
};

/* Twenty kernels, by turns on stream 7 and another. */
static void is_found(const struct turns_case *of)
{
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 20; k++) {
        char more[120];
        bool second = k % 2;
        double at = 1000 + (100 + of->second_us - 2 * of->overlap_us) * (k / 2) +
                    (second ? 100 - of->overlap_us : 0);
        case_call(&c, "cudaLaunchKernel", at - of->ahead_us, 5, k + 1);
        snprintf(
            more, sizeof more,
            "\"correlation\":%d,\"stream\":%d,\"grid\":[%d,1,1],\"block\":[64,1,1]",
            k + 1, second ? of->stream : 7, of->blocks[second]);
        case_event(&c, "kernel", "k", second ? of->stream : 7, at,
                   second ? of->second_us : 100, more);
    }
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "streams_take_turns");
    assert_int_equal(f != NULL, of->found);
    if (f) {
        assert_int_equal(f->count, 10);
        assert_near(f->impact.high_ms, 0.01 * fmin(100, of->second_us), 1e-3);
        assert_true(f->impact.low_ms <= 0);
    }
    case_close(&c);
}

/* Turns of a kernel of 100 us and one of 20 on each of two streams: side by side, half
 * of the time. What is launched later than the other's turn begins has to wait. */
static void a_turn_may_have_several_kernels(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        struct trace_case c;
        case_begin(&c);
        for (int k = 0; k < 20; k++) {
            for (int i = 0; i < 2; i++) {
                char more[120];
                int id = 2 * k + i + 1, stream = k % 2 ? 20 : 7;
                double at = 1000 + 120 * k + 100 * i;
                case_call(&c, "cudaLaunchKernel", late && i ? at - 50 : 10 * id, 5, id);
                snprintf(more, sizeof more,
                         "\"correlation\":%d,\"stream\":%d,\"grid\":[60,1,1],"
                         "\"block\":[64,1,1]",
                         id, stream);
                case_event(&c, "kernel", i ? "small" : "k", stream, at, i ? 20 : 100,
                           more);
            }
        }
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "streams_take_turns");
        assert_non_null(f);
        assert_int_equal(f->count, late ? 19 : 10); /* the rest is a turn by itself */
        assert_near(f->impact.high_ms, late ? 0.46 : 1.2, 1e-3);
        assert_ptr_equal(f, &a.findings[0]); /* before more blocks for each */
        case_close(&c);
    }
}

static void only_what_could_run_at_once(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        is_found(&cases[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_could_run_at_once),
        cmocka_unit_test(a_turn_may_have_several_kernels),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
