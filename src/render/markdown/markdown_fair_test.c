/* The report for stakeholders. */
#include "markdown_reports_case.h"

/* Non-blank lines from behind `from` to the first line that begins with one of the
 * ends. */
static int lines_between(const char *text, const char *from)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    at = strchr(at, '\n') + 1;
    for (int n = 0;; at = strchr(at, '\n') + 1) {
        if (!*at || strncmp(at, "## ", 3) == 0 || strncmp(at, "---", 3) == 0)
            return n;
        n += *at != '\n';
    }
}

static void test_fair_answers_first(void **state)
{
    (void)state;
    char *text = written("fair");
    assert_has(text, "# ViT - MI300X Standalone Analysis\n");
    assert_has(text, "\nOnly 4 tiles keep 304 units busy. Start with *Few output "
                     "tiles* (`aten::mm`): it would save 27 to 30 ms "
                     "(~27% to ~30% E2E).\n");
    assert_has(text, "| GPU Utilization | 80.0% in computation |");
    assert_has(text, "| Exposed Copies | 10.0% |");
    assert_true(lines_between(text, "## Executive Summary") <= 20);
    assert_null(strstr(text, "## Warnings"));
    free(text);
}

/* As the report has them, whatever their tier; what is low is not recommended. */
static void test_fair_order(void **state)
{
    (void)state;
    int order[3];
    for (int percent = 80; percent <= 96; percent += 16) {
        report.timeline.computation_pct = percent;
        assert_int_equal(md_fair_order(&report, order), 3);
        for (int i = 0; i < 3; i++)
            assert_int_equal(order[i], i);
    }
    findings[1].priority = PRIORITY_LOW;
    assert_int_equal(md_fair_order(&report, order), 2);
    assert_int_equal(order[1], 2);
}

static void test_fair_cards(void **state)
{
    (void)state;
    char *text = written("fair");
    assert_has(text, "### \U0001F534 Critical Priority: Few output tiles\n");
    assert_has(
        text,
        "**Do**: Path A: Split the reduction. Path B: Evaluate a split kernel.  \n");
    assert_has(text, "**Worth**: 27 to 30 ms (~27% to ~30% E2E)");
    /* The second finding has the same remedies: of the kernel they are not said again.
     */
    assert_has(text, "Path A: see `aten::mm` above.");
    assert_int_equal(count(text, "Path B: Evaluate a split kernel."), 1);
    assert_has(text, "*See [GEMM](#detailed-3-gemm)*");
    assert_int_equal(count(text, "<a id=\"detailed-3-gemm\"></a>"), 1);
    assert_has(text, "estimated from time share, no performance model");
    free(text);
}

/* 26.67 + 0.6 = 27.27 and 30 + 1.8 = 31.8 % of 100 ms. */
static void test_one_card_a_remedy(void **state)
{
    (void)state;
    findings[1].priority = PRIORITY_CRITICAL;
    findings[1].kind = FIND_PATTERN;
    char *text = written("fair");
    assert_has(text, "Critical Priority: Few output tiles (2 operations)\n");
    assert_has(text, "**Worth**: 27 to 32 ms (~27% to ~32% E2E), both together");
    assert_has(text, "*See [GEMM](#detailed-3-gemm)*");
    assert_int_equal(count(text, "**Why**: Only 4 tiles"), 1);
    free(text);
}

/* Who can have a package is told apart from who cannot, and each reason told once. */
static void test_replay_list(void **state)
{
    (void)state;
    struct report_no_kit none[] = {
        {S("hipGraphLaunch->a (Synthetic Op)"), S("a kernel of a captured graph")},
        {S("nccl:x"), S("communication: it needs the other ranks")},
        {S("hipGraphLaunch->`b`|"), S("a kernel of a captured graph")}};
    report.no_kits = none;
    report.n_no_kits = 3;
    char *text = written("standalone");
    assert_has(text, "### Replay Artifacts\n\nNo replay packages were generated.\n"
                     "\nReplay artifact recommended for kernel team to investigate "
                     "and optimize.\n\n- `aten::mm`: 20.0% of ");
    free(text);
    struct report_kit kits[] = {{S("replay_packages/aten_mm.zip"), 11, 4.0},
                                {S("replay_packages/aten_`.zip"), 1, 8.0}};
    report.kits = kits;
    report.n_kits = 2;
    report_findings[0].no_kit = none[0].reason;
    text = written("fair");
    assert_has(text, "### Replay Artifacts\n\n2 packages in `replay_packages/`.\n");
    free(text);
    text = written("standalone");
    assert_has(text, "### Replay Artifacts\n\n"
                     "- `aten_mm.zip` - 11 shapes, 4.00 ms, 5.0% of compute\n"
                     "- ``aten_`.zip`` - 1 shape, 8.00 ms, 10.0% of compute\n");
    assert_null(strstr(text, "Replay artifact recommended"));
    free(text);
}

/* An operator in a title is code, whatever its letters; a category is not. */
static void test_operators_in_titles(void **state)
{
    (void)state;
    findings[0].title = S("Choose a faster kernel for mm");
    findings[0].title_at = 27;
    findings[0].title_op = 2;
    char *text = written("fair");
    assert_has(text, "Critical Priority: Choose a faster kernel for `mm`\n");
    free(text);
    findings[0].title = S("Fuse mm_ in Mlp with <b>");
    findings[0].title_at = 5;
    findings[0].title_op = 3;
    text = written("fair");
    assert_has(text, "Critical Priority: Fuse `mm_` in Mlp with `<b>`");
    free(text);
    findings[0].title = S("Reduce in buckets");
    findings[0].title_at = findings[0].title_op = 0;
    text = written("fair");
    assert_has(text, "Critical Priority: Reduce in buckets");
    free(text);
}

/* One question for all that could be replayed, one for all slow launch calls. */
static void test_questions(void **state)
{
    (void)state;
    static const struct idle_gap gaps[] = {
        {.duration_us = 2500, .before = S_INIT("k1"), .class = IDLE_PYTHON},
        {.duration_us = 1500, .before = S_INIT("k2"), .class = IDLE_LAUNCH},
        {.duration_us = 1250, .before = S_INIT("k3"), .class = IDLE_LAUNCH}};
    memcpy(system_tier.idle.top_gaps, gaps, sizeof gaps);
    system_tier.idle.n_top_gaps = 3;
    findings[1].replay_recommended = true;
    char *text = written("rough");
    assert_has(text, "- Do launch calls that keep the device waiting for up to 1.50 ms "
                     "recur once the process is warm?\n"
                     "- Are these as slow when replayed alone: `aten::mm`, ");
    free(text);
}

/* A finding over rows of two operators says so. */
static void test_more_operators(void **state)
{
    (void)state;
    static const struct work_row *both[2] = {&rows[0], &rows[1]};
    findings[0].rows = both;
    findings[0].n_rows = 2;
    char *text = written("fair");
    assert_has(text, "on 2 shapes of 2 operators, 10 calls");
    free(text);
    text = written("standalone");
    assert_has(text,
               "**Identification:** `aten::mm` and 1 more operator take 40.00 ms");
    assert_has(text, "**Reasoning for Slowdown:** Only 4 tiles keep 304 units busy.");
    free(text);
}

/* Texts that differ in names and figures alone are one remedy; of operations without a
 * model the card tells the sum. 40 + 40 ms are 50 + 50 % of compute. */
static void test_one_card_for_what_is_not_known(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        findings[i].priority = PRIORITY_HIGH;
        findings[i].kind = FIND_UNMODELLED;
        findings[i].pattern = S("unmodelled");
        findings[i].issue = S("It takes long, and its efficiency is unknown.");
    }
    findings[0].algorithmic = S("Supply a model of `aten::mm`, for 1.5 ms.");
    findings[1].algorithmic = S("Supply a model of `evil`, for 22.25 ms.");
    char *text = written("fair");
    assert_has(text,
               "High Priority: 2 operations: 80.00 ms without a performance model\n");
    assert_has(text, "**Why**: Their efficiency is unknown.");
    free(text);
    findings[1].algorithmic = S("Trace `evil` again.");
    text = written("fair");
    assert_null(strstr(text, "Their efficiency"));
    free(text);
}

/* A note is not a bottleneck, but without it nothing would be said of most of the work.
 */
static void test_work_that_nothing_judges(void **state)
{
    (void)state;
    analysis.n_findings = report.n_findings = 1;
    findings[0].kind = FIND_UNMODELLED;
    findings[0].informational = true;
    findings[0].priority = PRIORITY_LOW;
    findings[0].impact = (struct impact_range){0, 0, 0, 0, S("")};
    findings[0].title = S("Trace the step once without graph replay");
    findings[0].algorithmic = S("Trace the step without graph replay.");
    findings[0].compute_pct = 96.1;
    char *text = written("fair");
    assert_has(text, "\n96.1% of kernel time has no performance model, so most of the "
                     "work cannot be judged;");
    assert_has(text, "no bottleneck meets the criteria. Trace the step without");
    assert_has(text, "No bottleneck meets the criteria, but 96.1% of kernel time");
    assert_null(strstr(text, "✅"));
    free(text);
}

/* 30 of 40 ms of computation. */
static void test_a_device_that_computes_little(void **state)
{
    (void)state;
    report.timeline.computation_pct = 40;
    report.timeline.computation_ms = 40;
    char *text = written("fair");
    assert_has(text, " E2E); that is up to 75.0% of the computation  \n");
    free(text);
    findings[0].time_ms = 29; /* what is above it, the host saves */
    text = written("fair");
    assert_null(strstr(text, "of the computation  \n"));
    free(text);
}

static void test_fair_by_number(void **state)
{
    (void)state;
    struct top_operation mm = {
        .rank = 1, .name = S("aten::mm"), .time_ms = 40, .compute_pct = 50};
    struct report_top_op top = {.of = &mm};
    report.top = &top;
    report.n_top = 1;
    style.by_number = true;
    char *text = written("fair");
    assert_has(text,
               "### Top Bottlenecks\n\n| Rank | Operation | Time | % Compute |\n");
    assert_has(text, "| 1 | `aten::mm` | 40.00 ms | 50.0% |\n");
    assert_has(text, "### \U0001F534 Priority 1: ");
    assert_has(text, "### \U0001F7E2 Priority 2: ");
    assert_int_equal(count(text, "Critical Priority:") + count(text, "High Priority:"),
                     0);
    assert_int_equal(count(text, "Top Operations (from"), 0);
    free(text);
}

/* What the host hides is worth something once it keeps up. */
static void test_worth_once_the_host_keeps_up(void **state)
{
    (void)state;
    findings[0].until = 1;
    findings[0].impact.low_pct = findings[0].impact.high_pct = 0;
    findings[0].impact.low_ms = findings[0].impact.high_ms = 0;
    findings[0].impact_then = (struct impact_range){2, 4, 2, 4, S("")};
    char *fair = written("fair");
    assert_has(fair, "**Worth**: nothing until the host keeps up; then 2.0 to 4.0 ms "
                     "(~2.0% to ~4.0% E2E)");
    findings[0].until = -1;
    free(fair);
    fair = written("fair");
    assert_has(fair, "**Worth**: no saving is claimed");
    free(fair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_fair_answers_first, setup),
        cmocka_unit_test_setup(test_fair_order, setup),
        cmocka_unit_test_setup(test_work_that_nothing_judges, setup),
        cmocka_unit_test_setup(test_fair_cards, setup),
        cmocka_unit_test_setup(test_one_card_a_remedy, setup),
        cmocka_unit_test_setup(test_replay_list, setup),
        cmocka_unit_test_setup(test_operators_in_titles, setup),
        cmocka_unit_test_setup(test_questions, setup),
        cmocka_unit_test_setup(test_more_operators, setup),
        cmocka_unit_test_setup(test_one_card_for_what_is_not_known, setup),
        cmocka_unit_test_setup(test_a_device_that_computes_little, setup),
        cmocka_unit_test_setup(test_fair_by_number, setup),
        cmocka_unit_test_setup(test_worth_once_the_host_keeps_up, setup),
    };
    tmp = arena_reserve(1 << 26);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
