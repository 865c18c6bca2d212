#include "job/job_add.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool read_text(const char *text, struct job_topology *t, struct err *e)
{
    struct arena perm = arena_reserve(1 << 20), tmp = arena_reserve(1 << 20);
    *e = (struct err){0};
    return topology_read(&perm, tmp, str_of(text), "topology.csv", t, e);
}

static void nodes_are_numbered_by_their_first_rank(void **state)
{
    struct job_topology t;
    struct err e;
    (void)state;
    assert_true(
        read_text("gpu, Host ,rank\n# remark\n0,b,2\n1,a,0\r\n\n0,b,1\n", &t, &e));
    assert_int_equal(t.n, 3);
    assert_int_equal(t.n_nodes, 2);
    assert_true(str_eq(topology_place(&t, 0)->host, S("a")));
    assert_int_equal(topology_place(&t, 0)->node, 0);
    assert_int_equal(topology_place(&t, 1)->node, 1);
    assert_int_equal(topology_place(&t, 2)->node, 1);
    assert_null(topology_place(&t, 3));
}

static void what_is_wrong_is_told(void **state)
{
    static const char *const bad[] = {"",
                                      "rank,host\n",
                                      "rank\n0\n",
                                      "0,a\n1,b\n",
                                      "rank,host\nx,a\n",
                                      "rank,host\n0\n",
                                      "rank,host\n-1,a\n",
                                      "rank,host\n0,a\n0,b\n"};
    struct job_topology t;
    struct err e;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(read_text(bad[i], &t, &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_numbered_by_their_first_rank),
        cmocka_unit_test(what_is_wrong_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
