#include "analysis/finding_group.c"

#include "base/abilities.h"
#include "ops/op_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { ROWS = 4 };

static struct op_group group;
static struct op_tables tables;
static struct analysis an;
static struct work_row rows[ROWS];
static struct pattern_hit hits[ROWS][2];
static struct row_hits of_row[ROWS];
static struct claims c;

/* Four rows of GEMM of 40, 30, 20 and 10 ms, of 100 ms of computation: at half of their
 * roof, and claimed by none. */
static int begin(void **state)
{
    static const struct source_abilities can;
    (void)state;
    tables = (struct op_tables){0};
    tables.facts.abilities = &can;
    an = (struct analysis){.tables = &tables, .computation_ms = 100, .total_ms = 100};
    memset(of_row, 0, sizeof of_row);
    memset(hits, 0, sizeof hits);
    for (int i = 0; i < ROWS; i++)
        rows[i] = (struct work_row){.group = &group,
                                    .name = i < 2 ? S("aten::mm") : S("aten::bmm"),
                                    .category = WORK_GEMM,
                                    .time_ms = 40 - 10 * i,
                                    .count = i + 1,
                                    .efficiency = {.percent = 50,
                                                   .bound = BOUND_COMPUTE,
                                                   .tflop_per_s = (double)NAN,
                                                   .tb_per_s = (double)NAN},
                                    .claimed_by = -1};
    an.categories[WORK_GEMM] = (struct category_result){
        .category = WORK_GEMM, .rows = rows, .n_rows = ROWS, .time_ms = 100};
    c = (struct claims){.perm = &a, .a = &an, .first_claim = 100};
    c.of_row[WORK_GEMM] = of_row;
    return 0;
}

static struct pattern_hit *hit(int row, const char *id, int order)
{
    struct pattern_hit *h = &hits[row][of_row[row].n++];
    *h = (struct pattern_hit){.id = str_of(id),
                              .order = order,
                              .saving_low_ms = 1,
                              .saving_high_ms = 2,
                              .group_efficiency_pct = (double)NAN};
    of_row[row].at = hits[row];
    return h;
}

static void claims_are(int a0, int a1, int a2, int a3)
{
    const int want[ROWS] = {a0, a1, a2, a3};
    for (int i = 0; i < ROWS; i++)
        assert_int_equal(rows[i].claimed_by, want[i]);
}

/* Rows of one operator, pattern and bound are one finding; others are not. */
static void rows_of_a_pattern_are_one_group(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        hit(i, "few_tiles", 1);
    rows[1].efficiency.percent = 20;
    claims_patterns(&c);
    claims_are(100, 100, 101, -1);
    const struct finding_group *g = &c.groups.at[0];
    assert_int_equal(g->n_rows, 2);
    assert_int_equal(g->count, 1 + 2);
    assert_true(g->time_ms == 70);
    assert_true(g->compute_pct == 70);
    assert_true(fabs(g->efficiency_pct - 100.0 * (20 + 6) / 70) < 1e-9);
    assert_true(g->saving_low_ms == 2 && g->saving_high_ms == 4);
    assert_int_equal(g->kind, FIND_PATTERN);
    begin(state);
    hit(0, "few_tiles", 1);
    hit(1, "few_tiles", 1);
    rows[1].efficiency.bound = BOUND_MEMORY;
    claims_patterns(&c);
    claims_are(100, 101, -1, -1);
}

/* The first pattern of the library that makes a finding; none where the efficiency
 * cannot be. */
static void a_row_goes_to_the_first_pattern(void **state)
{
    (void)state;
    hit(0, "remark", 0)->informational = true;
    hit(0, "later", 1);
    hit(1, "advice", 0)->bottleneck_only = true;
    hit(2, "odd", 0);
    rows[2].efficiency.anomaly = true;
    claims_patterns(&c);
    claims_are(100, -1, -1, -1);
    assert_int_equal(c.groups.n, 1);
    assert_text(c.groups.at[0].pattern, "later");
    assert_ptr_equal(claims_hit(&c, &rows[0], S("later")), &hits[0][1]);
    assert_null(claims_hit(&c, &rows[1], S("later")));
}

/* A row that its pattern takes although its efficiency cannot be: the group's is that
 * of the others. */
static void an_efficiency_that_cannot_be_is_none(void **state)
{
    const struct work_row *named[] = {&rows[0], &rows[1]};
    struct pattern_hit all = {.id = S("expanded"),
                              .order = 5,
                              .rows = named,
                              .n_rows = 2,
                              .saving_high_ms = 7,
                              .group_efficiency_pct = (double)NAN};
    (void)state;
    c.of_category[WORK_GEMM] = (struct row_hits){&all, 1};
    rows[1].efficiency.percent = 400;
    rows[1].efficiency.anomaly = true;
    claims_patterns(&c);
    claims_are(100, 100, -1, -1);
    assert_true(c.groups.at[0].time_ms == 70);
    assert_true(fabs(c.groups.at[0].efficiency_pct - 50) < 1e-9);
}

/* A pattern of the whole category: rows that an earlier one of theirs takes stay with
 * that; its saving is of all. */
static void a_pattern_of_a_category_takes_the_rest(void **state)
{
    const struct work_row *named[] = {&rows[0], &rows[1], &rows[3]};
    struct pattern_hit all = {.id = S("many_small"),
                              .order = 5,
                              .rows = named,
                              .n_rows = 3,
                              .saving_low_ms = 3,
                              .saving_high_ms = 7,
                              .group_efficiency_pct = 33};
    (void)state;
    c.of_category[WORK_GEMM] = (struct row_hits){&all, 1};
    hit(0, "earlier", 4);
    hit(1, "later", 6);
    claims_patterns(&c);
    claims_are(101, 100, -1, 100);
    assert_true(c.groups.at[0].time_ms == 40);
    assert_true(c.groups.at[0].efficiency_pct == 33);
    assert_true(c.groups.at[0].saving_low_ms == 3 &&
                c.groups.at[0].saving_high_ms == 7);
    begin(state);
    c.of_category[WORK_GEMM] = (struct row_hits){&all, 1};
    all.n_rows = 0; /* counters: of all rows, none of which it claims */
    claims_patterns(&c);
    claims_are(-1, -1, -1, -1);
    assert_int_equal(c.groups.at[0].n_rows, ROWS);
    assert_true(c.groups.at[0].time_ms == 100);
}

/* One finding of two categories: the longest row leads, and savings add up. */
static void patterns_of_one_cause_are_one_group(void **state)
{
    struct work_row sums[] = {rows[1], rows[1]};
    const struct work_row *of_gemm[] = {&rows[1], &rows[2]}, *of_sums[] = {&sums[0]};
    struct pattern_hit one = {.id = S("wide"),
                              .cause = S("wide"),
                              .rows = of_gemm,
                              .n_rows = 2,
                              .saving_low_ms = 3,
                              .saving_high_ms = 7,
                              .group_efficiency_pct = (double)NAN};
    struct pattern_hit other = one;
    (void)state;
    sums[0].category = WORK_REDUCE;
    sums[0].name = S("aten::sum");
    sums[0].time_ms = 35;
    other.rows = of_sums;
    other.n_rows = 1;
    an.categories[WORK_REDUCE] = (struct category_result){
        .category = WORK_REDUCE, .rows = sums, .n_rows = 1, .time_ms = 35};
    c.of_row[WORK_REDUCE] = of_row; /* none of these has a hit of its own */
    c.of_category[WORK_GEMM] = (struct row_hits){&one, 1};
    c.of_category[WORK_REDUCE] = (struct row_hits){&other, 1};
    claims_patterns(&c);
    claims_are(-1, 100, 100, -1);
    assert_int_equal(sums[0].claimed_by, 100);
    assert_int_equal(c.groups.n, 1);
    assert_int_equal(c.groups.at[0].category, WORK_REDUCE);
    assert_text(c.groups.at[0].op, "aten::sum");
    assert_ptr_equal(c.groups.at[0].rows[2], &rows[2]);
    assert_true(c.groups.at[0].time_ms == 85);
    assert_true(c.groups.at[0].saving_low_ms == 6 &&
                c.groups.at[0].saving_high_ms == 14);
    begin(state);
    sums[0].claimed_by = 7; /* an earlier finding has it: nothing is added */
    an.categories[WORK_REDUCE] = (struct category_result){
        .category = WORK_REDUCE, .rows = sums, .n_rows = 1, .time_ms = 35};
    c.of_row[WORK_REDUCE] = of_row;
    c.of_category[WORK_GEMM] = (struct row_hits){&one, 1};
    c.of_category[WORK_REDUCE] = (struct row_hits){&other, 1};
    claims_patterns(&c);
    assert_int_equal(c.groups.at[0].n_rows, 2);
    assert_true(c.groups.at[0].saving_high_ms == 7);
}

/* GEMM matters from 50 ms on, or from more than 5 % of its category; and only below
 * what is expected of it. */
static void slow_rows_are_bottlenecks(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        rows[i].efficiency.percent = i < 2 ? 1 : 99;
    claims_slow(&c);
    claims_are(100, 100, -1, -1);
    assert_int_equal(c.groups.n, 1);
    assert_int_equal(c.groups.at[0].kind, FIND_BOTTLENECK);
    assert_text(c.groups.at[0].pattern, "low_efficiency");
    begin(state);
    for (int i = 0; i < ROWS; i++)
        rows[i].efficiency.percent = 1;
    an.categories[WORK_GEMM].time_ms = 1400; /* 70 ms are 5 % of that; 50 count alone */
    rows[2].time_ms = 40;
    claims_slow(&c);
    claims_are(100, 100, -1, -1); /* of the second, 50 ms are not more than 50 */
    begin(state);
    rows[0].efficiency.percent = rows[1].efficiency.percent = (double)NAN;
    rows[2].efficiency.percent = rows[3].efficiency.percent = 1;
    rows[3].efficiency.anomaly = true;
    claims_slow(&c);
    claims_are(-1, -1, 100, -1);
    assert_true(c.groups.at[0].time_ms == 20);
}

/* Advice for a bottleneck with words of its own names it; general advice does not. */
static void a_bottleneck_is_named_by_its_advice(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        rows[i].efficiency.percent = 1;
    struct pattern_hit *general = hit(0, "general_gemm", 0), *own = hit(0, "split", 1);
    general->bottleneck_only = own->bottleneck_only = true;
    general->issue = own->issue = S("Slow.");
    claims_slow(&c);
    assert_text(c.groups.at[0].pattern, "split");
    begin(state);
    for (int i = 0; i < ROWS; i++)
        rows[i].efficiency.percent = 1;
    own = hit(0, "split", 1);
    own->bottleneck_only = true; /* but it says nothing */
    claims_slow(&c);
    assert_text(c.groups.at[0].pattern, "low_efficiency");
}

/* All rows without a model are one line, the longest first, from 1 % of compute on. */
static void what_has_no_model_is_one_line(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        rows[i].efficiency.percent = (double)NAN;
    rows[1].efficiency.tb_per_s = 2; /* it has one, and lacks a peak alone */
    rows[2].time_ms = 90;
    claims_unmodelled(&c);
    claims_are(100, -1, 100, 100);
    assert_int_equal(c.groups.n, 1);
    const struct finding_group *g = &c.groups.at[0];
    assert_true(g->informational);
    assert_ptr_equal(g->rows[0], &rows[2]);
    assert_text(g->op, "aten::bmm");
    assert_true(g->time_ms == 40 + 90 + 10);
    assert_true(isnan(g->efficiency_pct));
    begin(state);
    for (int i = 0; i < ROWS; i++)
        rows[i].time_ms = 0.2;
    rows[0].efficiency.percent = (double)NAN;
    rows[0].time_ms = 0.9;
    claims_unmodelled(&c);
    claims_are(-1, -1, -1, -1);
    assert_int_equal(c.groups.n, 0);
}

/* A remark is worth a line from 5 % of compute on. */
static void remarks_are_large(void **state)
{
    (void)state;
    hit(0, "note", 0)->informational = true;
    hit(3, "note", 0)->informational = true;
    rows[3].time_ms = 4.9;
    claims_remarks(&c);
    claims_are(100, -1, -1, -1);
    assert_true(c.groups.at[0].informational);
    begin(state);
    hit(3, "note", 0)->informational = true;
    rows[3].time_ms = 5;
    claims_remarks(&c);
    claims_are(-1, -1, -1, 100);
}

/* Copies beside attention go to the finding that mentions them, by direction. */
static void copies_go_with_their_attention(void **state)
{
    struct work_row copy = {.category = WORK_ELEMENTWISE, .claimed_by = -1};
    (void)state;
    an.categories[WORK_ELEMENTWISE] = (struct category_result){
        .category = WORK_ELEMENTWISE, .rows = &copy, .n_rows = 1};
    struct row_hits none = {0};
    c.of_row[WORK_ELEMENTWISE] = &none;
    work_set(&a, &copy, FACT("beside_attention", 1.0));
    add_group(&c, FIND_PATTERN, &rows[0], S("contiguous_copies"), NULL);
    claim_copies(&c, 0, WORK_SDPA_BWD);
    assert_int_equal(copy.claimed_by, -1);
    claim_copies(&c, 0, WORK_SDPA_FWD);
    assert_int_equal(copy.claimed_by, 100);
}

/* Conversions of 10 and of 4 ms are one finding; what the first row does besides, 30 of
 * 40 ms, is of another, which its roof of 20 ms is two thirds of. */
static void the_rest_of_a_row_is_another_finding(void **state)
{
    const struct work_row *named[] = {&rows[0], &rows[1]};
    struct pattern_hit all = {.id = S("conv_transpose_overhead"),
                              .order = 5,
                              .rows = named,
                              .n_rows = 2,
                              .saving_low_ms = 3,
                              .saving_high_ms = 7,
                              .group_efficiency_pct = (double)NAN};
    (void)state;
    work_set(&a, &rows[0], FACT("transpose_ms", 10));
    work_set(&a, &rows[1], FACT("transpose_ms", 4));
    c.of_category[WORK_GEMM] = (struct row_hits){&all, 1};
    hit(0, "slow", 9);
    hit(2, "slow", 9);
    claims_patterns(&c);
    claims_are(100, 100, 102, -1);
    assert_int_equal(c.groups.n, 3);
    assert_true(c.groups.at[0].time_ms == 14);
    assert_true(fabs(c.groups.at[0].efficiency_pct - 50) < 1e-9);
    assert_int_equal(c.groups.at[1].n_rows, 1);
    assert_true(c.groups.at[1].part);
    assert_true(c.groups.at[1].time_ms == 30);
    assert_true(fabs(c.groups.at[1].efficiency_pct - 100 * 20.0 / 30) < 1e-9);
    assert_false(c.groups.at[2].part);
    assert_true(c.groups.at[2].time_ms == 20);
}

/* 10 ms are less than counts alone: more than 5 % of the category, and less than is
 * enough; not where other processes interrupt kernels. */
static void short_rows_matter_by_their_share(void **state)
{
    (void)state;
    const double enough = row_expectation(&rows[3]).enough;
    static const struct {
        double category_ms, below, sliced;
        bool found;
    } cases[] = {
        {200, 1, 0, false}, {199, 1, 0, true}, {199, 0, 0, false}, {199, 1, 1, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        begin(state);
        for (int i = 0; i < ROWS; i++)
            rows[i].efficiency.percent = i < 3 ? 99 : enough - cases[k].below;
        rows[3].name = S("aten::addmm");
        an.categories[WORK_GEMM].time_ms = cases[k].category_ms;
        work_set(&a, &an, FACT("time_sliced", cases[k].sliced));
        claims_slow(&c);
        claims_are(-1, -1, -1, cases[k].found ? 100 : -1);
    }
}

static void a_remark_of_a_category_is_large_too(void **state)
{
    const struct work_row *named[] = {&rows[3]};
    struct pattern_hit all = {.id = S("note"),
                              .informational = true,
                              .rows = named,
                              .n_rows = 1,
                              .group_efficiency_pct = (double)NAN};
    (void)state;
    for (int k = 0; k < 2; k++) {
        begin(state);
        c.of_category[WORK_GEMM] = (struct row_hits){&all, 1};
        rows[3].time_ms = k ? 5 : 4.9;
        claims_remarks(&c);
        claims_are(-1, -1, -1, k ? 100 : -1);
        assert_int_equal(c.groups.n, k);
    }
    begin(state);
    all.n_rows = 0; /* a note */
    c.of_category[WORK_GEMM] = (struct row_hits){&all, 1};
    claims_remarks(&c);
    assert_int_equal(c.groups.n, 0);
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

/* A pattern that fails at the second row says nothing of the first. */
static void what_a_failed_pattern_said_is_taken_back(void **state)
{
    (void)state;
    const struct pattern_source source = {
        S("late.lua"),
        S("pattern { id = 'late', category = 'gemm', summary = 's', path_a = 'x',\n"
          "  when = function(r) return r.name == 'aten::mm' or 5 end }\n"
          "pattern { id = 'good', category = 'gemm', summary = 's', path_a = 'x',\n"
          "  when = function(r) return true end }\n")};
    struct pattern_host *host = NULL;
    struct arena perm = arena_reserve(64 << 20);
    char *first = perm.at;
    struct err e = {0};
    assert_true(pattern_host_open(&host, &perm, &source, 1, NULL, 0, &e));
    c.perm = &perm;
    claims_ask(&c, host);
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(c.of_row[WORK_GEMM][i].n, 1);
        assert_true(str_eq(rows[i].patterns[0], S("good")));
    }
    pattern_host_close(host);
    arena_release(first, &perm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(rows_of_a_pattern_are_one_group),
        CASE(a_row_goes_to_the_first_pattern),
        CASE(an_efficiency_that_cannot_be_is_none),
        CASE(a_pattern_of_a_category_takes_the_rest),
        CASE(patterns_of_one_cause_are_one_group),
        CASE(slow_rows_are_bottlenecks),
        CASE(a_bottleneck_is_named_by_its_advice),
        CASE(what_has_no_model_is_one_line),
        CASE(remarks_are_large),
        CASE(copies_go_with_their_attention),
        CASE(the_rest_of_a_row_is_another_finding),
        CASE(short_rows_matter_by_their_share),
        CASE(a_remark_of_a_category_is_large_too),
        CASE(what_a_failed_pattern_said_is_taken_back),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
