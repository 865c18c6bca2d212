#include "themes_command.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/near_case.h"

static char dir[64];

static int set_up(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/themes_test.XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static const char *at(const char *name)
{
    static char path[2][128];
    static int turn;
    char *p = path[turn++ % 2];
    snprintf(p, sizeof path[0], "%s/%s", dir, name);
    return p;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(at("theme.json"));
    unlink(at("theme.css"));
    unlink(at("logo.svg"));
    unlink(at("logo.png"));
    return rmdir(dir);
}

static void put(const char *path, struct str text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text.p, 1, (size_t)text.n, f), text.n);
    assert_int_equal(fclose(f), 0);
}

static void distance_is_that_of_oklab(void **state)
{
    (void)state;
    /* White is (1, 0, 0), black (0, 0, 0): the greys lie on the first axis. */
    struct lab white = oklab(0xffffff), black = oklab(0);
    assert_near(white.l, 1.0, 1e-6);
    assert_near(white.a, 0.0, 1e-6);
    assert_near(white.b, 0.0, 1e-6);
    assert_near(black.l, 0.0, 1e-9);
    /* Pure red, from the paper's table of sRGB primaries: 0.628, 0.225, 0.126. */
    struct lab red = oklab(0xff0000);
    assert_near(red.l, 0.628, 5e-4);
    assert_near(red.a, 0.225, 5e-4);
    assert_near(red.b, 0.126, 5e-4);
}

static void every_theme_that_ships_is_listed(void **state)
{
    (void)state;
    char text[8192] = {0};
    struct err e = {0};
    FILE *to = fmemopen(text, sizeof text - 1, "w");
    assert_true(themes_run(to, NULL, &e));
    fclose(to);
    assert_non_null(strstr(text, "\ndefault "));
    assert_non_null(strstr(text, "\nhigh-contrast "));
    assert_non_null(strstr(text, "\nmono "));
}

static void a_folder_is_a_theme(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 24);
    char *start = perm.at;
    struct theme t, again;
    struct err e = {0};
    put(at("theme.json"), bundle_file(S("themes/mono/theme.json")));
    assert_true(theme_choose(&perm, dir, &t, &e));
    assert_true(theme_choose(&perm, "mono", &again, &e));
    assert_memory_equal(t.token, again.token, sizeof t.token);
    assert_true(theme_hash(&t) == theme_hash(&again));
    again.slot[THEME_DARK][0] ^= 1;
    assert_false(theme_hash(&t) == theme_hash(&again));
    /* What would have no effect is refused, by name. */
    put(at("theme.css"), S("p { color: red }"));
    assert_false(theme_choose(&perm, dir, &t, &e));
    assert_non_null(strstr(e.file, "theme.css"));
    arena_release(start, &perm);
}

static void an_unknown_or_damaged_theme_is_an_error(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 24);
    char *start = perm.at;
    struct theme t;
    struct err e = {0};
    assert_false(theme_choose(&perm, "nosuch", &t, &e));
    assert_int_equal(e.kind, ERR_USAGE);
    e = (struct err){0};
    assert_false(theme_choose(&perm, dir, &t, &e));
    assert_int_equal(e.kind, ERR_INPUT);
    e = (struct err){0};
    put(at("theme.json"), S("{\"name\": \"x\"}"));
    assert_false(theme_choose(&perm, dir, &t, &e));
    assert_int_equal(e.kind, ERR_INPUT);
    arena_release(start, &perm);
}

/* The default theme with a line more. */
static void put_theme(struct arena *perm, const char *line)
{
    struct str json = str_skip(bundle_file(S("themes/default/theme.json")), 1);
    put(at("theme.json"), str_printf(perm, "{%s%.*s", line, STRF(json)));
}

static void a_logo_is_a_picture_and_nothing_else(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 26);
    char *start = perm.at;
    struct theme t;
    put_theme(&perm, "\"logo_text\": \"House\", \"header_text\": \"For <us>\",");
    struct err e = {0};
    put(at("logo.svg"), S("<svg xmlns=\"http://www.w3.org/2000/svg\">\n<rect "
                          "width=\"9\" height=\"9\" fill=\"#123456\"/></svg>"));
    assert_true(theme_choose(&perm, dir, &t, &e));
    assert_string_equal(t.logo_kind, "svg");
    assert_true(str_eq(t.header_text, S("For <us>")));
    static const char *const bad[] = {"<svg>\n<script>x</script></svg>",
                                      "<svg>\n<a ONLOAD=\"x\"/></svg>",
                                      "<svg>\n<rect STYLE=\"x\"/></svg>",
                                      "<svg>\n<image href=\"#a\"/></svg>",
                                      "<svg>\n<use href=\"https://a/b\"/></svg>",
                                      "<svg>\n<rect fill=\"url(x.svg)\"/></svg>",
                                      "<svg>\n<title>caf\xe9</title></svg>"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        e = (struct err){0};
        put(at("logo.svg"), str_of(bad[k]));
        assert_false(theme_choose(&perm, dir, &t, &e));
        assert_true(str_starts(str_of(e.what), S("line 2: a logo may not hold")));
    }
    unlink(at("logo.svg"));
    e = (struct err){0};
    put(at("logo.png"), S("GIF89a"));
    assert_false(theme_choose(&perm, dir, &t, &e));
    assert_true(str_has(str_of(e.what), S("is not a PNG picture")));
    e = (struct err){0};
    put(at("logo.png"), S("\x89PNG\r\n\x1a\nrest"));
    assert_true(theme_choose(&perm, dir, &t, &e));
    put_theme(&perm, "");
    assert_false(theme_choose(&perm, dir, &t, &e));
    assert_true(str_has(str_of(e.what), S("\"logo_text\"")));
    unlink(at("logo.png"));
    arena_release(start, &perm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_is_that_of_oklab),
        cmocka_unit_test(every_theme_that_ships_is_listed),
        cmocka_unit_test_setup_teardown(a_folder_is_a_theme, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_logo_is_a_picture_and_nothing_else, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_unknown_or_damaged_theme_is_an_error, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
