#include "job/job_make.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { RANKS = 4 };

static struct job_rank ranks[RANKS];
static struct rank_tables tables[RANKS];
static struct job_builder b;
static struct job j;
static struct err e;

/* Captures of so many ranks, in any order; each with a digest of its own. */
static void begin(int n)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    memset(ranks, 0, sizeof ranks);
    for (int i = 0; i < RANKS; i++) {
        ranks[i].rank = i;
        ranks[i].sha256 = ranks[i].file = str_of(names[i]);
        tables[i] = (struct rank_tables){.world = -1, .path = names[i]};
    }
    b = (struct job_builder){.ranks = ranks, .tables = tables, .n = n, .n_captures = n};
    j = (struct job){.n_ranks = n, .ranks = ranks};
    e = (struct err){0};
}

static bool sorted(void)
{
    j.n_ranks = 0;
    j.ranks = arena_new(&a, struct job_rank, RANKS);
    return sort_ranks(a, &b, &j, &e);
}

static void ranks_are_by_number_each_once(void **state)
{
    (void)state;
    begin(4);
    ranks[0].rank = 3;
    ranks[1].rank = 1;
    ranks[2].rank = 3;
    ranks[2].sha256 = ranks[0].sha256; /* the same trace again */
    ranks[3].rank = 0;
    assert_true(sorted());
    assert_int_equal(j.n_ranks, 3);
    assert_int_equal(j.n_duplicates, 1);
    assert_int_equal(j.ranks[0].rank, 0);
    assert_int_equal(j.ranks[1].rank, 1);
    assert_int_equal(j.ranks[2].rank, 3);
    assert_string_equal(b.tables[0].path, "d");
    assert_string_equal(b.tables[2].path, "a");
}

static void traces_of_two_jobs_do_not_fit(void **state)
{
    (void)state;
    begin(3);
    tables[0].world = 4;
    tables[2].world = 8; /* the one between says nothing */
    assert_false(sorted());
    assert_string_equal(e.what,
                        "of a job of 8 ranks, and a of one of 4; give the traces "
                        "of one job");
    begin(2);
    ranks[1].rank = 0; /* another trace of the same rank */
    assert_false(sorted());
    assert_string_equal(e.what, "of rank 0, and so is a; give one trace of a rank");
}

/* In units of an element; what a gather moves is what comes out. */
static void a_size_is_of_the_larger_message(void **state)
{
    struct capture_signature s = {
        .dtype = S("Half"), .in_elements = 100, .out_elements = 800};
    (void)state;
    assert_int_equal(bytes_of(&s, COLLECTIVE_ALL_REDUCE), 200);
    assert_int_equal(bytes_of(&s, COLLECTIVE_ALL_GATHER), 1600);
    assert_int_equal(bytes_of(&s, COLLECTIVE_RECV), 1600);
    s.out_elements = -1;
    assert_int_equal(bytes_of(&s, COLLECTIVE_ALL_GATHER), 200);
    s.in_elements = -1;
    assert_int_equal(bytes_of(&s, COLLECTIVE_ALL_REDUCE), -1);
    s.in_elements = INT64_MAX / 64 + 1;
    assert_int_equal(bytes_of(&s, COLLECTIVE_ALL_REDUCE), -1);
    s.in_elements = 8;
    s.dtype = S("?");
    assert_int_equal(bytes_of(&s, COLLECTIVE_ALL_REDUCE), -1);
}

/* Two ranks name the same group and size by other numbers. */
static void rows_name_signatures_of_the_job(void **state)
{
    struct capture_group groups[2][2] = {
        {{.name = S("tp"), .key = 7, .size = 2}},
        {{.name = S("dp"), .key = 8}, {.name = S("tp"), .key = 7, .size = 2}}};
    struct capture_signature signatures[2][2] = {
        {{.kind = S("all-reduce"), .dtype = S("Float"), .in_elements = 4, .group = 0},
         {.kind = S("barrier"), .in_elements = -1, .group = -1}},
        {{.kind = S("all-reduce"), .dtype = S("Float"), .in_elements = 4, .group = 1},
         {.kind = S("all-reduce"), .dtype = S("Float"), .in_elements = 4, .group = 0}}};
    struct job_member rows[2][2] = {{{.signature = 0}, {.signature = 1}},
                                    {{.signature = 1}, {.signature = 0}}};
    (void)state;
    begin(2);
    for (int i = 0; i < 2; i++) {
        tables[i].groups = groups[i];
        tables[i].signatures = signatures[i];
        tables[i].n_signatures = 2;
        ranks[i].rows = rows[i];
        ranks[i].n_rows = 2;
    }
    struct arena tmp = arena_first_half(&a);
    join_tables(&a, tmp, &b, &j);
    assert_int_equal(rows[0][0].signature, rows[1][1].signature);
    assert_int_equal(j.n_signatures, 3);
    assert_int_equal(j.n_groups, 3); /* and one of who says none */
    const struct job_signature *s = &j.signatures[rows[0][0].signature];
    assert_int_equal(s->kind, COLLECTIVE_ALL_REDUCE);
    assert_int_equal(s->bytes, 16);
    assert_text(j.groups[s->group].name, "tp");
    count_present(tmp, &j);
    assert_int_equal(j.groups[s->group].n_members, 2);
    assert_int_equal(j.groups[s->group].n_present, 2);
    int32_t dp = j.signatures[rows[1][0].signature].group;
    assert_int_equal(j.groups[dp].n_present, 1);
    assert_int_equal(j.groups[dp].size, 1); /* not recorded: as many as are there */
}

/* As many as the user says, else as the traces say, else as the largest group has. */
static void missing_ranks_are_those_of_the_world(void **state)
{
    struct job_group group = {.size = 6};
    (void)state;
    begin(2);
    ranks[1].rank = 3;
    j.groups = &group;
    j.n_groups = 1;
    find_missing(&a, &b, &j);
    assert_int_equal(j.n_expected, 6);
    static const int32_t want[] = {1, 2, 4, 5};
    assert_int_equal(j.n_missing, 4);
    assert_memory_equal(j.missing, want, sizeof want);
    j.n_missing = 0;
    tables[0].world = 4;
    find_missing(&a, &b, &j);
    assert_int_equal(j.world, 4);
    assert_int_equal(j.n_missing, 2);
    j.n_missing = 0;
    j.options.n_expected = 1; /* there are more */
    find_missing(&a, &b, &j);
    assert_int_equal(j.n_expected, 2);
    assert_int_equal(j.n_missing, 1);
}

/* Folders tell nodes if some are of several ranks, and none of more than a node has. */
static void nodes_are_told_by_host_folder_or_devices(void **state)
{
    (void)state;
    begin(4);
    for (int i = 0; i < 4; i++) {
        tables[i].folder = i < 2 ? S("n1") : S("n2");
        tables[i].n_devices = 2;
    }
    number_nodes(a, &b, &j);
    assert_int_equal(j.n_nodes, 2);
    assert_text(ranks[3].host, "n2");
    assert_int_equal(ranks[1].node, 0);
    assert_int_equal(ranks[2].node, 1);
    assert_int_equal(j.gpus_per_node, 2);
    begin(4);
    for (int i = 0; i < 4; i++) {
        tables[i].folder = i < 3 ? S("n1") : S("n2"); /* three of a node of two */
        tables[i].n_devices = 2;
    }
    number_nodes(a, &b, &j);
    assert_int_equal(ranks[0].host.n, 0);
    assert_int_equal(ranks[2].node, 1); /* by the devices of a node */
    begin(4);
    for (int i = 0; i < 4; i++)
        ranks[i].host = i % 2 ? S("odd") : S("even");
    number_nodes(a, &b, &j);
    assert_int_equal(ranks[3].node, 1);
    assert_int_equal(ranks[2].node, 0);
    j.options.gpus_per_node = 3; /* the user knows better */
    j.n_nodes = 0;
    number_nodes(a, &b, &j);
    assert_int_equal(ranks[2].node, 0);
    assert_int_equal(ranks[3].node, 1);
    begin(4);
    number_nodes(a, &b, &j);
    assert_int_equal(j.n_nodes, 1);
}

static void a_table_has_to_name_all_ranks(void **state)
{
    struct job_place places[] = {{0, 1, S("x")}, {1, 0, S("y")}};
    (void)state;
    begin(2);
    j.options.topology = (struct job_topology){places, 2, 2};
    assert_true(find_nodes(&a, &b, &j, &e));
    assert_int_equal(ranks[0].node, 1);
    assert_text(j.hosts[0], "y");
    j.options.redact_hosts = true;
    assert_true(find_nodes(&a, &b, &j, &e));
    assert_text(j.hosts[1], "node-0002");
    j.options.topology.n = 1;
    assert_false(find_nodes(&a, &b, &j, &e));
    assert_string_equal(e.what,
                        "--topology has no line for rank 1, of which there is a "
                        "trace");
}

/* The first rank begins at 0; a clock of another time begins with the one in the
 * middle.
 */
static void times_count_from_the_first_rank(void **state)
{
    (void)state;
    begin(3);
    ranks[0].start_ns = 500;
    ranks[1].start_ns = 700;
    ranks[2].start_ns = JOB_APART_MAX_NS + 701;
    ranks[2].end_ns = ranks[2].start_ns + 50;
    from_zero(a, &j);
    assert_int_equal(ranks[0].start_ns, 0);
    assert_int_equal(ranks[1].start_ns, 200);
    assert_int_equal(ranks[2].start_ns, 200);
    assert_int_equal(ranks[2].end_ns, 250);
    ranks[2].start_ns = JOB_APART_MAX_NS + 200; /* just near enough */
    from_zero(a, &j);
    assert_int_equal(ranks[2].start_ns, JOB_APART_MAX_NS + 200);
}

static void sums_have_to_fit(void **state)
{
    (void)state;
    begin(2);
    ranks[0].n_rows = 999;
    ranks[0].end_ns = 1000000;
    assert_true(adds_up(&j, &e));
    ranks[0].end_ns = CAPTURE_TIME_MAX_NS / 1000 + 1;
    assert_false(adds_up(&j, &e));
}

static void memory_is_asked_for_before_it_is_used(void **state)
{
    (void)state;
    begin(2);
    b.n_pairs = 1000;
    assert_true(fits(&b, &e));
    b.max_bytes = job_bytes(1000);
    assert_true(fits(&b, &e));
    b.max_bytes--;
    assert_false(fits(&b, &e));
    assert_true(strstr(e.what, "the 1000 collectives of 2 captures take about") !=
                NULL);
}

static void without_collectives_kernels_are_named(void **state)
{
    struct job_kernel silent[] = {{S("b"), 5}, {S("a"), 5}, {S("c"), 9}};
    (void)state;
    begin(2);
    b.silent = silent;
    b.n_silent = 3;
    assert_false(has_collectives(&b, &j, &e));
    assert_int_equal(j.n_kernels, 3);
    assert_text(j.kernels[0].name, "c");
    assert_text(j.kernels[1].name, "a");
    assert_text(j.kernels[2].name, "b");
    assert_true(strstr(e.what, "among the kernels of 2 ranks") != NULL);
    ranks[1].n_rows = 1;
    assert_true(has_collectives(&b, &j, &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_by_number_each_once),
        cmocka_unit_test(traces_of_two_jobs_do_not_fit),
        cmocka_unit_test(a_size_is_of_the_larger_message),
        cmocka_unit_test(rows_name_signatures_of_the_job),
        cmocka_unit_test(missing_ranks_are_those_of_the_world),
        cmocka_unit_test(nodes_are_told_by_host_folder_or_devices),
        cmocka_unit_test(a_table_has_to_name_all_ranks),
        cmocka_unit_test(times_count_from_the_first_rank),
        cmocka_unit_test(sums_have_to_fit),
        cmocka_unit_test(memory_is_asked_for_before_it_is_used),
        cmocka_unit_test(without_collectives_kernels_are_named),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
