#include "report/job/reference_parts.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { US = 1000 };

static const int32_t both[] = {0, 3};
static struct job_group groups[2];
static struct job_signature signatures[3];
static struct job_member rows[2][4];
static struct job_rank ranks[2];
static struct job j;

/* Two ranks, two groups: tp of both, and one without a name; a broadcast that only the
 * kernel's name tells. */
static void begin(void)
{
    groups[0] = (struct job_group){
        .name = S("tp"), .ranks = both, .n_ranks = 2, .size = 2, .crosses_nodes = true};
    groups[1] = (struct job_group){.size = 4};
    signatures[0] = (struct job_signature){.kind = COLLECTIVE_ALL_REDUCE,
                                           .kind_source = FACT_KERNEL,
                                           .name = S("allreduce"),
                                           .dtype = S("Float"),
                                           .in_elements = 1 << 18,
                                           .out_elements = 1 << 18};
    signatures[1] = (struct job_signature){.kind = COLLECTIVE_ALL_GATHER,
                                           .kind_source = FACT_KERNEL,
                                           .group = 1,
                                           .dtype = S("BFloat16"),
                                           .in_elements = 1 << 10,
                                           .out_elements = 1 << 19};
    signatures[2] = (struct job_signature){.kind = COLLECTIVE_BROADCAST,
                                           .kind_source = FACT_NAME,
                                           .in_elements = -1,
                                           .out_elements = -1};
    memset(rows, 0, sizeof rows);
    for (int i = 0; i < 2; i++)
        ranks[i] = (struct job_rank){.rank = 3 * i, .rows = rows[i]};
    j = (struct job){.ranks = ranks,
                     .n_ranks = 2,
                     .groups = groups,
                     .n_groups = 2,
                     .signatures = signatures,
                     .n_signatures = 3};
}

static void add(int rank, int signature, int64_t start_ns, int64_t dur_ns)
{
    rows[rank][ranks[rank].n_rows++] = (struct job_member){
        .signature = signature, .start_ns = start_ns, .dur_ns = dur_ns};
}

static struct arena scratch;

static struct reference opened(void)
{
    return reference_open(&a, scratch, &j);
}

/* The k-th of a group on each rank is one, whatever lies between. */
static void collectives_are_numbered_within_their_group(void **state)
{
    (void)state;
    begin();
    add(0, 0, 0, 10 * US);
    add(0, 1, 20 * US, 10 * US);
    add(0, 0, 40 * US, 10 * US);
    add(1, 1, 5 * US, 10 * US);
    add(1, 0, 20 * US, 10 * US);
    struct reference m = opened();
    assert_false(m.simplified);
    assert_int_equal(m.n_places, 3);
    assert_ptr_equal(reference_member(&m, 0, 1), &rows[1][1]);
    assert_ptr_equal(reference_member(&m, 1, 1), &rows[1][0]);
    assert_null(reference_member(&m, 2, 1)); /* rank 3 has one of tp */
    assert_ptr_equal(reference_member(&m, 2, 0), &rows[0][2]);
    assert_int_equal(m.places[2].index, 1);
    assert_text(id_of(&m, &m.places[2]), "tp_1");
    assert_text(reference_group(&m, &signatures[0]), "tp");
    assert_text(reference_group(&m, &signatures[1]), "Unknown_Group");
    assert_text(reference_group(&m, &signatures[2]), "Unknown_Group");
    assert_text(m.ranks_of[0], "[0, 3]");
    assert_text(m.ranks_of[1], "");
    reference_close(&m);
}

/* Without names of groups and on one stream each, all is one list. */
static void without_groups_all_is_one_list(void **state)
{
    (void)state;
    begin();
    add(0, 1, 0, 10 * US);
    add(0, 2, 20 * US, 10 * US);
    add(1, 1, 0, 10 * US);
    struct reference m = opened();
    assert_true(m.simplified && m.whole_us);
    assert_text(reference_group(&m, &signatures[1]), "all");
    assert_int_equal(m.n_places, 2);
    reference_close(&m);
    rows[0][1].stream = 7; /* another stream than its first */
    rows[1][0].dur_ns++;
    m = opened();
    assert_false(m.simplified || m.whole_us);
    reference_close(&m);
    rows[0][1].stream = 0;
    rows[1][0] = (struct job_member){.start_ns = 500};
    m = opened();
    assert_false(m.whole_us);
    reference_close(&m);
}

/* Rank 0 comes at 100 and takes 30 us, rank 3 at 110 and takes 25 us: 10 us of waiting,
 * 25 us for 1 MiB. */
static void a_place_has_the_times_of_its_ranks(void **state)
{
    (void)state;
    begin();
    add(0, 0, 100 * US, 30 * US);
    add(1, 0, 110 * US, 25 * US);
    struct reference m = opened();
    const struct sync *y = reference_sync(&m, 0);
    assert_int_equal(y->n, 2);
    assert_int_equal(y->latency_ns, 25 * US);
    assert_int_equal(y->first_ns, 100 * US);
    assert_int_equal(y->last_ns, 110 * US);
    assert_int_equal(y->first_end_ns, 130 * US);
    assert_int_equal(y->last_end_ns, 135 * US);
    assert_int_equal(y->wait_ns, 10 * US);
    assert_int_equal(y->earliest, 0);
    assert_int_equal(y->latest, 1);
    assert_true(y->full_mib == 1);
    assert_true(fabs(y->algorithm - 1 / 1024.0 / 25e-6) < 1e-9);
    assert_true(y->bus == y->algorithm); /* 2 (n - 1) / n of two ranks */
    reference_close(&m);
}

/* An all-gather is as large as what comes out; 3 of 4 parts go over a link. Of equal
 * times the last is the earliest, and the first the latest. */
static void a_gather_counts_what_comes_out(void **state)
{
    (void)state;
    begin();
    add(0, 1, 100 * US, 20 * US);
    add(1, 1, 100 * US, 20 * US);
    struct reference m = opened();
    const struct sync *y = reference_sync(&m, 0);
    assert_true(y->full_mib == 1); /* 2^19 elements of two bytes */
    assert_true(fabs(y->bus - 0.75 * y->algorithm) < 1e-9);
    assert_int_equal(y->earliest, 1);
    assert_int_equal(y->latest, 0);
    reference_close(&m);
    begin();
    add(0, 2, 100 * US, 20 * US); /* of no known size */
    m = opened();
    assert_true(isnan(reference_sync(&m, 0)->full_mib));
    assert_true(isnan(reference_sync(&m, 0)->bus));
    reference_close(&m);
}

static void sizes_are_in_mib(void **state)
{
    (void)state;
    assert_true(reference_mib(1 << 20, S("Half")) == 2);
    assert_true(reference_mib(1 << 19, S("Long")) == 4);
    assert_true(reference_mib(0, S("Float")) == 0);
    assert_true(isnan(reference_mib(-1, S("Float"))));
    assert_true(isnan(reference_mib(8, S("Quux"))));
}

static void microseconds_are_the_nearest_doubles(void **state)
{
    (void)state;
    assert_true(reference_us(1500) == 1.5);
    assert_true(reference_us(-1) == -0.001);
    assert_true(reference_us(INT64_C(1700000000000000125)) == 1700000000000000.125);
    assert_true(reference_us(INT64_C(9007199254740993)) == 9007199254740.993);
}

int main(void)
{
    scratch = arena_reserve(1 << 20);
    char *first = scratch.at;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collectives_are_numbered_within_their_group),
        cmocka_unit_test(without_groups_all_is_one_list),
        cmocka_unit_test(a_place_has_the_times_of_its_ranks),
        cmocka_unit_test(a_gather_counts_what_comes_out),
        cmocka_unit_test(sizes_are_in_mib),
        cmocka_unit_test(microseconds_are_the_nearest_doubles),
    };
    int failed = cmocka_run_group_tests(tests, set_up, tear_down);
    arena_release(first, &scratch);
    return failed;
}
