#include "base/out.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void prints(double v, const char *want)
{
    char buf[33] = {0};
    int n = real_text(buf, v);
    if (n != (int)strlen(want) || memcmp(buf, want, (size_t)n) != 0)
        fail_msg("%.17g: %.*s, want %s", v, n, buf, want);
}

/* As Python's repr prints floats. */
static void test_reals(void **state)
{
    (void)state;
    prints(0.0, "0.0");
    prints(-0.0, "-0.0");
    prints(12.0, "12.0");
    prints(1.5, "1.5");
    prints(-98.718, "-98.718");
    prints(0.001, "0.001");
    prints(0.1 + 0.2, "0.30000000000000004");
    prints(1e-4, "0.0001");
    prints(7.2192e-05, "7.2192e-05");
    prints(1e-9, "1e-09");
    prints(1e15, "1000000000000000.0");
    prints(1e16, "1e+16");
    prints(1.5e300, "1.5e+300");
    prints(5e-324, "5e-324");
    prints(8881247338035.3, "8881247338035.3");
    prints(551.4516279999999, "551.4516279999999");
    prints((double)INFINITY, "inf");
    prints(-(double)INFINITY, "-inf");
    prints((double)NAN, "nan");
}

/* Every value reads back as itself, whatever way it was printed. */
static void test_reals_read_back(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        double v = (double)(int64_t)x / (double)(1 + i % 7 * 999983);
        if (i % 3 == 0)
            v = (double)(int64_t)(x >> 20) / 1000.0;
        char buf[33] = {0};
        real_text(buf, v);
        assert_true(strtod(buf, NULL) == v);
    }
}

static void fixed(double v, int decimals, const char *want)
{
    char buf[64];
    fixed_text(buf, v, decimals);
    assert_string_equal(buf, want);
}

/* Halves away from zero on the decimal a reader sees, not on the binary below it. */
static void test_fixed(void **state)
{
    (void)state;
    fixed(2.675, 2, "2.68"); /* 2.67499999999999982 in binary */
    fixed(-2.675, 2, "-2.68");
    fixed(0.5, 0, "1");
    fixed(0.05, 1, "0.1");
    fixed(0.04, 1, "0.0");
    fixed(-0.04, 1, "0.0");
    fixed(99.95, 1, "100.0");
    fixed(0.0, 3, "0.000");
    fixed(1234567.891, 2, "1234567.89");
    fixed(1e-9, 3, "0.000");
    fixed(140737488355328, 6, "140737488355328.000000"); /* 2^64 has 20 digits */
}

static void tenths(double v, const char *want)
{
    struct out o;
    out_memory(&o);
    out_tenths(&o, v);
    out_char(&o, '\0');
    assert_string_equal(out_view(&o).p, want);
    out_free(&o);
}

static void test_tenths(void **state)
{
    (void)state;
    tenths(0.0, "0");
    tenths(12.0, "12");
    tenths(12.34, "12.3");
    tenths(-12.5, "-12.5");
    tenths(-0.04, "0");
    tenths(0.05, "0.1"); /* as fixed_text rounds */
    tenths(99.95, "100");
    tenths(1048575.96, "1048576");
    tenths(1e14 + 0.5, "100000000000000.5");
    tenths(1e15, "1e+15");
    tenths((double)NAN, "nan");
}

/* The multiplication gives what the digits give, or leaves it to them. */
static void test_fixed_quickly_or_by_digits(void **state)
{
    (void)state;
    uint64_t x = 88172645463325252u, quick = 0, units;
    for (int i = 0; i < 100000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        double v = (double)(x >> (11 + i % 40)) / (double)(1 + i % 2000);
        int decimals = i % 5;
        if (v < 1e15 && scale_quickly(v, decimals, &units)) {
            quick++;
            assert_int_equal(units, scale_by_digits(v, decimals));
        }
    }
    assert_true(quick > 50000);
    assert_false(scale_quickly(2.675, 2, &units));
    assert_false(scale_quickly(0.5, 0, &units));
}

static void test_integers(void **state)
{
    (void)state;
    struct out o;
    out_memory(&o);
    out_i64(&o, INT64_MIN);
    out_char(&o, ' ');
    out_i64(&o, 0);
    out_char(&o, ' ');
    out_i64(&o, INT64_MAX);
    assert_true(str_eq(out_view(&o), S("-9223372036854775808 0 9223372036854775807")));
    out_free(&o);
}

/* A full disk is noticed at the end, with its reason. */
static void test_full_disk(void **state)
{
    (void)state;
    struct out o;
    struct err e = {0};
    assert_true(out_open(&o, "/dev/full", &e));
    for (int i = 0; i < 100000; i++)
        out_lit(&o, "0123456789");
    assert_false(out_close(&o, &e));
    assert_int_equal(e.kind, ERR_OUTPUT);
    assert_non_null(strstr(e.what, "No space"));
}

static void test_large_writes(void **state)
{
    (void)state;
    char path[] = "/tmp/tracefolio-XXXXXX", big[200000];
    close(mkstemp(path));
    struct out o;
    struct err e = {0};
    for (size_t i = 0; i < sizeof big; i++)
        big[i] = (char)('a' + i % 26);
    assert_true(out_open(&o, path, &e));
    out_lit(&o, "x");
    out_bytes(&o, big, sizeof big);
    assert_true(out_close(&o, &e));
    FILE *f = fopen(path, "rb");
    char back[sizeof big + 2];
    assert_int_equal(fread(back, 1, sizeof back, f), sizeof big + 1);
    assert_memory_equal(back + 1, big, sizeof big);
    fclose(f);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reals),
        cmocka_unit_test(test_reals_read_back),
        cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_tenths),
        cmocka_unit_test(test_fixed_quickly_or_by_digits),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_large_writes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
