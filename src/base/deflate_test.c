#include "deflate.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

static struct deflater *deflater; /* one for all: what was before does not show */

static int open_deflater(void **state)
{
    (void)state;
    deflater = deflater_open();
    return 0;
}

static int close_deflater(void **state)
{
    (void)state;
    deflater_close(deflater);
    return 0;
}

/* zlib reads it back, check sum included. */
static void assert_reads_back(enum deflate_frame frame, struct str bytes)
{
    struct out o;
    out_memory(&o);
    deflater_run(deflater, frame, bytes, &o);
    unsigned char *back = malloc((size_t)bytes.n + 1);
    assert_non_null(back);
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)out_view(&o).p,
                  .avail_in = (unsigned)out_view(&o).n,
                  .next_out = back,
                  .avail_out = (unsigned)bytes.n + 1};
    assert_int_equal(inflateInit2(&z, frame == DEFLATE_GZIP ? 31 : 15), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.total_out, bytes.n);
    assert_int_equal(z.avail_in, 0);
    if (bytes.n > 0)
        assert_memory_equal(back, bytes.p, (size_t)bytes.n);
    inflateEnd(&z);
    free(back);
    out_free(&o);
}

/* Nothing, one byte, and more than one buffer in and out. */
static void all_of_it_is_read_back(void **state)
{
    (void)state;
    static char bytes[300000];
    static const ptrdiff_t lengths[] = {0, 1, 2, 65535, 65536, 65537, sizeof bytes};
    uint32_t random = 7;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            assert_reads_back(DEFLATE_GZIP, (struct str){bytes, lengths[i]});
            assert_reads_back(DEFLATE_ZLIB, (struct str){bytes, lengths[i]});
        }
        for (size_t i = 0; i < sizeof bytes; i++) { /* what cannot be made shorter */
            random = random * 1664525 + 1013904223;
            bytes[i] = (char)(random >> 24);
        }
    }
}

/* In parts, an empty one among them; without a frame, as in a zip. */
static void parts_make_one_stream(void **state)
{
    (void)state;
    static char bytes[200000], back[sizeof bytes + 1];
    static const ptrdiff_t parts[] = {0, 3, 70000, 0, 1, 129000};
    struct str rest = {bytes, sizeof bytes};
    struct out o;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * i % 251);
    out_memory(&o);
    deflater_begin(deflater, DEFLATE_RAW);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        deflater_feed(deflater, str_head(rest, parts[i]), false, &o);
        rest = str_skip(rest, parts[i]);
    }
    deflater_feed(deflater, rest, true, &o);
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)out_view(&o).p,
                  .avail_in = (unsigned)out_view(&o).n,
                  .next_out = (unsigned char *)back,
                  .avail_out = sizeof back};
    assert_int_equal(inflateInit2(&z, -15), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.total_out, sizeof bytes);
    assert_memory_equal(back, bytes, sizeof bytes);
    inflateEnd(&z);
    out_free(&o);
}

static void what_repeats_is_short(void **state)
{
    (void)state;
    static char rows[200 * 1681];
    struct out o;
    for (size_t i = 0; i < sizeof rows; i++)
        rows[i] = (char)(i % 1681 * 7 % 31);
    out_memory(&o);
    deflater_run(deflater, DEFLATE_ZLIB, (struct str){rows, sizeof rows}, &o);
    assert_in_range(out_view(&o).n, 100, sizeof rows / 100);
    out_free(&o);
}

/* RFC 1952, 2.3: no flags, no time, no system. */
static void a_member_names_no_file_and_no_time(void **state)
{
    (void)state;
    struct out o;
    out_memory(&o);
    deflater_run(deflater, DEFLATE_GZIP, S("text"), &o);
    assert_memory_equal(out_view(&o).p, "\x1f\x8b\x08\0\0\0\0\0", 8);
    assert_int_equal((unsigned char)out_view(&o).p[9], 255);
    out_free(&o);
}

static void the_same_bytes_are_the_same_stream(void **state)
{
    (void)state;
    struct out first, second;
    out_memory(&first);
    out_memory(&second);
    deflater_run(deflater, DEFLATE_GZIP, S("abcabcabcabcabc"), &first);
    deflater_run(deflater, DEFLATE_ZLIB, S("something else between"), &second);
    out_free(&second);
    out_memory(&second);
    deflater_run(deflater, DEFLATE_GZIP, S("abcabcabcabcabc"), &second);
    assert_true(str_eq(out_view(&first), out_view(&second)));
    out_free(&first);
    out_free(&second);
}

/* Four bytes at the third byte and once more. ISA-L does not search the first bytes
 * well enough to find them again, unless they are the upper bits of the address of its
 * state, which it takes for input there. */
static void where_the_memory_is_does_not_matter(void **state)
{
    (void)state;
    struct deflater *elsewhere = deflater_open();
    uint32_t word = (uint32_t)((uintptr_t)&deflater->z >> 16);
    char bytes[600] = "ab";
    struct out here, there;
    for (int i = 2; i < (int)sizeof bytes; i++)
        bytes[i] = (char)(i * 37 + i * i * 11);
    memcpy(bytes + 2, &word, sizeof word);
    memcpy(bytes + 106, &word, sizeof word);
    out_memory(&here);
    out_memory(&there);
    deflater_run(deflater, DEFLATE_ZLIB, (struct str){bytes, sizeof bytes}, &here);
    deflater_run(elsewhere, DEFLATE_ZLIB, (struct str){bytes, sizeof bytes}, &there);
    assert_true(str_eq(out_view(&here), out_view(&there)));
    out_free(&here);
    out_free(&there);
    deflater_close(elsewhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it_is_read_back),
        cmocka_unit_test(parts_make_one_stream),
        cmocka_unit_test(what_repeats_is_short),
        cmocka_unit_test(a_member_names_no_file_and_no_time),
        cmocka_unit_test(the_same_bytes_are_the_same_stream),
        cmocka_unit_test(where_the_memory_is_does_not_matter),
    };
    return cmocka_run_group_tests(tests, open_deflater, close_deflater);
}
