#include "finding_order.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct impact_range of_pct(double pct)
{
    return (struct impact_range){pct, pct, pct, pct, S("")};
}

static struct finding a_finding(const char *op, double saves_pct, double total_pct)
{
    return (struct finding){.tier = TIER_SYSTEM,
                            .category = WORK_CPU_IDLE,
                            .op = str_of(op),
                            .pattern = S("p"),
                            .priority = PRIORITY_CRITICAL,
                            .priority_basis = S("b"),
                            .impact = of_pct(saves_pct),
                            .impact_then = of_pct((double)NAN),
                            .until = -1,
                            .time_ms = total_pct,
                            .total_pct = total_pct};
}

/* First launches that take 90 % lead, though no step saves them, and keep their
 * priority; a wait that saves nothing does not. */
static void what_happens_once_counts_with_its_time(void **state)
{
    (void)state;
    struct arena memory = arena_reserve(1 << 20), tmp = arena_reserve(1 << 20);
    struct idle_group first = {.class = IDLE_FIRST_LAUNCH}, wait = {.class = IDLE_SYNC};
    struct finding all[3] = {a_finding("wait", 0, 60), a_finding("slow", 5, 5),
                             a_finding("once", 0, 90)};
    all[0].idle = &wait;
    all[2].idle = &first;
    struct analysis a = {.findings = all, .n_findings = 3};
    finding_order(&memory, tmp, &a);
    assert_true(str_eq(all[0].op, S("once")) && str_eq(all[1].op, S("slow")));
    assert_int_equal(all[0].priority, PRIORITY_CRITICAL);
    assert_int_equal(all[2].priority, PRIORITY_LOW);
    assert_true(str_ends(all[2].priority_basis, S("; saves nothing")));
    assert_int_equal(all[0].tier_number, 1);
}

/* The kernels of one operator are one mechanism, a module's are more than its
 * operators. */
static void an_operator_is_told_once(void **state)
{
    (void)state;
    const char *const places[] = {"aten::native_batch_norm", "BatchNorm2d"};
    for (int k = 0; k < 2; k++) {
        struct arena memory = arena_reserve(1 << 20), tmp = arena_reserve(1 << 20);
        struct work_row row = {.time_ms = 9, .claimed_by = 0};
        const struct work_row *rows[] = {&row};
        struct finding all[2] = {a_finding("aten::native_batch_norm", 30, 40),
                                 a_finding(places[k], 20, 40)};
        all[0].tier = TIER_COMPUTE;
        all[1].tier = TIER_FUSION;
        all[1].rows = rows;
        all[1].n_rows = 1;
        struct analysis a = {.findings = all, .n_findings = 2};
        finding_order(&memory, tmp, &a);
        assert_int_equal(a.n_findings, 1 + k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_happens_once_counts_with_its_time),
        cmocka_unit_test(an_operator_is_told_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
