#include "allocator_retry.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Runtime calls of one operator, separated by blanks. */
static struct allocator_retries in_operator(const char *calls, bool of_operator)
{
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "k", 0, 1, 5, 1);
    if (of_operator)
        case_op(&c, "aten::empty", 10, 500);
    double at = 11;
    char all[256], *save;
    snprintf(all, sizeof all, "%s", calls);
    for (char *word = strtok_r(all, " ", &save); word;
         word = strtok_r(NULL, " ", &save), at += 10)
        case_call(&c, word, at, 9, 0);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct allocator_retries r = allocator_retries_find(&t);
    case_close(&c);
    return r;
}

static void what_fails_is_tried_again(void **state)
{
    (void)state;
    struct allocator_retries r =
        in_operator("hipMalloc hipDeviceSynchronize hipFree hipFree hipMalloc", true);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.freed, 2);
    r = in_operator("cuMemCreate cuStreamSynchronize cuMemUnmap cuMemCreate", true);
    assert_int_equal(r.n, 1);
}

static void other_ways_to_allocate_and_free_are_no_retry(void **state)
{
    (void)state;
    static const char *const calls[] = {
        "cudaFree cudaMalloc",                             /* nothing failed */
        "cudaMalloc cudaMalloc",                           /* nothing is freed */
        "cudaMalloc cudaLaunchKernel cudaFree cudaMalloc", /* memory of a kernel */
        "cudaMalloc cudaFree cudaMemsetAsync cudaMalloc",
        "cudaHostAlloc cudaFreeHost cudaHostAlloc", /* memory of the host */
        "cudaMalloc cudaFree",
    };
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
        assert_int_equal(in_operator(calls[k], true).n, 0);
    assert_int_equal(in_operator("cudaMalloc cudaFree cudaMalloc", false).n, 0);
}

static void an_emptied_cache_returns_many_in_a_row(void **state)
{
    (void)state;
    static const struct {
        const char *calls;
        bool of_operator;
        int emptied;
    } cases[] = {
        {"cudaMalloc cudaFree cudaFree cudaFree cudaFree cudaFree", false, 5},
        {"cudaMalloc cudaFree cudaFree cudaFree", false, 0},
        {"cudaFree cudaFree cudaLaunchKernel cudaFree cudaFree", false, 0},
        {"cudaFree cudaFree cudaFree cudaFree", true, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(in_operator(cases[k].calls, cases[k].of_operator).emptied,
                         cases[k].emptied);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_emptied_cache_returns_many_in_a_row),
        cmocka_unit_test(what_fails_is_tried_again),
        cmocka_unit_test(other_ways_to_allocate_and_free_are_no_retry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
