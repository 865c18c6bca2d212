#include "report_build.c"

#include "analysis/analysis_run.h"
#include "analysis/stack/tree_index.h"
#include "analysis/trace_case.h"
#include "report/figure/report_figures.h"
#include "report/op_case.h"
#include "report/report_checks.h"
#include "report/waiver.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct built {
    struct trace_case c;
    struct report r;
    struct analysis a; /* the report lends it */
};

static struct report_options asked;
static const char *product = "aten::mm";

static void report_of_case(struct built *b)
{
    struct trace_case *c = &b->c;
    case_open(c, NULL);
    struct tree_index tree = tree_index_build(&c->perm, c->tmp, &c->view);
    b->a = analysis_run(&c->perm, c->tmp, &c->tables, &tree, NULL,
                        (struct analysis_options){
                            .idle_threshold_pct = IDLE_THRESHOLD_PCT, .views = true});
    struct sheets sheets = sheets_build(&c->perm, c->tmp, &c->tables);
    struct report_options o = asked;
    o.trace_path = S("dir/small.json");
    o.tool_version = S("tracefolio test");
    o.tree = &tree;
    b->r = report_build(&c->perm, c->tmp, &c->tables, &b->a, &sheets, &o);
}

/* 20 calls of a copy of 1, 2, ... 20 us each, 30 us apart, and one product of 300 us:
 *
 *   copies      at 1000, 1030, ... 1570, the last until 1590
 *   product     1600 .. 1900
 *   total       900 us; busy 210 + 300 = 510; idle 390 */
static void build(struct built *b, const char *shape)
{
    struct trace_case *c = &b->c;
    char args[160];
    snprintf(args, sizeof args,
             "\"Input Dims\":[[%s],[64,64]],\"Input type\":[\"float\",\"float\"],"
             "\"Input Strides\":[[64,1],[64,1]],\"Concrete Inputs\":[\"\",\"\"]",
             shape);
    case_begin(c);
    for (int k = 0; k < 20; k++) {
        case_event(c, "cpu_op", "aten::copy_", 1, 10.0 * k, 8, args);
        case_launch(c, "elementwise_copy", 10.0 * k + 1, 1000 + 30.0 * k, k + 1, k + 1);
    }
    case_event(c, "cpu_op", product, 1, 500, 8, args);
    case_launch(c, "Cijk_gemm", 501, 1600, 300, 99);
    report_of_case(b);
}

static void near(double value, double want)
{
    if (!(fabs(value - want) < 1e-9))
        fail_msg("%.12g is not %.12g", value, want);
}

static void time_is_divided(void **state)
{
    (void)state;
    struct built b;
    build(&b, "64,64");
    const struct report_timeline *t = &b.r.timeline;
    near(t->total_ms, 0.9);
    near(t->computation_ms, 0.51);
    near(t->idle_ms, 0.39);
    near(t->busy_pct, 100 * 0.51 / 0.9);
    assert_int_equal(t->unlinked_events, 0);
    assert_true(b.r.meta.has_gpu && b.r.meta.has_shapes && !b.r.meta.has_frames);
    assert_string_equal(str_c(&b.c.tmp, b.r.meta.run_label), "small");
    assert_string_equal(str_c(&b.c.tmp, b.r.meta.captured), "not recorded");
    case_close(&b.c);
}

static void operations_have_categories_and_quantiles(void **state)
{
    (void)state;
    struct built b;
    build(&b, "64,64");
    const struct report *r = &b.r;
    assert_int_equal(r->n_ops, 2);
    assert_string_equal(str_c(&b.c.tmp, r->ops[0].row->name), "aten::mm");
    assert_string_equal(str_c(&b.c.tmp, r->categories[r->ops[0].category].page),
                        "category-gemm.html");
    const struct report_op *copy = &r->ops[1];
    assert_int_equal(copy->row->count, 20);
    near(copy->row->time_ms, 0.21);
    near(copy->p95_us, 19); /* 19 of 20 are at most 19 us */
    near(copy->group->direct_us.median, 10.5);
    near(copy->share_pct, 100 * 210.0 / 510.0);
    assert_int_equal(r->categories[copy->category].n_ops, 1);
    assert_int_equal(r->categories[copy->category].ops[0], 1);
    case_close(&b.c);
}

static void kernels_have_bins(void **state)
{
    (void)state;
    struct built b;
    build(&b, "64,64");
    const struct report *r = &b.r;
    assert_int_equal(r->n_kernels, 2);
    near(r->kernels[1].p95_us, 19);
    assert_int_equal(r->kernels[0].slot, SLOT_GEMM);
    assert_int_equal(r->kernels[1].slot, SLOT_ELEMENTWISE);
    near(duration_edge_us(0), 0.1);
    near(duration_edge_us(8), 1);
    near(duration_edge_us(16), 10);
    near(duration_edge_us(DURATION_BINS), 1e6);
    /* 10, 11, 12 and 13 us are from 10 up to 13.335. */
    assert_int_equal(r->durations.count[16], 4);
    assert_int_equal(r->durations.total_ns[16], 46000);
    int64_t n = 0;
    for (int k = 0; k < DURATION_BINS; k++)
        n += r->durations.count[k];
    assert_int_equal(n, 21);
    case_close(&b.c);
}

/* Attention of 30 us runs in an operator that it calls, which has no row; in the same
 * call 4 us fill what it returns. A copy of 6 us from the host is not a kernel. */
static void kernels_belong_to_the_operation_that_counts_them(void **state)
{
    (void)state;
    struct built b;
    case_begin(&b.c);
    case_event(&b.c, "cpu_op", "aten::_scaled_dot_product_flash_attention", 1, 0, 50,
               "\"Input Dims\":[[2,4,8,16],[2,4,8,16],[2,4,8,16],[],[]],"
               "\"Input type\":[\"float\",\"float\",\"float\",\"Scalar\",\"Scalar\"],"
               "\"Input Strides\":[[512,128,16,1],[512,128,16,1],[512,128,16,1],[],[]],"
               "\"Concrete Inputs\":[\"\",\"\",\"\",\"0.\",\"False\"]");
    case_op(&b.c, "aten::_flash_attention_forward", 5, 20);
    case_launch(&b.c, "attn_fwd", 6, 100, 30, 1);
    case_op(&b.c, "aten::fill_", 30, 5);
    case_launch(&b.c, "FillFunctor", 31, 140, 4, 2);
    case_op(&b.c, "aten::fill_", 60, 5); /* of its own */
    case_launch(&b.c, "FillFunctor", 61, 150, 2, 3);
    case_op(&b.c, "aten::copy_", 70, 5);
    case_call(&b.c, "hipMemcpyAsync", 71, 2, 4);
    case_copy(&b.c, "Memcpy HtoD", 160, 6, 4, 64);
    report_of_case(&b);
    const struct report *r = &b.r;
    for (int c = 0; c < r->n_categories; c++) {
        double ms = 0.0, pct = 0.0;
        for (int k = 0; k < r->categories[c].n_kernels; k++) {
            ms += r->categories[c].kernels[k].total_ms;
            pct += r->categories[c].kernels[k].share_pct;
        }
        near(ms, r->categories[c].time_ms);
        near(pct, 100.0);
    }
    const struct report_category *attention = &r->categories[0];
    assert_string_equal(str_c(&b.c.tmp, attention->id), "sdpa_fwd");
    assert_int_equal(attention->n_kernels, 2);
    assert_string_equal(str_c(&b.c.tmp, attention->kernels[0].name), "attn_fwd");
    assert_string_equal(str_c(&b.c.tmp, attention->kernels[0].op),
                        "aten::_flash_attention_forward");
    assert_int_equal(attention->kernels[1].count, 1);
    near(attention->kernels[1].mean_us, 4);
    /* The row of all kernels has both calls of the fill. */
    const struct report_kernel *fill = &r->kernels[attention->kernels[1].kernel];
    assert_int_equal(fill->count, 2);
    assert_int_equal(fill->slot, attention->slot);
    assert_int_equal(r->n_kernels, 2);
    const struct report_category *rest = &r->categories[1];
    assert_int_equal(rest->n_kernels, 1); /* without the copy */
    case_close(&b.c);
}

static void ids_stand_for_texts(void **state)
{
    (void)state;
    struct built x, y, z;
    build(&x, "64,64");
    build(&y, "64,64");
    build(&z, "64,65");
    assert_true(str_eq(x.r.ops[0].id, y.r.ops[0].id));
    assert_true(str_eq(x.r.kernels[1].id, y.r.kernels[1].id));
    assert_false(str_eq(x.r.ops[0].id, x.r.ops[1].id));
    assert_false(str_eq(x.r.ops[0].id, z.r.ops[0].id)); /* other shapes */
    assert_int_equal(x.r.ops[0].id.n, 3 + 8);
    case_close(&x.c);
    case_close(&y.c);
    case_close(&z.c);
}

static void assert_check(const struct report *r, const char *id,
                         enum report_check_result result, const char *value)
{
    const struct report_check *c = report_check_find(r, id);
    assert_int_equal(c->result, result);
    if (!str_eq(c->value, str_of(value)))
        fail_msg("%s: got \"%.*s\"", id, STRF(c->value));
}

/* Fifteen kernels, no collective and no wait: nothing that could be hidden. */
static void what_has_no_subject_is_not_evaluated(void **state)
{
    (void)state;
    struct built b;
    case_begin(&b.c);
    for (int k = 0; k < 15; k++)
        case_launch(&b.c, "gemm", 10 * k, 10 * k + 5, 5, k + 1);
    report_of_case(&b);
    assert_check(&b.r, "start-skew", CHECK_NOT_EVALUATED,
                 "The trace holds no collective.");
    assert_check(&b.r, "recorded-waits", CHECK_NOT_EVALUATED,
                 "No host call that waits for the GPU is recorded.");
    assert_check(&b.r, "time-stamps", CHECK_NOT_EVALUATED,
                 "Fewer than 16 kernels have a launch call: too few for a burst.");
    assert_null(report_check_find(&b.r, "graph-kernels"));
    case_close(&b.c);
}

/* Collectives of 1 ms, of which the first takes first_us, and a wait at the end. */
static void build_collectives(struct built *b, int n, double first_us)
{
    double at = 10;
    case_begin(&b->c);
    for (int k = 0; k < n; k++) {
        double us = k ? 1000 : first_us;
        case_launch(&b->c, "ncclDevKernel_AllReduce_Sum", k, at, us, k + 1);
        at += us + 10;
    }
    for (int k = 0; k < 16; k++)
        case_launch(&b->c, "gemm", 100 + k, at + 10 * k, 9, n + k + 1);
    case_call(&b->c, "cudaDeviceSynchronize", 200, at + 10, 99);
    report_of_case(b);
}

static void a_first_collective_is_told_with_what_was_expected(void **state)
{
    (void)state;
    struct built b;
    build_collectives(&b, 3, 20000);
    assert_check(&b.r, "start-skew", CHECK_NOT_EVALUATED,
                 "3 collectives are too few for a median.");
    assert_check(&b.r, "recorded-waits", CHECK_PASSED,
                 "The one call that waits for the GPU does not do so for 0.5 ms while "
                 "nothing is recorded on it.");
    assert_int_equal(report_check_find(&b.r, "time-stamps")->result, CHECK_PASSED);
    case_close(&b.c);
    build_collectives(&b, 5, 20000);
    assert_check(
        &b.r, "start-skew", CHECK_WARNING,
        "The first of 5 collectives takes 20.00 ms; from the median, 1.00 ms are "
        "expected: most likely it waits until the other ranks record. No percentage "
        "counts the 19.00 ms more that nothing hides.");
    case_close(&b.c);
    build_collectives(&b, 5, 9000); /* longer than others, and no wait */
    assert_check(&b.r, "start-skew", CHECK_PASSED,
                 "The first of 5 collectives takes 9.00 ms; from the median, 1.00 ms "
                 "are expected.");
    case_close(&b.c);
}

static void waivers_are_part_of_it(void **state)
{
    (void)state;
    struct built x, y;
    product = "mylib::mm"; /* without a model: a finding */
    build(&x, "64,64");
    assert_true(x.r.n_findings > 0);
    assert_int_equal(x.r.findings[0].waived_until.n, 0);
    const struct waiver waivers[] = {
        {S("f-other"), S("2026-01-31"), S("none of this run"), 1},
        {x.r.findings[0].anchor, S("2026-12-31"), S("with the next driver"), 2},
        {x.r.findings[0].of->id, S("2027-12-31"), S("the first holds"), 3}};
    asked = (struct report_options){.waivers = waivers, .n_waivers = 3};
    build(&y, "64,64");
    asked = (struct report_options){0};
    assert_true(str_eq(y.r.findings[0].waived_until, S("2026-12-31")));
    assert_true(str_eq(y.r.findings[0].waived_why, S("with the next driver")));
    case_close(&x.c);
    case_close(&y.c);
    product = "aten::mm";
}

static void equal_identities_get_the_next_number(void **state)
{
    (void)state;
    struct built b;
    build(&b, "64,64");
    struct id_set ids = id_set_make(&b.c.perm, 0);
    struct str one = id_take(&ids, "f", S("same")), two = id_take(&ids, "f", S("same"));
    unsigned n1 = (unsigned)strtoul(str_c(&b.c.tmp, str_skip(one, 2)), NULL, 16);
    unsigned n2 = (unsigned)strtoul(str_c(&b.c.tmp, str_skip(two, 2)), NULL, 16);
    assert_int_equal(n2, n1 + 1);
    case_close(&b.c);
}

static void charts_say_what_they_show(void **state)
{
    (void)state;
    struct built b;
    build(&b, "64,64");
    struct arena *t = &b.c.tmp;
    struct report_figure f = figure_wall_time(t, &b.r);
    /* 510 / 900 = 56.67 %, 390 / 900 = 43.33 % */
    assert_string_equal(str_c(t, f.caption),
                        "The GPU is busy for 56.7% of 0.900 ms and idle for 43.3%");
    assert_string_equal(str_c(t, f.marks[0].value_text), "0.51 ms, 56.7%");
    double all_ms = 0;
    for (int k = 0; k < f.n_marks; k++)
        all_ms += f.marks[k].value;
    assert_true(fabs(all_ms - 0.9) < 1e-9);
    /* Everything is queued early, which is nothing that the host does. */
    assert_string_equal(str_c(t, f.marks[f.n_marks - 1].label), "Idle");
    f = figure_pareto(t, &b.r, -1);
    assert_int_equal(f.n_marks, 2);
    assert_string_equal(str_c(t, f.caption),
                        "2 of 2 operations are 100.0% of kernel time");
    assert_string_equal(str_c(t, f.x_title), "time, ms");
    f = figure_durations(t, &b.r, -1);
    /* 9 of 21 last less than 10 us */
    assert_string_equal(str_c(t, f.caption),
                        "42.9% of 21 kernel launches run for less than 10 µs");
    f = figure_categories(t, &b.r);
    assert_string_equal(str_c(t, f.marks[0].value_text), "0.300 ms, 58.8%");
    for (int c = 0; c < b.r.n_categories; c++)
        assert_true(figure_roofline(t, &b.r, c).caption.n > 0);
    case_close(&b.c);
}

/* Ten of 10 ms, and three of 0.2 ms that together are less than 1 %: one bar for those.
 * Without the last two, one of 0.2 ms has its own. */
static void a_pareto_folds_the_last_percent(void **state)
{
    (void)state;
    struct arena t = arena_reserve(1 << 20);
    char *start = t.at;
    struct report_op ops[13];
    for (int k = 0; k < 13; k++)
        ops[k] = op_case(S("op"), k < 10 ? 10.0 : 0.2, (double)NAN);
    struct report r = {.ops = ops, .n_ops = 13};
    struct report_figure f = figure_pareto(&t, &r, -1);
    assert_int_equal(f.n_marks, 11);
    assert_string_equal(str_c(&t, f.marks[10].label), "other, 3 operations");
    assert_true(fabs(f.marks[10].value - 0.6) < 1e-9);
    r.n_ops = 11;
    f = figure_pareto(&t, &r, -1);
    assert_int_equal(f.n_marks, 11);
    assert_string_equal(str_c(&t, f.marks[10].label), "op");
    /* Without an operator, the kernel: the launch is the same in every row. */
    ops[0] = op_case(S("cudaGraphLaunch->nvjet_tst (Synthetic Op)"), 10.0, (double)NAN);
    f = figure_pareto(&t, &r, -1);
    assert_string_equal(str_c(&t, f.marks[0].label), "nvjet_tst");
    arena_release(start, &t);
}

static void checks_tell_what_is_missing(void **state)
{
    (void)state;
    struct built b;
    build(&b, "64,64");
    const struct report *r = &b.r;
    assert_int_equal(report_check_find(r, "balance")->result, CHECK_PASSED);
    assert_int_equal(report_check_find(r, "shapes")->result, CHECK_PASSED);
    assert_int_equal(report_check_find(r, "findings")->result, CHECK_PASSED);
    assert_int_equal(report_check_find(r, "peaks")->result, CHECK_NOT_EVALUATED);
    assert_int_equal(report_check_find(r, "stacks")->result, CHECK_NOT_EVALUATED);
    assert_int_equal(report_check_find(r, "counters")->result, CHECK_NOT_EVALUATED);
    assert_null(report_check_find(r, "no such check"));
    assert_null(report_check_find(r, "baseline")); /* nothing can give one */
    int all = 0;
    for (int k = 0; k < CHECK_RESULTS; k++)
        all += r->n_checked[k];
    assert_int_equal(all, r->n_checks);
    assert_true(r->n_checked[CHECK_NOT_EVALUATED] >= 2);
    for (int k = 1; k < r->n_checks; k++) /* passed ones last */
        assert_true(r->checks[k - 1].result != CHECK_PASSED ||
                    r->checks[k].result == CHECK_PASSED);
    case_close(&b.c);
}

/* Six kernels, each behind 400 us of Python, whose calls are `many` for each kernel. */
static void stacks_that_slow_the_host_are_told(void **state)
{
    (void)state;
    for (int many = 9; many < 11; many++) {
        struct built b;
        struct trace_case *c = &b.c;
        case_begin(c);
        for (int k = 0; k < 6; k++) {
            double at = 500.0 * k;
            for (int i = 0; i < many; i++)
                case_event(c, "python_function", "model.py(3): f", 1, at + 40.0 * i, 38,
                           "\"Python id\":1");
            case_event(c, "cpu_op", "aten::relu", 1, at + 410, 8,
                       "\"Input Dims\":[[64,64]],\"Input type\":[\"float\"]");
            case_launch(c, "relu", at + 411, at + 420, 50, k + 1);
        }
        report_of_case(&b);
        const struct report_check *stacks = report_check_find(&b.r, "stack-cost");
        assert_int_equal(stacks->result, many < 10 ? CHECK_PASSED : CHECK_WARNING);
        if (many == 10)
            assert_true(str_starts(
                stacks->value,
                S("60 calls of Python are recorded, 10 for each kernel or copy; the")));
        case_close(c);
    }
}

static int mentions(const struct report *r, const char *part)
{
    int n = 0;
    for (int k = 0; k < r->n_warning_list; k++)
        n += str_has(r->warnings[k].text, str_of(part));
    return n;
}

/* A graph replays 300 us, an operator with shapes takes 50: one fact, one warning. */
static void what_graphs_replay_is_one_warning(void **state)
{
    (void)state;
    struct built b;
    struct trace_case *c = &b.c;
    case_begin(c);
    case_call(c, "hipGraphLaunch", 10, 5, 1);
    for (int k = 0; k < 3; k++)
        case_kernel(c, "replayed", 7, 100 + 100.0 * k, 100, 1);
    case_event(c, "cpu_op", "aten::relu", 1, 20, 8,
               "\"Input Dims\":[[64,64]],\"Input type\":[\"float\"]");
    case_launch(c, "relu", 21, 400, 50, 2);
    report_of_case(&b);
    const struct report_check *graphs = report_check_find(&b.r, "graph-launches");
    assert_int_equal(graphs->result, CHECK_WARNING);
    assert_string_equal(
        str_c(&c->tmp, graphs->value),
        "1 GPU graph launch replays 0.300 ms of kernels (85.7% of kernel time), for "
        "which the trace has neither operations nor shapes.");
    assert_int_equal(report_check_find(&b.r, "shapes")->result, CHECK_PASSED);
    assert_int_equal(mentions(&b.r, "GPU graph"), 1);
    assert_int_equal(mentions(&b.r, "hapes"), 1);
    /* What to do goes with it. */
    assert_int_equal(mentions(&b.r, "with --capture-trace"), 1);
    case_close(c);
}

/* Two kernels of 50 us, and one of `unlinked_us` without a launch: from a quarter of
 * 100 us on, more than a fifth of device time has none. */
static void the_replay_needs_launches(void **state)
{
    (void)state;
    for (int unlinked_us = 20; unlinked_us <= 40; unlinked_us += 20) {
        struct built b;
        struct trace_case *c = &b.c;
        case_begin(c);
        case_event(c, "cpu_op", "aten::relu", 1, 0, 30,
                   "\"Input Dims\":[[64,64]],\"Input type\":[\"float\"]");
        case_launch(c, "relu", 1, 40, 50, 1);
        case_launch(c, "relu", 5, 90, 50, 2);
        case_kernel(c, "unlinked", 7, 200, unlinked_us, 3);
        report_of_case(&b);
        const struct report_check *replay = report_check_find(&b.r, "replay");
        assert_int_equal(replay->result,
                         unlinked_us == 20 ? CHECK_PASSED : CHECK_WARNING);
        assert_true(str_starts(replay->value, unlinked_us == 20
                                                  ? S("The replay takes the recorded "
                                                      "0.180 ms, to the ns.")
                                                  : S("The replay takes the recorded "
                                                      "0.200 ms, to the ns.")));
        case_close(c);
    }
}

/* The sampler beside a replayed model is not the model. */
static void a_module_with_little_time_names_no_model(void **state)
{
    (void)state;
    for (int sampler_us = 50; sampler_us <= 150; sampler_us += 100) {
        struct built b;
        struct trace_case *c = &b.c;
        case_begin(c);
        case_frame(c, "nn.Module: Sampler_0", 10, 20);
        case_op(c, "aten::argmax", 11, 8);
        case_launch(c, "argmax", 12, 100, sampler_us, 1);
        case_op(c, "aten::relu", 40, 8);
        case_launch(c, "relu", 41, 400, 1000 - sampler_us, 2);
        report_of_case(&b);
        bool named = str_eq(b.r.model.model, S("Sampler"));
        assert_int_equal(named, sampler_us == 150); /* 15 of 100 */
        case_close(c);
    }
}

static void a_trace_without_device_work_says_so(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "aten::add", 0, 5);
    case_open(&c, NULL);
    struct tree_index tree = tree_index_build(&c.perm, c.tmp, &c.view);
    struct analysis a =
        analysis_run(&c.perm, c.tmp, &c.tables, &tree, NULL,
                     (struct analysis_options){.idle_threshold_pct = IDLE_THRESHOLD_PCT,
                                               .views = true});
    struct sheets sheets = sheets_build(&c.perm, c.tmp, &c.tables);
    struct report_options o = {.trace_path = S("-")};
    struct report r = report_build(&c.perm, c.tmp, &c.tables, &a, &sheets, &o);
    assert_true(str_starts(r.verdict, S("CPU only: nothing in the trace launches")));
    assert_true(figure_wall_time(&c.tmp, &r).empty.n > 0);
    assert_true(figure_durations(&c.tmp, &r, -1).empty.n > 0);
    assert_string_equal(str_c(&c.tmp, r.meta.run_label), "standard input");
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_divided),
        cmocka_unit_test(operations_have_categories_and_quantiles),
        cmocka_unit_test(kernels_have_bins),
        cmocka_unit_test(kernels_belong_to_the_operation_that_counts_them),
        cmocka_unit_test(ids_stand_for_texts),
        cmocka_unit_test(waivers_are_part_of_it),
        cmocka_unit_test(what_has_no_subject_is_not_evaluated),
        cmocka_unit_test(a_first_collective_is_told_with_what_was_expected),
        cmocka_unit_test(equal_identities_get_the_next_number),
        cmocka_unit_test(charts_say_what_they_show),
        cmocka_unit_test(a_pareto_folds_the_last_percent),
        cmocka_unit_test(stacks_that_slow_the_host_are_told),
        cmocka_unit_test(checks_tell_what_is_missing),
        cmocka_unit_test(what_graphs_replay_is_one_warning),
        cmocka_unit_test(the_replay_needs_launches),
        cmocka_unit_test(a_module_with_little_time_names_no_model),
        cmocka_unit_test(a_trace_without_device_work_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
