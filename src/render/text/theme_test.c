#include "theme.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/near_case.h"

static struct arena memory;

static void contrast_is_that_of_wcag(void **state)
{
    (void)state;
    /* White on black is (1 + 0.05) / (0 + 0.05) = 21; a colour on itself 1. */
    assert_near(theme_contrast(0xffffff, 0x000000), 21.0, 1e-9);
    assert_near(theme_contrast(0x336699, 0x336699), 1.0, 1e-9);
    /* #777777: 119/255 = 0.46667, ((0.46667 + 0.055) / 1.055)^2.4 = 0.18447;
     * 1.05 / 0.23447 = 4.478. */
    assert_near(theme_contrast(0x777777, 0xffffff), 4.478, 1e-3);
}

static void every_shipped_theme_is_readable(void **state)
{
    (void)state;
    int themes = 0;
    for (int i = 0; i < bundle_count(S("themes/")); i++) {
        struct str path = bundle_path(S("themes/"), i);
        if (!str_ends(path, S("/theme.json")))
            continue;
        struct arena tmp = memory;
        struct theme t;
        struct err e = {0};
        if (!theme_read(&tmp, bundle_file(path), path.p, &t, &e))
            fail_msg("%s: %s", e.file, e.what);
        themes++;
    }
    assert_true(themes >= 1);
}

/* The default theme with one text replaced. */
static bool read_changed(const char *from, const char *to, struct theme *t,
                         struct err *e)
{
    struct arena tmp = memory;
    struct str json = bundle_file(S("themes/default/theme.json"));
    ptrdiff_t at = str_find(json, str_of(from));
    assert_true(at >= 0);
    struct str changed = str_printf(&tmp, "%.*s%s%.*s", STRF(str_head(json, at)), to,
                                    STRF(str_skip(json, at + (ptrdiff_t)strlen(from))));
    *e = (struct err){0};
    return theme_read(&tmp, changed, "t", t, e);
}

static void bad_themes_are_refused(void **state)
{
    (void)state;
    struct theme t;
    struct err e;
    assert_false(read_changed("#57606a", "#c0c0c0", &t, &e));
    assert_true(str_has(str_of(e.what), S("light \"muted\" has contrast")));
    assert_false(read_changed("#57606a", "red", &t, &e));
    assert_false(read_changed("\"6px\"", "\"6px;} body{display:none\"", &t, &e));
    assert_false(read_changed("\"6px\"", "\"url(x)\"", &t, &e));
    assert_false(read_changed("\"6px\"", "\"'\"", &t, &e));
    assert_false(read_changed("\"6px\"", "6", &t, &e));
    assert_false(read_changed("{", "", &t, &e));
    assert_true(read_changed("\"6px\"", "\"0.5rem\"", &t, &e));
}

static void css_is_filled_in(void **state)
{
    (void)state;
    struct theme t;
    struct err e = {0};
    struct out o;
    struct arena perm = memory;
    assert_true(theme_builtin(&perm, S("default"), &t, &e));
    assert_false(theme_builtin(&perm, S("none"), &t, &e));
    out_memory(&o);
    assert_true(theme_css(&o, &t, perm, &e));
    struct str css = out_view(&o);
    assert_true(str_has(css, S("--ground: #ffffff;")));
    assert_true(str_has(css, S("--slot-gemm: #587cf8;")));
    assert_true(str_has(css, S(".s-idle { fill: var(--slot-idle); }")));
    assert_false(str_has(css, S("{{")));
    assert_false(str_has(css, S("url(")));
    assert_false(str_has(css, S("@import")));
    assert_true(css.n < 52000); /* the aim is 30 kB, the limit 60 kB */
    out_free(&o);
}

int main(void)
{
    memory = arena_reserve(1 << 24);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contrast_is_that_of_wcag),
        cmocka_unit_test(every_shipped_theme_is_readable),
        cmocka_unit_test(bad_themes_are_refused),
        cmocka_unit_test(css_is_filled_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
