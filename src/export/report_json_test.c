#include "report_json.c"

#include "base/out.h"
#include "compare/gate.h"
#include "report/op_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HOSTILE "</script><b>\"\\\0\xFF=HYPERLINK(1)"

/* One operation and one finding; figures that are not known are NaN. */
static struct arena memory;
static struct report_op op;
static struct finding found;
static struct report_finding finding;
static int ops[] = {0};
static struct gate_results gates;

static struct report small(void)
{
    struct report r = {0};
    op = op_case(S(HOSTILE), 1.23456, (double)NAN);
    op.id = S("op-00000001");
    op.finding = 0;
    found = (struct finding){.id = S("gemm.x.y.memory"),
                             .impact = {.low_ms = 1, .high_ms = 4.0005}};
    finding = (struct report_finding){.of = &found,
                                      .anchor = S("f-00000002"),
                                      .rank = S("K1"),
                                      .ops = ops,
                                      .n_ops = 1};
    r.meta.captured = S("2025-07-27 21:36:22 UTC");
    r.timeline = (struct report_timeline){.total_ms = 33.131423, .idle_ms = 3.3874};
    r.ops = &op;
    r.findings = &finding;
    r.n_ops = r.n_findings = 1;
    return r;
}

static char *text_of(const struct report *r)
{
    struct out o;
    out_memory(&o);
    report_json_write(&o, r, &gates, memory);
    out_char(&o, 0);
    char *text = strdup(out_view(&o).p);
    assert_int_equal((ptrdiff_t)strlen(text) + 1, out_view(&o).n);
    out_free(&o);
    return text;
}

static cJSON *parsed(const struct report *r)
{
    char *text = text_of(r);
    cJSON *o = cJSON_ParseWithOpts(text, NULL, true);
    assert_non_null(o);
    free(text);
    return o;
}

static const cJSON *at(const cJSON *o, const char *list, const char *key)
{
    return cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(o, list), 0),
                               key);
}

static void keys_are_sorted(void **state)
{
    (void)state;
    struct report r = small();
    cJSON *o = parsed(&r);
    for (const cJSON *c = o->child; c->next; c = c->next)
        assert_true(strcmp(c->string, c->next->string) < 0);
    const cJSON *f = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "findings"), 0);
    for (const cJSON *c = f->child; c->next; c = c->next)
        assert_true(strcmp(c->string, c->next->string) < 0);
    cJSON_Delete(o);
}

static void times_are_exact_and_rounded(void **state)
{
    (void)state;
    struct report r = small();
    cJSON *o = parsed(&r);
    const cJSON *total = cJSON_GetObjectItem(cJSON_GetObjectItem(o, "window"), "total");
    assert_true(cJSON_GetObjectItem(total, "time_ns")->valuedouble == 33131423.0);
    assert_true(cJSON_GetObjectItem(total, "time_ms")->valuedouble == 33.131);
    assert_true(at(o, "operations", "time_ms")->valuedouble == 1.235);
    assert_true(cJSON_IsNull(at(o, "operations", "efficiency_pct")));
    const cJSON *impact = at(o, "findings", "impact");
    /* The middle is 2.50025; halves go away from zero. */
    assert_true(cJSON_GetObjectItem(impact, "mid_ms")->valuedouble == 2.5);
    assert_true(cJSON_GetObjectItem(impact, "high_ms")->valuedouble == 4.001);
    assert_string_equal(cJSON_GetObjectItem(o, "captured_utc")->valuestring,
                        "2025-07-27T21:36:22Z");
    cJSON_Delete(o);
}

static void findings_name_their_operations(void **state)
{
    (void)state;
    struct report r = small();
    cJSON *o = parsed(&r);
    const cJSON *ids = at(o, "findings", "operations");
    assert_string_equal(cJSON_GetArrayItem(ids, 0)->valuestring, "op-00000001");
    assert_string_equal(at(o, "operations", "finding")->valuestring, "f-00000002");
    assert_string_equal(at(o, "findings", "href")->valuestring,
                        "recommendations.html#f-00000002");
    cJSON_Delete(o);
}

static void hostile_names_stay_text(void **state)
{
    (void)state;
    struct report r = small();
    char *text = text_of(&r);
    cJSON *o = cJSON_ParseWithOpts(text, NULL, true);
    assert_non_null(o);
    assert_string_equal(at(o, "operations", "name")->valuestring,
                        "</script><b>\"\\\xEF\xBF\xBD\xEF\xBF\xBD=HYPERLINK(1)");
    cJSON_Delete(o);
    free(text);
}

/* They are beside the report: nothing of it changes once it is built. */
static void gates_are_listed(void **state)
{
    (void)state;
    struct report r = small();
    struct gate_expr of = {.text = S("high>0")};
    struct gate_result one = {
        .of = &of, .status = GATE_FAILED, .says = S("2"), .value = (double)NAN};
    gates = (struct gate_results){&one, 1};
    cJSON *o = parsed(&r);
    assert_string_equal(at(o, "gates", "text")->valuestring, "high>0");
    assert_string_equal(at(o, "gates", "result")->valuestring, "failed");
    assert_true(cJSON_IsNull(at(o, "gates", "value")));
    cJSON_Delete(o);
    gates = (struct gate_results){0};
}

static void an_empty_report_is_a_document(void **state)
{
    (void)state;
    struct report r = {0};
    char *text = text_of(&r);
    cJSON *o = cJSON_ParseWithOpts(text, NULL, true);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(o, "captured_utc")));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "findings")), 0);
    cJSON_Delete(o);
    free(text);
}

int main(void)
{
    memory = arena_reserve(1 << 20);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_sorted),
        cmocka_unit_test(times_are_exact_and_rounded),
        cmocka_unit_test(findings_name_their_operations),
        cmocka_unit_test(hostile_names_stay_text),
        cmocka_unit_test(gates_are_listed),
        cmocka_unit_test(an_empty_report_is_a_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
