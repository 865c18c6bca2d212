#include "report/job/reference_sums.c"

#include "report/job/reference_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/near_case.h"

enum { US = 1000 };

/* A group of two ranks, its all-reduces as the kernels tell them. */
struct sums_case {
    struct arena a;
    struct job_rank ranks[2];
    struct job_group group;
    struct job_signature signatures[2];
    struct job j;
};

static void begin(struct sums_case *c)
{
    static const int32_t both[] = {0, 1};
    *c = (struct sums_case){.a = arena_reserve(1 << 24)};
    for (int i = 0; i < 2; i++) {
        c->ranks[i] = (struct job_rank){.rank = 4 + i, .node = i};
        c->signatures[i] = (struct job_signature){.kind = COLLECTIVE_ALL_REDUCE,
                                                  .kind_source = FACT_KERNEL,
                                                  .name = S("allreduce"),
                                                  .dtype = S("Float"),
                                                  .in_elements = 1024 << i,
                                                  .out_elements = 1024 << i,
                                                  .root = -1};
    }
    c->group =
        (struct job_group){.name = S("dp"), .ranks = both, .n_ranks = 2, .size = 2};
    c->j = (struct job){.ranks = c->ranks,
                        .n_ranks = 2,
                        .groups = &c->group,
                        .n_groups = 1,
                        .signatures = c->signatures,
                        .n_signatures = 2};
}

/* Which of the tables, in the order of reference_tables.h. */
static struct report_table table_at(struct sums_case *c, int which)
{
    struct report_table all[REFERENCE_TABLES];
    struct arena tmp = arena_first_half(&c->a);
    int n = job_reference_tables(&c->a, tmp, &c->j, all);
    assert_true(which < n);
    return all[which];
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

static int64_t int_of(const struct report_table *t, ptrdiff_t row, const char *title)
{
    const struct cell *x = cell_of(t, row, title);
    assert_int_equal(x->kind, CELL_INT);
    return x->as.i;
}

static double real_of(const struct report_table *t, ptrdiff_t row, const char *title)
{
    const struct cell *x = cell_of(t, row, title);
    assert_int_equal(x->kind, CELL_REAL);
    return x->as.r;
}

/* 7 and 65543 have their last 16 bits in common. */
static void streams_with_high_numbers_are_streams(void **state)
{
    struct sums_case c;
    (void)state;
    begin(&c);
    struct job_member rows[] = {
        {.stream = 7, .dur_ns = 10 * US},
        {.start_ns = 20 * US, .stream = 65543, .dur_ns = 5 * US},
        {.start_ns = 30 * US, .stream = -1, .dur_ns = 2 * US},
        {.start_ns = 40 * US, .stream = 7, .dur_ns = 10 * US}};
    c.ranks[0].rows = rows;
    c.ranks[0].n_rows = 4;
    struct report_table t = table_at(&c, 1);
    assert_int_equal(t.n_rows, 3);
    static const int streams[] = {7, 65543, -1}, counts[] = {2, 1, 1};
    static const double sums_us[] = {20, 5, 2};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(int_of(&t, i, "stream"), streams[i]);
        assert_int_equal(int_of(&t, i, "operation_count"), counts[i]);
        assert_near(real_of(&t, i, "dur_sum"), sums_us[i], 1e-9);
    }
}

/* Rows that take as long are in the order of rank, kind and stream, whatever sorts. */
static void ties_have_an_order(void **state)
{
    struct sums_case c;
    (void)state;
    begin(&c);
    struct job_member rows[2][4];
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 4; k++)
            rows[i][k] = (struct job_member){.start_ns = 20 * US * k,
                                             .dur_ns = 10 * US,
                                             .stream = 9 - k,
                                             .signature = k < 2};
        c.ranks[i].rows = rows[i];
        c.ranks[i].n_rows = 4;
    }
    struct report_table t = table_at(&c, 1);
    static const int streams[] = {6, 7, 8, 9};
    assert_int_equal(t.n_rows, 8);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(int_of(&t, i, "rank"), 4 + i / 4);
        assert_int_equal(int_of(&t, i, "stream"), streams[i % 4]);
    }
    const struct long_sum x = {.rank = 1, .signature = 3, .stream = 7, .sum_us = 5};
    struct long_sum y = x;
    y.stream = 65543;
    assert_true(by_sum(&x, &y) < 0 && by_sum(&y, &x) > 0);
}

static void sums_are_of_all_calls_of_a_rank(void **state)
{
    struct sums_case c;
    (void)state;
    begin(&c);
    struct job_member rows[] = {{.dur_ns = 2 * US},
                                {.start_ns = 20 * US, .dur_ns = 4 * US},
                                {.start_ns = 30 * US, .dur_ns = 9 * US}};
    c.ranks[1].rows = rows;
    c.ranks[1].n_rows = 3;
    struct report_table t = table_at(&c, 1);
    assert_int_equal(t.n_rows, 1);
    assert_int_equal(int_of(&t, 0, "rank"), 5);
    assert_int_equal(int_of(&t, 0, "In msg nelems"), 1024);
    assert_near(real_of(&t, 0, "In msg size (MB)_first"), 4.0 / 1024, 1e-12);
    assert_near(real_of(&t, 0, "dur_sum"), 15, 1e-9);
    assert_near(real_of(&t, 0, "dur_mean"), 5, 1e-9);
    assert_near(real_of(&t, 0, "dur_std"), sqrt(13), 1e-9); /* (9 + 1 + 16) / 2 */
    assert_near(real_of(&t, 0, "dur_min"), 2, 1e-9);
    assert_near(real_of(&t, 0, "dur_max"), 9, 1e-9);
}

/* Two all-reduces of two ranks: rank 4 waits 6 us in the first, rank 5 2 us in the
 * second. */
static void two_calls(struct sums_case *c, struct job_member rows[2][2])
{
    begin(c);
    rows[0][0] = (struct job_member){.start_ns = 0, .dur_ns = 10 * US};
    rows[1][0] = (struct job_member){.start_ns = 6 * US, .dur_ns = 5 * US};
    rows[0][1] = (struct job_member){.start_ns = 32 * US, .dur_ns = 3 * US};
    rows[1][1] = (struct job_member){.start_ns = 30 * US, .dur_ns = 4 * US};
    for (int i = 0; i < 2; i++) {
        c->ranks[i].rows = rows[i];
        c->ranks[i].n_rows = 2;
    }
}

static void a_kind_has_its_latencies_and_skews(void **state)
{
    struct sums_case c;
    struct job_member rows[2][2];
    (void)state;
    two_calls(&c, rows);
    struct report_table t = table_at(&c, 0);
    assert_int_equal(t.n_rows, 1);
    assert_int_equal(int_of(&t, 0, "count"), 2);
    assert_int_equal(int_of(&t, 0, "Group size"), 2);
    assert_near(real_of(&t, 0, "comm_latency_mean"), 4, 1e-9);
    assert_int_equal(int_of(&t, 0, "comm_latency_min"), 3);
    assert_int_equal(int_of(&t, 0, "comm_latency_max"), 5);
    assert_near(real_of(&t, 0, "skew in start time_mean"), 4, 1e-9);
    assert_int_equal(int_of(&t, 0, "skew in start time_max"), 6);
    assert_int_equal(int_of(&t, 0, "skew in end time_min"), 1);
    assert_near(real_of(&t, 0, "Total comm latency (ms)"), 0.008, 1e-12);
}

static void stragglers_are_those_that_wait_least(void **state)
{
    struct sums_case c;
    struct job_member rows[2][2];
    (void)state;
    two_calls(&c, rows);
    struct report_table t = table_at(&c, 4);
    static const int ranks[] = {5, 4}, waits_us[] = {2, 6}, durs_us[] = {9, 13};
    assert_int_equal(t.n_rows, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(int_of(&t, i, "rank"), ranks[i]);
        assert_int_equal(int_of(&t, i, "total_wait_time_us"), waits_us[i]);
        assert_int_equal(int_of(&t, i, "total_nccl_dur_us"), durs_us[i]);
        assert_int_equal(int_of(&t, i, "times_arrived_last"), 1);
        assert_int_equal(int_of(&t, i, "times_arrived_first"), 1);
        assert_int_equal(int_of(&t, i, "num_collectives"), 2);
        assert_int_equal(int_of(&t, i, "node_id"), ranks[i] - 4);
    }
}

/* Six ranks at the time of today, in ns since 1970: the sixth arrives 5 us late, and
 * the others wait 25 us. Their starts together do not fit into 64 bits. */
static void waits_are_sums_of_distances(void **state)
{
    enum { RANKS = 6 };
    static const int32_t all[] = {0, 1, 2, 3, 4, 5};
    struct sums_case c;
    struct job_rank ranks[RANKS];
    struct job_member rows[RANKS];
    (void)state;
    begin(&c);
    c.group =
        (struct job_group){.name = S("dp"), .ranks = all, .n_ranks = 6, .size = 6};
    for (int i = 0; i < RANKS; i++) {
        int64_t late_ns = i == RANKS - 1 ? 5 * US : 0;
        rows[i] = (struct job_member){.start_ns = 1764000000000000000 + late_ns,
                                      .dur_ns = 10 * US - late_ns};
        ranks[i] = (struct job_rank){.rank = i, .rows = &rows[i], .n_rows = 1};
    }
    c.j.ranks = ranks;
    c.j.n_ranks = RANKS;
    struct arena tmp = arena_first_half(&c.a);
    struct reference m = reference_open(&c.a, tmp, &c.j);
    assert_int_equal(m.n_places, 1);
    assert_int_equal(reference_sync(&m, 0)->wait_ns, 25 * US);
    assert_int_equal(reference_sync(&m, 0)->latest, RANKS - 1);
    reference_close(&m);
}

/* As strtod reads the digits: around halves between doubles too, and of either sign. */
static void times_in_us_are_what_their_digits_are_read_as(void **state)
{
    static const int64_t about[] = {0,
                                    1000,
                                    123456789,
                                    (INT64_C(1) << 53) - 1000,
                                    (INT64_C(1) << 53) + 1,
                                    INT64_C(1700000000000000000),
                                    INT64_C(1) << 60,
                                    (INT64_C(1) << 61) - 5000};
    char text[40];
    (void)state;
    for (size_t i = 0; i < sizeof about / sizeof *about; i++)
        for (int64_t k = 0; k < 4000; k++)
            for (int sign = -1; sign <= 1; sign += 2) {
                int64_t ns = about[i] + k;
                snprintf(text, sizeof text, "%s%lld.%03lld", sign < 0 ? "-" : "",
                         (long long)(ns / 1000), (long long)(ns % 1000));
                assert_true(reference_us(sign * ns) == strtod(text, NULL));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_with_high_numbers_are_streams),
        cmocka_unit_test(ties_have_an_order),
        cmocka_unit_test(sums_are_of_all_calls_of_a_rank),
        cmocka_unit_test(a_kind_has_its_latencies_and_skews),
        cmocka_unit_test(stragglers_are_those_that_wait_least),
        cmocka_unit_test(waits_are_sums_of_distances),
        cmocka_unit_test(times_in_us_are_what_their_digits_are_read_as),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
