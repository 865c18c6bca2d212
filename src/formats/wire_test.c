#include "formats/wire.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define BYTES(lit) wire_of(S(lit))

static void fields_of_every_type(void **state)
{
    (void)state;
    /* 1: 150, 2: "testing", 3: message {1: 150}, 4: 1.5, 5: 7 in four bytes: the first
     * three are the examples of the format's own documentation */
    struct wire w = BYTES("\x08\x96\x01\x12\x07testing\x1a\x03\x08\x96\x01"
                          "\x21\0\0\0\0\0\0\xf8\x3f\x2d\x07\0\0\0");
    struct wire_field f;
    assert_true(wire_next(&w, &f) && f.number == 1 && f.value == 150);
    assert_true(wire_next(&w, &f) && f.number == 2 && str_eq(f.bytes, S("testing")));
    assert_true(wire_next(&w, &f) && f.number == 3);
    struct wire inner = wire_of(f.bytes);
    assert_true(wire_next(&inner, &f) && f.value == 150 && !wire_next(&inner, &f));
    assert_true(wire_next(&w, &f) && f.number == 4 && wire_double(f.value) == 1.5);
    assert_true(wire_next(&w, &f) && f.number == 5 && f.value == 7);
    assert_false(wire_next(&w, &f));
    assert_false(w.broken);
}

static void varints_of_64_bits(void **state)
{
    (void)state;
    struct wire w = BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" /* -1 */
                          "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01" /* 2^63 */
                          "\x08\x80\x00");                               /* 0, padded */
    struct wire_field f;
    assert_true(wire_next(&w, &f) && (int64_t)f.value == -1);
    assert_true(wire_next(&w, &f) && f.value == (uint64_t)1 << 63);
    assert_true(wire_next(&w, &f) && f.value == 0);
    assert_false(wire_next(&w, &f) || w.broken);
}

/* Numbers of one to ten bytes, and keys of one to three, with anything behind them or
 * nothing. */
static void varints_of_every_length(void **state)
{
    (void)state;
    for (int bits = 1; bits <= 64; bits++)
        for (uint32_t number = 1; number < 1 << 16; number *= 11)
            for (int behind = 0; behind < 13; behind++) {
                uint64_t v = 0x9e3779b97f4a7c15u >> (64 - bits);
                char bytes[40];
                ptrdiff_t n = 0;
                for (uint64_t left = (uint64_t)number << 3;; left >>= 7) {
                    bytes[n++] = (char)(left > 127 ? (left & 127) | 128 : left);
                    if (left <= 127)
                        break;
                }
                for (uint64_t left = v;; left >>= 7) {
                    bytes[n++] = (char)(left > 127 ? (left & 127) | 128 : left);
                    if (left <= 127)
                        break;
                }
                struct wire w = wire_of((struct str){bytes, n + behind});
                memset(bytes + n, 0xff, (size_t)behind);
                struct wire_field f;
                assert_true(wire_next(&w, &f) && f.number == number && f.value == v);
                assert_int_equal(w.end - w.at, behind);
                w = wire_of((struct str){bytes, n - 1});
                assert_true(!wire_next(&w, &f) && w.broken);
            }
}

static void lists_packed_or_not(void **state)
{
    (void)state;
    struct wire w = BYTES("\x0a\x04\x03\x8e\x02\x05\x08\x09\x0a\x00");
    struct wire_field f;
    uint64_t v;
    assert_true(wire_next(&w, &f));
    assert_true(wire_next_number(&f, &v) && v == 3);
    assert_true(wire_next_number(&f, &v) && v == 270);
    assert_true(wire_next_number(&f, &v) && v == 5);
    assert_false(wire_next_number(&f, &v));
    assert_true(wire_next(&w, &f));
    assert_true(wire_next_number(&f, &v) && v == 9);
    assert_false(wire_next_number(&f, &v));
    assert_true(wire_next(&w, &f));
    assert_false(wire_next_number(&f, &v));
}

static void first_of_a_number(void **state)
{
    (void)state;
    struct wire_field f;
    assert_true(wire_find(S("\x08\x01\x10\x02\x10\x03"), 2, &f) && f.value == 2);
    assert_false(wire_find(S("\x08\x01\x10\x02"), 3, &f));
    assert_false(wire_find(S(""), 1, &f));
}

static void broken_bytes(void **state)
{
    (void)state;
    static const struct str broken[] = {
        S_INIT("\x08"),                                             /* no value */
        S_INIT("\x08\x80"),                                         /* half a varint */
        S_INIT("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), /* eleven bytes */
        S_INIT("\x12\x05"
               "abcd"), /* a byte too few */
        S_INIT("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
               "a"), /* 2^64 - 1 bytes */
        S_INIT("\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
               "a"),        /* 2^63 - 1 */
        S_INIT("\x00\x01"), /* no number */
        S_INIT("\x0b\x0c"), /* a group */
        S_INIT("\x0e\x00"),
        S_INIT("\x0f\x00"), /* no type */
        S_INIT("\x09\x01\x02\x03"),
        S_INIT("\x0d\x01\x02\x03"),
        S_INIT(
            "\xf8\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00"), /* a number of 61 bits */
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct wire w = wire_of(broken[i]);
        struct wire_field f;
        assert_false(wire_next(&w, &f));
        assert_true(w.broken);
        assert_false(wire_next(&w, &f)); /* and it stays so */
    }
}

/* Every cut of a message is whole, or broken, and never read behind its end. */
static void every_cut(void **state)
{
    (void)state;
    struct str all = S("\x08\x96\x01\x12\x07testing\x1a\x03\x08\x96\x01\x2d\x07\0\0\0");
    static const ptrdiff_t whole[] = {0, 3, 12, 17, 22};
    for (ptrdiff_t n = 0, k = 0; n <= all.n; n++) {
        char *copy = malloc((size_t)n + 1);
        memcpy(copy, all.p, (size_t)n);
        struct wire w = wire_of((struct str){copy, n});
        struct wire_field f;
        while (wire_next(&w, &f))
            continue;
        assert_int_equal(w.broken, n != whole[k]);
        k += n == whole[k];
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fields_of_every_type),
                                       cmocka_unit_test(varints_of_64_bits),
                                       cmocka_unit_test(varints_of_every_length),
                                       cmocka_unit_test(lists_packed_or_not),
                                       cmocka_unit_test(first_of_a_number),
                                       cmocka_unit_test(broken_bytes),
                                       cmocka_unit_test(every_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
