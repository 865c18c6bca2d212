#include "sha256.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* The examples of FIPS 180-2, B.1 and B.2, and the empty text. */
static void test_published_examples(void **state)
{
    (void)state;
    char hex[SHA256_HEX_BYTES];
    sha256_hex_of(S("abc"), hex);
    assert_string_equal(
        hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_hex_of(S("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), hex);
    assert_string_equal(
        hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    sha256_hex_of(S(""), hex);
    assert_string_equal(
        hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void test_bytes_and_hex_of_the_same(void **state)
{
    (void)state;
    uint8_t sum[SHA256_DIGEST_SIZE];
    sha256_of(S("abc"), sum);
    assert_int_equal(sum[0], 0xba);
    assert_int_equal(sum[31], 0xad);
}

/* A digest leaves its context as new: the next file starts from nothing. */
static void test_context_is_empty_afterwards(void **state)
{
    (void)state;
    struct sha256_ctx c;
    char first[SHA256_HEX_BYTES], second[SHA256_HEX_BYTES];
    sha256_init(&c);
    for (int i = 0; i < 100; i++)
        sha256_update(&c, 3, (const uint8_t *)"abc");
    sha256_hex(&c, first);
    for (int i = 0; i < 300; i++)
        sha256_update(&c, 1, (const uint8_t *)&"abc"[i % 3]);
    sha256_hex(&c, second);
    assert_string_equal(first, second);
}

static void test_what_is_left_of_a_file(void **state)
{
    (void)state;
    char hex[SHA256_HEX_BYTES], want[SHA256_HEX_BYTES];
    int64_t bytes = -1;
    FILE *f = tmpfile();
    assert_non_null(f);
    assert_true(fputs("xabc", f) >= 0 && fflush(f) == 0);
    assert_int_equal(lseek(fileno(f), 1, SEEK_SET), 1);
    assert_true(sha256_file(fileno(f), hex, &bytes));
    sha256_hex_of(S("abc"), want);
    assert_string_equal(hex, want);
    assert_int_equal(bytes, 3);
    fclose(f);
    assert_false(sha256_file(-1, hex, &bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_examples),
        cmocka_unit_test(test_bytes_and_hex_of_the_same),
        cmocka_unit_test(test_context_is_empty_afterwards),
        cmocka_unit_test(test_what_is_left_of_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
