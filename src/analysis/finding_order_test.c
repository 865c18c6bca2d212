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

/* 1 to 20 % of the run is as good as four times what is sure: 4 %, behind 5 %. */
static void a_wide_range_counts_with_what_is_sure(void **state)
{
    (void)state;
    struct arena memory = arena_reserve(1 << 20), tmp = arena_reserve(1 << 20);
    struct finding all[2] = {a_finding("wide", 1, 20), a_finding("sure", 5, 5)};
    all[0].impact.high_pct = 20;
    struct analysis a = {.findings = all, .n_findings = 2};
    finding_order(&memory, tmp, &a);
    assert_true(str_eq(all[0].op, S("sure")));
    assert_int_equal(all[1].priority, PRIORITY_MEDIUM);
}

/* Nothing is known of half the run: that is worth a recording before all else, and the
 * recording saves nothing. Of a fifth of it, what saves time comes first. */
static void what_nobody_saw_counts_with_its_time(void **state)
{
    (void)state;
    struct arena memory = arena_reserve(1 << 20), tmp = arena_reserve(1 << 20);
    for (int pct = 20; pct <= 50; pct += 30) {
        struct idle_group unseen = {.class = IDLE_NOTHING},
                          grows = {.class = IDLE_MEMORY};
        struct finding all[3] = {a_finding("grows", 0, 60), a_finding("slow", 5, 5),
                                 a_finding("unseen", 0, pct)};
        all[0].idle = &grows;
        all[2].idle = &unseen;
        all[0].recording = all[2].recording = true;
        struct analysis a = {.findings = all, .n_findings = 3};
        finding_order(&memory, tmp, &a);
        struct str first = pct < 25 ? S("slow") : S("unseen");
        assert_true(str_eq(all[0].op, first));
    }
}

/* Of less than a twentieth, what takes half of the run comes first. */
static void little_that_nobody_saw_waits_its_turn(void **state)
{
    (void)state;
    struct arena memory = arena_reserve(1 << 20), tmp = arena_reserve(1 << 20);
    for (int pct = 4; pct <= 6; pct += 2) {
        struct idle_group unseen = {.class = IDLE_NOTHING};
        struct finding all[2] = {a_finding("unseen", 0, pct),
                                 a_finding("measure", (double)NAN, 48)};
        all[0].idle = &unseen;
        all[0].recording = true;
        struct analysis a = {.findings = all, .n_findings = 2};
        finding_order(&memory, tmp, &a);
        assert_true(str_eq(all[0].op, pct < 5 ? S("measure") : S("unseen")));
    }
}

static struct finding about_kernels(const char *op, double now_pct, double then_pct,
                                    int until)
{
    struct finding f = a_finding(op, now_pct, 30);
    f.tier = TIER_COMPUTE;
    f.category = WORK_GEMM;
    f.impact_then = of_pct(then_pct);
    f.until = until;
    return f;
}

/* What was found of it says nothing of its priority; what it saves does, for kernels,
 * fusion, copies and idle time alike. */
static void a_priority_is_what_a_finding_saves(void **state)
{
    (void)state;
    struct arena memory = arena_reserve(1 << 20), tmp = arena_reserve(1 << 20);
    struct finding all[4] = {about_kernels("slow", 0.2, (double)NAN, -1),
                             a_finding("idle", 4.9, 70), a_finding("copies", 25, 26),
                             about_kernels("chain", 5, (double)NAN, -1)};
    all[0].priority = all[1].priority = PRIORITY_CRITICAL;
    all[3].tier = TIER_FUSION;
    struct analysis a = {.findings = all, .n_findings = 4};
    finding_order(&memory, tmp, &a);
    static const struct {
        const char *op;
        enum priority priority;
    } want[] = {{"copies", PRIORITY_CRITICAL},
                {"chain", PRIORITY_HIGH},
                {"idle", PRIORITY_MEDIUM},
                {"slow", PRIORITY_LOW}};
    for (int k = 0; k < 4; k++) {
        assert_string_equal(str_c(&memory, all[k].op), want[k].op);
        assert_int_equal(all[k].priority, want[k].priority);
    }
}

/* Faster kernels save 40 % once the host keeps up, and nothing today: they are as
 * severe as that of the host, and stand behind it, before what saves less. */
static void what_waits_for_the_host_stands_behind_it(void **state)
{
    (void)state;
    struct arena memory = arena_reserve(1 << 20), tmp = arena_reserve(1 << 20);
    struct finding all[4] = {about_kernels("fast", 0, 40, 2), a_finding("pin", 2, 3),
                             a_finding("host", 8, 9),
                             about_kernels("small", 0, 0.7, 2)};
    struct analysis a = {.findings = all, .n_findings = 4};
    finding_order(&memory, tmp, &a);
    static const char *const order[] = {"host", "fast", "pin", "small"};
    for (int k = 0; k < 4; k++) {
        assert_string_equal(str_c(&memory, all[k].op), order[k]);
        assert_true(k == 0 || all[k].priority <= all[k - 1].priority);
    }
    assert_int_equal(all[1].priority, PRIORITY_HIGH);
    assert_int_equal(all[1].until, 0);
    assert_int_equal(all[3].priority, PRIORITY_LOW);
}

/* Nobody knows what measuring a kernel saves. Of most of the run it is worth a card,
 * and no more; of little time not even that. */
static void what_is_not_known_to_save_is_medium_at_most(void **state)
{
    (void)state;
    struct arena memory = arena_reserve(1 << 20), tmp = arena_reserve(1 << 20);
    for (int pct = 9; pct <= 90; pct += 81) {
        struct finding f = about_kernels("unknown", (double)NAN, (double)NAN, -1);
        f.total_pct = pct;
        struct analysis a = {.findings = &f, .n_findings = 1};
        finding_order(&memory, tmp, &a);
        assert_int_equal(f.priority, pct == 9 ? PRIORITY_LOW : PRIORITY_MEDIUM);
        assert_true(str_eq(f.priority_basis, S("b")));
    }
}

/* Of equals named work first, whatever its name; rows follow their findings. */
static void other_work_comes_last(void **state)
{
    (void)state;
    struct arena memory = arena_reserve(1 << 20), tmp = arena_reserve(1 << 20);
    struct finding all[2] = {about_kernels("a", 5, (double)NAN, -1),
                             about_kernels("b", 5, (double)NAN, -1)};
    struct work_row rows[] = {{.claimed_by = 0}, {.claimed_by = 1}, {.claimed_by = -1}};
    all[0].category = WORK_OTHER;
    all[1].category = WORK_TRITON;
    struct analysis a = {.findings = all, .n_findings = 2};
    a.categories[WORK_GEMM].rows = rows;
    a.categories[WORK_GEMM].n_rows = 3;
    finding_order(&memory, tmp, &a);
    assert_true(str_eq(all[0].op, S("b")) && str_eq(all[1].op, S("a")));
    assert_int_equal(rows[0].claimed_by, 1);
    assert_int_equal(rows[1].claimed_by, 0);
    assert_int_equal(rows[2].claimed_by, -1);
    assert_true(is_loop(&(struct finding){.n_gone = 1, .about = ABOUT_EVENTS}));
    assert_false(is_loop(&(struct finding){.n_gone = 0, .about = ABOUT_EVENTS}));
    assert_false(is_loop(&(struct finding){.n_gone = 1, .about = ABOUT_PACE}));
}

static void same_titles_name_what_differs(void **state)
{
    (void)state;
    struct arena memory = arena_reserve(1 << 20), tmp = arena_reserve(1 << 20);
    const struct work_row rows[] = {{.args = S("(8,64) bf16")},
                                    {.args = S("(16,64) bf16")}};
    const struct work_row *of[] = {&rows[0], &rows[1]};
    static const struct {
        const char *op, *title;
        int row;
        const char *want;
    } cases[] = {
        {"aten::convolution", "Choose faster kernels", -1,
         "Choose faster kernels (convolution)"},
        {"aten::convolution_backward", "Choose faster kernels", -1,
         "Choose faster kernels (convolution_backward)"},
        {"aten::mm", "Pad mm", 0, "Pad mm at (8,64) bf16"},
        {"aten::mm", "Pad mm", 1, "Pad mm at (16,64) bf16"},
        {"", "Record stacks", -1, "Record stacks"},
        {"", "Record stacks", -1, "Record stacks (2)"},
        {"a", "Alone", -1, "Alone"},
    };
    enum { N = sizeof cases / sizeof *cases };
    struct finding all[N];
    for (int k = 0; k < N; k++) {
        all[k] = a_finding(cases[k].op, N - k, N - k);
        all[k].title = str_of(cases[k].title);
        if (cases[k].row >= 0) {
            all[k].rows = &of[cases[k].row];
            all[k].n_rows = 1;
        }
    }
    struct analysis a = {.findings = all, .n_findings = N};
    finding_order(&memory, tmp, &a);
    for (int k = 0; k < N; k++)
        assert_string_equal(str_c(&memory, all[k].title), cases[k].want);
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

/* Ends that lie far apart count with four times what is sure; a low end of nearly 0 for
 * no less than one of 0. */
static void worth_has_no_jump(void **state)
{
    (void)state;
    static const double cases[][3] = {/* low, high, worth */
                                      {8, 10, 9},      {1, 20, 4},   {0.5, 20, 2.6},
                                      {0.01, 20, 2.5}, {0, 20, 2.5}, {0, 0, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct impact_range x = {.low_pct = cases[k][0], .high_pct = cases[k][1]};
        assert_true(fabs(impact_worth_pct(&x) - cases[k][2]) < 0.1);
    }
    assert_true(isnan(impact_worth_pct(
        &(struct impact_range){.low_pct = (double)NAN, .high_pct = (double)NAN})));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worth_has_no_jump),
        cmocka_unit_test(what_happens_once_counts_with_its_time),
        cmocka_unit_test(a_wide_range_counts_with_what_is_sure),
        cmocka_unit_test(what_nobody_saw_counts_with_its_time),
        cmocka_unit_test(little_that_nobody_saw_waits_its_turn),
        cmocka_unit_test(a_priority_is_what_a_finding_saves),
        cmocka_unit_test(what_waits_for_the_host_stands_behind_it),
        cmocka_unit_test(what_is_not_known_to_save_is_medium_at_most),
        cmocka_unit_test(other_work_comes_last),
        cmocka_unit_test(same_titles_name_what_differs),
        cmocka_unit_test(an_operator_is_told_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
