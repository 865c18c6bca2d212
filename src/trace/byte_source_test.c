#include "trace/byte_source.c"

#include <zlib.h>
#include <zstd.h>

#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { TEXT_BYTES = 5000 };
static char text[TEXT_BYTES];

static int setup(void **state)
{
    (void)state;
    for (int i = 0; i < TEXT_BYTES; i++)
        text[i] = (char)('a' + i * 7 % 26);
    return 0;
}

static void write_file(char path[32], const void *bytes, size_t n)
{
    strcpy(path, "/tmp/tracefolio-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
    close(fd);
}

/* gzip of `n` bytes, behind what is in `to` already; returns the new length. */
static size_t add_member(unsigned char *to, size_t at, const char *bytes, size_t n)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)bytes;
    z.avail_in = (unsigned)n;
    z.next_out = to + at;
    z.avail_out = 2 * TEXT_BYTES;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t end = at + z.total_out;
    deflateEnd(&z);
    return end;
}

/* That of the file, or none where it broke off. */
static void assert_digest(struct byte_source *s, const char *path, bool whole)
{
    char got[SHA256_HEX_BYTES] = "", want[SHA256_HEX_BYTES], bytes[4 * TEXT_BYTES];
    int fd = open(path, O_RDONLY);
    ssize_t n = read(fd, bytes, sizeof bytes);
    close(fd);
    assert_in_range(n, 1, sizeof bytes - 1);
    sha256_hex_of((struct str){bytes, n}, want);
    assert_int_equal(source_digest(s, got), whole);
    assert_string_equal(got, whole ? want : "");
}

/* Read everything, keeping the last `keep` bytes of each window back; compare. */
static void read_back(const char *path, ptrdiff_t window, bool one_thread,
                      ptrdiff_t keep, int64_t want_bytes, enum err_kind want)
{
    struct byte_source *s;
    struct err e = {0};
    char *begin, *end;
    ptrdiff_t used = 0, kept = 0;
    assert_true(source_open(
        &s, path,
        (struct source_options){.window_bytes = window, .one_thread = one_thread}, &e));
    while (source_next(s, kept, &begin, &end, &e)) {
        assert_int_equal(*end, '\0');
        assert_memory_equal(begin, text + used, (size_t)(end - begin));
        kept = end - begin < keep ? end - begin : keep;
        used += end - begin - kept;
    }
    assert_int_equal(e.kind, want);
    assert_int_equal(used + kept, want_bytes);
    assert_int_equal(source_bytes(s), want_bytes);
    assert_digest(s, path, want == ERR_NONE);
    source_close(s);
}

static void test_plain_and_gzip_through_all_windows(void **state)
{
    (void)state;
    unsigned char packed[3 * TEXT_BYTES];
    size_t n = add_member(packed, 0, text, TEXT_BYTES);
    char plain[32], gzip[32];
    write_file(plain, text, TEXT_BYTES);
    write_file(gzip, packed, n);
    for (ptrdiff_t window = 1; window <= 64; window += 9)
        for (ptrdiff_t keep = 0; keep <= 90; keep += 45) {
            read_back(plain, window, keep % 2, keep, TEXT_BYTES, ERR_NONE);
            read_back(gzip, window, !(keep % 2), keep, TEXT_BYTES, ERR_NONE);
        }
    read_back(gzip, 0, false, 0, TEXT_BYTES, ERR_NONE);
    unlink(plain);
    unlink(gzip);
}

/* Two members and zeros behind them are one text; something else behind them is not. */
static void test_members(void **state)
{
    (void)state;
    unsigned char packed[4 * TEXT_BYTES] = {0};
    size_t n = add_member(packed, 0, text, 1000);
    n = add_member(packed, n, text + 1000, TEXT_BYTES - 1000);
    char path[32];
    write_file(path, packed, n + 17);
    read_back(path, 100, false, 3, TEXT_BYTES, ERR_NONE);
    unlink(path);
    packed[n + 4] = 'x';
    write_file(path, packed, n + 17);
    read_back(path, 100, false, 3, TEXT_BYTES, ERR_INPUT);
    unlink(path);
}

static void test_cut_and_damaged(void **state)
{
    (void)state;
    unsigned char packed[3 * TEXT_BYTES];
    size_t n = add_member(packed, 0, text, TEXT_BYTES);
    char path[32];
    struct err e = {0};
    char *begin, *end;
    for (size_t cut = 2; cut < n; cut += 97) {
        struct byte_source *s;
        write_file(path, packed, cut);
        memset(&e, 0, sizeof e);
        assert_true(source_open(&s, path, (struct source_options){0}, &e));
        while (source_next(s, 0, &begin, &end, &e))
            ;
        assert_int_equal(e.kind, ERR_INPUT);
        assert_non_null(strstr(e.what, "ends too early"));
        source_close(s);
        unlink(path);
    }
    packed[n / 2] ^= 0x55;
    struct byte_source *s;
    write_file(path, packed, n);
    memset(&e, 0, sizeof e);
    assert_true(source_open(&s, path, (struct source_options){0}, &e));
    while (source_next(s, 0, &begin, &end, &e))
        ;
    assert_int_equal(e.kind, ERR_INPUT);
    source_close(s);
    unlink(path);
}

/* Two frames and one that is to be skipped; cut anywhere, and damaged. */
static void test_zstd(void **state)
{
    (void)state;
    unsigned char packed[3 * TEXT_BYTES] = {0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7};
    size_t n = 10;
    n += ZSTD_compress(packed + n, sizeof packed - n, text, 1000, 3);
    n +=
        ZSTD_compress(packed + n, sizeof packed - n, text + 1000, TEXT_BYTES - 1000, 3);
    char path[32], *begin, *end;
    for (ptrdiff_t window = 1; window <= 5000; window = 4 * window + 3) {
        write_file(path, packed, n);
        read_back(path, window, window & 1, 3, TEXT_BYTES, ERR_NONE);
        unlink(path);
    }
    for (size_t cut = 40; cut < n + 1; cut += 7) {
        struct byte_source *s;
        struct err e = {0};
        packed[14] |= cut + 7 > n ? 8 : 0; /* at last a reserved bit */
        write_file(path, packed, cut + 7 > n ? n : cut);
        assert_true(source_open(&s, path, (struct source_options){0}, &e));
        while (source_next(s, 0, &begin, &end, &e))
            ;
        if (source_bytes(s) != 1000 || e.kind) /* cut between the frames */
            assert_non_null(strstr(e.what, "zstd data"));
        source_close(s);
        unlink(path);
    }
}

static void test_other_forms_are_named(void **state)
{
    (void)state;
    const char *const forms[] = {"PK\3\4xxxx", "BZh91AY", "\3757zXZ....."};
    const char *const words[] = {"zip", "bzip2", "xz"};
    for (int i = 0; i < 3; i++) {
        char path[32], *begin, *end;
        struct byte_source *s;
        struct err e = {0};
        write_file(path, forms[i], strlen(forms[i]));
        assert_true(source_open(&s, path, (struct source_options){0}, &e));
        assert_false(source_next(s, 0, &begin, &end, &e));
        assert_int_equal(e.kind, ERR_INPUT);
        assert_non_null(strstr(e.what, words[i]));
        source_close(s);
        unlink(path);
    }
}

static void test_missing_and_folder(void **state)
{
    (void)state;
    struct byte_source *s;
    struct err e = {0}, f = {0};
    assert_false(source_open(&s, "/nonexistent/trace", (struct source_options){0}, &e));
    assert_int_equal(e.kind, ERR_INPUT);
    assert_false(source_open(&s, "/tmp", (struct source_options){0}, &f));
    assert_non_null(strstr(f.what, "folder"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_and_gzip_through_all_windows),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_cut_and_damaged),
        cmocka_unit_test(test_zstd),
        cmocka_unit_test(test_other_forms_are_named),
        cmocka_unit_test(test_missing_and_folder)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
