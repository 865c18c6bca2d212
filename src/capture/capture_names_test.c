#include "capture/capture_names.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static void test_ranks(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int rank;
    } cases[] = {{"rank7.json.gz", 7},
                 {"a/rank-12/t.json", 12},
                 {"rank3/rank_4.json", 4},
                 {"worker0/x.json", 0},
                 {"t.json", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(rank_of_path(str_of(cases[i].path)), cases[i].rank);
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int rank;
    } cases[] = {{"dlrm8-v100-r3.json.gz", 3},
                 {"a8/trace_12.pt.trace.json", 12},
                 {"7.json", 7},
                 {"r2.part5.json", 2},
                 {"t.json", -1},
                 {"trace-20260131.json", -1},
                 {"gpu01_4000.1769430653.pt.trace.json.gz", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(rank_of_number(str_of(cases[i].path)), cases[i].rank);
}

static void test_hosts(void **state)
{
    (void)state;
    assert_text(host_of_path(S("d/gpu01_4000.1769430653.pt.trace.json.gz")), "gpu01");
    assert_text(host_of_path(S("gpu01.pt.trace.json")), "");
    assert_text(host_of_path(S("gpu01_4000.json")), "");
    assert_text(folder_of_path(S("/a/node03//rank7.json")), "node03");
    assert_text(folder_of_path(S("rank7.json")), "");
    assert_text(folder_of_path(S("../rank7.json")), "");
    assert_text(folder_of_path(S("/rank7.json")), "");
    struct str file = S("gpu01_4000.17.pt.trace.json.gz");
    assert_text(file_without_host(&a, file, S(""), S("node-0001")),
                "node-0001_4000.17.pt.trace.json.gz");
    assert_text(file_without_host(&a, S("of-eve-r3.json"), S("eve"), S("host")),
                "of-host-r3.json");
    assert_text(file_without_host(&a, S("r3.json"), S("eve"), S("host")), "r3.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranks),
                                       cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_hosts)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
