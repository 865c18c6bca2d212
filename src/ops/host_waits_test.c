#include "host_waits.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void names_say_what_waits(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum wait_kind kind;
    } cases[] = {{"cudaDeviceSynchronize", WAITS_ALL},
                 {"cuCtxSynchronize", WAITS_ALL},
                 {"hipStreamSynchronize", WAITS_SOME},
                 {"cudaEventSynchronize", WAITS_SOME},
                 {"aclrtSynchronizeStream", WAITS_SOME},
                 {"hipMemcpyWithStream", WAITS_COPY},
                 {"cudaMemcpy", WAITS_COPY},
                 {"cudaMemcpyToSymbol", WAITS_COPY},
                 {"cuMemcpyDtoH_v2", WAITS_COPY},
                 {"cudaMemcpyAsync", WAITS_NOT},
                 {"cudaMemcpyToSymbolAsync", WAITS_NOT},
                 {"cuMemcpyDtoHAsync_v2", WAITS_NOT},
                 {"cudaFree", WAITS_FREE},
                 {"cuMemFree_v2", WAITS_FREE},
                 {"cudaFreeAsync", WAITS_NOT},
                 {"cuMemFreeHost", WAITS_NOT},
                 {"cudaStreamQuery", WAITS_POLL},
                 {"hipEventQuery", WAITS_POLL},
                 {"cudaStreamWaitEvent", WAITS_NOT},
                 {"cudaLaunchKernel", WAITS_NOT}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (role_wait(role_of_name(str_of(cases[k].name))) != cases[k].kind)
            fail_msg("%s", cases[k].name);
    assert_true(
        role_copies_pageable(role_of_name(S("Memcpy DtoH (Device -> Pageable)"))));
    assert_false(
        role_copies_pageable(role_of_name(S("Memcpy DtoH (Device -> Pinned)"))));
    assert_false(
        role_copies_pageable(role_of_name(S("Memcpy HtoD (Pageable -> Device)"))));
}

/* Ten questions in 450 us are a loop, so are eight in 142; four or seven in a row,
 * eight in less than 100, or ten with pauses, are not. */
static void a_loop_of_questions_waits(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "k", 0, 5, 400, 1);
    for (int k = 0; k < 10; k++)
        case_call(&c, "cudaEventQuery", 10 + 50 * k, 2, 100 + k);
    case_call(&c, "cudaLaunchKernel", 600, 5, 200);
    for (int k = 0; k < 4; k++)
        case_call(&c, "cudaEventQuery", 700 + 50 * k, 2, 300 + k);
    for (int k = 0; k < 10; k++)
        case_call(&c, "cudaEventQuery", 2000 + 500 * k, 2, 400 + k);
    for (int k = 0; k < 8; k++)
        case_call(&c, "cudaEventQuery", 8000 + 20 * k, 2, 500 + k);
    for (int k = 0; k < 7; k++)
        case_call(&c, "cudaEventQuery", 9000 + 20 * k, 2, 600 + k);
    for (int k = 0; k < 8; k++)
        case_call(&c, "cudaEventQuery", 10000 + 13 * k, 2, 700 + k);
    case_open(&c, NULL);
    const struct host_waits *w = &c.view.waits;
    assert_int_equal(w->n, 2);
    assert_int_equal(w->n_loops, 2);
    assert_int_equal(w->at[1].start_ns, 8000000);
    assert_int_equal(w->at[1].end_ns, 8142000);
    assert_true(w->at[0].polls);
    assert_int_equal(w->at[0].start_ns, 10000);
    assert_int_equal(w->at[0].end_ns, 462000);
    int32_t lane = w->at[0].lane;
    assert_ptr_equal(host_waits_loop_at(w, lane, 300000), &w->at[0]);
    assert_null(host_waits_loop_at(w, lane, 462000));
    assert_null(host_waits_loop_at(w, lane, 9999));
    assert_int_equal(host_waits_longest_ns(w, 400000, 1000000), 62000);
    case_close(&c);
}

/* The same call, and only the name of its copy tells that it waits. */
static void a_pageable_copy_to_the_host_waits(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_call(&c, "cudaMemcpyAsync", 0, 100, 1);
    case_copy(&c, "Memcpy DtoH (Device -> Pageable)", 40, 50, 1, 4096);
    case_call(&c, "cudaMemcpyAsync", 200, 10, 2);
    case_copy(&c, "Memcpy DtoH (Device -> Pinned)", 240, 50, 2, 4096);
    case_open(&c, NULL);
    const struct host_waits *w = &c.view.waits;
    assert_int_equal(w->n, 1);
    assert_int_equal(w->at[0].end_ns, 100000);
    assert_false(w->at[0].polls);
    assert_int_equal(w->n_loops, 0);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_say_what_waits),
        cmocka_unit_test(a_loop_of_questions_waits),
        cmocka_unit_test(a_pageable_copy_to_the_host_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
