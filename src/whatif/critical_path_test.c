#include "whatif/critical_path.c"

#include "store/store_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define X(cat, name, tid, ts, dur, args)                                               \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #tid  \
    ",\"ts\":" #ts ",\"dur\":" #dur ",\"args\":{" args "}},"
#define CORR(n) "\"correlation\":" #n

/* A kernel of 80 us that the host waits for until 110, work of an operator until its
 * launch at 150, 10 us of latency, a kernel of 40 us: 190 us from the first start. */
static const char trace[] = "[" X("cuda_runtime", "cudaLaunchKernel", 1, 0, 5, CORR(1))
    X("cuda_runtime", "cudaDeviceSynchronize", 1, 10, 100, "")
        X("cpu_op", "op", 1, 112, 48, "")
            X("cuda_runtime", "cudaLaunchKernel", 1, 150, 5, CORR(2))
                X("kernel", "first", 7, 10, 80, CORR(1))
                    X("kernel", "second", 7, 160, 40,
                      CORR(2)) "{\"ph\":\"i\",\"name\":\"end\",\"ts\":1}]";

/* The host waits for the backward pass of another thread from 5 until 525, 5 us of it
 * unannotated on each side; the operator behind it has what passes in it. */
static const char backward[] =
    "[" X("cuda_runtime", "cudaLaunchKernel", 1, 0, 5, CORR(1))
        X("user_annotation", "step", 1, 0, 700, "")
            X("user_annotation", "backward", 1, 10, 510, "")
                X("cpu_op", "op", 1, 525, 30, "")
                    X("cuda_runtime", "cudaLaunchKernel", 1, 540, 5, CORR(2))
                        X("kernel", "first", 7, 5, 5, CORR(1))
                            X("kernel", "second", 7, 550, 40,
                              CORR(2)) "{\"ph\":\"i\",\"name\":\"end\",\"ts\":1}]";

struct fixture {
    struct arena perm, tmp;
    char *perm_start, *tmp_start;
    struct event_store s;
    struct trace_view view;
    struct schedule o;
    struct what_if w;
};

static int set_up_of(void **state, const char *text)
{
    static struct fixture f;
    struct err e = {0};
    f.perm = arena_reserve((ptrdiff_t)1 << 26);
    f.tmp = arena_reserve((ptrdiff_t)1 << 26);
    f.perm_start = f.perm.at;
    f.tmp_start = f.tmp.at;
    if (!case_store(&f.s, text, 0, &e))
        return 1;
    f.view = view_build(&f.perm, f.tmp, &f.s, (struct view_options){0});
    f.o = schedule_build(&f.perm, f.tmp, &f.view);
    f.w = what_if_open(&f.perm, &f.o);
    *state = &f;
    return 0;
}

static int set_up(void **state)
{
    return set_up_of(state, trace);
}

static int set_up_backward(void **state)
{
    return set_up_of(state, backward);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    store_close(&f->s);
    arena_release(f->perm_start, &f->perm);
    arena_release(f->tmp_start, &f->tmp);
    return 0;
}

static int64_t us_of(const struct critical_path *p, enum path_kind kind,
                     struct str name)
{
    for (int32_t k = 0; k < p->n; k++)
        if (p->parts[k].kind == kind && str_eq(p->parts[k].name, name))
            return p->parts[k].ns / 1000;
    return 0;
}

static struct critical_path find(struct fixture *f)
{
    int64_t saved_ns[WHAT_IF_LANES];
    what_if_run(&f->w, saved_ns);
    struct critical_path p =
        critical_path_find(&f->perm, f->tmp, &f->w, 0, saved_ns[0]);
    assert_int_equal(p.total_ns, f->o.facts.recorded_ns - saved_ns[0]);
    for (int32_t k = 1; k < p.n; k++)
        assert_true(p.parts[k].ns <= p.parts[k - 1].ns);
    return p;
}

static void the_recorded_run_by_what_bound_it(void **state)
{
    struct fixture *f = *state;
    struct critical_path p = find(f);
    assert_int_equal(us_of(&p, PATH_KERNEL, S("first")), 80);
    assert_int_equal(us_of(&p, PATH_HOST, S("cudaDeviceSynchronize")), 20);
    assert_int_equal(us_of(&p, PATH_HOST, S("op")), 40);
    assert_int_equal(us_of(&p, PATH_LATENCY, S("")), 10);
    assert_int_equal(us_of(&p, PATH_KERNEL, S("second")), 40);
}

static void what_is_gone_is_on_no_path(void **state)
{
    struct fixture *f = *state;
    what_if_shorten(&f->w, 1, f->view.launch.all[0], 60000);
    struct critical_path p = find(f);
    assert_int_equal(us_of(&p, PATH_KERNEL, S("first")), 20);
    assert_int_equal(us_of(&p, PATH_HOST, S("op")), 40);
}

static void what_passes_before_an_operator_is_not_of_it(void **state)
{
    struct critical_path p = find(*state);
    assert_int_equal(us_of(&p, PATH_HOST, S("op")), 15);
    assert_int_equal(us_of(&p, PATH_HOST, S("step")), 0);
    assert_true(us_of(&p, PATH_HOST, S("backward")) >= 510);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(the_recorded_run_by_what_bound_it), CASE(what_is_gone_is_on_no_path),
        cmocka_unit_test_setup_teardown(what_passes_before_an_operator_is_not_of_it,
                                        set_up_backward, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
