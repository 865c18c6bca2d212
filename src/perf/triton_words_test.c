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
    int count = 0;
    struct str text = {triton_words_at, triton_words_end - triton_words_at},
               last = S("");
    for (; text.n > 0; count++) {
        struct str w = str_take(&text, S("\n"));
        assert_true(str_cmp(last, w) < 0);
        assert_true(triton_word(w));
        longest = w.n > longest ? w.n : longest;
        last = w;
    }
    assert_int_equal(count, 960);
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
