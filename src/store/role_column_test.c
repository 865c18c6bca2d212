#include "store/role_column.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* What is recorded outranks the name, and the first event of a name the others. */
static void recorded_before_named(void **state)
{
    (void)state;
    struct role_column r = {0};
    event_role to_host = role_of_copy(PLACE_DEVICE, PLACE_PAGEABLE);
    role_note(&r, 3, to_host, S("Memcpy HtoD (Pageable -> Device)"));
    role_note(&r, 3, 0, S("Memcpy HtoD (Pageable -> Device)"));
    role_note(&r, 70000, 0, S("cudaGraphLaunch"));
    assert_int_equal(role_at(&r, 3), to_host);
    assert_true(role_at(&r, 70000) & ROLE_LAUNCHES_GRAPH);
    assert_int_equal(role_at(&r, 4), 0);
    assert_int_equal(role_at(&r, INT32_MAX), 0);
    assert_int_equal(role_bytes(&r, 10), 10 * sizeof(event_role));
    role_close(&r);
    assert_int_equal(role_at(&r, 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_before_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
