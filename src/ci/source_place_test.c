#include "source_place.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena_case.h"

static char root[] = "/tmp/source_place_XXXXXX";

static void touch(const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
}

static int make_checkout(void **state)
{
    char path[PATH_MAX];
    if (!mkdtemp(root))
        return -1;
    snprintf(path, sizeof path, "%s/src", root);
    if (mkdir(path, 0700) != 0)
        return -1;
    touch("src/vit.py");
    touch("vit.py");
    touch("a b:\xc3\xa9.py");
    return set_up(state);
}

static int remove_checkout(void **state)
{
    static const char *const names[] = {"src/vit.py", "vit.py", "a b:\xc3\xa9.py",
                                        "src", ""};
    char path[PATH_MAX];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        snprintf(path, sizeof path, "%s/%s", root, names[k]);
        (void)remove(path);
    }
    return tear_down(state);
}

static void test_places(void **state)
{
    (void)state;
    static const struct {
        const char *frame, *uri; /* NULL: none */
        int64_t line;
    } cases[] = {
        {"src/vit.py(210): forward", "src/vit.py", 210},
        {"/home/eve/job/src/vit.py(7): forward", "src/vit.py", 7},
        {"/home/eve/vit.py(7): <lambda>", "vit.py", 7},
        {"a b:\xc3\xa9.py(1): f", "a%20b%3A%C3%A9.py", 1},
        {"job/vit.py(7): forward", NULL, 0}, /* relative, and not there */
        {".../job/src/vit.py(7): forward", "src/vit.py", 7}, /* the end of one */
        {"/usr/lib/python3.11/site-packages/src/vit.py(7): f", NULL, 0},
        {"/opt/lib/python3.11/vit.py(7): f", NULL, 0},
        {"src/../vit.py(7): f", NULL, 0},
        {"/../../src/../vit.py(7): f", "vit.py", 7},
        {"src(7): f", NULL, 0}, /* a folder */
        {"vit.py(0): f", NULL, 0},
        {"vit.py(99999999999999999999): f", NULL, 0},
        {"vit.py(): f", NULL, 0},
        {"(7): f", NULL, 0},
        {"<built-in method linear>", NULL, 0},
        {"", NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct source_place p = {0};
        bool found = source_place_find(&a, root, str_of(cases[i].frame), &p);
        assert_int_equal(found, cases[i].uri != NULL);
        if (!found)
            continue;
        assert_text(p.uri, cases[i].uri);
        assert_int_equal(p.line, cases[i].line);
    }
}

/* Any other path of that length would be looked for as often as it has parts. */
static void test_longer_than_a_path(void **state)
{
    (void)state;
    enum { BYTES = 1 << 16 };
    static char text[BYTES];
    struct source_place p;
    for (int i = 0; i < BYTES; i += 2)
        memcpy(text + i, "/a", 2);
    struct str end = S("/vit.py(7): f");
    memcpy(text + BYTES - end.n, end.p, (size_t)end.n);
    assert_false(source_place_find(&a, root, (struct str){text, BYTES}, &p));
    assert_true(
        source_place_find(&a, root, (struct str){text + BYTES - 4000, 4000}, &p));
}

static void test_nul(void **state)
{
    (void)state;
    struct source_place p;
    assert_false(source_place_find(&a, root, S("vit.py\0x(7): f"), &p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_places),
                                       cmocka_unit_test(test_longer_than_a_path),
                                       cmocka_unit_test(test_nul)};
    return cmocka_run_group_tests(tests, make_checkout, remove_checkout);
}
