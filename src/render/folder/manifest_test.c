#include "manifest.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static char dir[] = "/tmp/manifest_test.XXXXXX", *start;
static struct arena tmp;

static const char *at(const char *name)
{
    static char path[4][256];
    static int turn;
    char *p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", dir, name);
    return p;
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(at(name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* dir/: a.txt "test", b/c.txt "", with a manifest. */
static int set_up(void **state)
{
    (void)state;
    struct err e = {0};
    tmp = arena_reserve(1 << 24);
    start = tmp.at;
    strcpy(strrchr(dir, '.'), ".XXXXXX");
    assert_non_null(mkdtemp(dir));
    assert_int_equal(mkdir(at("b"), 0777), 0);
    put("a.txt", "test");
    put("b/c.txt", "");
    assert_true(manifest_write(dir, tmp, &e));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[256];
    arena_release(start, &tmp);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command);
}

static void check(const char *want, ptrdiff_t want_differences)
{
    struct out o;
    struct err e = {0};
    ptrdiff_t differences = -1;
    out_memory(&o);
    assert_true(manifest_verify(dir, tmp, &o, &differences, &e));
    out_char(&o, '\0');
    assert_string_equal(out_view(&o).p, want);
    assert_int_equal(differences, want_differences);
    out_free(&o);
}

static void check_refused(const char *what)
{
    struct out o;
    struct err e = {0};
    ptrdiff_t differences = -1;
    out_memory(&o);
    assert_false(manifest_verify(dir, tmp, &o, &differences, &e));
    assert_int_equal(e.kind, ERR_INPUT);
    assert_non_null(strstr(e.what, what));
    assert_int_equal(differences, -1);
    out_free(&o);
}

/* The digests of "test" and of nothing are those of FIPS 180-2 implementations at
 * large. */
static void test_bytes(void **state)
{
    (void)state;
    char text[400] = {0};
    FILE *f = fopen(at(MANIFEST_NAME), "r");
    assert_non_null(f);
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    assert_string_equal(
        text,
        "# tracefolio manifest 1: sha256, bytes, path\n"
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  4  a.txt\n"
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  0  "
        "b/c.txt\n");
    check("", 0);
}

static void test_differences(void **state)
{
    (void)state;
    put("a.txt", "tesT");
    check("changed  a.txt (same size, other content)\n", 1);
    put("a.txt", "tests");
    check("changed  a.txt (5 bytes, 4 expected)\n", 1);
    unlink(at("a.txt"));
    put("b/a\n\x1b\xc2\x9b\xe2\x80\xae.txt", "");
    check("missing  a.txt\nextra    b/a\\x0a\\x1b\\xc2\\x9b\\xe2\\x80\\xae.txt\n", 2);
}

/* A link with the right content behind it is not the file that was written. */
static void test_links_and_pipes(void **state)
{
    (void)state;
    assert_int_equal(rename(at("a.txt"), at("b/real")), 0);
    assert_int_equal(symlink("b/real", at("a.txt")), 0);
    check("changed  a.txt (cannot be read as a file)\nextra    b/real\n", 2);
    unlink(at("a.txt"));
    assert_int_equal(mkfifo(at("a.txt"), 0666), 0); /* does not hang */
    check("changed  a.txt (cannot be read as a file)\nextra    b/real\n", 2);
    assert_int_equal(rename(at("b"), at("d")), 0);
    assert_int_equal(symlink("d", at("b")), 0);
    check("changed  a.txt (cannot be read as a file)\n"
          "extra    b\n"
          "missing  b/c.txt\n"
          "extra    d/c.txt\n"
          "extra    d/real\n",
          5);
}

static void test_broken_manifests(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "x",
        "9f86  4  a.txt\n",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  4  ../a\n",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  4  /etc\n",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  -  a\n",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  4  a"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[300];
        snprintf(text, sizeof text, "%s%s", MANIFEST_MARK, lines[i]);
        put(MANIFEST_NAME, text);
        check_refused("not a line of a manifest");
    }
    put(MANIFEST_NAME, "# something else\n");
    check_refused("was this folder written by tracefolio");
    unlink(at(MANIFEST_NAME));
    check_refused("was this folder written by tracefolio");
}

static void test_no_folder(void **state)
{
    (void)state;
    struct err e = {0}, again = {0};
    ptrdiff_t n;
    assert_false(manifest_verify("/nonexistent", tmp, NULL, &n, &e));
    assert_int_equal(e.kind, ERR_INPUT);
    assert_false(manifest_write("/nonexistent", tmp, &again));
    assert_int_equal(again.kind, ERR_OUTPUT);
}

static void test_a_file_that_is_not_ours(void **state)
{
    (void)state;
    struct err e = {0};
    put("two words", "");
    assert_false(manifest_write(dir, tmp, &e));
    assert_string_equal(e.what, "not a file of this report");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_differences, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_links_and_pipes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_broken_manifests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_folder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_file_that_is_not_ours, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
