#include "value_guess.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* Bytes of the value that the text begins with; -1: there is none. */
static ptrdiff_t bytes_of(struct value_guess *g, const char *text,
                          enum scan_state *state)
{
    struct json_scan j = {.end = text + strlen(text)};
    const char *end = value_next(g, &j, text);
    *state = j.state;
    scan_free(&j);
    return end ? end - text : -1;
}

static const char *const texts[] = {
    "[1, 2], ",
    "[1, 2]",
    "[1, 2",
    "[1, 2]]",
    "[1, 2, 3]",
    "\"a\"",
    "\"a\", 1",
    "\"ab\"",
    "\"a",
    "\"a\\\"\"",
    "[[], [1]]",
    "[\"]\", \"[\"]}",
    "{\"a\": [1]}, 2",
    "[1 2]",
    "12]",
    "1",
    "null",
    "[",
    "",
    "[1, 2]\x01",
};
enum { TEXTS = sizeof texts / sizeof *texts };

/* Whatever came before, a value ends where it ends. */
static void after_any_other_two(void **state)
{
    (void)state;
    struct value_guess used, new;
    enum scan_state a, b;
    value_guess_open(&used);
    for (int i = 0; i < TEXTS * TEXTS * TEXTS; i++) {
        const char *text = texts[i % 3 == 0   ? i / TEXTS / TEXTS
                                 : i % 3 == 1 ? i / TEXTS % TEXTS
                                              : i % TEXTS];
        value_guess_open(&new);
        assert_int_equal(bytes_of(&used, text, &a), bytes_of(&new, text, &b));
        assert_int_equal(a, b);
        value_guess_close(&new);
    }
    value_guess_close(&used);
}

/* In a loop, each value is known from the second round on: the texts stay as they are.
 */
static void a_loop_is_known(void **state)
{
    (void)state;
    static const char *const loop[] = {"[1]", "[2]", "[1]", "\"a\"", "[1]", "[2]"};
    enum { STEPS = sizeof loop / sizeof *loop };
    struct value_guess g;
    enum scan_state s;
    value_guess_open(&g);
    for (int i = 0; i < 2 * STEPS; i++)
        bytes_of(&g, loop[i % STEPS], &s);
    for (int i = 0; i < 2 * STEPS; i++) {
        const int32_t *after = values_after(&g);
        struct str want = str_of(loop[i % STEPS]);
        assert_true(str_eq(pool_text(&g.texts, after[0]), want) ||
                    str_eq(pool_text(&g.texts, after[1]), want));
        assert_int_equal(bytes_of(&g, loop[i % STEPS], &s), want.n);
    }
    assert_int_equal(g.texts.n, 1 + 3);
    value_guess_close(&g);
}

/* More texts than are remembered, and some that are too long. */
static void memory_is_bounded(void **state)
{
    (void)state;
    struct value_guess g;
    enum scan_state s;
    char text[2 * GUESS_BYTES];
    value_guess_open(&g);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 2 * GUESS_VALUES; i++) {
            int n = snprintf(text, sizeof text, "[%d, %0*d]", i,
                             i % 64 ? 1 : GUESS_BYTES, 1);
            text[n - 2] = '0';
            assert_int_equal(bytes_of(&g, text, &s), i % 64 ? n : -1);
        }
    assert_int_equal(g.texts.n, GUESS_VALUES);
    value_guess_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_any_other_two),
        cmocka_unit_test(a_loop_is_known),
        cmocka_unit_test(memory_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
