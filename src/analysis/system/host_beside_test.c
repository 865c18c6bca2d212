#include "host_beside.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int64_t beside_ns(struct trace_case *c)
{
    case_open(c, NULL);
    struct tree_index t = tree_index_build(&c->perm, c->tmp, &c->view);
    struct host_time host = host_time_build(&c->perm, c->tmp, &t);
    int64_t ns = host_beside_graphs_ns(c->tmp, &host);
    case_close(c);
    return ns;
}

/* A graph of 4 ms. The loop prepares the next batch for 2 ms before it waits; one that
 * waits at once prepares it when the graph is over. */
static void a_loop_works_beside_its_graph_or_waits(void **state)
{
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        struct trace_case c;
        case_begin(&c);
        case_call(&c, "cudaGraphLaunch", 10, 90, 1);
        case_kernel(&c, "moe", 7, 100, 2000, 1);
        case_kernel(&c, "gemm", 7, 2101, 1999, 1);
        case_frame(&c, "schedule.py(9): prepare", waits ? 4200 : 200, 2000);
        case_call(&c, "cudaEventSynchronize", waits ? 110 : 2300, waits ? 4000 : 1800,
                  2);
        case_launch(&c, "next", 6300, 6305, 10, 3);
        assert_int_equal(beside_ns(&c), waits ? 0 : 2000000);
    }
}

/* A frame that sleeps is none, and what follows the next launch is beside that one. */
static void sleep_is_no_work_and_time_counts_once(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_call(&c, "cudaGraphLaunch", 10, 10, 1);
    case_kernel(&c, "moe", 7, 25, 1000, 1);
    case_call(&c, "cudaGraphLaunch", 110, 10, 2);
    case_kernel(&c, "moe", 7, 1030, 1000, 2);
    case_frame(&c, "threading.py(355): wait", 40, 60);
    case_frame(&c, "schedule.py(9): prepare", 200, 300);
    assert_int_equal(beside_ns(&c), 300000);
}

/* The copy of the tokens returns when the graph is over: from pageable memory it waits,
 * to pinned memory nothing tells what the call does so long. */
static void a_copy_that_waits_is_no_work(void **state)
{
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        struct trace_case c;
        case_begin(&c);
        case_call(&c, "cudaGraphLaunch", 10, 90, 1);
        case_kernel(&c, "gemm", 7, 100, 4000, 1);
        case_call(&c, "cudaMemcpyAsync", 200, 4000, 2);
        case_copy(&c,
                  pinned ? "Memcpy DtoH (Device -> Pinned)"
                         : "Memcpy DtoH (Device -> Pageable)",
                  4110, 5, 2, 64);
        case_launch(&c, "next", 6300, 6305, 10, 3);
        assert_int_equal(beside_ns(&c), pinned ? 3900000 : 0);
    }
}

/* From pageable memory behind the graph, the call lasts until the copy may start. */
static void a_copy_that_waits_for_its_turn_is_no_work(void **state)
{
    (void)state;
    for (int early = 0; early < 2; early++) {
        struct trace_case c;
        case_begin(&c);
        case_call(&c, "cudaGraphLaunch", 10, 90, 1);
        case_kernel(&c, "gemm", 7, 100, 4000, 1);
        case_call(&c, "cudaMemcpyAsync", 200, early ? 300 : 4000, 2);
        case_copy(&c, "Memcpy HtoD (Pageable -> Device)", 4110, 80, 2, 64);
        case_launch(&c, "next", 6300, 6305, 10, 3);
        assert_int_equal(beside_ns(&c), early ? 300000 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_works_beside_its_graph_or_waits),
        cmocka_unit_test(sleep_is_no_work_and_time_counts_once),
        cmocka_unit_test(a_copy_that_waits_is_no_work),
        cmocka_unit_test(a_copy_that_waits_for_its_turn_is_no_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
