#include "compare_compiled.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"
#include "report/table_case.h"

static struct capture sides[2];
static struct capture_code code[2][3];
static struct comparison c;

static int begin(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++)
        sides[side] = (struct capture){.compiled = code[side]};
    c = (struct comparison){.of = {&sides[0], &sides[1]}};
    return 0;
}

/* Of each figure `times` as much. */
static void add(int side, const char *kind, const char *name, int frame, int version,
                int times)
{
    code[side][sides[side].n_compiled++] =
        (struct capture_code){.kind = str_of(kind),
                              .name = str_of(name),
                              .frame = frame,
                              .version = version,
                              .calls = 2,
                              .kernels = 6 * times,
                              .host_ns = 8000000 * times,
                              .device_ns = 10000000 * times,
                              .breaks = 12 * times,
                              .break_ns = 14000000 * times};
}

/* Both versions of frame 2 are one row, of four calls. */
static void frames_are_compared_by_number(void **state)
{
    (void)state;
    add(0, "region", "2/0", 2, 0, 1);
    add(0, "region", "2/1", 2, 1, 2);
    add(1, "region", "7/0", 7, 0, 1);
    add(1, "region", "2/0", 2, 0, 3);
    struct report_table t = compare_compiled_table(&a, &c);
    assert_string_equal(
        row_shown(&a, &t, 0),
        "kind=region reference=2 candidate=2 calls_reference=4 calls_candidate=2 "
        "device_ms_reference=7.5 device_ms_candidate=15 diff_pct_of_reference=100 "
        "host_ms_reference=6 host_ms_candidate=12 kernels_reference=4.5 "
        "kernels_candidate=9 breaks_reference=9 breaks_candidate=18 "
        "break_ms_reference=10.5 break_ms_candidate=21 versions_reference=2 "
        "versions_candidate=1");
    assert_string_equal(
        members_shown(&a, compared_code_fields(), &compare_compiled(&a, &c).rows[1]),
        "kind=region name_ref=- name_tgt=7 calls_ref=0 calls_tgt=2 device_ref_ms=- "
        "device_tgt_ms=5 diff_pct_of_reference=- host_ref_ms=- host_tgt_ms=4 "
        "kernels_ref=- kernels_tgt=3 breaks_ref=- breaks_tgt=6 break_ref_ms=- "
        "break_tgt_ms=7 versions_ref=- versions_tgt=1");
}

/* Of one graph left on each side its key changed; of two nobody knows which. */
static void graphs_are_compared_by_key(void **state)
{
    (void)state;
    add(0, "graph", "f1", -1, -1, 1);
    add(1, "graph", "f2", -1, -1, 1);
    assert_int_equal(compare_compiled(&a, &c).n, 1);
    add(0, "graph", "f3", -1, -1, 1);
    assert_int_equal(compare_compiled(&a, &c).n, 3);
    add(1, "graph", "f1", -1, -1, 2);
    struct compared_compiled all = compare_compiled(&a, &c);
    assert_int_equal(all.n, 2);
    assert_text(all.rows[0].name[1], "f1");
    assert_text(all.rows[1].name[0], "f3");
    assert_text(all.rows[1].name[1], "f2");
    sides[0].n_compiled = 0;
    assert_int_equal(compare_compiled(&a, &c).n, 0);
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(frames_are_compared_by_number),
        CASE(graphs_are_compared_by_key),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
