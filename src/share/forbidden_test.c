#include "share/forbidden.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

/* Where a word is in a text; -1: nowhere. */
static int found(const char *word, const char *text)
{
    struct forbidden f;
    struct err e = {0};
    assert_true(forbidden_parse(&a, str_of(word), "list", &f, &e));
    struct text_part t = text_part_of(&a, str_of(text), true, true);
    return (int)forbidden_find(&f.words[0], &t, 0);
}

/* A word is one of its own, or a part of a name that is made of words. */
static void a_word_is_found_between_edges(void **state)
{
    (void)state;
    assert_int_equal(found("falcon", "the falcon model"), 4);
    assert_int_equal(found("falcon", "FALCON"), 0);
    assert_int_equal(found("falcon", "myFalconModel"), 2);
    assert_int_equal(found("falcon", "my_falcon_2"), 3);
    assert_int_equal(found("falcon", "falcon7b"), 0);
    assert_int_equal(found("falcon", "falcons"), -1);
    assert_int_equal(found("falcon", "xfalcon"), -1);
    assert_int_equal(found("model", "MLPModel"), 3);
    assert_int_equal(found("mlp", "MLPModel"), 0);
    assert_int_equal(found("falcon", "falcons and falcon"), 12);
}

static void a_star_leaves_an_edge_open(void **state)
{
    (void)state;
    assert_int_equal(found("falcon*", "falcons"), 0);
    assert_int_equal(found("falcon*", "xfalcons"), -1);
    assert_int_equal(found("*falcon", "xfalcon"), 1);
    assert_int_equal(found("*falcon*", "xfalcons"), 1);
}

/* A part of a text does not say what is around its ends. */
static void the_end_of_a_part_is_no_edge(void **state)
{
    struct forbidden f;
    struct err e = {0};
    (void)state;
    assert_true(forbidden_parse(&a, S("falcon"), "list", &f, &e));
    for (int last = 0; last < 2; last++) {
        struct text_part t = text_part_of(&a, S("the falcon"), true, last);
        assert_int_equal(forbidden_find(&f.words[0], &t, 0), last ? 4 : -1);
        t = text_part_of(&a, S("falcon is"), last, true);
        assert_int_equal(forbidden_find(&f.words[0], &t, 0), last ? 0 : -1);
    }
    struct text_part t = text_part_of(&a, S("falcon falcon"), true, true);
    assert_int_equal(forbidden_find(&f.words[0], &t, 1), 7);
}

static void a_list_has_a_word_a_line(void **state)
{
    struct forbidden f;
    struct err e = {0};
    (void)state;
    assert_true(
        forbidden_parse(&a, S("# names\n  one two \r\n\n*three*\n"), "list", &f, &e));
    assert_int_equal(f.n, 2);
    assert_text(f.words[0].low, "one two");
    assert_text(f.words[1].low, "three");
    assert_false(f.words[1].begins || f.words[1].ends);
    assert_false(forbidden_parse(&a, S("ab\n"), "list", &f, &e));
    assert_string_equal(e.what,
                        "'ab' is too short a word: it would be found by chance");
    e = (struct err){0};
    assert_false(forbidden_parse(&a, S("*ab*\n"), "list", &f, &e));
    e = (struct err){0};
    assert_false(forbidden_parse(&a, S("# none\n"), "list", &f, &e));
    assert_string_equal(e.what, "names no word");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_found_between_edges),
        cmocka_unit_test(a_star_leaves_an_edge_open),
        cmocka_unit_test(the_end_of_a_part_is_no_edge),
        cmocka_unit_test(a_list_has_a_word_a_line),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
