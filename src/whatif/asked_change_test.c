#include "whatif/asked_change.c"

#include "store/store_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/near_case.h"

/* Two operators on the host, one in the other, each with a launch; then a wait of 200
 * us for the kernels. A copy and a collective on streams of their own. Times are us. */
#define X(cat, name, tid, ts, dur, args)                                               \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #tid  \
    ",\"ts\":" #ts ",\"dur\":" #dur ",\"args\":{" args "}},"
#define CORR(n) "\"correlation\":" #n
static const char trace[] = "[" X("cpu_op", "outer", 1, 0, 100, "")
    X("cuda_runtime", "cudaLaunchKernel", 1, 5, 5, CORR(1))
        X("cpu_op", "inner", 1, 40, 40, "")
            X("cuda_runtime", "cudaLaunchKernel", 1, 60, 5, CORR(2))
                X("cuda_runtime", "cudaDeviceSynchronize", 1, 100, 210, "")
                    X("cuda_runtime", "cudaLaunchKernel", 1, 320, 5, CORR(3))
                        X("kernel", "gemm_a", 7, 20, 80, CORR(1))
                            X("kernel", "softmax", 7, 100, 200, CORR(2))
                                X("kernel", "gemm_b", 7, 330, 70,
                                  CORR(3)) "{\"ph\":\"i\",\"name\":\"end\",\"ts\":1}]";

static struct arena perm, tmp;
static char *perm_start, *tmp_start;
static struct event_store s;
static struct trace_view view;
static struct schedule o;
static struct what_if w;

static int set_up(void **state)
{
    (void)state;
    struct err e = {0};
    perm = arena_reserve((ptrdiff_t)1 << 26);
    tmp = arena_reserve((ptrdiff_t)1 << 26);
    perm_start = perm.at;
    tmp_start = tmp.at;
    if (!case_store(&s, trace, 0, &e))
        return 1;
    view = view_build(&perm, tmp, &s, (struct view_options){0});
    o = schedule_build(&perm, tmp, &view);
    w = what_if_open(&perm, &o);
    return o.facts.usable ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    store_close(&s);
    arena_release(perm_start, &perm);
    arena_release(tmp_start, &tmp);
    return 0;
}

/* us saved by changes, in one lane; the events of the last. */
static double saves(int n, const char *const text[], int64_t *events)
{
    struct asked_change c[4];
    struct err e = {0};
    int64_t n_events[4], saved_ns[WHAT_IF_LANES];
    for (int k = 0; k < n; k++)
        assert_true(asked_change_read(&c[k], text[k], &e));
    asked_changes_apply(&w, 0, tmp, &view.tree, c, n, n_events);
    what_if_run(&w, saved_ns);
    *events = n_events[n - 1];
    return (double)saved_ns[0] / 1e3;
}
#define SAVES(us, events, ...)                                                         \
    do {                                                                               \
        const char *const text[] = {__VA_ARGS__};                                      \
        int64_t n;                                                                     \
        assert_near(saves((int)(sizeof text / sizeof *text), text, &n), us, 0.01);     \
        assert_int_equal(n, events);                                                   \
    } while (0)

static void changes_are_read(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",          "kernel",   "kernel:",     "kernel:x",      "kernel:=0",
        "kernel:x=", "gpu:x=0",  "kernel:x=-1", "op:x=1.5",      "host:x=0.5x",
        "finding:",  "op:x=nan", "S1",          "finding:S1=0.5"};
    struct asked_change c;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct err e = {0};
        assert_false(asked_change_read(&c, bad[k], &e));
        assert_int_equal(e.kind, ERR_USAGE);
    }
    static const char *const labels[] = {"A0", "Z9", "S10"}, *const none[] = {
                                                                 "a0",  "[9", "@1",
                                                                 "S/",  "S:", "S",
                                                                 "S100"};
    for (size_t k = 0; k < sizeof labels / sizeof *labels; k++)
        assert_true(is_label(str_of(labels[k])));
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        assert_false(is_label(str_of(none[k])));
    struct err e = {0};
    assert_true(asked_change_read(&c, "op:aten::f<a=1>=0.25", &e));
    assert_int_equal(c.kind, ASKED_OP);
    assert_true(str_eq(c.glob, S("aten::f<a=1>")));
    assert_near(c.factor, 0.25, 0);
    assert_true(asked_change_read(&c, "finding:S1", &e));
    assert_int_equal(c.kind, ASKED_FINDING);
    assert_true(str_eq(c.glob, S("S1")));
}

static void kernels_by_name_get_shorter(void **state)
{
    (void)state;
    SAVES(70, 2, "kernel:gemm*=0.5"); /* 5 us behind the launch of softmax */
    SAVES(100, 1, "kernel:softmax=0.5");
    SAVES(100, 1, "kernel:softmax=0.75", "kernel:soft*x=0.5"); /* the least counts */
    SAVES(0, 0, "kernel:Softmax=0");
    SAVES(0, 0, "copy:*=0");
    SAVES(0, 0, "collective:*=0");
}

static void kernels_of_operators_include_those_below(void **state)
{
    (void)state;
    SAVES(100, 1, "op:inner=0.5");
    SAVES(135, 2, "op:outer=0.5");
}

static void the_host_takes_less_of_its_own_time(void **state)
{
    (void)state;
    SAVES(0, 1, "host:inner=0"); /* softmax is queued behind gemm_a */
    SAVES(47.5, 1, "kernel:gemm_a=0", "host:inner=0.5"); /* now its launch binds */
    SAVES(53.75, 1, "kernel:gemm_a=0", "host:inner=0.25");
    /* Half from the first launch on; what is in the other is quicker once. */
    SAVES(62.5, 2, "kernel:gemm_a=0", "host:*er=0.5");
    /* The first change that fits a call is its own. */
    SAVES(47.5, 0, "kernel:gemm_a=0", "host:inner=0.5", "host:in*=1");
    SAVES(0, 0, "host:in*=1", "host:inner=0.5");
    /* Without the wait the last launch comes early, and its kernel behind the others.
     */
    SAVES(30, 1, "host:cudaDeviceSynchronize=0");
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(changes_are_read),
        CASE(kernels_by_name_get_shorter),
        CASE(kernels_of_operators_include_those_below),
        CASE(the_host_takes_less_of_its_own_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
