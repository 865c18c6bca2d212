#include "report_detail.c"

#include "analysis/model/system_results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* T = 200 ms, 40 ms idle; one GEMM row of 50 ms and one elementwise row of 10 ms, 50
 * and 10 % of computation; a finding on the first and one of the system. */
static struct arena perm, tmp;
static struct op_call_row calls[2];
static struct op_group groups[2];
static struct work_row rows[2];
static struct work_fact flash[] = {{.key = "flash_attention_detected", .number = 1}};
static struct finding findings[2];
static const struct work_row *gemm_rows[1] = {&rows[0]};
static struct system_results system_tier;
static struct analysis a;
static struct report r;

static void make_rows(void)
{
    static struct kernel_detail kernels[] = {{.name = S_INIT("short"), .total_us = 2},
                                             {.name = S_INIT("long"), .total_us = 9}};
    for (int i = 0; i < 2; i++) {
        calls[i] = (struct op_call_row){
            .name = i ? S("aten::add") : S("aten::mm"), .uid = 10 + i, .event = -1};
        groups[i] =
            (struct op_group){.first = &calls[i], .kernels = kernels, .n_kernels = 2};
        rows[i] = (struct work_row){.group = &groups[i],
                                    .name = calls[i].name,
                                    .category = i ? WORK_ELEMENTWISE : WORK_GEMM,
                                    .time_ms = i ? 10 : 50,
                                    .compute_pct = i ? 10 : 50,
                                    .count = 5};
    }
    rows[0].efficiency.percent = 30;
    rows[0].efficiency.bound = BOUND_MEMORY;
    rows[1].efficiency.percent = (double)NAN;
}

static void make_findings(void)
{
    findings[0] = (struct finding){.category = WORK_GEMM,
                                   .rows = gemm_rows,
                                   .n_rows = 1,
                                   .impact = {4, 10, 8, 20, S("")}};
    findings[1] = (struct finding){.category = WORK_CPU_IDLE,
                                   .tier = TIER_SYSTEM,
                                   .impact = {8, 16, 16, 32, S("")}};
}

static int setup(void **state)
{
    (void)state;
    make_rows();
    make_findings();
    system_tier = (struct system_results){0};
    a = (struct analysis){.total_ms = 200,
                          .idle_ms = 40,
                          .findings = findings,
                          .n_findings = 2,
                          .system = &system_tier};
    for (int i = 0; i < 2; i++) {
        enum work_category c = rows[i].category;
        a.categories[c] = (struct category_result){.category = c,
                                                   .rows = &rows[i],
                                                   .n_rows = 1,
                                                   .time_ms = rows[i].time_ms,
                                                   .compute_pct = rows[i].compute_pct};
        a.by_time[i] = c;
    }
    a.n_by_time = 2;
    r = (struct report){0};
    return 0;
}

static const struct report_detail *filled(void)
{
    const struct report_options o = {.tree = NULL};
    report_detail_fill(&(struct report_source){&perm, NULL, &a, &o}, tmp, &r);
    return r.detail;
}

static void test_sections(void **state)
{
    (void)state;
    const struct report_detail *d = filled();
    assert_int_equal(d->n_sections, 2);
    const struct work_row *w = &d->sections[0].of->rows[0];
    assert_ptr_equal(w, &rows[0]);
    assert_true(str_eq(report_row_kernel(w), S("long"))); /* by mean, not by place */
    assert_true(str_eq(report_row_type(w), S("memory")));
    assert_true(report_row_has_model(w));
    assert_false(report_row_has_model(&d->sections[1].of->rows[0]));
}

/* Idle: mean (8 + 16) / 2 = 12, before GEMM: (4 + 10) / 2 = 7; elementwise has no
 * finding but a tenth of the computation. */
static void test_priorities(void **state)
{
    (void)state;
    const struct report_detail *d = filled();
    assert_int_equal(d->n_priorities, 3);
    assert_true(d->priorities[0].category == WORK_CPU_IDLE);
    assert_true(d->priorities[0].mid_pct == 12);
    assert_true(d->priorities[1].category == WORK_GEMM);
    assert_true(d->priorities[1].mid_pct == 7);
    assert_true(d->priorities[2].category == WORK_ELEMENTWISE);
    assert_true(isnan(d->priorities[2].mid_pct));
    assert_int_equal(d->priorities[2].rank, 3);
}

static void test_failed_category(void **state)
{
    (void)state;
    a.categories[WORK_TRITON].status = ANALYSER_ERROR;
    a.categories[WORK_TRITON].error = S("triton.lua:1: no");
    const struct report_detail *d = filled();
    assert_int_equal(d->n_sections, 3);
    assert_int_equal(d->sections[2].of->status, ANALYSER_ERROR);
}

static void test_attention(void **state)
{
    (void)state;
    assert_true(str_eq(filled()->attention_use, S("Not applicable")));
    a.categories[WORK_GEMM].facts = flash;
    a.categories[WORK_GEMM].n_facts = 1;
    assert_true(str_eq(filled()->attention_use, S("Yes")));
}

/* 30 ms of 40 ms idle are 75 %; the rest 25 %. 4 ms of copies in 200 ms are 2 %. */
static void test_system(void **state)
{
    (void)state;
    struct idle_result *idle = &system_tier.idle;
    struct multi_kernel_result *k = &system_tier.multi_kernel;
    idle->host_known = true;
    idle->class_ns[IDLE_SYNC] = 10000000;
    idle->class_ns[IDLE_PYTHON] = 30000000;
    k->copies[COPY_D2H] =
        (struct copy_result){.count = 7, .total_us = 4000, .severity = SEVERITY_HIGH};
    k->comm_overlap_frac = (double)NAN;
    struct report_idle_cause causes[IDLE_CLASSES];
    assert_true(str_eq(idle_severity_word(idle), S("ACCEPTABLE")));
    assert_int_equal(report_idle_causes(&a, causes), 2);
    assert_true(str_eq(causes[0].label, S("Python")));
    assert_true(causes[0].idle_pct == 75);
    assert_true(report_has_multi_kernel(&a));
    assert_true(copy_total_pct(&k->copies[COPY_D2H], a.total_ms) == 2);
    assert_true(str_eq(severity_word(k->copies[COPY_D2H].severity), S("HIGH")));
    assert_true(str_eq(overlap_severity_word(k), S("NONE")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_sections, setup),
        cmocka_unit_test_setup(test_priorities, setup),
        cmocka_unit_test_setup(test_failed_category, setup),
        cmocka_unit_test_setup(test_attention, setup),
        cmocka_unit_test_setup(test_system, setup),
    };
    perm = arena_reserve(1 << 26);
    tmp = arena_reserve(1 << 26);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
