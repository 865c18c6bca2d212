#include "formats/packed_args.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Any members, of any size; over many pages. */
static struct arg_row row_of(int64_t k)
{
    struct arg_row row = no_arg_row;
    if (k % 2)
        row.correlation = k * k * k - 1000;
    if (k % 3)
        row.bytes = INT64_MAX - k;
    if (k % 5)
        row.end_ns = INT64_MIN + 1 + k;
    if (k % 7)
        row.dims = (name_id)(k % 300);
    if (k % 11)
        row.call_stack = INT32_MAX;
    return row;
}

static void rows_come_back_as_they_were(void **state)
{
    (void)state;
    enum { ROWS = 20000 };
    struct packed_args p = {0};
    for (int k = 0; k < ROWS; k++) {
        struct arg_row row = row_of(k);
        packed_args_add(&p, &row);
    }
    for (int k = 0; k < ROWS; k++) {
        struct arg_row is = packed_args_next(&p), was = row_of(k);
        assert_memory_equal(&is, &was, sizeof is);
        if (k % 1000 == 0)
            packed_args_forget(&p);
    }
    assert_int_equal(p.read, p.n);
    assert_true(p.n < ROWS * 40);
    packed_args_close(&p);
}

static void none_is_no_memory(void **state)
{
    (void)state;
    struct packed_args p = {0};
    packed_args_forget(&p);
    packed_args_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_come_back_as_they_were),
                                       cmocka_unit_test(none_is_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
