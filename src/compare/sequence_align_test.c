#include "sequence_align.c"

#include "base/arena_case.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A letter a kernel: capitals are products, 'a' attention, all else element-wise. */
static struct token *tokens(const char *text, int *n)
{
    *n = (int)strlen(text);
    struct token *t = arena_new(&a, struct token, *n + 1);
    for (int i = 0; i < *n; i++) {
        bool product = text[i] >= 'A' && text[i] <= 'Z';
        t[i] = (struct token){text[i], product          ? KERNEL_GEMM
                                       : text[i] == 'a' ? KERNEL_ATTENTION
                                                        : KERNEL_ELEMENTWISE};
    }
    return t;
}

/* "0-1" would be: a[0] with b[0], a[1] with none, a[2] with b[1]. */
static void check(const char *x, const char *y, const char *want, int64_t want_cost)
{
    int n_x, n_y;
    struct token *tx = tokens(x, &n_x), *ty = tokens(y, &n_y);
    int32_t to[32];
    char got[33] = {0};
    int64_t cost = sequence_align(a, tx, n_x, ty, n_y, 64, to);
    for (int i = 0; i < n_x; i++)
        got[i] = (char)(to[i] < 0 ? '-' : '0' + to[i]);
    assert_string_equal(got, want);
    assert_int_equal(cost, want_cost);
    int64_t swapped = sequence_align(a, ty, n_y, tx, n_x, 64, to);
    assert_int_equal(swapped, cost);
}

static void test_align(void **state)
{
    (void)state;
    check("AxB", "AxB", "012", 0);
    check("AxB", "AB", "0-1", GAP);
    check("AxyB", "AzB", "0-12", GAP + SAME_CLASS);
    check("Ax", "Bx", "01", SAME_CLASS);
    check("a", "x", "-", ANCHOR_GAP + GAP);
    check("", "xy", "", 2 * GAP);
}

static void test_period(void **state)
{
    (void)state;
    int n;
    int32_t at;
    struct token *t = tokens("pqAxaBAxaBAxaBAxaBAxaBz", &n);
    assert_int_equal(sequence_period(a, t, n), 4);
    assert_int_equal(sequence_repeats(a, t, n, 4, &at), 5);
    assert_int_equal(at, 2);
    t = tokens("abcdefghijkl", &n);
    assert_int_equal(sequence_period(a, t, n), 0);
    t = tokens("AxAxAx", &n); /* three repeats are too few */
    assert_int_equal(sequence_period(a, t, n), 0);
}

/* A slot that differs in some layers does not end the repetition. */
static void test_uneven_layers(void **state)
{
    (void)state;
    int n;
    int32_t at;
    struct token *t = tokens("AxaByAxaByAzaByAxaByAxaByAxaBy", &n);
    assert_int_equal(sequence_period(a, t, n), 5);
    assert_int_equal(sequence_repeats(a, t, n, 5, &at), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_align),
        cmocka_unit_test(test_period),
        cmocka_unit_test(test_uneven_layers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
