#include "share/leaves.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena_case.h"

static void a_token_is_of_its_kind(void **state)
{
    static const struct {
        const char *text;
        enum leaf kind;
    } cases[] = {{"/home/me/model.py", LEAF_PATH},
                 {"/usr", LEAVES},
                 {"//x/y", LEAVES},
                 {"/a/b:c", LEAVES},
                 {"me@x.org", LEAF_MAIL},
                 {"me@localhost", LEAVES},
                 {"a/me@x.org", LEAVES},
                 {"10.0.0.17", LEAF_ADDRESS},
                 {"10.0.0", LEAVES},
                 {"1.2.3.4.5", LEAVES},
                 {"1234.0.0.1", LEAVES},
                 {"https://x.org/a", LEAF_PAGE},
                 {"http://www.w3.org/2000/svg", LEAVES},
                 {"train.py", LEAF_SOURCE},
                 {"train.py:12", LEAF_SOURCE},
                 {"train.pyc", LEAVES},
                 {"word", LEAVES}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (kind_of(str_of(cases[k].text)) != cases[k].kind)
            fail_msg("%s: %d", cases[k].text, kind_of(str_of(cases[k].text)));
}

static void tokens_end_before_their_stop(void **state)
{
    struct str s = S("(see train.py:12, or me@x.org.) /a/b");
    static const char *const want[] = {"see", "train.py:12", "or", "me@x.org", "/a/b"};
    (void)state;
    for (size_t k = 0; k < sizeof want / sizeof *want; k++)
        assert_text(token(&s), want[k]);
    assert_int_equal(token(&s).n, 0);
}

/* Each once, a source file without its line. */
static void each_is_found_once(void **state)
{
    struct found f = {.perm = &a};
    (void)state;
    read_text(&f, S("a.py:1 b.py a.py:2 10.0.0.1 10.0.0.1 x@y.z"));
    assert_int_equal(f.n[LEAF_SOURCE], 2);
    assert_text(f.at[LEAF_SOURCE][0], "a.py");
    assert_int_equal(f.n[LEAF_ADDRESS], 1);
    assert_int_equal(f.n[LEAF_MAIL], 1);
    assert_int_equal(f.n[LEAF_PATH], 0);
}

static void write_to(const char *dir, const char *name, const char *text)
{
    FILE *to = fopen(str_c(&a, str_printf(&a, "%s/%s", dir, name)), "w");
    assert_non_null(to);
    fputs(text, to);
    fclose(to);
}

/* Pages and data of a folder and those below it; not what is packed or hidden. */
static void a_folder_is_read_with_all_below(void **state)
{
    char dir[] = "/tmp/leaves_test.XXXXXX";
    struct arena all = arena_reserve(1 << 20), perm = all;
    struct found f = {.perm = &perm};
    struct err e = {0};
    (void)state;
    assert_non_null(mkdtemp(dir));
    const char *below = str_c(&a, str_printf(&a, "%s/below", dir));
    assert_int_equal(mkdir(below, 0700), 0);
    write_to(dir, "a.html", "one.py");
    write_to(below, "b.csv", "two.py");
    write_to(dir, "c.zip", "three.py");
    write_to(dir, ".d.md", "four.py");
    assert_true(read_below(&f, dir, 0, a, &e));
    assert_int_equal(f.n[LEAF_SOURCE], 2);
    assert_false(read_below(&f, dir, FOLDERS_DEEP, a, &e));
    assert_string_equal(e.what, "cannot be read: folders are nested too deep");
    e = (struct err){0};
    assert_false(read_below(&f, "/dev/null", 0, a, &e));
    assert_non_null(strstr(e.what, "name the folder of a report"));
    static const char *const made[] = {"a.html", "below/b.csv", "c.zip", ".d.md"};
    for (int k = 0; k < 4; k++)
        unlink(str_c(&a, str_printf(&a, "%s/%s", dir, made[k])));
    rmdir(below);
    assert_int_equal(rmdir(dir), 0);
    arena_release(all.at, &all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_is_of_its_kind),
        cmocka_unit_test(tokens_end_before_their_stop),
        cmocka_unit_test(each_is_found_once),
        cmocka_unit_test(a_folder_is_read_with_all_below),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
