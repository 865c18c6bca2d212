#include "fusion_facts.c"

#include "analysis/model/work_facts.h"
#include "base/arena.h"
#include "ops/op_groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

/* A product and two light rows, in one candidate of 3 kernels. */
struct scene {
    struct op_call_row calls[3];
    struct op_group groups[3];
    struct kernel_detail kernels[3];
    struct work_row rows[3];
    const struct work_row *members[3];
    struct fusion_kernel chain[3];
    struct fusion_candidate candidate;
    struct system_results system;
    struct finding finding;
    struct analysis a;
};

static void set_scene(struct scene *s)
{
    static const char *const kernels[] = {"Cijk_x", "elementwise_kernel",
                                          "reduce_kernel"};
    static const char *const ops[] = {"aten::mm", "aten::mul", "aten::mean"};
    static const enum work_category where[] = {WORK_GEMM, WORK_ELEMENTWISE,
                                               WORK_REDUCE};
    *s = (struct scene){0};
    for (int i = 0; i < 3; i++) {
        s->calls[i].name = str_of(ops[i]);
        s->kernels[i].name = s->chain[i].name = str_of(kernels[i]);
        s->chain[i].op = str_of(strchr(ops[i], ':') + 2);
        s->chain[i].mean_us = 10.0 * (i + 1);
        s->groups[i] = (struct op_group){
            .first = &s->calls[i], .kernels = &s->kernels[i], .n_kernels = 1};
        s->rows[i] = (struct work_row){.group = &s->groups[i],
                                       .name = str_of(ops[i]),
                                       .category = where[i],
                                       .time_ms = 1,
                                       .claimed_by = -1};
        s->members[i] = &s->rows[i];
        s->a.categories[where[i]].rows = &s->rows[i];
        s->a.categories[where[i]].n_rows = 1;
    }
    s->candidate = (struct fusion_candidate){.pattern = S("chain"),
                                             .module = S("Net"),
                                             .instances = 7,
                                             .kernels = s->chain,
                                             .n_kernels = 3,
                                             .total_ms = 3,
                                             .saving_ms = 2,
                                             .accepted = true,
                                             .rows = s->members,
                                             .n_rows = 3};
    s->system.fusion =
        (struct fusion_result){.candidates = &s->candidate, .n_candidates = 1};
    s->finding = (struct finding){
        .tier = TIER_FUSION, .claims_rows = true, .rows = s->members, .n_rows = 3};
    s->a.system = &s->system;
    s->a.findings = &s->finding;
    s->a.n_findings = 1;
}

/* Of several candidates the longest. */
static void a_row_learns_its_longest_chain(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20);
    struct scene s;
    set_scene(&s);
    struct fusion_candidate all[] = {s.candidate, s.candidate, s.candidate};
    all[1].total_ms = 5;
    all[1].instances = 8;
    all[2].total_ms = 4;
    s.system.fusion = (struct fusion_result){.candidates = all, .n_candidates = 3};
    fusion_facts_set(&perm, &s.a);
    assert_true(work_number(&s.rows[1], "chain_ms") == 5);
    assert_true(work_number(&s.rows[1], "chain_instances") == 8);
}

static void rows_learn_their_chain(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20);
    struct scene s;
    set_scene(&s);
    fusion_facts_set(&perm, &s.a);
    assert_true(work_number(&s.rows[1], "chain_kernels") == 3);
    assert_true(work_number(&s.rows[1], "chain_saving_ms") == 2);
    assert_true(work_number(&s.rows[1], "chain_light") == 0); /* there is a product */
    assert_true(str_eq(work_text(&s.rows[1], "chain_ops"), S("mm, mul, mean")));
    assert_true(str_eq(work_text(&s.rows[1], "chain_slowest"), S("mean")));
    assert_true(str_eq(work_text(&s.rows[1], "chain_next"), S("reduce")));
    assert_int_equal(work_text(&s.rows[2], "chain_next").n, 0);
    assert_true(str_eq(work_text(&s.rows[0], "chain_next"), S("elementwise")));
    assert_true(str_eq(work_text(&s.rows[1], "chain_module"), S("Net")));
    set_scene(&s);
    s.candidate.base = S("Base");
    s.chain[0].mean_us = 99;
    fusion_facts_set(&perm, &s.a);
    assert_true(str_eq(work_text(&s.rows[1], "chain_module"), S("Base")));
    assert_true(str_eq(work_text(&s.rows[1], "chain_slowest"), S("mm")));
}

/* In the order of the kernels; what repeats is counted. */
static void operators_of_a_chain(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20);
    struct scene s;
    set_scene(&s);
    assert_true(str_eq(fusion_ops_text(&perm, &s.candidate, true), S("mul, mean")));
    s.chain[2].op = s.chain[1].op;
    assert_true(str_eq(fusion_ops_text(&perm, &s.candidate, false), S("mm, mul x2")));
    s.chain[0].label = S("gemm");
    s.chain[0].op = S(""); /* no operator: what the kernel's name tells */
    assert_true(str_eq(fusion_ops_text(&perm, &s.candidate, false), S("gemm, mul x2")));
    struct fusion_kernel many[8];
    static const char *const ops[] = {"a", "b", "c", "d", "e", "f", "g", "g"};
    for (int i = 0; i < 8; i++)
        many[i] = (struct fusion_kernel){.op = str_of(ops[i])};
    s.candidate.kernels = many;
    s.candidate.n_kernels = 8;
    assert_true(str_eq(fusion_ops_text(&perm, &s.candidate, false),
                       S("a, b, c, d, e, f, ...")));
}

static void a_candidate_not_accepted_says_nothing(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20);
    struct scene s;
    set_scene(&s);
    s.candidate.accepted = false;
    fusion_facts_set(&perm, &s.a);
    assert_int_equal(s.rows[1].n_facts, 0);
}

static void products_stay_themselves(void **state)
{
    (void)state;
    struct scene s;
    set_scene(&s);
    fusion_claim_rows(&s.a);
    assert_int_equal(s.rows[0].claimed_by, -1);
    assert_int_equal(s.rows[1].claimed_by, 0);
    assert_int_equal(s.rows[2].claimed_by, 0);
    for (int c = 0; c < WORK_CATEGORIES; c++)
        assert_int_equal(
            stays_itself(&(struct work_row){.category = (enum work_category)c}),
            c == WORK_GEMM || c == WORK_CONVOLUTION || c == WORK_SDPA_FWD ||
                c == WORK_SDPA_BWD || c == WORK_MOE_FUSED);
}

static void doubtful_ones_claim_nothing(void **state)
{
    (void)state;
    struct scene s;
    set_scene(&s);
    s.finding.claims_rows = false;
    fusion_claim_rows(&s.a);
    assert_int_equal(s.rows[1].claimed_by, -1);
    s.finding.claims_rows = s.finding.informational = true;
    fusion_claim_rows(&s.a);
    assert_int_equal(s.rows[1].claimed_by, -1);
    s.finding.informational = false;
    s.finding.tier = TIER_COMPUTE;
    fusion_claim_rows(&s.a);
    assert_int_equal(s.rows[1].claimed_by, -1);
}

/* Half of four milliseconds are told as unfused attention already. */
static void attention_is_told_once(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20);
    struct scene s;
    set_scene(&s);
    work_set(&perm, &s.rows[0], FACT("in_unfused_attention", 1));
    fusion_claim_rows(&s.a);
    assert_int_equal(s.a.n_findings, 1);
    s.rows[0].time_ms = 1.9; /* less than half of 3.9 */
    fusion_claim_rows(&s.a);
    assert_int_equal(s.a.n_findings, 1);
    s.rows[0].time_ms = 2;
    fusion_claim_rows(&s.a);
    assert_int_equal(s.a.n_findings, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_learn_their_chain),
        cmocka_unit_test(a_row_learns_its_longest_chain),
        cmocka_unit_test(operators_of_a_chain),
        cmocka_unit_test(a_candidate_not_accepted_says_nothing),
        cmocka_unit_test(products_stay_themselves),
        cmocka_unit_test(doubtful_ones_claim_nothing),
        cmocka_unit_test(attention_is_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
