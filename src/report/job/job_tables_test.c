#include "report/job/job_tables.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"
#include "report/table_case.h"

enum {
    RANKS_TABLE,
    STEPS_TABLE,
    BLAME_TABLE,
    CAUSE_TABLE,
    WHATIF_TABLE,
    BANDWIDTH_TABLE,
    GROUPS_TABLE,
    CLOCK_TABLE,
    MISSING_TABLE,
    COLLECTIVES_TABLE,
    MEASURED_TABLE
};

/* Two ranks, a step, a group, a collective. No two figures are the same, so that each
 * is seen in its own column. */
static struct job_rank ranks[2];
static struct job_step steps[] = {{.number = 7, .dur_ns = 900, .slowest = 1}};
static struct job_group groups[1];
static struct job_signature signatures[1];
static struct job_instance instances[2];
static struct job_bandwidth rates[2];
static int32_t missing[] = {5, 6}, by_time[] = {1, 0}, fixed[] = {1, 0};
static struct job_curve curve[] = {{-1, 5000}, {1, 4400}};
static struct job_fix fixes[1];
static struct job j;

static void make_ranks(void)
{
    ranks[0] = (struct job_rank){.rank = 2, .node = 1};
    ranks[1] = (struct job_rank){
        .rank = 3,
        .node = 4,
        .host = S("gpu<1>"),
        .page = S("r3/index.html"),
        .n_rows = 11,
        .balance = {.window_ns = 101,
                    .compute_ns = 102,
                    .transfer_ns = 103,
                    .wait_ns = 104,
                    .copy_ns = 105,
                    .idle_ns = 106,
                    .kernel_ns = 107,
                    .busy_ns = 108},
        .blame_ns = 201,
        .blame = 250,
        .own_blame = 202.6,
        .waited_ns = 204,
        .n_last = 12,
        .n_first = 13,
        .marginal_ns = 205,
        .top_frac = 0.125,
        .chronic_frac = 0.75,
        .is_named = true,
        .late = {.ns = 301, .part_ns = {302, 303, 304, 305}, .n = 14},
        .cause = S("copy"),
        .offset_ns = -401,
        .spread_ns = 402,
        .drift_ppm = 1.5,
        .clock_applied = true,
        .n_anchors = 15,
        .n_violations = 16,
        .measured = {901, 902, 903, 904, 905, 906, 907, 908, 909, 910, 911, 912, 913},
        .has_whatif = true,
        .save_ns = 700,
        .add_ns = 300};
}

static void make_groups(void)
{
    groups[0] = (struct job_group){.name = S("tp=0"),
                                   .description = S("mesh"),
                                   .role = S("TP"),
                                   .role_reason = S("size"),
                                   .role_guessed = true,
                                   .size = 8,
                                   .n_present = 2,
                                   .n_instances = 21,
                                   .confidence = CONFIDENCE_ALIGNED,
                                   .n_unmatched = 22,
                                   .n_mismatched = 23,
                                   .crosses_nodes = true,
                                   .slow_ratio = 1.25};
    signatures[0] =
        (struct job_signature){.kind = COLLECTIVE_ALL_REDUCE, .bytes = 4096};
    instances[0] = (struct job_instance){.step = -1, .sequence = -1, .is_start = true};
    instances[1] = (struct job_instance){.sequence = 31,
                                         .n_members = 2,
                                         .last_rank = 1,
                                         .first_start_ns = 1500,
                                         .last_start_ns = 1800,
                                         .min_dur_ns = 501,
                                         .last_end_ns = 2350,
                                         .wait_ns = 502};
    rates[0] = (struct job_bandwidth){.kind = COLLECTIVE_ALL_REDUCE,
                                      .dtype = S("Float"),
                                      .bytes = 601,
                                      .n = 24,
                                      .ranks = 8,
                                      .crosses_nodes = true,
                                      .transfer_ns = 602,
                                      .p95_ns = 603,
                                      .skew_ns = 604,
                                      .wait_ns = 605,
                                      .algorithm_gb_s = 6.5,
                                      .bus_gb_s = 7.5,
                                      .peak_frac = 0.5};
    rates[1] = (struct job_bandwidth){.bytes = -1, .skew_ns = -1};
    fixes[0] = (struct job_fix){.kind = FIX_NODE,
                                .what = S("gpu<1>"),
                                .ranks = fixed,
                                .n_ranks = 2,
                                .total_ns = 4100};
}

static struct report_table made(int which)
{
    struct report_table tables[JOB_TABLES];
    make_ranks();
    make_groups();
    j = (struct job){.ranks = ranks,
                     .n_ranks = 2,
                     .steps = steps,
                     .n_steps = 1,
                     .groups = groups,
                     .n_groups = 1,
                     .signatures = signatures,
                     .n_signatures = 1,
                     .instances = instances,
                     .n_instances = 2,
                     .by_time = by_time,
                     .missing = missing,
                     .n_missing = 2,
                     .bandwidth = rates,
                     .n_bandwidth = 2,
                     .start_ns = 1000,
                     .wait_ns = 1000,
                     .clock_free = true,
                     .whatif_shown = true,
                     .identity_ns = 5000,
                     .ideal_ns = 4000,
                     .fast_transfer_ns = 4500,
                     .named_ns = 4200,
                     .even_ns = -1,
                     .links_ns = 4300,
                     .curve = curve,
                     .n_curve = 2,
                     .fixes = fixes,
                     .n_fixes = 1};
    job_tables(&a, &j, tables);
    return tables[which];
}

static void row_is(const struct report_table *t, ptrdiff_t row, const char *want)
{
    assert_string_equal(row_shown(&a, t, row), want);
}

static void each_part_of_time_is_in_its_column(void **state)
{
    (void)state;
    struct report_table t = made(RANKS_TABLE);
    assert_text(t.name, "job_ranks");
    assert_int_equal(t.n_rows, 2);
    row_is(&t, 1,
           "rank=3 node=4 host=gpu<1> window_ns=101 compute_ns=102 transfer_ns=103 "
           "wait_ns=104 copy_ns=105 idle_ns=106 kernel_ns=107 busy_ns=108 "
           "collectives=11 page=r3/index.html");
    assert_int_equal(table_cell(&t, 1, 2)->kind, CELL_NAME); /* hostile */
}

static void steps_name_their_slowest_rank(void **state)
{
    (void)state;
    struct report_table t = made(STEPS_TABLE);
    assert_int_equal(t.n_rows, 1);
    row_is(&t, 0, "step=7 dur_ns=900 slowest_rank=3");
}

static void blame_is_a_share_of_all_waiting(void **state)
{
    (void)state;
    struct report_table t = made(BLAME_TABLE);
    row_is(&t, 1,
           "rank=3 blame_ns=201 blame_share=0.25 own_blame_ns=203 waited_ns=204 "
           "times_last=12 times_first=13 marginal_ns=205 top_frac=0.125 "
           "chronic_frac=0.75 named=yes");
}

static void lateness_has_its_parts(void **state)
{
    (void)state;
    struct report_table t = made(CAUSE_TABLE);
    row_is(&t, 1,
           "rank=3 late_ns=301 compute_ns=302 copy_ns=303 other_communication_ns=304 "
           "idle_ns=305 instances=14 cause=copy");
}

static void changes_are_told_with_what_they_save(void **state)
{
    static const char *const want[] = {
        "change=recorded rank=- of= total_ns=5000 saved_ns=0",
        "change=no late ranks rank=- of= total_ns=4000 saved_ns=1000",
        "change=fast transfers rank=- of= total_ns=4500 saved_ns=500",
        "change=late ranks fixed rank=- of= total_ns=4200 saved_ns=800",
        "change=slow groups as fast as others rank=- of= total_ns=4300 saved_ns=700",
        "change=save rank=3 of= total_ns=4300 saved_ns=700",
        "change=add rank=3 of= total_ns=4300 saved_ns=700",
        "change=fixed rank=3 of= total_ns=4400 saved_ns=600",
        "change=node rank=3 of=gpu<1> total_ns=4100 saved_ns=900"};
    enum { N = sizeof want / sizeof *want };
    (void)state;
    struct report_table t = made(WHATIF_TABLE);
    assert_int_equal(t.n_rows, N);
    for (int i = 0; i < N; i++)
        row_is(&t, i, want[i]);
}

static void without_a_replay_there_are_no_changes(void **state)
{
    (void)state;
    (void)made(WHATIF_TABLE);
    j.whatif_shown = false;
    assert_int_equal(whatif_table(&a, &j).n_rows, 0);
}

static void rates_leave_out_what_is_not_known(void **state)
{
    (void)state;
    struct report_table t = made(BANDWIDTH_TABLE);
    row_is(&t, 0,
           "kind=all-reduce dtype=Float bytes=601 ranks=8 span=between nodes count=24 "
           "transfer_ns=602 transfer_p95_ns=603 skew_ns=604 wait_ns=605 "
           "algorithm_gb_per_s=6.5 bus_gb_per_s=7.5 peak_share=0.5");
    assert_int_equal(table_cell(&t, 1, 2)->kind, CELL_NONE);
    assert_int_equal(table_cell(&t, 1, 8)->kind, CELL_NONE);
    assert_text(table_cell(&t, 1, 4)->as.text, "within a node");
}

static void a_role_that_is_guessed_says_so(void **state)
{
    (void)state;
    struct report_table t = made(GROUPS_TABLE);
    struct str want = str_printf(
        &a,
        "group=tp=0 description=mesh role=TP (guess) role_from=size size=8 present=2 "
        "collectives=21 matching=%.*s unmatched=22 mismatched=23 span=between nodes "
        "slow_ratio=1.25",
        STRF(match_word(CONFIDENCE_ALIGNED)));
    row_is(&t, 0, str_c(&a, want));
    groups[0].role_guessed = false;
    t = groups_table(&a, &j);
    assert_text(table_cell(&t, 0, 2)->as.text, "TP");
}

static void clocks_without_a_file_have_no_shift(void **state)
{
    (void)state;
    struct report_table t = made(CLOCK_TABLE);
    row_is(&t, 1,
           "rank=3 offset_ns=-401 spread_ns=402 drift_ppm=1.5 applied=yes anchors=15 "
           "violations=16 cut_shift_us=-");
}

static void missing_ranks_are_listed(void **state)
{
    (void)state;
    struct report_table t = made(MISSING_TABLE);
    assert_int_equal(t.n_rows, 2);
    row_is(&t, 0, "rank=5");
    row_is(&t, 1, "rank=6");
}

static void collectives_are_by_time(void **state)
{
    (void)state;
    struct report_table t = made(COLLECTIVES_TABLE);
    assert_int_equal(t.n_rows, 2);
    row_is(&t, 0,
           "group=tp=0 sequence=31 kind=all-reduce bytes=4096 step=7 ranks=2 "
           "last_rank=3 start_ns=800 skew_ns=300 transfer_ns=501 end_ns=550 "
           "wait_ns=502 capture_start=no");
    row_is(&t, 1,
           "group=tp=0 sequence=- kind=all-reduce bytes=4096 step=- ranks=0 "
           "last_rank=2 start_ns=-1000 skew_ns=0 transfer_ns=0 end_ns=0 wait_ns=0 "
           "capture_start=yes");
}

static void figures_of_a_rank_are_under_their_names(void **state)
{
    (void)state;
    struct report_table t = made(MEASURED_TABLE);
    row_is(&t, 1,
           "rank=3 mfu_pct=901 hfu_pct=902 mfu_covered_pct=903 memory_peak_bytes=905 "
           "best_bus_gb_per_s=906 sm_active_pct=907 power_w=908 step_j=909 "
           "few_blocks_pct=904 layer_ms=910 compiled_breaks=911 compiled_break_ms=912 "
           "recompiled_frames=913");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_of_time_is_in_its_column),
        cmocka_unit_test(steps_name_their_slowest_rank),
        cmocka_unit_test(blame_is_a_share_of_all_waiting),
        cmocka_unit_test(lateness_has_its_parts),
        cmocka_unit_test(changes_are_told_with_what_they_save),
        cmocka_unit_test(without_a_replay_there_are_no_changes),
        cmocka_unit_test(rates_leave_out_what_is_not_known),
        cmocka_unit_test(a_role_that_is_guessed_says_so),
        cmocka_unit_test(clocks_without_a_file_have_no_shift),
        cmocka_unit_test(missing_ranks_are_listed),
        cmocka_unit_test(collectives_are_by_time),
        cmocka_unit_test(figures_of_a_rank_are_under_their_names),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
