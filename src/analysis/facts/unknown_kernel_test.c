#include "unknown_kernel.c"

#include "analysis/analysis_run.h"
#include "analysis/trace_case.h"
#include "perf/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct work_fact *fact(const struct analysis *a, const char *key)
{
    for (int i = 0; i < a->n_facts; i++)
        if (strcmp(a->facts[i].key, key) == 0)
            return &a->facts[i];
    fail_msg("no fact %s", key);
    return NULL;
}

static double number(const struct analysis *a, const char *key)
{
    return work_fact_real(fact(a, key));
}

static struct str text(const struct analysis *a, const char *key)
{
    return work_fact_str(fact(a, key));
}

/* Three calls of an operator, the second twice as long as the others. */
static struct analysis calls_of(struct trace_case *c, const char *op,
                                const char *launch)
{
    case_begin(c);
    for (int i = 0; i < 3; i++) {
        double at = 300.0 * i;
        case_event(c, "cpu_op", op, 1, at, 50, "");
        case_call(c, launch, at + 10, 2, i + 1);
        char args[80];
        snprintf(args, sizeof args, "\"stream\":7,\"correlation\":%d,\"grid\":[3,2,1]",
                 i + 1);
        case_event(c, "kernel", "void mine::(anonymous namespace)::walk<int>(int*)", 7,
                   at + 20, i == 1 ? 200 : 100, args);
    }
    case_open(c, NULL);
    struct analysis a = case_analysis(c);
    struct tree_index t = tree_index_build(&c->perm, c->tmp, &c->view);
    analysis_rows(&c->perm, c->tmp, &a, &t);
    return a;
}

/* Without peaks a model does not tell how good a call is; with them it does. */
static void without_peaks_nothing_is_known_of_modelled_kernels(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a = calls_of(&c, "mylib::walk", "cudaLaunchKernel");
    assert_near(number(&a, "unknown_peaks"), 0, 0);
    static const struct perf_cost cost = {0};
    for (int i = 0; i < c.tables.judged.n; i++)
        c.tables.judged.rows[i].cost = &cost;
    a.n_facts = 0;
    unknown_kernel_facts(&c.perm, c.tmp, &a);
    assert_near(number(&a, "unknown_peaks"), 1, 0);
    static const struct device_spec device = {.memory_gb_per_s = 1000};
    c.tables.device = &device;
    a.n_facts = 0;
    unknown_kernel_facts(&c.perm, c.tmp, &a);
    assert_int_equal(a.n_facts, 0);
    case_close(&c);
}

static void all_that_is_known_is_told(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a = calls_of(&c, "mylib::walk", "cudaLaunchKernel");
    assert_near(number(&a, "unmodelled_pct"), 100, 1e-6);
    assert_near(number(&a, "unknown_ms"), 0.4, 1e-6);
    assert_near(number(&a, "unknown_min_us"), 100, 1e-6);
    assert_near(number(&a, "unknown_max_us"), 200, 1e-6);
    assert_text(text(&a, "unknown_grid"), "a grid of 3 x 2 x 1");
    assert_text(text(&a, "unknown_caller"), "`mylib::walk`");
    assert_text(text(&a, "unknown_command"),
                "ncu --kernel-name 'walk' --launch-skip 1 --launch-count 1 --set full "
                "-o kernel COMMAND");
    case_close(&c);
    a = calls_of(&c, "mylib::walk", "hipLaunchKernel");
    static const char amd[] =
        "rocprof-compute profile --name kernel --kernel 'walk' -- COMMAND";
    assert_text(text(&a, "unknown_command"), amd);
    case_close(&c);
    a = calls_of(&c, "mylib::walk", "someLaunch"); /* as where no calls are recorded */
    c.tables.facts.abilities = &rocprof_abilities;
    a.n_facts = 0;
    unknown_kernel_facts(&c.perm, c.tmp, &a);
    assert_text(text(&a, "unknown_command"), amd);
    case_close(&c);
}

/* Without shapes calls of an operator are one row, the first of which may launch
 * another kernel. */
static void the_first_call_need_not_launch_it(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 3; k++) {
        char args[80];
        case_op(&c, "mylib::walk", 300 * k, 50);
        case_call(&c, "hipLaunchKernel", 300 * k + 10, 2, k + 1);
        snprintf(args, sizeof args, "\"stream\":7,\"correlation\":%d,\"grid\":[%d,2,1]",
                 k + 1, k ? 3 : 9);
        case_event(&c, "kernel", k ? "walk" : "crawl", 7, 300 * k + 20, 100, args);
    }
    case_open(&c, NULL);
    struct analysis a = case_analysis(&c);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    analysis_rows(&c.perm, c.tmp, &a, &t);
    assert_near(number(&a, "unknown_calls"), 2, 0);
    assert_text(text(&a, "unknown_grid"), "a grid of 3 x 2 x 1");
    assert_text(text(&a, "unknown_command"),
                "rocprof-compute profile --name kernel --kernel 'walk' -- COMMAND");
    case_close(&c);
}

/* PyTorch's grids are in work items for two calls of HIP, and in blocks for the others
 * and from recorders that divide. */
static void grids_of_work_items_are_divided(void **state)
{
    static const struct {
        const char *call, *says;
        const struct source_abilities *how;
    } cases[] = {
        {"hipExtModuleLaunchKernel", "a grid of 200 x 3 x 1", &torch_abilities},
        {"hipModuleLaunchKernel", "a grid of 51200 x 3 x 1", &torch_abilities},
        {"hipExtModuleLaunchKernel", "a grid of 51200 x 3 x 1", &rpd_abilities}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_case c;
        case_begin(&c);
        case_op(&c, "mylib::walk", 0, 50);
        case_call(&c, cases[i].call, 10, 2, 1);
        case_event(&c, "kernel", "walk", 7, 20, 100,
                   "\"stream\":7,\"correlation\":1,\"grid\":[51200,3,1],"
                   "\"block\":[256,1,1]");
        case_open(&c, NULL);
        struct analysis a = case_analysis(&c);
        c.tables.facts.abilities = cases[i].how;
        struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
        analysis_rows(&c.perm, c.tmp, &a, &t);
        assert_text(text(&a, "unknown_grid"), cases[i].says);
        case_close(&c);
    }
}

/* Two operators run it, on grids of 6, 6 and 20 blocks, or of other sides. */
static void grids_and_callers_that_differ_are_told(void **state)
{
    static const struct {
        const char *grid, *says;
    } cases[] = {{"[5,2,2]", "grids of 6 to 20 blocks"},
                 {"[6,1,1]", "grids of 6 blocks"},
                 {"[3,2,1]", "a grid of 3 x 2 x 1"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_case c;
        case_begin(&c);
        for (int k = 0; k < 3; k++) {
            char args[80];
            case_event(&c, "cpu_op", k ? "mylib::walk" : "mylib::run", 1, 300 * k, 50,
                       "");
            case_call(&c, "cudaLaunchKernel", 300 * k + 10, 2, k + 1);
            snprintf(args, sizeof args, "\"stream\":7,\"correlation\":%d,\"grid\":%s",
                     k + 1, k == 2 ? cases[i].grid : "[3,2,1]");
            case_event(&c, "kernel", "walk", 7, 300 * k + 20, 100, args);
        }
        case_open(&c, NULL);
        struct analysis a = case_analysis(&c);
        struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
        analysis_rows(&c.perm, c.tmp, &a, &t);
        assert_text(text(&a, "unknown_grid"), cases[i].says);
        assert_text(text(&a, "unknown_caller"), "`mylib::walk` and others");
        case_close(&c);
    }
}

static void names_are_those_of_profilers(void **state)
{
    static const struct {
        const char *kernel, *function;
    } cases[] = {
        {"void at::native::elementwise_kernel<128, 4>(int)", "elementwise_kernel"},
        {"nvjet_tst_64x8", "nvjet_tst_64x8"},
        {"_ZN5mylib5scaleIfLi4EEvPT_", "scale"},
        {"", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_text(function_name(str_of(cases[i].kernel)), cases[i].function);
}

static void instances_of_a_template_are_told_apart(void **state)
{
    static const struct {
        const char *kernel, *other, *filter;
    } cases[] = {
        {"void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwd> >(P)",
         "void cutlass::device_kernel<flash::enable_sm90<GemmUniversal> >(P)",
         "--kernel-name-base demangled --kernel-name "
         "'regex:device_kernel.*FlashAttnFwd'"},
        {"void cutlass::device_kernel<mine::enable_sm90<mine::walk> >(P)", "turn",
         "--kernel-name-base demangled --kernel-name 'regex:device_kernel.*walk'"},
        {"void mine::walk<Left>(int)", "void mine::turn<Left>(int)",
         "--kernel-name 'walk'"},
        {"void mine::walk<4>(int)", "void mine::walk<8>(int)", "--kernel-name 'walk'"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_case c;
        case_begin(&c);
        case_launch(&c, "k", 1, 2, 3, 1);
        case_open(&c, NULL);
        struct kernel_time both[] = {{.name = str_of(cases[i].kernel)},
                                     {.name = str_of(cases[i].other)}};
        const struct kernel_times times = {both, 2};
        assert_text(ncu_filter(&c.perm, &times, both[0].name), cases[i].filter);
        case_close(&c);
    }
}

/* A kernel profiler measures no copies, however long they take. */
static void copies_are_not_kernels_to_measure(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_event(&c, "cpu_op", "aten::copy_", 1, 0, 50, "");
    case_call(&c, "cudaMemcpyAsync", 10, 2, 1);
    case_event(&c, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 7, 20, 900,
               "\"stream\":7,\"correlation\":1,\"bytes\":4096");
    case_event(&c, "cpu_op", "mylib::walk", 1, 60, 50, "");
    case_launch(&c, "walk", 61, 1000, 100, 2);
    case_open(&c, NULL);
    struct analysis a = case_analysis(&c);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    analysis_rows(&c.perm, c.tmp, &a, &t);
    assert_text(text(&a, "unknown_kernel"), "walk");
    assert_near(number(&a, "unknown_ms"), 0.1, 1e-9);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_peaks_nothing_is_known_of_modelled_kernels),
        cmocka_unit_test(all_that_is_known_is_told),
        cmocka_unit_test(the_first_call_need_not_launch_it),
        cmocka_unit_test(grids_of_work_items_are_divided),
        cmocka_unit_test(grids_and_callers_that_differ_are_told),
        cmocka_unit_test(names_are_those_of_profilers),
        cmocka_unit_test(instances_of_a_template_are_told_apart),
        cmocka_unit_test(copies_are_not_kernels_to_measure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
