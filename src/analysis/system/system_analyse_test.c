#include "system_analyse.c"

#include "analysis/analysis_run.h"
#include "analysis/system/host_time.h"

#include "analysis/library_case.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void analyse_system(struct trace_case *c, struct analysis *a,
                           const struct tree_index *t)
{
    struct system_results *r = arena_new(&c->perm, struct system_results, 1);
    a->system = r;
    struct host_time host = host_time_build(&c->perm, c->tmp, t);
    struct idle_gaps gaps = system_idle(&c->perm, c->tmp, a, &host, &r->idle);
    system_beside_idle(&c->perm, c->tmp, a, t, r);
    system_analyse(&c->perm, c->tmp, a, r, t, &gaps, IDLE_THRESHOLD_PCT);
}

static void a_small_trace(struct trace_case *c)
{
    case_begin(c);
    case_op(c, "aten::mm", 0, 5);
    case_launch(c, "gemm", 1, 10, 90, 1);
    case_launch(c, "gemm", 3, 110, 90, 2);
    case_open(c, NULL);
}

static void three_analysers_run(void **state)
{
    (void)state;
    struct trace_case c;
    a_small_trace(&c);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct analysis a = case_analysis(&c);
    analyse_system(&c, &a, &t);
    assert_int_equal(a.system->idle.status, ANALYSER_OK);
    assert_int_equal(a.system->idle.gap_count, 1);
    assert_int_equal(a.system->multi_kernel.status, ANALYSER_OK);
    assert_int_equal(a.system->fusion.status, ANALYSER_OK);
    assert_int_equal(a.n_findings + a.n_warnings, 0);
    case_close(&c);
}

/* A figure that does not add up marks its analyser and no other. */
static void a_wrong_figure_is_told(void **state)
{
    (void)state;
    struct trace_case c;
    a_small_trace(&c);
    c.view.timeline.idle_ns += 7;
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct analysis a = case_analysis(&c);
    analyse_system(&c, &a, &t);
    assert_int_equal(a.system->idle.status, ANALYSER_ERROR);
    assert_text(a.system->idle.error,
                "the gaps add up to 10000 ns, idle time is 10007 ns (check_idle)");
    assert_int_equal(a.system->multi_kernel.status, ANALYSER_OK);
    assert_int_equal(a.n_warnings, 1);
    assert_true(a.warnings[0].failure);
    assert_text(a.warnings[0].source, "cpu_idle");
    case_close(&c);
}

static struct analysis much_idle_time(struct trace_case *c, bool no_impact)
{
    case_begin(c);
    case_op(c, "aten::mm", 0, 5);
    case_launch(c, "gemm", 1, 10, 90, 1);
    case_launch(c, "gemm", 3, 1900, 90, 2);
    case_open(c, NULL);
    struct tree_index t = tree_index_build(&c->perm, c->tmp, &c->view);
    struct analysis a = case_analysis(c);
    a.no_system_impact = no_impact;
    a.patterns = library_open(&c->perm, NULL, 0);
    analyse_system(c, &a, &t);
    return a;
}

static void savings_are_left_out_where_nobody_wants_them(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a = much_idle_time(&c, false);
    assert_int_equal(a.n_findings, 1);
    assert_true(a.findings[0].impact.high_ms > 1);
    pattern_host_close(a.patterns);
    case_close(&c);
    a = much_idle_time(&c, true);
    const struct idle_result *idle = &a.system->idle;
    assert_int_equal(a.n_findings, 1);
    assert_true(isnan(idle->recoverable_high_ms));
    pattern_host_close(a.patterns);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_analysers_run),
        cmocka_unit_test(a_wrong_figure_is_told),
        cmocka_unit_test(savings_are_left_out_where_nobody_wants_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
