#include "analysis/model/finding.c"

#include "ops/op_groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"

/* The middle of the range, between four times what is sure and a quarter of itself. */
static void a_wide_saving_counts_with_what_is_sure(void **state)
{
    static const struct {
        double low, high, worth;
    } cases[] = {{4, 6, 5}, {0, 8, 1},        {1, 19, 4},
                 {1, 7, 4}, {0.1, 19.9, 2.5}, {0, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct impact_range x = {.low_pct = cases[i].low, .high_pct = cases[i].high};
        assert_true(fabs(impact_worth_pct(&x) - cases[i].worth) < 1e-12);
    }
    assert_true(isnan(impact_worth_pct(
        &(struct impact_range){.low_pct = (double)NAN, .high_pct = (double)NAN})));
}

static void a_saving_is_of_the_run(void **state)
{
    struct analysis of = {.total_ms = 50};
    (void)state;
    struct impact_range x = impact_of_ms(&of, 5, 10, S("why"));
    assert_true(x.low_ms == 5 && x.high_ms == 10);
    assert_true(x.low_pct == 10 && x.high_pct == 20);
    assert_text(x.basis, "why");
    of.total_ms = 0;
    assert_true(impact_of_ms(&of, 5, 10, S("")).high_pct == 0);
}

static void an_id_is_made_of_plain_characters(void **state)
{
    struct finding f = {.tier = TIER_COMPUTE,
                        .category = WORK_GEMM,
                        .pattern = S("few_tiles"),
                        .op = S("aten::mm <x>"),
                        .bound = BOUND_COMPUTE};
    (void)state;
    assert_text(finding_id(&a, &f), "gemm.few_tiles.aten__mm__x_.compute");
    f.bound = BOUND_NONE;
    assert_text(finding_id(&a, &f), "gemm.few_tiles.aten__mm__x_.unknown");
    f.tier = TIER_SYSTEM;
    f.category = WORK_CPU_IDLE;
    f.pattern = S("Host_Sync");
    f.op = S("Model.Forward");
    f.bound = BOUND_MEMORY;
    assert_text(finding_id(&a, &f), "cpu_idle.host_sync.model_forward.none");
    f.op = str_printf(&a, "%070d", 0);
    assert_int_equal(finding_id(&a, &f).n,
                     (ptrdiff_t)strlen("cpu_idle.host_sync..none") + 60);
}

/* Time that is worth a finding: convolutions as GEMM, attention twice as much. */
static void a_category_has_its_least_time(void **state)
{
    (void)state;
    assert_true(bottleneck_ms(WORK_GEMM) == 50 &&
                bottleneck_ms(WORK_CONVOLUTION) == 50);
    assert_true(bottleneck_ms(WORK_SDPA_FWD) == 100 &&
                bottleneck_ms(WORK_OTHER) == 100);
    assert_true(bottleneck_ms(WORK_NORM) == 10 &&
                bottleneck_ms(WORK_ELEMENTWISE) == 10);
}

static void words_are_those_of_their_values(void **state)
{
    (void)state;
    assert_text(finding_kind_word(FIND_UNMODELLED), "unmodelled");
    assert_text(finding_kind_word(FIND_FUSION), "fusion");
    assert_text(priority_word(PRIORITY_LOW), "low");
    assert_text(priority_word(PRIORITY_CRITICAL), "critical");
    assert_text(confidence_word(CONFIDENCE_HIGH), "high");
    assert_text(bound_word(BOUND_MEMORY), "memory");
    assert_text(work_category_name(WORK_SDPA_BWD), "sdpa_bwd");
    assert_text(work_category_display(WORK_SDPA_BWD), "SDPA (backward)");
}

static void shapes_of_folded_rows_count(void **state)
{
    struct op_group folded = {.n_folded = 12}, own = {0};
    struct work_row rows[] = {{.group = &folded}, {.group = &own}};
    const struct work_row *list[] = {&rows[0], &rows[1]};
    struct finding f = {.rows = list, .n_rows = 2};
    (void)state;
    assert_int_equal(work_row_shapes(&rows[1]), 1);
    assert_int_equal(finding_shapes(&f), 13);
}

/* What is not set is not known, and an empty sentence is no evidence. */
static void a_new_finding_knows_nothing(void **state)
{
    struct analysis of = {0};
    (void)state;
    struct finding *f = analysis_add_finding(&a, &of);
    assert_int_equal(of.n_findings, 1);
    assert_true(isnan(f->time_ms) && isnan(f->impact.low_pct) &&
                isnan(f->impact_kernel.high_ms) && isnan(f->part_high) &&
                isnan(f->impact_then.low_ms));
    assert_int_equal(f->until, -1);
    finding_evidence(&a, f, S(""));
    assert_int_equal(f->n_evidence, 0);
    finding_evidence(&a, f, S("It is so."));
    finding_evidence_of(&a, f, EVIDENCE_ROW, S("A row."));
    assert_int_equal(f->n_evidence, 2);
    assert_int_equal(f->evidence[0].kind, EVIDENCE_FACT);
    assert_int_equal(f->evidence[1].kind, EVIDENCE_ROW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wide_saving_counts_with_what_is_sure),
        cmocka_unit_test(a_saving_is_of_the_run),
        cmocka_unit_test(an_id_is_made_of_plain_characters),
        cmocka_unit_test(a_category_has_its_least_time),
        cmocka_unit_test(words_are_those_of_their_values),
        cmocka_unit_test(shapes_of_folded_rows_count),
        cmocka_unit_test(a_new_finding_knows_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
