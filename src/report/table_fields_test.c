#include "table_fields.c"

#include "base/arena_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct engine {
    struct str name;
    double kw;
};

struct boat {
    struct str name, note;
    int64_t built_ns, sold_ns, berths;
    bool afloat;
    double m;
    const struct engine *engine;
};

TELL(double, m_of_all, boat, it->m / *(const double *)in->whole);
COLUMNS(engine_columns, engine, COL(AS("motor", name, NAME), "Its engine"),
        COL(F(kw, EXACT), "Its power"));
COLUMNS(boat_columns, boat, COL(F(name, NAME), "As painted"),
        COL(F(note, TEXT), "Of ours"),
        COL_IN(MS, AS("built_ms", built_ns, NS_IN_MS), "When it was built"),
        COL(SPAN("kept_ns", NS, built_ns, sold_ns), "How long it was ours"),
        THROUGH(engine, engine_columns), COL(F(berths, KNOWN), "To sleep in"),
        COL(F(afloat, FLAG), "Whether it floats"),
        COL(CALL(share, EXACT, m_of_all), "Of the quay"));

static const double quay_m = 40;
static const struct engine diesel = {S_INIT("diesel"), 11.5};
static const struct boat boats[] = {
    {S_INIT("ida"), S_INIT("old"), 1500000, 4500000, 6, true, 10, &diesel},
    {S_INIT("uwe"), S_INIT(""), 0, 7, -1, false, (double)NAN, &diesel}};

static struct report_table of(struct field_items rows)
{
    return table_told(&a, "boats", "A boat of ours", boat_columns(), rows, &quay_m);
}

static void a_column_is_told_once(void **state)
{
    static const char *const titles[] = {"name",    "note",   "built_ms",
                                         "kept_ns", "motor",  "kw",
                                         "berths",  "afloat", "share"};
    (void)state;
    struct report_table t = of(TABLE_ITEMS(boats, 2));
    assert_text(t.name, "boats");
    assert_text(t.purpose, "A boat of ours");
    assert_int_equal(t.n_columns, sizeof titles / sizeof *titles);
    for (int k = 0; k < t.n_columns; k++)
        assert_text(t.columns[k].title, titles[k]);
    assert_text(t.columns[4].meaning, "Its engine");
    assert_int_equal(t.columns[2].unit, UNIT_MS);
    assert_int_equal(t.columns[3].unit, UNIT_NONE);
}

static void each_value_is_under_its_title(void **state)
{
    (void)state;
    struct report_table t = of(TABLE_ITEMS(boats, 2));
    const struct cell *c = table_cell(&t, 0, 0);
    assert_int_equal(t.n_rows, 2);
    assert_int_equal(c[0].kind, CELL_NAME);
    assert_text(c[0].as.text, "ida");
    assert_int_equal(c[1].kind, CELL_TEXT);
    assert_text(c[1].as.text, "old");
    assert_true(c[2].kind == CELL_REAL && c[2].as.r == 1.5);
    assert_true(c[3].kind == CELL_INT && c[3].as.i == 3000000);
    assert_int_equal(c[4].kind, CELL_NAME);
    assert_text(c[4].as.text, "diesel");
    assert_true(c[5].kind == CELL_REAL && c[5].as.r == 11.5);
    assert_true(c[6].kind == CELL_INT && c[6].as.i == 6);
    assert_true(c[7].kind == CELL_BOOL && c[7].as.b);
    assert_true(c[8].kind == CELL_REAL && c[8].as.r == 0.25);
}

static void unknown_is_empty(void **state)
{
    (void)state;
    struct report_table t = of(TABLE_ITEMS(boats, 2));
    const struct cell *c = table_cell(&t, 1, 0);
    assert_true(c[3].kind == CELL_INT && c[3].as.i == 7);
    assert_int_equal(c[6].kind, CELL_NONE);
    assert_int_equal(c[8].kind, CELL_NONE);
}

static void rows_may_be_pointers(void **state)
{
    (void)state;
    const struct boat *list[] = {&boats[1], &boats[0]};
    struct report_table t =
        of((struct field_items){.first = list, .n = 2, .pointers = true});
    assert_text(table_cell(&t, 0, 0)->as.text, "uwe");
    assert_text(table_cell(&t, 1, 0)->as.text, "ida");
    assert_int_equal(of(TABLE_ITEMS(NULL, 0)).n_rows, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_is_told_once),
        cmocka_unit_test(each_value_is_under_its_title),
        cmocka_unit_test(unknown_is_empty),
        cmocka_unit_test(rows_may_be_pointers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
