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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_happens_once_counts_with_its_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
