#include "base/team.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

#include <cmocka.h>

struct heap {
    _Atomic int left, sum;
    _Atomic int came[TEAM_MAX];
};

static void take_all(void *context, int member)
{
    struct heap *h = context;
    atomic_fetch_add(&h->came[member], 1);
    for (int i; (i = atomic_fetch_sub(&h->left, 1)) > 0;)
        atomic_fetch_add(&h->sum, i);
}

static void every_part_is_taken_once(void **state)
{
    (void)state;
    for (int n = 1; n <= TEAM_MAX + 1; n += 8) {
        struct heap h = {.left = 1000};
        int came = 0;
        team_run(n, take_all, &h);
        assert_int_equal(h.sum, 1000 * 1001 / 2);
        for (int i = 0; i < TEAM_MAX; i++)
            came += h.came[i];
        assert_int_equal(came, n < TEAM_MAX ? n : TEAM_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_is_taken_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
