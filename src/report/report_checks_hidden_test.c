#include "report/report_checks_hidden.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static struct report r;
static struct analysis an;
static struct system_results results;
static struct idle_result *const i = &results.idle;
static struct op_tables tables;
static struct trace_facts *const f = &tables.facts;
static struct report_source source;
static struct check_list list;

static int begin(void **state)
{
    (void)state;
    results = (struct system_results){0};
    an = (struct analysis){.tables = &tables, .system = &results};
    r = (struct report){.analysis = &an};
    tables = (struct op_tables){0};
    source = (struct report_source){.perm = &a, .t = &tables, .a = &an};
    list = (struct check_list){.s = &source, .r = &r, .perm = &a, .cap = 40};
    return 0;
}

static void finds(struct measured (*check)(const struct check_list *),
                  enum report_check_result result, const char *sentence)
{
    struct measured m = check(&list);
    if (!str_eq(m.value, str_of(sentence)))
        fail_msg("\"%.*s\"", STRF(m.value));
    assert_int_equal(m.result, result);
}

static void graphs_may_hide_their_kernels(void **state)
{
    (void)state;
    assert_int_equal(graph_kernels(&list).value.n, 0);
    i->graph_launch_count = 10;
    finds(graph_kernels, CHECK_PASSED,
          "Every graph launch has kernels, which cover half of its time or more.");
    i->graph_launches_hidden = 3;
    i->hidden_ns[HIDDEN_GRAPH] = 20000000;
    i->hidden_ns[HIDDEN_NODES] = 4000000;
    finds(
        graph_kernels, CHECK_WARNING,
        "Kernels of 3 of 10 graph launches are not recorded: 20.00 ms behind them may "
        "be idle or work, and no finding counts them.");
    i->graph_launches_hidden = 0;
    i->graph_launches_partial = 2;
    i->graph_covered_ns = 1000000;
    i->graph_uncovered_ns = 5000000;
    finds(graph_kernels, CHECK_WARNING,
          "The kernels of 2 of 10 graph launches cover 1.00 ms of the 6.00 ms that "
          "these take: 4.00 ms between and behind them may be idle or work, and no "
          "finding counts them.");
    i->graph_launches_hidden = 1;
    assert_true(str_starts(graph_kernels(&list).value, S("Kernels of 1 of 10")));
    assert_true(str_has(graph_kernels(&list).value, S("them. The kernels of 2 of")));
}

static void the_host_may_wait_for_what_is_not_recorded(void **state)
{
    (void)state;
    assert_int_equal(waits(&list).result, CHECK_NOT_EVALUATED);
    assert_string_equal(waits(&list).what_to_do, "Record launch calls, too: {host}.");
    i->host_known = true;
    finds(waits, CHECK_NOT_EVALUATED,
          "No host call that waits for the GPU is recorded.");
    i->wait_count = 1;
    finds(waits, CHECK_PASSED,
          "The one call that waits for the GPU does not do so for 0.5 ms while nothing "
          "is recorded on it.");
    i->wait_count = 7;
    finds(waits, CHECK_PASSED,
          "None of 7 calls that wait for the GPU does so for 0.5 ms while nothing is "
          "recorded on it.");
    i->hidden_ns[HIDDEN_WAIT] = 3000000;
    finds(waits, CHECK_WARNING,
          "For 3.00 ms the host waits for a GPU on which nothing is recorded: this may "
          "be idle time or work.");
    f->early_wait_ns = 4000000;
    f->early_wait = S("hipDeviceSynchronize");
    finds(waits, CHECK_WARNING,
          "Before anything recorded is launched, the host waits 4.00 ms for "
          "the GPU: that work is not in the trace, most likely launched before the "
          "recording. For another 3.00 ms it waits for a GPU on which nothing is "
          "recorded.");
}

static void the_first_collective_may_wait_for_recordings(void **state)
{
    (void)state;
    f->unlinked = UNLINKED_IN_WINDOW;
    finds(skew, CHECK_NOT_EVALUATED, "The trace holds no collective.");
    f->n_collectives = 1;
    finds(skew, CHECK_NOT_EVALUATED, "1 collective is too few for a median.");
    f->n_collectives = 8;
    f->first_collective_ns = 7000000;
    f->expected_collective_ns = 1000000;
    finds(skew, CHECK_PASSED,
          "The first of 8 collectives takes 7.00 ms; from the median, 1.00 ms are "
          "expected.");
    f->skew_has_size = true;
    f->expected_collective_ns = 1000000;
    finds(skew, CHECK_PASSED,
          "The first of 8 collectives takes 7.00 ms; from the median and the size of "
          "its message, 1.00 ms are expected.");
    f->skew_ns = 5000000;
    finds(skew, CHECK_WARNING,
          "The first of 8 collectives takes 7.00 ms; from the median and the size of "
          "its message, 1.00 ms are expected: most likely it waits until the other "
          "ranks record. No percentage counts the 5.00 ms more that nothing hides.");
    f->unlinked++; /* any other window */
    assert_int_equal(skew(&list).result, CHECK_NOT_EVALUATED);
    assert_string_equal(skew(&list).what_to_do,
                        "Run without --exclude-unlinked and --include-backlog.");
}

/* Sixteen kernels make a burst. */
static void time_stamps_may_be_of_a_later_moment(void **state)
{
    (void)state;
    i->launch.launches = 15;
    i->hidden_ns[HIDDEN_BURST] = 9000000;
    assert_int_equal(time_stamps(&list).result, CHECK_NOT_EVALUATED);
    i->launch.launches = 16;
    finds(time_stamps, CHECK_WARNING,
          "Kernels start in bursts, faster than a GPU starts them and long after their "
          "launches: 9.00 ms before them may be idle or work.");
    i->hidden_ns[HIDDEN_BURST] = 0;
    assert_int_equal(time_stamps(&list).result, CHECK_PASSED);
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(graphs_may_hide_their_kernels),
        CASE(the_host_may_wait_for_what_is_not_recorded),
        CASE(the_first_collective_may_wait_for_recordings),
        CASE(time_stamps_may_be_of_a_later_moment),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
