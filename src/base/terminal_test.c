#include "terminal.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static char *text;
static size_t n_text;

static FILE *begin(void)
{
    free(text);
    text = NULL;
    FILE *to = open_memstream(&text, &n_text);
    assert_non_null(to);
    return to;
}

static void ends_as(FILE *to, const char *want)
{
    fclose(to);
    assert_string_equal(text, want);
}

/* Escapes, C1, bidi, another line: all are shown. */
static void test_line(void **state)
{
    (void)state;
    FILE *to = begin();
    terminal_line(to, "%s: %d", "a\033[2J\nb\xc2\x9b\xe2\x80\xaeg\x7f\xff", 3);
    ends_as(to, "a\\x1b[2J\\x0ab\\xc2\\x9b\\xe2\\x80\\xaeg\\x7f\\xff: 3\n");
    to = begin();
    terminal_part(to, "%s", "caf\xc3\xa9\n");
    ends_as(to, "caf\xc3\xa9\\x0a");
}

static void test_commands_of_builds(void **state)
{
    (void)state;
    FILE *to = begin();
    terminal_line(to, "%s", "::error::x ::warning::");
    terminal_line(to, "%s", "  ::error::x");
    terminal_line(to, "at::mm ##[error] ##vso[x]");
    terminal_line(to, "####");
    terminal_line(to, "###[error]");
    terminal_line(to, "### a heading");
    terminal_line(to, "`## backward ##`");
    ends_as(to, "\\x3a:error::x ::warning::\n  \\x3a:error::x\n"
                "at::mm #\\x23[error] #\\x23vso[x]\n####\n"
                "##\\x23[error]\n### a heading\n`## backward ##`\n");
}

static void test_text(void **state)
{
    (void)state;
    FILE *to = begin();
    terminal_text(to, S("a\n::b\n\nc\033"));
    ends_as(to, "a\n\\x3a:b\n\nc\\x1b\n");
    to = begin();
    terminal_raw(to, S("::error::\033[K"));
    ends_as(to, "::error::\033[K");
}

/* A line that is longer than any should be is cut. */
static void test_long(void **state)
{
    (void)state;
    char *name = malloc(1 << 17);
    memset(name, '\033', (1 << 17) - 1);
    name[(1 << 17) - 1] = '\0';
    FILE *to = begin();
    terminal_line(to, "%s", name);
    fclose(to);
    free(name);
    assert_int_equal(n_text, 4 * (LINE_BYTES - 1) + 1);
}

static int free_text(void **state)
{
    (void)state;
    free(text);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line), cmocka_unit_test(test_commands_of_builds),
        cmocka_unit_test(test_text), cmocka_unit_test(test_long)};
    return cmocka_run_group_tests(tests, NULL, free_text);
}
