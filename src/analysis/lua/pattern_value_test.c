#include "analysis/lua/pattern_value.c"

#include <lualib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static struct str modules[] = {S_INIT("Model"), S_INIT("Block")};
static struct kernel_detail kernels[] = {
    {.name = S_INIT("gemm"), .n = 3, .total_us = 60, .mean_us = 20}};
static struct op_call_row call = {.category = S_INIT("GEMM")};
static struct op_group group = {.first = &call, .kernels = kernels, .n_kernels = 1};
static struct work_row rows[2];
static struct analysis an;
static lua_State *L;

static int begin(void **state)
{
    (void)state;
    rows[0] = (struct work_row){.group = &group,
                                .name = S("aten::mm"),
                                .args = S("(8,8)"),
                                .library = S("Tensile"),
                                .launcher_path = S("a.py(1): f"),
                                .category = WORK_GEMM,
                                .time_ms = 4,
                                .mean_us = 5,
                                .compute_pct = 6,
                                .category_pct = 7,
                                .total_pct = 8,
                                .count = 9,
                                .cov = 0.25,
                                .top_rank = 2,
                                .high_variance = true,
                                .module_chain = modules,
                                .n_modules = 2,
                                .claimed_by = -1,
                                .efficiency = {.percent = 10,
                                               .tflop_per_s = 11,
                                               .tb_per_s = 12,
                                               .flop_per_byte = 13,
                                               .peak_tflop_per_s = 14,
                                               .compute_spec = S("matrix_bf16"),
                                               .bound = BOUND_MEMORY,
                                               .warning = true}};
    rows[1] = rows[0];
    rows[1].claimed_by = 3;
    an = (struct analysis){.total_ms = 100,
                           .computation_ms = 60,
                           .idle_ms = 25,
                           .exposed_comm_ms = 10,
                           .exposed_memcpy_ms = 5};
    an.categories[WORK_GEMM] = (struct category_result){.category = WORK_GEMM,
                                                        .rows = rows,
                                                        .n_rows = 2,
                                                        .operation_count = 18,
                                                        .time_ms = 8,
                                                        .compute_pct = 12,
                                                        .total_pct = 16,
                                                        .average_efficiency_pct = 10};
    work_set(&a, &rows[0], FACT("blocks", 304.0), FACT("grid", S("304 x 1 x 1")));
    L = luaL_newstate();
    luaL_openlibs(L);
    value_open(L);
    value_set_analysis(L, &an);
    value_push_row(L, &rows[0]);
    lua_setglobal(L, "row");
    value_push_category(L, &an.categories[WORK_GEMM]);
    lua_setglobal(L, "gemm");
    value_push_trace(L);
    lua_setglobal(L, "trace");
    return 0;
}

static int end(void **state)
{
    (void)state;
    lua_close(L);
    return 0;
}

/* What an expression is, as text. */
static void is_text(const char *expression, const char *want)
{
    lua_pushfstring(L, "return tostring(%s)", expression);
    if (luaL_dostring(L, lua_tostring(L, -1)) != LUA_OK)
        fail_msg("%s: %s", expression, lua_tostring(L, -1));
    if (strcmp(lua_tostring(L, -1), want) != 0)
        fail_msg("%s: %s, not %s", expression, lua_tostring(L, -1), want);
}

static void fails(const char *expression, const char *why)
{
    lua_pushfstring(L, "return %s", expression);
    assert_int_not_equal(luaL_dostring(L, lua_tostring(L, -1)), LUA_OK);
    if (!strstr(lua_tostring(L, -1), why))
        fail_msg("%s: %s", expression, lua_tostring(L, -1));
}

static void a_row_has_its_figures(void **state)
{
    static const char *const want[][2] = {{"row.time_ms", "4.0"},
                                          {"row.mean_us", "5.0"},
                                          {"row.p", "6.0"},
                                          {"row.pcat", "7.0"},
                                          {"row.q", "8.0"},
                                          {"row.efficiency", "10.0"},
                                          {"row.tflops", "11.0"},
                                          {"row.tbs", "12.0"},
                                          {"row.ai", "13.0"},
                                          {"row.peak_tflops", "14.0"},
                                          {"row.cov", "0.25"},
                                          {"row.count", "9"},
                                          {"row.warning", "true"},
                                          {"row.anomaly", "false"},
                                          {"row.high_variance", "true"},
                                          {"row.name", "aten::mm"},
                                          {"row.op", "aten::mm"},
                                          {"row.spec", "matrix_bf16"},
                                          {"row.args", "(8,8)"},
                                          {"row.library", "Tensile"},
                                          {"row.launcher", "a.py(1): f"},
                                          {"row.claimed", "0"},
                                          {"row.top_rank", "2"},
                                          {"row.op_category", "GEMM"},
                                          {"row.category", "gemm"},
                                          {"row.bound", "memory"},
                                          {"gemm.rows[2].claimed", "1"}};
    (void)state;
    for (size_t k = 0; k < sizeof want / sizeof *want; k++)
        is_text(want[k][0], want[k][1]);
    is_text("row.peak_tbs ~= row.peak_tbs", "true"); /* NaN: there is none */
}

static void a_row_has_lists_and_facts(void **state)
{
    (void)state;
    is_text("#row.modules", "2");
    is_text("row.modules[2]", "Block");
    is_text("row.kernels[1].name", "gemm");
    is_text("row.kernels[1].count", "3");
    is_text("row.kernels[1].total_us", "60.0");
    is_text("row.kernels[1].mean_us", "20.0");
    is_text("row.blocks", "304.0");
    is_text("row.grid", "304 x 1 x 1");
    is_text("row.sms ~= row.sms", "true"); /* a fact that does not apply */
    is_text("row.units == ''", "true");
    fails("row.nonsense", "a row has no 'nonsense'");
}

static void a_category_has_its_rows_and_the_trace(void **state)
{
    (void)state;
    is_text("gemm.name", "gemm");
    is_text("gemm.count", "18");
    is_text("gemm.time_ms", "8.0");
    is_text("gemm.pc", "12.0");
    is_text("gemm.q", "16.0");
    is_text("gemm.average_efficiency", "10.0");
    is_text("#gemm.rows", "2");
    is_text("gemm.rows[1] == row", "true");
    is_text("gemm.rows[2] == row", "false");
    is_text("gemm.rows[3]", "nil");
    is_text("gemm.rows[0]", "nil");
    is_text("gemm.trace == trace", "true");
    fails("gemm.nonsense", "a category has no 'nonsense'");
}

static void a_trace_has_its_parts_and_categories(void **state)
{
    (void)state;
    is_text("trace.total_ms", "100.0");
    is_text("trace.computation_ms", "60.0");
    is_text("trace.idle_ms", "25.0");
    is_text("trace.exposed_comm_ms", "10.0");
    is_text("trace.exposed_memcpy_ms", "5.0");
    is_text("trace.gemm == gemm", "true");
    fails("trace.nonsense", "the trace has no 'nonsense'");
    fails("(function() trace.total_ms = 1 end)()", "");
}

/* Of a hundred thousand rows the longest are asked about. */
static void a_pattern_sees_so_many_rows(void **state)
{
    struct category_result c = {.n_rows = PATTERN_ROWS_MOST + 1};
    (void)state;
    assert_int_equal(rows_seen(&c), PATTERN_ROWS_MOST);
    c.n_rows = PATTERN_ROWS_MOST - 1;
    assert_int_equal(rows_seen(&c), PATTERN_ROWS_MOST - 1);
}

static void a_group_has_what_it_is_given(void **state)
{
    const struct work_fact facts[] = {FACT("gaps", 7.0), FACT("blame", S("item"))};
    const struct group_facts g = {facts, 2};
    (void)state;
    value_push_group(L, &g);
    lua_setglobal(L, "group");
    is_text("group.gaps", "7.0");
    is_text("group.blame", "item");
    fails("group.other", "a group has no 'other'");
    assert_ptr_equal(value_to_row(L, -1), NULL);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_row_has_its_figures),
        CASE(a_row_has_lists_and_facts),
        CASE(a_category_has_its_rows_and_the_trace),
        CASE(a_trace_has_its_parts_and_categories),
        CASE(a_pattern_sees_so_many_rows),
        CASE(a_group_has_what_it_is_given),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
