#include "runs/run_copy.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena_case.h"

static char folder[64];

static int begin(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/run_copy_test.XXXXXX");
    assert_non_null(mkdtemp(folder));
    FILE *to = fopen(in(&a, folder, S("page.html")), "w");
    assert_non_null(to);
    fputs("abc", to);
    return fclose(to);
}

static int end(void **state)
{
    (void)state;
    unlink(in(&a, folder, S("page.html")));
    return rmdir(folder);
}

/* The digest of "abc": FIPS 180-2, appendix B.1. */
#define DIGEST "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

/* Whether a file is copied that the manifest tells so. */
static bool copied(const char *line, struct err *e)
{
    struct publish p;
    *e = (struct err){0};
    assert_true(publish_begin(&p, in(&a, folder, S("copy")), false, e));
    bool done = copy_one(folder, &p, str_of(line), a, e);
    publish_abort(&p, e);
    return done;
}

static void a_file_is_as_its_manifest_says(void **state)
{
    struct err e;
    (void)state;
    assert_true(copied(DIGEST "  3  page.html", &e));
    /* Another length, other bytes of that length, or both. */
    assert_false(copied(DIGEST "  4  page.html", &e));
    assert_string_equal(e.what, "is not as its manifest says; analyse the trace again");
    static const char other[] = "000000000000000000000000000000000000000000000000000000"
                                "00000000ad  3  page.html";
    assert_false(copied(other, &e));
    assert_string_equal(e.what, "is not as its manifest says; analyse the trace again");
    assert_false(copied(DIGEST "  3  none.html", &e));
}

static void a_damaged_manifest_copies_nothing(void **state)
{
    static const char *const bad[] = {
        "abc  3  page.html",        DIGEST "  x  page.html",   DIGEST "  -3  page.html",
        DIGEST "  3  ../page.html", DIGEST "  3  /etc/passwd", DIGEST "  3  "};
    struct err e;
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_false(copied(bad[k], &e));
        assert_non_null(strstr(e.what, "is damaged"));
    }
}

static void a_run_has_the_digits_of_its_date(void **state)
{
    (void)state;
    assert_text(date_digits(&a, S("2026-01-31 10:11:12 UTC")), "20260131101112");
    assert_text(date_digits(&a, S("2026-01-31")), "20260131");
    assert_text(date_digits(&a, S("2026-01-31 10:11:12.345")), "20260131101112");
    assert_text(date_digits(&a, S("not recorded")), "");
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_file_is_as_its_manifest_says),
        CASE(a_damaged_manifest_copies_nothing),
        CASE(a_run_has_the_digits_of_its_date),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
