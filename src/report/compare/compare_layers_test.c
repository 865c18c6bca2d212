#include "compare_layers.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"
#include "base/near_case.h"
#include "report/table_case.h"

enum { LAYERS = 20, MS = 1000000 };

static struct capture sides[2];
static struct capture_layer layers[2][LAYERS];
static struct comparison c;

static int begin(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++)
        sides[side] = (struct capture){.layers = layers[side]};
    c = (struct comparison){.of = {&sides[0], &sides[1]}};
    return 0;
}

/* Two calls; of their time a quarter is forward. */
static void add(int side, struct str class, double call_ms, double idle_ms)
{
    int at = sides[side].n_layers++;
    layers[side][at] = (struct capture_layer){
        .class = class,
        .name = str_printf(&a, "%s%d", side ? "new_" : "old_", at),
        .calls = 2,
        .forward_ns = llround(call_ms * MS / 4) * 2,
        .backward_ns = llround(call_ms * MS / 4) * 6,
        .idle_ns = (int64_t)(idle_ms * 2 * MS)};
}

static const char *row_of(int row)
{
    struct report_table t = compare_layers_table(&a, &c);
    return row_shown(&a, &t, row);
}

static void layers_are_next_to_each_other(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        add(0, S("Block"), 3 + 3 * k, 0.75 + 0.75 * k); /* 3, 6, 9 ms */
        add(1, S("Block"), 6 + 3 * k, 1.5);
    }
    assert_string_equal(
        row_of(0),
        "class_reference=Block class_candidate=Block place=- reference=- candidate=- "
        "layers_reference=3 layers_candidate=3 call_ms_reference=6 call_ms_candidate=9 "
        "diff_pct_of_reference=50 idle_ms_reference=1.5 idle_ms_candidate=1.5");
    assert_string_equal(
        row_of(3),
        "class_reference=Block class_candidate=Block place=3 reference=old_2 "
        "candidate=new_2 layers_reference=3 layers_candidate=3 call_ms_reference=9 "
        "call_ms_candidate=12 diff_pct_of_reference=33.3333 idle_ms_reference=2.25 "
        "idle_ms_candidate=1.5");
    assert_string_equal(row_of(4), "");
    assert_string_equal(
        members_shown(&a, compared_layer_fields(), &compare_layers(&a, &c).rows[1]),
        "class_ref=Block class_tgt=Block place=1 name_ref=old_0 name_tgt=new_0 "
        "layers_ref=3 layers_tgt=3 call_ref_ms=3 call_tgt_ms=6 "
        "diff_pct_of_reference=100 idle_ref_ms=0.75 idle_tgt_ms=1.5");
}

/* By name, whatever their number; else by their number, of three or more. */
static void kinds_are_paired(void **state)
{
    (void)state;
    add(0, S("Embedding"), 3, 0);
    add(1, S("Embedding"), 3, 0);
    add(1, S("Embedding"), 6, 0); /* the mean alone */
    for (int k = 0; k < 3; k++) {
        add(0, S("Old"), 3, 0);
        add(1, S("New"), 6, 0);
    }
    for (int k = 0; k < 2; k++) { /* too few */
        add(0, S("Head"), 3, 0);
        add(1, S("Tail"), 3, 0);
    }
    struct compared_layers all = compare_layers(&a, &c);
    assert_int_equal(all.n, 1 + 4);
    assert_int_equal(all.rows[0].n[0], 1);
    assert_int_equal(all.rows[0].n[1], 2);
    assert_near(all.rows[0].call_ms[1], 4.5, 1e-5);
    assert_true(
        str_has(str_of(row_of(0)), S("layers_reference=1 layers_candidate=2 ")));
    assert_true(
        str_has(str_of(members_shown(&a, compared_layer_fields(), &all.rows[0])),
                S("layers_ref=1 layers_tgt=2 ")));
    assert_text(all.rows[1].class[0], "Old");
    assert_text(all.rows[1].class[1], "New");
    assert_int_equal(all.rows[4].place, 3);
    assert_true(isnan(all.rows[1].idle_ms[0])); /* nobody recorded any */
    layers[0][1].calls = layers[0][2].calls = layers[0][3].calls = 0;
    assert_true(isnan(compared_layer_pct(&compare_layers(&a, &c).rows[1])));
}

/* Most layers take 50 % longer: odd are those that take 40 % or 60 %, or less or more.
 */
static void odd_layers_are_told(void **state)
{
    static const double ms[] = {6, 6.4, 5.63, 6, 6.4, 6.38, 6, 8, 5.47};
    static const int places[] = {0, 8, 9, 2, 5};
    enum { N = sizeof ms / sizeof *ms, TOLD = sizeof places / sizeof *places };
    (void)state;
    for (int k = 0; k < N; k++) {
        add(0, S("Block"), 4, 0);
        add(1, S("Block"), ms[k], 0);
    }
    struct compared_layers told = compare_layers_told(&a, &c);
    assert_int_equal(told.n, TOLD);
    for (int k = 0; k < TOLD; k++)
        assert_int_equal(told.rows[k].place, places[k]);
}

/* Every second one is as it was, the others longer and longer, from 60 % on: half way
 * between, at 30 %, is the median. */
static void the_oddest_are_told(void **state)
{
    (void)state;
    for (int k = 0; k < LAYERS; k++) {
        add(0, S("Block"), 3, 0);
        add(1, S("Block"), k % 2 ? 4.5 + 0.3 * k : 3, 0);
    }
    struct compared_layers told = compare_layers_told(&a, &c);
    assert_int_equal(told.n, 1 + COMPARE_LAYERS_TOLD);
    for (int k = 1; k < 10; k++)
        assert_int_equal(told.rows[k].place, LAYERS + 2 - 2 * k);
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(layers_are_next_to_each_other),
        CASE(kinds_are_paired),
        CASE(odd_layers_are_told),
        CASE(the_oddest_are_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
