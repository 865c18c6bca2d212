#include "markdown_text.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena tmp;

typedef void text_writer(struct out *o, struct arena tmp, struct str s,
                         enum md_place place);

static void check(text_writer *write, struct str s, enum md_place place,
                  const char *want)
{
    struct out o;
    out_memory(&o);
    write(&o, tmp, s, place);
    out_char(&o, '\0');
    assert_string_equal(out_view(&o).p, want);
    out_free(&o);
}

static void test_name(void **state)
{
    (void)state;
    check(md_name, S("aten::mm"), MD_LINE, "`aten::mm`");
    check(md_name, S("<b>@user #1 **x**"), MD_LINE, "`<b>@user #1 **x**`");
    check(md_name, S(""), MD_LINE, "\xe2\x80\x94");
    check(md_name, S("  "), MD_LINE, "\xe2\x80\x94");
    /* One backtick inside needs a fence of two; at an end a space keeps them apart. */
    check(md_name, S("a`b"), MD_LINE, "``a`b``");
    check(md_name, S("`a``"), MD_LINE, "``` `a`` ```");
    check(md_name, S(" a "), MD_LINE, "`  a  `");
    check(md_name, S("a|b"), MD_CELL, "`a\\|b`");
    check(md_name, S("a|b"), MD_LINE, "`a|b`");
    check(md_name, S("a\nb"), MD_LINE, "`a\\nb`");
}

static void test_name_is_cut(void **state)
{
    (void)state;
    char long_name[201], want[130];
    memset(long_name, 'x', 200);
    memset(want, 'x', sizeof want);
    /* A backtick, 120 of the 200 letters, three dots and a backtick. */
    want[0] = '`';
    memcpy(want + 121, "...`", 5);
    check(md_name, (struct str){long_name, 200}, MD_LINE, want);
    /* A kernel is cut at 75 bytes; the two-byte letter across the edge goes whole. */
    memcpy(long_name + 74, "\xc3\xa9", 2);
    memset(want, 'x', sizeof want);
    want[0] = '`';
    memcpy(want + 75, "...`", 5);
    check(md_kernel, (struct str){long_name, 200}, MD_LINE, want);
}

static void test_prose(void **state)
{
    (void)state;
    check(md_prose, S("Try `torch.compile` first."), MD_LINE,
          "Try `torch.compile` first.");
    check(md_prose, S("the row aten::bmm, (see x_y)."), MD_LINE,
          "the row `aten::bmm`, (see `x_y`).");
    check(md_prose, S("2 < 3 and *so* [a](b) & ~c"), MD_LINE,
          "2 \\< 3 and \\*so\\* \\[a\\](b) &amp; \\~c");
    check(md_prose, S("hello @user and <img src=x> http://x.y"), MD_LINE,
          "hello `@user` and `<img` src=x> `http://x.y`");
    check(md_prose, S("a|b `c|d`"), MD_CELL, "a\\|b `c\\|d`");
    check(md_prose, S("open ` tick"), MD_LINE, "open \\` tick");
    check(md_prose, S("two\nlines"), MD_LINE, "two lines");
    check(md_prose, S("33.2 % of 5 %, not x % or `5 %`"), MD_LINE,
          "33.2% of 5%, not x % or `5 %`");
}

static void test_block(void **state)
{
    (void)state;
    struct out o;
    out_memory(&o);
    md_block(&o, tmp, S("a ``` b\nc\td"));
    out_char(&o, '\0');
    assert_string_equal(out_view(&o).p, "````text\na ``` b\nc d\n````");
    out_free(&o);
}

static void test_sentences(void **state)
{
    (void)state;
    struct str text = S("It takes 2.5 ms, e.g. in `a. B` here. `x` does more. End.");
    struct str first = md_first_sentence(text);
    assert_true(str_eq(first, S("It takes 2.5 ms, e.g. in `a. B` here.")));
    assert_true(str_eq(md_after_first(text), S("`x` does more. End.")));
    assert_true(str_eq(md_first_sentence(S("One")), S("One")));
    assert_true(md_after_first(S("One.")).n == 0);
}

static void check_number(void (*write)(struct out *, double), double v,
                         const char *want)
{
    struct out o;
    out_memory(&o);
    write(&o, v);
    out_char(&o, '\0');
    assert_string_equal(out_view(&o).p, want);
    out_free(&o);
}

static void test_numbers(void **state)
{
    (void)state;
    check_number(md_ms, 121.267, "121.3");
    check_number(md_ms, 13.714, "13.71");
    check_number(md_ms, 0.0925, "0.093"); /* half away from zero */
    check_number(md_ms, (double)NAN, "\xe2\x80\x94");
    check_number(md_pct, 97.93, "97.9");
    check_number(md_pct, 0.744, "0.74");
    check_number(md_pct, 0.0, "0.0");
    check_number(md_pct, 0.005, "0.01");
    check_number(md_pct, 0.0049, "< 0.01"); /* little, and not nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_name),      cmocka_unit_test(test_name_is_cut),
        cmocka_unit_test(test_prose),     cmocka_unit_test(test_block),
        cmocka_unit_test(test_sentences), cmocka_unit_test(test_numbers),
    };
    tmp = arena_reserve(1 << 24);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
