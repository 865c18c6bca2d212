#include "trace/gunzip.c"

#include <zlib.h>

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char text[] = "one text, and one text more, and one text to end with";

/* Compressed bytes, handed over `step` at a time. */
struct feed {
    struct gunzip g;
    const unsigned char *at, *end;
    ptrdiff_t step;
};

static bool more(void *context)
{
    struct feed *f = context;
    ptrdiff_t n = f->end - f->at < f->step ? f->end - f->at : f->step;
    f->g.in = f->at;
    f->g.in_end = f->at += n;
    return n > 0;
}

/* What is wrong, or NULL; the bytes go to `to`. */
static const char *unpack(const unsigned char *packed, size_t n, ptrdiff_t step,
                          char *to, ptrdiff_t *made)
{
    struct feed f = {.at = packed, .end = packed + n, .step = step};
    gunzip_start(&f.g, more, &f);
    *made = 0;
    ptrdiff_t k;
    while ((k = gunzip_fill(&f.g, (unsigned char *)to + *made, 7)) > 0)
        *made += k;
    assert_true(f.g.ended != (f.g.broken != NULL));
    gunzip_stop(&f.g);
    return f.g.broken;
}

/* A member with every field a header can have. */
static size_t full_member(unsigned char *to)
{
    static const unsigned char header[] = {
        0x1f, 0x8b, 8,   0x1e, 1, 2, 3, 4, 0, 3, 3, 0, 'e', 'x', 't', /* extra field */
        'n',  0,    'c', 'o',  0}; /* name, comment */
    size_t n = sizeof header;
    memcpy(to, header, n);
    uint32_t crc = (uint32_t)crc32(0, to, (unsigned)n);
    to[n++] = (unsigned char)crc;
    to[n++] = (unsigned char)(crc >> 8);
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)text;
    z.avail_in = sizeof text - 1;
    z.next_out = to + n;
    z.avail_out = 200;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    n += z.total_out;
    deflateEnd(&z);
    crc = (uint32_t)crc32(0, (const unsigned char *)text, sizeof text - 1);
    for (int i = 0; i < 4; i++)
        to[n++] = (unsigned char)(crc >> 8 * i);
    for (int i = 0; i < 4; i++)
        to[n++] = (unsigned char)((sizeof text - 1) >> 8 * i);
    return n;
}

static void test_every_field_of_a_header(void **state)
{
    (void)state;
    unsigned char packed[400];
    char out[400];
    ptrdiff_t made;
    size_t n = full_member(packed);
    for (ptrdiff_t step = 1; step < 30; step++) {
        assert_null(unpack(packed, n, step, out, &made));
        assert_int_equal(made, sizeof text - 1);
        assert_memory_equal(out, text, sizeof text - 1);
    }
}

/* Cut anywhere it ends too early; changed anywhere it is damaged, or its header says
 * another name, or that it has fields that are not there. */
static void test_cut_and_changed_anywhere(void **state)
{
    (void)state;
    unsigned char packed[400];
    char out[4000];
    ptrdiff_t made;
    size_t n = full_member(packed);
    for (size_t cut = 0; cut < n; cut++)
        assert_string_equal(unpack(packed, cut, 5, out, &made), "ends too early");
    for (size_t at = 0; at < n; at++) {
        packed[at] ^= 0x10;
        assert_non_null(unpack(packed, n, 5, out, &made));
        packed[at] ^= 0x10;
    }
    packed[3] |= 0x20; /* a flag that nobody has defined */
    assert_string_equal(unpack(packed, n, 5, out, &made), "is damaged");
}

/* Check sum and length of the text are both looked at. */
static void test_trailer(void **state)
{
    (void)state;
    unsigned char packed[400];
    char out[400];
    ptrdiff_t made;
    size_t n = full_member(packed);
    for (size_t back = 1; back <= 8; back++) {
        packed[n - back]++;
        assert_string_equal(unpack(packed, n, 100, out, &made), "is damaged");
        packed[n - back]--;
    }
    assert_null(unpack(packed, n, 100, out, &made));
}

static void test_members_zeros_and_others(void **state)
{
    (void)state;
    unsigned char packed[900] = {0};
    char out[900];
    ptrdiff_t made;
    size_t n = full_member(packed);
    n += full_member(packed + n);
    assert_null(unpack(packed, n + 50, 9, out, &made));
    assert_int_equal(made, 2 * (sizeof text - 1));
    packed[n + 10] = 'x';
    assert_string_equal(unpack(packed, n + 50, 9, out, &made),
                        "is followed by something else");
    packed[n + 10] = 0x1f; /* the first byte of a member, and no second */
    assert_string_equal(unpack(packed, n + 50, 9, out, &made), "is damaged");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_field_of_a_header),
                                       cmocka_unit_test(test_cut_and_changed_anywhere),
                                       cmocka_unit_test(test_trailer),
                                       cmocka_unit_test(test_members_zeros_and_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
