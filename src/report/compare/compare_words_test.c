#include "report/compare/compare_words.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { MS = 1000000, ROWS = 4 };

static struct capture sides[2];
static struct finding found[2][3];
static struct capture_row of[2][ROWS];
static struct match matches[ROWS];
static struct compared_row rows[ROWS];
static struct comparison c;

static int begin(void **state)
{
    (void)state;
    memset(found, 0, sizeof found);
    memset(of, 0, sizeof of);
    memset(matches, 0, sizeof matches);
    memset(rows, 0, sizeof rows);
    c = (struct comparison){.rows = rows};
    for (int side = 0; side < 2; side++) {
        sides[side] = (struct capture){.label = side ? S("new") : S("old"),
                                       .findings = found[side]};
        c.of[side] = &sides[side];
    }
    return 0;
}

static void finding(int side, const char *id, double ms, const char *issue)
{
    found[side][sides[side].n_findings++] = (struct finding){.id = str_of(id),
                                                             .category = WORK_CPU_IDLE,
                                                             .time_ms = ms,
                                                             .title = S("Do it"),
                                                             .issue = str_of(issue)};
}

/* Work of both sides, with so many calls of the reference and of the candidate. */
static struct compared_row *work(const char *name, enum device_part part, int64_t n_0,
                                 int64_t n_1)
{
    struct compared_row *row = &rows[c.n_rows];
    struct match *m = &matches[c.n_rows];
    *m = (struct match){.level = MATCH_CALL, .n = {n_0, n_1}};
    row->match = m;
    for (int side = 0; side < 2; side++) {
        of[side][c.n_rows] = (struct capture_row){.name = str_of(name), .part = part};
        m->name[side] = str_of(name);
        row->of[side] = &of[side][c.n_rows];
    }
    c.n_rows++;
    return row;
}

/* From three fifths to five thirds of it. */
static void most_of_a_difference_accounts_for_it(void **state)
{
    (void)state;
    assert_true(compare_accounts(60, 100));
    assert_false(compare_accounts(59, 100));
    assert_true(compare_accounts(166, 100));
    assert_false(compare_accounts(167, 100));
    assert_true(compare_accounts(-80, -100));
    assert_false(compare_accounts(80, -100));
    assert_false(compare_accounts(80, 0));
    c.window_ns[0] = 70;
    c.window_ns[1] = 50;
    assert_int_equal(compare_diff_ns(&c), -20);
}

static void a_name_has_its_place(void **state)
{
    (void)state;
    assert_text(compare_name_in(S("Waits for `forward` (model.py:12), then `x`.")),
                "`forward` (model.py:12)");
    assert_text(compare_name_in(S("Waits for `forward`, then.")), "`forward`");
    assert_text(compare_name_in(S("Waits.")), "");
    finding(0, "cpu_idle.host_loader.op.none", 1, "");
    assert_text(compare_pattern_of(&found[0][0]), "host_loader");
}

/* What grew most, of idle time; a loader behind a wait that is as frequent as before.
 */
static void idle_time_is_of_what_grew(void **state)
{
    (void)state;
    finding(0, "cpu_idle.host_sync.item.none", 30, "");
    finding(1, "cpu_idle.host_sync.item.none", 40, "");
    finding(1, "cpu_idle.host_dispatch.op.none", 8, "");
    assert_ptr_equal(compare_idle_finding(&c, 1, 10), &found[1][0]);
    assert_null(compare_idle_finding(&c, 1, 10.1));
    assert_null(compare_idle_finding(&c, 0, 1));
    found[1][0].category = WORK_GEMM;
    assert_ptr_equal(compare_idle_finding(&c, 1, 8), &found[1][1]);
    found[1][0].category = WORK_CPU_IDLE;
    finding(1, "cpu_idle.host_loader.next.none", 5, ""); /* half of 10 */
    assert_ptr_equal(compare_idle_finding(&c, 1, 10), &found[1][2]);
    assert_ptr_equal(compare_idle_finding(&c, 1, 9), &found[1][2]);
    found[1][2].time_ms = 4.9;
    assert_ptr_equal(compare_idle_finding(&c, 1, 10), &found[1][0]);
    found[1][2].time_ms = 5;
    work("aten::item", DEVICE_COPY, 1, 2); /* it waits more often: that is it */
    assert_ptr_equal(compare_idle_finding(&c, 1, 10), &found[1][0]);
}

static void reads_are_copies_of_values(void **state)
{
    (void)state;
    assert_false(compare_reads_alike(&c));
    work("aten::copy_", DEVICE_COPY, 1, 9);
    work("aten::item", DEVICE_COMPUTE, 1, 9);
    assert_false(compare_reads_alike(&c));
    assert_null(compare_more_reads(&c, 1));
    work("aten::item", DEVICE_COPY, 3, 3);
    assert_true(compare_reads_alike(&c));
    assert_null(compare_more_reads(&c, 1));
    matches[2].n[1] = 4;
    assert_false(compare_reads_alike(&c));
    assert_ptr_equal(compare_more_reads(&c, 1), &matches[2]);
    assert_null(compare_more_reads(&c, 0));
    rows[2].of[1] = NULL;
    assert_null(compare_more_reads(&c, 1));
    assert_false(compare_reads_alike(&c));
}

static void a_read_is_named_as_its_finding_does(void **state)
{
    (void)state;
    struct match *m = work("aten::item", DEVICE_COPY, 1, 2)->match;
    assert_text(compare_read_name(&a, &c, 1, m), "`item()`");
    finding(1, "cpu_idle.host_sync.item.none", 1, "");
    found[1][0].title = S("Defer the wait in item() (forward, model.py:9): it keeps");
    assert_text(compare_read_name(&a, &c, 1, m), "`item()` (forward, model.py:9)");
    found[1][0].title = S("Defer the wait in item(): it keeps");
    assert_text(compare_read_name(&a, &c, 1, m), "`item()`");
    m->name[1] = S("aten::nonzero");
    assert_text(compare_read_name(&a, &c, 1, m), "`aten::nonzero`");
}

/* Calls of 10, 20 and 31 us that take 1.1, 1.5 and 2 times as long: half of what they
 * take is behind the first two. */
static void the_pace_of_a_host_is_a_median(void **state)
{
    static const double longer[] = {1.1, 1.5, 2};
    static const int64_t call_ns[] = {10000, 20000, 31000};
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct compared_row *row = work("op", DEVICE_COMPUTE, 4, 4);
        for (int side = 0; side < 2; side++) {
            struct capture_row *r = &of[side][row - rows];
            r->n_calls = 4 * (side + 1); /* twice as many of the candidate */
            r->host_ns =
                (int64_t)((double)(call_ns[k] * r->n_calls) * (side ? longer[k] : 1));
        }
    }
    assert_true(fabs(compare_host_pace(a, &c) - 2) < 1e-6);
    of[0][0].host_ns = of[1][0].host_ns = 0; /* two are too few */
    assert_true(compare_host_pace(a, &c) == 1);
    of[0][0].host_ns = 40000;
    of[1][0].host_ns = 88000;
    c.selection.n_steps = 2; /* late in 2 of 8 steps alone: four times as much there */
    sides[1].n_steps = 8;
    assert_true(fabs(compare_host_pace(a, &c) - 5) < 1e-6);
    assert_text(pace_of_host(&a, &c, 1), ": its host takes 400% longer for the same "
                                         "calls");
    assert_text(pace_of_host(&a, &c, 0), "");
}

/* Reads beside input: where they leave less than four fifths to the finding. */
static void reads_may_take_a_part_beside_input(void **state)
{
    (void)state;
    c.idle_ns[1] = 100 * MS;
    c.selection.n_steps = 2;
    finding(1, "cpu_idle.host_loader.next.none", 79, "Waits for `__next__`.");
    assert_text(compare_waits_for(&a, &c, 1, &found[1][0]),
                " for its input (`__next__`)");
    struct match *m = work("aten::item", DEVICE_COPY, 2, 5)->match;
    assert_text(compare_waits_for(&a, &c, 1, &found[1][0]),
                " for its input (`__next__`), and because the host of `new` waits for "
                "it in `item()`, 2.5 times a step against 1");
    found[1][0].time_ms = 80;
    assert_text(compare_waits_for(&a, &c, 1, &found[1][0]),
                " for its input (`__next__`)");
    m->n[0] = 6; /* fewer than before: they take a part back, from 1.2 times on */
    found[1][0].time_ms = 119;
    assert_text(compare_waits_for(&a, &c, 1, &found[1][0]),
                " for its input (`__next__`)");
    found[1][0].time_ms = 120;
    assert_text(
        compare_waits_for(&a, &c, 1, &found[1][0]),
        " for its input (`__next__`), though less in `item()`, 2.5 times a step "
        "against 3");
}

static void what_a_gpu_waits_for_is_by_pattern(void **state)
{
    static const struct {
        const char *id, *issue, *want;
    } cases[] = {
        {"cpu_idle.host_other.x.y", "Slow.", " (what would help: Do it)"},
        {"cpu_idle.host_sync.x.y", "In `f`.", " because the host waits for it in `f`"},
        {"cpu_idle.host_dispatch.x.y", "In `f`.", " for the next launch"},
        {"cpu_idle.host_bound.x.y", "Slow.", " for the next launch"},
        {"cpu_idle.start_latency.x.y", "In `f`.", " between kernels"},
        {"cpu_idle.host_python.x.y", "In `f` (m.py:3).",
         " while the host runs `f` (m.py:3)"}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        sides[1].n_findings = 0;
        finding(1, cases[k].id, 1, cases[k].issue);
        assert_text(compare_waits_for(&a, &c, 1, &found[1][0]), cases[k].want);
    }
    work("aten::item", DEVICE_COPY, 1, 2);
    assert_text(
        compare_waits_for(&a, &c, 1, &found[1][0]),
        " because the host of `new` waits for it in `item()`, 2 times against 1, "
        "before it runs `f` (m.py:3)");
    matches[0].n[1] = 1; /* as often */
    finding(1, "cpu_idle.host_sync.x.y", 1, "In `f`.");
    assert_true(str_starts(compare_waits_for(&a, &c, 1, &found[1][1]),
                           S(" after its host has waited for it in `f`, as often as")));
}

static void a_row_has_a_name_and_its_shapes(void **state)
{
    (void)state;
    struct compared_row *row = work("aten::mm", DEVICE_COMPUTE, 1, 1);
    of[1][0].dims = S("((8, 8),)");
    assert_text(compare_row_name(&a, &c, row), "`aten::mm` on ((8, 8),)");
    matches[0].level = MATCH_EQUIVALENT;
    assert_text(compare_row_name(&a, &c, row), "`aten::mm`");
    matches[0].name[1] = S("aten::bmm");
    assert_text(compare_row_name(&a, &c, row), "`aten::bmm` in place of `aten::mm`");
    matches[0].name[0] = S("");
    assert_text(compare_row_name(&a, &c, row), "`aten::bmm`");
}

static void a_drift_is_of_all_kernels(void **state)
{
    (void)state;
    assert_text(compare_pace_text(&a, &c), "");
    c.drift = (struct drift){.found = true, .factor = 1.15};
    assert_true(str_starts(compare_pace_text(&a, &c),
                           S("all kernels take 15.0% longer: clock")));
    c.drift.factor = 0.9;
    c.parity = PARITY_OTHER_WORK;
    assert_true(str_starts(compare_pace_text(&a, &c),
                           S("kernels that both run take 10.0% less time: clock")));
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(most_of_a_difference_accounts_for_it),
        CASE(a_name_has_its_place),
        CASE(idle_time_is_of_what_grew),
        CASE(reads_are_copies_of_values),
        CASE(a_read_is_named_as_its_finding_does),
        CASE(the_pace_of_a_host_is_a_median),
        CASE(reads_may_take_a_part_beside_input),
        CASE(what_a_gpu_waits_for_is_by_pattern),
        CASE(a_row_has_a_name_and_its_shapes),
        CASE(a_drift_is_of_all_kernels),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
