#include "ci/badge.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"

static struct str badge(const char *view_json, const char *metric)
{
    struct out o;
    struct err e = {0};
    cJSON *view = cJSON_Parse(view_json);
    assert_non_null(view);
    out_memory(&o);
    assert_true(badge_write(&o, view, metric, a, &e));
    cJSON_Delete(view);
    return out_text(&o, &a);
}

#define GATES(what) "{\"" what "\":true,\"window\":{\"busy_pct\":53.64}}"

static void says(struct str svg, const char *title, const char *fill)
{
    struct str want = str_printf(&a, "<title>%s</title>", title),
               colour = str_printf(&a, "z\" fill=\"%s\"", fill);
    if (!str_has(svg, want) || !str_has(svg, colour))
        fail_msg("%s %s: %.*s", title, fill, STRF(svg));
}

/* Red and green are for gates alone, and never the other way round. */
static void a_colour_says_what_the_gates_came_to(void **state)
{
    (void)state;
    says(badge(GATES("passed"), NULL), "GPU gates: passed", "#1a6b35");
    says(badge(GATES("failed"), NULL), "GPU gates: failed", "#b3261e");
    says(badge(GATES("open"), NULL), "GPU gates: not evaluated", "#2f5f98");
    says(badge(GATES("failed"), "gates"), "GPU gates: failed", "#b3261e");
    says(badge(GATES("no_gate"), "gates"), "GPU gates: none", "#2f5f98");
}

static void without_gates_it_says_how_busy_the_device_was(void **state)
{
    (void)state;
    says(badge(GATES("no_gate"), NULL), "GPU busy: 53.6%", "#2f5f98");
    says(badge(GATES("failed"), "busy"), "GPU busy: 53.6%", "#2f5f98");
}

static void a_figure_has_its_unit(void **state)
{
    static const char view[] = "{\"no_gate\":true,\"w\":{\"idle_ns\":21064000,"
                               "\"idle_pct\":46.38,\"n\":3,\"name\":\"x\"}}";
    (void)state;
    says(badge(view, "w.idle_ns"), "w.idle_ns: 21.064 ms", "#2f5f98");
    says(badge(view, "w.idle_pct"), "w.idle_pct: 46.4%", "#2f5f98");
    says(badge(view, "w.n"), "w.n: 3", "#2f5f98");
    says(badge(view, "w.name"), "w.name: unknown", "#2f5f98");
    says(badge(view, "w.none"), "w.none: unknown", "#2f5f98");
}

static void what_is_asked_for_is_escaped(void **state)
{
    (void)state;
    struct str svg = badge(GATES("no_gate"), "<script>&\"");
    assert_false(str_has(svg, S("<script")));
    assert_true(str_has(svg, S("&lt;script&gt;&amp;&quot;: unknown")));
}

/* The two halves are as wide as their words; both fit in the whole. */
static void widths_add_up(void **state)
{
    (void)state;
    int left = width_px(S("GPU gates")) + 2 * PADDING_PX,
        right = width_px(S("failed")) + 2 * PADDING_PX;
    assert_int_equal(width_px(S("ii")), 7);       /* 3 px each, and one */
    assert_int_equal(width_px(S("\xc3\xa9")), 9); /* one letter, not two */
    struct str svg = badge(GATES("failed"), NULL),
               head = str_printf(&a, "width=\"%d\" height=\"20\"", left + right),
               path = str_printf(&a, "d=\"M%d 0h%da3", left, right - 3);
    assert_true(str_has(svg, head));
    assert_true(str_has(svg, path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_colour_says_what_the_gates_came_to),
        cmocka_unit_test(without_gates_it_says_how_busy_the_device_was),
        cmocka_unit_test(a_figure_has_its_unit),
        cmocka_unit_test(what_is_asked_for_is_escaped),
        cmocka_unit_test(widths_add_up),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
