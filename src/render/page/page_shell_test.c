#include "page_shell.c"

#include "render/text/bundle.h"
#include "render/text/context.h"
#include "render/text/template_bundle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static struct arena memory;
static struct theme theme;

#define HOSTILE                                                                        \
    S("</script><img src=x onerror=alert(1)>\"' {{x}} ${y}\0\xff\xe2\x80\xae")

static cJSON *hostile_context(void)
{
    cJSON *c = cJSON_CreateObject();
    cJSON *report = json_put_object(c, "report");
    json_put(report, context_text("title", S("GPU trace report")));
    json_put(report, context_text("run_label", HOSTILE));
    cJSON *assets = json_put_object(c, "assets");
    cJSON_AddStringToObject(assets, "css", "assets/site.css");
    cJSON_AddStringToObject(assets, "js", "assets/site.js");
    json_put(c, context_text("verdict", HOSTILE));
    json_put(c, context_text("lead", HOSTILE));
    cJSON_AddBoolToObject(c, "has_rows", 1);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddItemToArray(json_put_array(c, "rows"), row);
    cJSON_AddStringToObject(row, "op_id", "op-00000001");
    json_put(row, context_text("name", HOSTILE));
    json_put(row, context_text("args", HOSTILE));
    json_put(row, context_text("op", HOSTILE));
    json_put(row, page_category("category", S("sdpa_fwd"), HOSTILE, S("")));
    json_put(row, context_text("bound", HOSTILE));
    return c;
}

static void render(const char *name, cJSON *c, struct out *o)
{
    struct arena tmp = memory;
    struct template_set set = template_bundled(&tmp);
    struct err e = {0};
    out_memory(o);
    if (!page_render(o, &set, name, c, &e))
        fail_msg("%s: %s (%s)", e.file, e.what, e.doing);
}

/* The only script is ours, nothing inline, and no text of a trace as markup. */
static void pages_hold_no_hostile_markup(void **state)
{
    (void)state;
    static const char *const names[] = {"index.html", "operations.html",
                                        "kernels.html"};
    for (int i = 0; i < 3; i++) {
        cJSON *c = json_put(hostile_context(), json_bool("has_device", true));
        struct figure_mark mark = {.label = HOSTILE, .value_text = HOSTILE, .value = 1};
        struct report_figure f = {.kind = FIGURE_BARS,
                                  .id = S("c1"),
                                  .title = HOSTILE,
                                  .caption = HOSTILE,
                                  .description = HOSTILE,
                                  .marks = &mark,
                                  .n_marks = 1};
        page_figure(c, i ? "figure" : "wall_time", &f, &theme, memory);
        struct out o;
        render(names[i], c, &o);
        struct str html = out_view(&o);
        assert_false(str_has(html, S("<img")));
        assert_false(str_has(html, S(" style=")));
        assert_false(str_has(html, S("\xe2\x80\xae")));
        assert_false(str_has(html, S("onerror=\"")));
        ptrdiff_t script = str_find(html, S("<script"));
        assert_true(str_starts(str_skip(html, script),
                               S("<script defer src=\"assets/site.js\"></script>")));
        assert_false(str_has(str_skip(html, script + 8), S("<script")));
        assert_true(
            str_has(html, S("&lt;img src=x onerror=alert(1)&gt;&quot;&#39; {{x}}")));
        assert_true(str_has(html, S("<svg class=\"chart-svg chart-wide\"")));
        out_free(&o);
        cJSON_Delete(c);
    }
}

static void a_page_renders_twice_the_same(void **state)
{
    (void)state;
    cJSON *c = hostile_context();
    struct out a, b;
    render("operations.html", c, &a);
    render("operations.html", c, &b);
    assert_true(str_eq(out_view(&a), out_view(&b)));
    assert_true(out_view(&a).n > 2000);
    out_free(&a);
    out_free(&b);
    cJSON_Delete(c);
}

static void an_empty_figure_says_why(void **state)
{
    (void)state;
    cJSON *c = hostile_context();
    struct report_figure f = {
        .kind = FIGURE_BARS, .id = S("c1"), .empty = S("Needs more than one rank.")};
    page_figure(c, "figure", &f, &theme, memory);
    struct out o;
    render("operations.html", c, &o);
    assert_true(
        str_has(out_view(&o), S("<p class=\"empty\">Needs more than one rank.</p>")));
    assert_false(str_has(out_view(&o), S("<svg")));
    out_free(&o);
    cJSON_Delete(c);
}

static const char *text(cJSON *c, const char *object, const char *key)
{
    return cJSON_GetObjectItem(cJSON_GetObjectItem(c, object), key)->valuestring;
}

static void categories_and_severities_have_words(void **state)
{
    (void)state;
    cJSON *c = cJSON_CreateObject();
    json_put(c, page_category("a", S("sdpa_fwd"), S("Attention"), S("")));
    assert_string_equal(text(c, "a", "slot"), "attention");
    assert_string_equal(text(c, "a", "letter"), "A");
    json_put(c, page_category("b", S("embedding"), S("Embedding"), S("")));
    assert_string_equal(text(c, "b", "slot"), "other");
    assert_string_equal(text(c, "b", "letter"), "Em");
    json_put(c, page_category("o", S("other"), S("Other"), S("")));
    assert_string_equal(text(c, "o", "letter"), "O");
    json_put(c, page_severity("s", S("critical")));
    assert_string_equal(text(c, "s", "word"), "critical");
    json_put(c, page_severity("u", S("nonsense")));
    assert_string_equal(text(c, "u", "word"), "not evaluated");
    cJSON_Delete(c);
}

/* 0.25 of 96 px is 24. */
static void bars_are_to_scale(void **state)
{
    (void)state;
    cJSON *c = cJSON_CreateObject();
    json_put(c, page_bar("a_html", 0.25, SLOT_GEMM, &theme));
    json_put(c, page_bar("b_html", (double)NAN, SLOT_GEMM, &theme));
    assert_non_null(strstr(cJSON_GetObjectItem(c, "a_html")->valuestring,
                           "<rect width=\"24.0\" height=\"8\" class=\"s-gemm\""));
    assert_non_null(
        strstr(cJSON_GetObjectItem(c, "b_html")->valuestring, "<rect width=\"0.0\""));
    cJSON_Delete(c);
}

int main(void)
{
    struct err e = {0};
    memory = arena_reserve(1 << 24);
    if (!theme_builtin(&memory, S("default"), &theme, &e))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_hold_no_hostile_markup),
        cmocka_unit_test(a_page_renders_twice_the_same),
        cmocka_unit_test(an_empty_figure_says_why),
        cmocka_unit_test(categories_and_severities_have_words),
        cmocka_unit_test(bars_are_to_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
