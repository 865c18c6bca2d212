#include "kernels/event_role.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Of the documentation of CUDA and HIP: what each call does. */
static void calls_by_name(void **state)
{
    (void)state;
    enum {
        KERNEL = ROLE_LAUNCHES | ROLE_LAUNCHES_KERNEL,
        GRAPH = ROLE_LAUNCHES | ROLE_LAUNCHES_GRAPH,
        TAKES = ROLE_TAKES | ROLE_MEMORY,
        FREES = ROLE_FREES | ROLE_GIVES | ROLE_MEMORY
    };
    static const struct {
        const char *name;
        enum wait_kind wait;
        event_role bits;
    } cases[] = {
        {"cudaLaunchKernel", WAITS_NOT, KERNEL},
        {"cudaLaunchKernelExC", WAITS_NOT, KERNEL},
        {"hipExtModuleLaunchKernel", WAITS_NOT, KERNEL},
        {"cudaLaunchHostFunc", WAITS_NOT, ROLE_LAUNCHES | ROLE_HOST},
        {"cuGraphLaunch", WAITS_NOT, GRAPH},
        {"cudaGraphLaunch_ptsz", WAITS_NOT, GRAPH},
        {"cudaMemcpy", WAITS_COPY, ROLE_COPIES},
        {"cudaMemcpyAsync", WAITS_NOT, ROLE_COPIES | ROLE_ASYNC},
        {"hipMemsetAsync", WAITS_NOT, ROLE_FILLS | ROLE_ASYNC},
        {"cudaStreamWaitEvent", WAITS_NOT, ROLE_STREAM_WAIT},
        {"cudaStreamSynchronize", WAITS_SOME, 0},
        {"cudaDeviceSynchronize", WAITS_ALL, 0},
        {"cudaEventQuery", WAITS_POLL, 0},
        {"cudaMalloc", WAITS_NOT, TAKES},
        {"cudaFree", WAITS_FREE, FREES},
        {"hipHostMalloc", WAITS_NOT, TAKES | ROLE_HOST},
        {"cuMemUnmap", WAITS_NOT, ROLE_GIVES | ROLE_MEMORY},
        {"cudaModuleLoadData", WAITS_NOT, ROLE_LOADS},
        {"cudaGraphInstantiate", WAITS_NOT, ROLE_GRAPH},
        {"cudaStreamBeginCapture", WAITS_NOT, ROLE_GRAPH | ROLE_CAPTURE_BEGINS},
        {"cudaStreamEndCapture", WAITS_NOT, ROLE_GRAPH | ROLE_CAPTURE_ENDS},
        {"cudaStreamIsCapturing", WAITS_NOT, 0},
    };
    event_role others = ~(event_role)(ROLE_KNOWN | ROLE_WAIT_MASK << ROLE_WAIT_SHIFT |
                                      ROLE_WAY_MASK << ROLE_WAY_SHIFT);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        event_role r = role_of_name(str_of(cases[k].name));
        if (!(r & ROLE_KNOWN) || role_wait(r) != cases[k].wait ||
            (r & others) != cases[k].bits)
            fail_msg("%s: wait %d, bits %x", cases[k].name, role_wait(r), r & others);
    }
}

/* What a source records as enums is what Kineto's name of the same copy says. */
static void copies_by_places_and_by_name(void **state)
{
    (void)state;
    static const struct {
        enum memory_place from, to;
        const char *name;
        enum copy_direction way;
    } cases[] = {
        {PLACE_PAGEABLE, PLACE_DEVICE, "Memcpy HtoD (Pageable -> Device)", COPY_H2D},
        {PLACE_DEVICE, PLACE_PINNED, "Memcpy DtoH (Device -> Pinned)", COPY_D2H},
        {PLACE_DEVICE, PLACE_PAGEABLE, "Memcpy DtoH (Device -> Pageable)", COPY_D2H},
        {PLACE_HOST, PLACE_DEVICE, "Memcpy HtoD (Host -> Device)", COPY_H2D},
        {PLACE_DEVICE, PLACE_DEVICE, "Memcpy DtoD (Device -> Device)", COPY_D2D},
        {PLACE_DEVICE, PLACE_PEER, "Memcpy PtoP (Device -> Device)", COPY_D2D},
        {PLACE_HOST, PLACE_HOST, "Memcpy HtoH (Host -> Host)", COPY_OTHER},
        {PLACE_UNKNOWN, PLACE_DEVICE, "Memcpy", COPY_OTHER},
    };
    enum { SAID = ROLE_PAGEABLE | ROLE_PINNED | ROLE_PEER };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        event_role r = role_of_copy(cases[k].from, cases[k].to),
                   n = role_of_name(str_of(cases[k].name));
        assert_int_equal(role_way(r), cases[k].way);
        assert_int_equal(role_way(n), cases[k].way);
        assert_int_equal(copy_direction_of(str_of(cases[k].name)), cases[k].way);
        assert_int_equal(r & SAID, n & SAID);
        assert_int_equal(role_copies_pageable(r), k == 2);
    }
    assert_int_equal(role_way(0), COPY_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls_by_name),
                                       cmocka_unit_test(copies_by_places_and_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
