#include "perf/triton_words.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void words_ascend(void **state)
{
    (void)state;
    ptrdiff_t longest = 0;
    assert_int_equal(WORDS, 960);
    for (int i = 0; i < WORDS; i++) {
        struct str w = str_of(words[i]);
        assert_true(i == 0 || str_cmp(str_of(words[i - 1]), w) < 0);
        assert_true(triton_word(w));
        longest = w.n > longest ? w.n : longest;
    }
    assert_int_equal(triton_word_longest(), longest);
}

static void whole_words_only(void **state)
{
    (void)state;
    assert_true(triton_word(S("_to_copy")));
    assert_false(triton_word(S("to_copy_")));
    assert_false(triton_word(S("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_ascend),
        cmocka_unit_test(whole_words_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
