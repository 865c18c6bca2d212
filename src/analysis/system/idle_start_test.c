#include "idle_start.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct idle_start found(struct trace_case *c)
{
    case_open(c, NULL);
    struct tree_index t = tree_index_build(&c->perm, c->tmp, &c->view);
    struct idle_gaps g = idle_gaps_find(&c->perm, c->tmp, &t);
    struct idle_start start = idle_start_find(c->tmp, &c->view, &g);
    case_close(c);
    return start;
}

/* One kernel prepares the graph for `first_us`, the host prepares it until 1000 us, and
 * its two kernels run for `graph_us`. */
static void begin(struct trace_case *c, double first_us, double graph_us)
{
    case_begin(c);
    case_frame(c, "loop.py(1): event_loop", 0, 30000);
    case_launch(c, "alloc", 5, 10, first_us, 1);
    case_call(c, "cudaGraphLaunch", 900, 100, 2);
    case_kernel(c, "moe", 7, 1000, graph_us / 2, 2);
    case_kernel(c, "gemm", 7, 1001 + graph_us / 2, graph_us / 2, 2);
}

/* The only graph launch works on for 3 ms after the host is done with it: the loop can
 * prepare the next one meanwhile, so the gap before it is of the recording. */
static void what_precedes_the_only_graph_is_of_the_recording(void **state)
{
    (void)state;
    struct trace_case c;
    begin(&c, 150, 3000);
    struct idle_start start = found(&c);
    assert_int_equal(start.n, 1);
    assert_int_equal(start.ahead_ns, 3001000);
}

/* A gap between two graphs shows what recurs; so does a graph that is over before the
 * host could prepare the next one. A kernel that takes more than a
 * twentieth of the time is work. */
static void what_may_recur_is_not(void **state)
{
    (void)state;
    struct trace_case c;
    begin(&c, 5, 3000);
    case_call(&c, "cudaGraphLaunch", 4900, 100, 3);
    case_kernel(&c, "moe", 7, 5000, 3000, 3);
    assert_int_equal(found(&c).n, 0);
    begin(&c, 5, 900);
    assert_int_equal(found(&c).n, 0);
    begin(&c, 170, 3000);
    assert_int_equal(found(&c).n, 0);
}

/* Of marked steps, without a graph: the gap from the mark to the first kernel, where
 * the host has launched all while most still has to run; not of two steps. */
static void one_marked_step_begins_with_an_empty_queue(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct trace_case c;
        case_begin(&c);
        case_event(&c, "user_annotation", "ProfilerStep#3", 1, 0, 1100, "");
        case_frame(&c, "train.py(1): main", 0, 30000);
        case_launch(&c, "first", 800, 805, 100, 1);
        case_launch(&c, "second", k == 1 ? 2000 : 820, k == 1 ? 2005 : 906,
                    k == 1 ? 500 : 2000, 2);
        if (k == 2) {
            case_event(&c, "user_annotation", "ProfilerStep#4", 1, 1100, 900, "");
            case_launch(&c, "first", 1900, 2910, 2000, 3);
        }
        assert_int_equal(found(&c).n, k == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_precedes_the_only_graph_is_of_the_recording),
        cmocka_unit_test(what_may_recur_is_not),
        cmocka_unit_test(one_marked_step_begins_with_an_empty_queue)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
