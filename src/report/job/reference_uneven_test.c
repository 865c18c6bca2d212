#include "report/job/reference_uneven.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { US = 1000 };

static const int32_t both[] = {0, 1};
static struct job_group group;
static struct job_signature signatures[2];
static struct job_member rows[2][4];
static struct job_rank ranks[2];
static struct job j;
static struct arena scratch;

/* All-to-all-v of two ranks: the first sends 1 MiB, to itself and to the other as much,
 * the second 3 MiB, all but a third to the first. */
static void begin(void)
{
    group = (struct job_group){.name = S("ep"), .ranks = both, .n_ranks = 2, .size = 2};
    for (int i = 0; i < 2; i++) {
        signatures[i] = (struct job_signature){.kind = COLLECTIVE_ALL_TO_ALL_V,
                                               .kind_source = FACT_KERNEL,
                                               .name = S("all_to_allv"),
                                               .dtype = S("Float"),
                                               .in_elements = (i ? 3 : 1) * (1 << 18),
                                               .out_elements = (i ? 1 : 3) * (1 << 18),
                                               .in_split = i ? S("[524288, 262144]")
                                                             : S("[131072, 131072]")};
        ranks[i] = (struct job_rank){.rank = i, .rows = rows[i]};
    }
    j = (struct job){.ranks = ranks,
                     .n_ranks = 2,
                     .n_expected = 2,
                     .groups = &group,
                     .n_groups = 1,
                     .signatures = signatures,
                     .n_signatures = 2};
}

static void add(int rank, int64_t start_us, int64_t dur_us)
{
    rows[rank][ranks[rank].n_rows++] = (struct job_member){.signature = rank,
                                                           .start_ns = start_us * US,
                                                           .dur_ns = dur_us * US,
                                                           .stream = 5};
}

static const struct cell *cell_of(const struct report_table *t, ptrdiff_t row,
                                  const char *title)
{
    for (ptrdiff_t k = 0; k < t->n_columns; k++)
        if (str_eq(t->columns[k].title, str_of(title)))
            return table_cell(t, row, k);
    fail_msg("no column %s", title);
    return NULL;
}

static void is_number(const struct report_table *t, ptrdiff_t row, const char *title,
                      double want)
{
    const struct cell *x = cell_of(t, row, title);
    double v = x->kind == CELL_INT ? (double)x->as.i : x->as.r;
    if ((x->kind != CELL_INT && x->kind != CELL_REAL) || !(fabs(v - want) < 1e-9))
        fail_msg("%s: %g, not %g", title, v, want);
}

/* Rank 0 from 0 to 100 us, rank 1 from 20 to 110: 4 MiB in 110 us. */
static void an_exchange_is_of_all_its_ranks(void **state)
{
    struct report_table to[UNEVEN_TABLES];
    (void)state;
    begin();
    add(0, 0, 100);
    add(1, 20, 90);
    struct reference m = reference_open(&a, scratch, &j);
    assert_int_equal(reference_uneven(&m, to), 3);
    const struct report_table *t = &to[0];
    assert_int_equal(t->n_rows, 1);
    assert_text(cell_of(t, 0, "Process Group Ranks")->as.text, "[0, 1]");
    is_number(t, 0, "stream", 5);
    is_number(t, 0, "total data communicated (MB)", 4);
    is_number(t, 0, "total nelems communicated", 1 << 20);
    is_number(t, 0, "wall_time (us)", 110);
    is_number(t, 0, "max_rank_dur (us)", 100);
    is_number(t, 0, "min_rank_dur (us)", 90);
    is_number(t, 0, "avg_rank_dur (us)", 95);
    is_number(t, 0, "throughput (GB/s)", 4 / 1024.0 / 110e-6);
    is_number(t, 0, "max_rank_throughput (GB/s)", 3 / 1024.0 / 90e-6);
    is_number(t, 0, "min_rank_throughput (GB/s)", 1 / 1024.0 / 100e-6);
    is_number(t, 0, "size_imbalance", 1.5); /* 3 of a mean of 2 */
    is_number(t, 0, "skew in start time", 20);
    is_number(t, 0, "skew in end time", 10);
    is_number(t, 0, "rank_1_ts", 20);
    is_number(t, 0, "rank_1_dur", 90);
    is_number(t, 0, "rank_1_In msg size (MB)", 3);
    is_number(t, 0, "rank_1_Out msg size (MB)", 1);
    is_number(t, 0, "rank_0_skew in start time", 0);
    is_number(t, 0, "rank_0_skew in end time", 10); /* ends 10 us before the other */
    is_number(t, 0, "rank_1_skew in start time", 20);
    is_number(t, 0, "rank_1_skew in end time", 0);
    assert_text(cell_of(t, 0, "rank_0_In split size")->as.text, "[131072, 131072]");
    assert_text(cell_of(t, 0, "node_span")->as.text, "intra_node");
    reference_close(&m);
}

/* A second one, which rank 1 lacks. Most data first. */
static void a_rank_may_lack_one(void **state)
{
    struct report_table to[UNEVEN_TABLES];
    (void)state;
    begin();
    add(0, 0, 100);
    add(1, 20, 90);
    add(0, 200, 50);
    struct reference m = reference_open(&a, scratch, &j);
    assert_int_equal(reference_uneven(&m, to), 3);
    const struct report_table *t = &to[0];
    assert_int_equal(t->n_rows, 2);
    is_number(t, 0, "total data communicated (MB)", 4);
    is_number(t, 1, "total data communicated (MB)", 1);
    is_number(t, 1, "wall_time (us)", 50);
    is_number(t, 1, "size_imbalance", 1);
    assert_int_equal(cell_of(t, 1, "rank_1_ts")->kind, CELL_NONE);
    assert_int_equal(cell_of(t, 1, "rank_1_skew in end time")->kind, CELL_NONE);
    /* Both are of one group and type. */
    t = &to[1];
    assert_int_equal(t->n_rows, 1);
    is_number(t, 0, "count", 2);
    is_number(t, 0, "total data communicated (MB)_mean", 2.5);
    is_number(t, 0, "total data communicated (MB)_median", 2.5);
    is_number(t, 0, "total data communicated (MB)_min", 1);
    is_number(t, 0, "total data communicated (MB)_max", 4);
    is_number(t, 0, "wall_time (us)_mean", 80);
    is_number(t, 0, "Total wall_time (us)", 160);
    is_number(t, 0, "Total wall_time (ms)", 0.16);
    is_number(t, 0, "size_imbalance_mean", 1.25);
    is_number(t, 0, "size_imbalance_max", 1.5);
    is_number(t, 0, "max_rank_dur (us)_mean", 75);
    is_number(t, 0, "skew in start time_max", 20);
    is_number(t, 0, "skew in end time_mean", 5);
    reference_close(&m);
}

/* What the first sends each time: half a MiB to each; the second sends 2 and 1. */
static void a_heatmap_says_who_sends_to_whom(void **state)
{
    struct report_table to[UNEVEN_TABLES];
    static const double want[][5] = {
        {0, 0, 1, 0.5, 2}, {0, 1, 1, 0.5, 2}, {1, 0, 2, 2, 1}, {1, 1, 1, 1, 1}};
    static const char *const titles[] = {"src_rank", "dst_rank", "total_sent_MB",
                                         "avg_sent_MB", "count"};
    (void)state;
    begin();
    add(0, 0, 100);
    add(1, 20, 90);
    add(0, 200, 50);
    struct reference m = reference_open(&a, scratch, &j);
    assert_int_equal(reference_uneven(&m, to), 3);
    assert_int_equal(to[2].n_rows, 4);
    for (int row = 0; row < 4; row++)
        for (int k = 0; k < 5; k++)
            is_number(&to[2], row, titles[k], want[row][k]);
    reference_close(&m);
    signatures[0].in_split = signatures[1].in_split = S("");
    m = reference_open(&a, scratch, &j);
    assert_int_equal(reference_uneven(&m, to), 2);
    signatures[0].name = signatures[1].name = S("all_to_all");
    assert_int_equal(reference_uneven(&m, to), 0);
    reference_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exchange_is_of_all_its_ranks),
        cmocka_unit_test(a_rank_may_lack_one),
        cmocka_unit_test(a_heatmap_says_who_sends_to_whom),
    };
    scratch = arena_reserve(1 << 20);
    char *first = scratch.at;
    int failed = cmocka_run_group_tests(tests, set_up, tear_down);
    arena_release(first, &scratch);
    return failed;
}
