#include "report/job/job_worst.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { RANKS = 3, INSTANCES = 7, US = 1000 };

static struct job_member rows[RANKS];
static struct job_rank ranks[RANKS];
static struct member_ref members[RANKS];
static struct job_instance instances[INSTANCES];
static struct job_signature signature;
static struct job_group dp;
static struct job_step twelfth;
static int32_t by_time[INSTANCES];
static struct job j;
static struct job_document document;
static struct job_maker m;
static struct arena scratch;

/* Of three ranks the first comes at 2000, the second at 1000, the third at 1400 us, and
 * data move until 2100. */
static void begin(void)
{
    static const int64_t start_us[] = {2000, 1000, 1400};
    memset(ranks, 0, sizeof ranks);
    memset(instances, 0, sizeof instances);
    for (int i = 0; i < RANKS; i++) {
        rows[i] = (struct job_member){.start_ns = start_us[i] * US,
                                      .dur_ns = (2100 - start_us[i]) * US};
        ranks[i] = (struct job_rank){
            .rank = 4 + i, .rows = &rows[i], .n_rows = 1, .file = S("t 1.json")};
        members[i] = (struct member_ref){.rank = i, .row = 0};
    }
    rows[0].part_ns[SEGMENT_COMPUTE] = 1500 * US;
    rows[0].part_ns[SEGMENT_IDLE] = 400 * US;
    rows[1].part_ns[SEGMENT_COMPUTE] = 900 * US;
    rows[2].part_ns[SEGMENT_COMPUTE] = 1300 * US;
    instances[0] = (struct job_instance){.n_members = RANKS,
                                         .first_start_ns = 1000 * US,
                                         .last_start_ns = 2000 * US,
                                         .last_end_ns = 2100 * US,
                                         .wait_ns = 1600 * US,
                                         .step = 0};
    signature = (struct job_signature){.kind = COLLECTIVE_ALL_REDUCE, .bytes = 4096};
    dp = (struct job_group){.name = S("dp")};
    twelfth = (struct job_step){.number = 12};
    for (int i = 0; i < INSTANCES; i++)
        by_time[i] = i;
    j = (struct job){.ranks = ranks,
                     .n_ranks = RANKS,
                     .members = members,
                     .n_members = RANKS,
                     .instances = instances,
                     .n_instances = 1,
                     .by_time = by_time,
                     .signatures = &signature,
                     .groups = &dp,
                     .steps = &twelfth,
                     .n_steps = 1};
    document = (struct job_document){0};
    m = (struct job_maker){.perm = &a, .j = &j, .d = &document};
    m.tmp = scratch;
}

static struct field_value told(const struct worst *w, const char *name)
{
    const struct field *f = field_of(worst_fields(), name);
    assert_non_null(f);
    return field_value(f, &(struct described){w, NULL, &a});
}

/* Five, most waiting first, of equal ones the earlier; none that nobody waited for. */
static void the_worst_are_those_with_most_waiting(void **state)
{
    static const int64_t wait_ns[INSTANCES] = {5, 9, 0, 9, 1, 7, 2};
    struct worst found[WORST];
    (void)state;
    begin();
    j.n_instances = INSTANCES;
    for (int i = 0; i < INSTANCES; i++)
        instances[i].wait_ns = wait_ns[i];
    by_time[1] = 3; /* the fourth came before the second */
    by_time[3] = 1;
    assert_int_equal(find_worst(&m, found), 5);
    static const int want[] = {3, 1, 5, 0, 6};
    for (int i = 0; i < 5; i++)
        assert_ptr_equal(found[i].x, &instances[want[i]]);
    j.n_instances = 3;
    assert_int_equal(find_worst(&m, found), 2); /* nobody waited for the third */
}

static void ranks_are_in_the_order_of_arrival(void **state)
{
    (void)state;
    begin();
    const struct worst_said *said = job_worst_page(&m);
    assert_int_equal(said->n, 1);
    const struct worst *w = said->list;
    assert_int_equal(rank_at(&j, w, 0)->rank, 5);
    assert_int_equal(rank_at(&j, w, 2)->rank, 4);
    assert_text(told(w, "name").text, "worst-1");
    assert_int_equal(told(w, "number").whole, 1);
    assert_int_equal(told(w, "last_rank").whole, 4);
    assert_int_equal(told(w, "waiting").whole, 2);
    assert_int_equal(told(w, "wait_ns").whole, 1600 * US);
    assert_int_equal(told(w, "skew_ns").whole, 1000 * US);
    assert_int_equal(told(w, "bytes").whole, 4096);
    assert_text(told(w, "kind").text, "all-reduce");
    assert_text(told(w, "group").text, "dp");
    assert_int_equal(told(w, "step").whole, 12);
    instances[0].step = -1;
    assert_int_equal(told(w, "step").whole, -1);
    assert_false(told(w, "has_step").flag);
    j.start_ns = 500 * US;
    assert_int_equal(told(w, "at_ns").whole, 1500 * US);
}

/* Drawn from the earliest segment on, 100 us: what it did, how long it waited, and how
 * data moved. */
static void a_row_has_what_it_did_then_waits(void **state)
{
    (void)state;
    begin();
    job_worst_page(&m);
    const struct job_shown *s = job_shown_at(&a, &document, S("worst-1"));
    const struct report_figure *f = s->figure;
    assert_int_equal(f->n_series, 3);
    assert_text(f->series[0].label, "rank 5");
    assert_text(f->series[2].label, "rank 4, last");
    assert_text(f->series[0].value_text, "900 µs, waits 1.00 ms");
    assert_text(f->series[2].value_text, "1.90 ms, waits 0");
    assert_true(f->x_high == 2);
    static const struct {
        int row;
        double low, high;
        enum figure_slot slot;
    } want[] = {{0, 0, 0.9, SLOT_COMPUTE},       {0, 0.9, 1.9, SLOT_WAITS},
                {0, 1.9, 2, SLOT_COMMUNICATION}, {1, 0, 1.3, SLOT_COMPUTE},
                {1, 1.3, 1.9, SLOT_WAITS},       {1, 1.9, 2, SLOT_COMMUNICATION},
                {2, 0, 1.5, SLOT_COMPUTE},       {2, 1.5, 1.9, SLOT_IDLE},
                {2, 1.9, 2, SLOT_COMMUNICATION}};
    assert_int_equal(f->n_marks, (int)(sizeof want / sizeof *want));
    for (int i = 0; i < f->n_marks; i++) {
        assert_int_equal((int)f->marks[i].x, want[i].row);
        assert_true(fabs(f->marks[i].low - want[i].low) < 1e-9);
        assert_true(fabs(f->marks[i].high - want[i].high) < 1e-9);
        assert_int_equal(f->marks[i].slot, want[i].slot);
    }
}

/* Beside the median by the length of its segment: rank 6 with 1300 us. */
static void the_last_is_compared_with_the_median(void **state)
{
    struct job_cause cause = {.row = 0, .cause = IDLE_PYTHON, .ns = 250 * US};
    (void)state;
    begin();
    ranks[0].causes = &cause;
    ranks[0].n_causes = 1;
    job_worst_page(&m);
    const struct job_table *t = job_shown_at(&a, &document, S("worst-1"))->table;
    assert_text(t->columns[1].title, "Rank 4, the last, ms");
    assert_text(t->columns[2].title, "Rank 6, the median, ms");
    static const char *const want[][4] = {
        {"computing", "1.500", "1.300", "0.200"},
        {"idle", "0.400", "0.000", "0.400"},
        {"of its idle time: Python", "0.250", "-", "-"},
        {"together", "1.900", "1.300", "0.600"}};
    assert_int_equal(t->n_rows, 4);
    for (int row = 0; row < 4; row++)
        for (int k = 0; k < 4; k++)
            assert_text(job_cell(t, row, k)->text, want[row][k]);
}

/* The last, the first, and those between; from its segment on, with a margin. */
static void the_command_cuts_the_traces_of_all(void **state)
{
    (void)state;
    begin();
    job_worst_page(&m);
    struct str command = job_shown_at(&a, &document, S("worst-1"))->command;
    assert_true(
        str_starts(command, S("tracefolio cut 't 1.json' 't 1.json' 't 1.json'")));
    assert_true(str_ends(command, S("--from=-100 --to=2300 -o worst-1.json.gz")));
    begin(); /* the last began later than the first came */
    rows[0].part_ns[SEGMENT_COMPUTE] = 300 * US;
    rows[0].part_ns[SEGMENT_IDLE] = 0;
    j.start_ns = 500 * US;
    job_worst_page(&m);
    command = job_shown_at(&a, &document, S("worst-1"))->command;
    assert_true(str_ends(command, S("--from=300 --to=1800 -o worst-1.json.gz")));
    begin();
    j.clock_free = true;
    job_worst_page(&m);
    assert_int_equal(job_shown_at(&a, &document, S("worst-1"))->command.n, 0);
    begin();
    ranks[1].file = S("");
    job_worst_page(&m);
    assert_int_equal(job_shown_at(&a, &document, S("worst-1"))->command.n, 0);
}

/* Of a hundred: 16 first, 16 in the middle, 32 last. */
static void of_many_ranks_some_are_shown(void **state)
{
    struct worst w = {.n = 64};
    int shown = 0;
    (void)state;
    for (int k = 0; k < 64; k++)
        assert_true(is_shown(&w, k));
    w.n = 100;
    for (int k = 0; k < 100; k++)
        shown += is_shown(&w, k);
    assert_int_equal(shown, 64);
    assert_true(is_shown(&w, 15) && !is_shown(&w, 16));
    assert_true(!is_shown(&w, 41) && is_shown(&w, 42) && is_shown(&w, 57) &&
                !is_shown(&w, 58));
    assert_true(!is_shown(&w, 67) && is_shown(&w, 68));
    begin();
    int32_t order[100] = {0};
    w = (struct worst){.x = &instances[0], .name = S("w"), .n = 100, .order = order};
    struct report_figure f = worst_figure(&m, &w);
    assert_int_equal(f.n_series, 66);
    assert_text(f.series[16].label, "... 26 ranks");
    assert_text(f.series[33].label, "... 10 ranks");
    assert_text(f.series[65].label, "rank 4, last");
}

int main(void)
{
    scratch = arena_reserve(1 << 20);
    char *first = scratch.at;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_are_those_with_most_waiting),
        cmocka_unit_test(ranks_are_in_the_order_of_arrival),
        cmocka_unit_test(a_row_has_what_it_did_then_waits),
        cmocka_unit_test(the_last_is_compared_with_the_median),
        cmocka_unit_test(the_command_cuts_the_traces_of_all),
        cmocka_unit_test(of_many_ranks_some_are_shown),
    };
    int failed = cmocka_run_group_tests(tests, set_up, tear_down);
    arena_release(first, &scratch);
    return failed;
}
