#include "short_kinds.c"

#include "analysis/system/follow_case.h"

static int64_t short_ns(const struct follow_case *x, const char *blame)
{
    for (int32_t k = 0; k < x->r.n_groups; k++)
        if (x->r.groups[k].class == IDLE_HOST_BOUND &&
            str_eq(x->r.groups[k].blame, str_of(blame)))
            return x->r.groups[k].total_ns;
    return 0;
}

/* Launches every 100 us of kernels of 40, of which those from `at` on, `n`, are in an
 * event. */
static void launches(struct trace_case *c, int all, int at, int n, const char *cat,
                     const char *name)
{
    if (n)
        case_event(c, cat, name, 1, 100.0 * at + 1, 100.0 * n - 2, "");
    for (int k = 0; k < all; k++)
        case_launch(c, "kernel", 100.0 * k + 50, 100.0 * k + 55, 40, 1 + c->n_events);
}

/* Of 100 launches, 30 set gradients to zero: their own group. 5 are too few, and 95
 * leave too little. Recorded as an operator they are the same. */
static void zeros_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        int n;
        const char *cat;
        bool apart;
    } cases[] = {{30, "user_annotation", true},
                 {30, "cpu_op", true},
                 {5, "user_annotation", false},
                 {95, "user_annotation", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct follow_case x;
        case_begin(&x.c);
        launches(&x.c, 100, 3, cases[k].n, cases[k].cat,
                 "Optimizer.zero_grad#SGD.zero_grad");
        open_follow(&x);
        int64_t zeros_ns = short_ns(&x, "launches of zero_grad");
        assert_int_equal(zeros_ns, cases[k].apart ? 60000 * cases[k].n : 0);
        assert_int_equal(short_ns(&x, "launches"), 60000 * 99 - zeros_ns);
        case_close(&x.c);
    }
}

/* Compiled code behind code that is not, 50 launches each, is a group of its own; where
 * both take turns after 5 launches, the compiler gave up, and all are one. */
static void compiled_code_is_told_apart(void **state)
{
    (void)state;
    for (int run = 5; run <= 50; run += 45) {
        struct follow_case x;
        case_begin(&x.c);
        for (int at = run; at < 100; at += 2 * run)
            case_event(&x.c, "cpu_op", "Torch-Compiled Region: 0/0", 1, 100.0 * at + 1,
                       100.0 * run - 2, "");
        launches(&x.c, 100, 0, 0, "", "");
        open_follow(&x);
        int64_t compiled_ns = short_ns(&x, "launches of compiled code");
        assert_int_equal(compiled_ns, run == 50 ? 60000 * 50 : 0);
        assert_int_equal(short_ns(&x, "launches"), 60000 * 99 - compiled_ns);
        case_close(&x.c);
    }
}

/* Gaps of 60 us before kernels, and as long ones before copies to the device: apart if
 * they are half of all. */
static void copies_to_the_device_are_told_apart(void **state)
{
    (void)state;
    for (int every = 2; every <= 3; every++) {
        struct follow_case x;
        case_begin(&x.c);
        for (int k = 0; k < 120; k++) {
            double at = 100.0 * k;
            if (k % every == 1) {
                case_call(&x.c, "cudaMemcpyAsync", at + 50, 4, 1 + k);
                case_copy(&x.c, "Memcpy HtoD (Pinned -> Device)", at + 55, 40, 1 + k,
                          64);
            } else {
                case_launch(&x.c, "kernel", at + 50, at + 55, 40, 1 + k);
            }
        }
        open_follow(&x);
        int64_t sent_ns = short_ns(&x, "launches of copies");
        assert_int_equal(sent_ns, every == 2 ? 60000 * 60 : 0);
        assert_int_equal(short_ns(&x, "launches"), 60000 * 119 - sent_ns);
        case_close(&x.c);
    }
}

/* Sixteen gaps a run, of both kinds; zeros are a tenth to nine. */
static void parts_and_passes_have_their_least(void **state)
{
    (void)state;
    struct sums x = {0};
    x.runs[SHORT_LAUNCH] = 4;
    x.runs[SHORT_COMPILED] = 2;
    for (int k = 0; k < 4; k++) {
        x.gaps[SHORT_LAUNCH] = k & 1 ? 63 : 64;
        x.gaps[SHORT_COMPILED] = k & 2 ? 31 : 32;
        assert_int_equal(are_passes(&x), k == 0);
    }
    assert_true(is_part(10, 100) && is_part(90, 100));
    assert_false(is_part(9, 100) || is_part(91, 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_are_told_apart),
        cmocka_unit_test(compiled_code_is_told_apart),
        cmocka_unit_test(copies_to_the_device_are_told_apart),
        cmocka_unit_test(parts_and_passes_have_their_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
