#include "unpack.c"

#include "base/out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <zlib.h>

static struct arena a;

static int reserve(void **state)
{
    (void)state;
    a = arena_reserve(1 << 27);
    return 0;
}

/* What came of one file: "name=bytes;" of each part, "name!why;" of what is unread. */
struct told {
    struct out o;
};

static void tell_part(void *context, struct str name, struct str bytes,
                      struct arena tmp)
{
    (void)tmp;
    struct told *t = context;
    out_str(&t->o, name);
    out_char(&t->o, '=');
    if (bytes.n > 40)
        out_printf(&t->o, "%td bytes", bytes.n);
    else
        out_str(&t->o, bytes);
    out_char(&t->o, ';');
}

static void tell_unread(void *context, struct str name, const char *why)
{
    struct told *t = context;
    out_str(&t->o, name);
    out_printf(&t->o, "!%s;", why);
}

static void assert_told(struct str bytes, const char *want)
{
    struct told t;
    out_memory(&t.o);
    unpack(
        bytes, a,
        &(struct unpacking){.context = &t, .part = tell_part, .unread = tell_unread});
    assert_string_equal(str_c(&a, out_view(&t.o)), want);
    out_free(&t.o);
}

static void put_little(struct out *o, uint32_t v, int bytes)
{
    for (int k = 0; k < bytes; k++)
        out_char(o, (char)(v >> (8 * k)));
}

/* As zlib packs it: window_bits chooses raw, zlib or gzip. */
static struct str packed(struct str text, int window_bits)
{
    uLong room = compressBound((uLong)text.n) + 64;
    char *p = arena_new(&a, char, (ptrdiff_t)room);
    z_stream z = {.next_in = (Bytef *)(uintptr_t)text.p,
                  .avail_in = (uInt)text.n,
                  .next_out = (Bytef *)p,
                  .avail_out = (uInt)room};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, window_bits, 8, 0), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    ptrdiff_t n = (ptrdiff_t)z.total_out;
    deflateEnd(&z);
    return (struct str){p, n};
}

static struct str raw(struct str text)
{
    return packed(text, -15);
}

static struct str gzip(struct str text)
{
    return packed(text, 31);
}

struct entry {
    const char *name;
    struct str bytes;
    uint32_t method, flags;
};

/* listed: how many of the entries the directory names; before: bytes in front. */
static struct str zip_of(const struct entry *at, int n, int listed, struct str before)
{
    struct out o;
    uint32_t place[8];
    out_memory(&o);
    out_str(&o, before);
    for (int i = 0; i < n; i++) {
        place[i] = (uint32_t)(o.n - before.n);
        out_bytes(&o, "PK\3\4", 4);
        put_little(&o, 20, 2);
        put_little(&o, at[i].flags, 2);
        put_little(&o, at[i].method, 2);
        for (int k = 0; k < 4; k++) /* time, date, checksum */
            put_little(&o, 0, 2);
        put_little(&o, (uint32_t)at[i].bytes.n, 4);
        put_little(&o, (uint32_t)at[i].bytes.n, 4);
        put_little(&o, (uint32_t)strlen(at[i].name), 2);
        put_little(&o, 0, 2);
        out_c(&o, at[i].name);
        out_str(&o, at[i].bytes);
    }
    uint32_t directory = (uint32_t)(o.n - before.n);
    for (int i = 0; i < listed; i++) {
        out_bytes(&o, "PK\1\2", 4);
        put_little(&o, 20, 2);
        put_little(&o, 20, 2);
        put_little(&o, at[i].flags, 2);
        put_little(&o, at[i].method, 2);
        for (int k = 0; k < 4; k++)
            put_little(&o, 0, 2);
        put_little(&o, (uint32_t)at[i].bytes.n, 4);
        put_little(&o, (uint32_t)at[i].bytes.n, 4);
        put_little(&o, (uint32_t)strlen(at[i].name), 2);
        for (int k = 0; k < 6; k++) /* extra, remark, disk, attributes */
            put_little(&o, 0, 2);
        put_little(&o, place[i], 4);
        out_c(&o, at[i].name);
    }
    uint32_t directory_bytes = (uint32_t)(o.n - before.n) - directory;
    out_bytes(&o, "PK\5\6", 4);
    put_little(&o, 0, 4);
    put_little(&o, (uint32_t)listed, 2);
    put_little(&o, (uint32_t)listed, 2);
    put_little(&o, directory_bytes, 4);
    put_little(&o, directory, 4);
    put_little(&o, 0, 2);
    struct str zip = str_copy(&a, out_view(&o));
    out_free(&o);
    return zip;
}

static void entries_of_a_zip_are_parts(void **state)
{
    (void)state;
    const struct entry e[] = {{"a", S_INIT("plain"), 0, 0},
                              {"b", raw(S("deflated")), 8, 0}};
    assert_told(zip_of(e, 2, 2, S("")), "a=plain;b=deflated;");
    assert_told(zip_of(e, 2, 2, S("#!/bin/sh\n")), "a=plain;b=deflated;");
}

static bool is_b(void *context, struct str name)
{
    (void)context;
    return str_eq(name, S("b"));
}

/* An entry that nobody asked for may be of any kind. */
static void only_what_is_wanted_is_unpacked(void **state)
{
    (void)state;
    const struct entry e[] = {{"a", S_INIT("\xff\xff\xff\xff"), 8, 0},
                              {"b", S_INIT("plain"), 0, 0}};
    struct told t;
    out_memory(&t.o);
    unpack(zip_of(e, 2, 2, S("")), a,
           &(struct unpacking){&t, is_b, tell_part, tell_unread});
    assert_string_equal(str_c(&a, out_view(&t.o)), "b=plain;");
    out_free(&t.o);
}

static void what_a_zip_hides_is_said(void **state)
{
    (void)state;
    const struct entry e[] = {{"a", S_INIT("x"), 0, 0}, {"b", S_INIT("secret"), 0, 0}};
    assert_told(zip_of(e, 2, 1, S("")),
                "a=x;!its central directory does not list all entries;");
    struct str whole = zip_of(e, 2, 2, S(""));
    assert_told(str_head(whole, whole.n - 22), "!it has no central directory;");
}

static void entries_that_cannot_be_read_have_a_reason(void **state)
{
    (void)state;
    const struct entry encrypted[] = {{"a", S_INIT("x"), 0, 1}};
    assert_told(zip_of(encrypted, 1, 1, S("")), "a=;a!it is encrypted;");
    const struct entry lzma[] = {{"a", S_INIT("x"), 14, 0}};
    assert_told(zip_of(lzma, 1, 1, S("")),
                "a=x;a!its compression method is not supported;");
    const struct entry garbage[] = {{"a", S_INIT("\xff\xff\xff\xff"), 8, 0}};
    assert_told(zip_of(garbage, 1, 1, S("")), "a=;a!it is corrupt;");
}

/* The size of an entry leads out of the file. */
static void sizes_are_not_believed(void **state)
{
    (void)state;
    const struct entry e[] = {{"a", S_INIT("x"), 0, 0}};
    struct str zip = zip_of(e, 1, 1, S(""));
    char *p = arena_new(&a, char, zip.n);
    memcpy(p, zip.p, (size_t)zip.n);
    ptrdiff_t directory = str_find(zip, S("PK\1\2"));
    memcpy(p + directory + 20, "\xf0\xff\xff\x7f", 4);
    assert_told((struct str){p, zip.n}, "a=;a!it is corrupt;");
    memcpy(p + directory + 20, "\xff\xff\xff\xff", 4);
    assert_told((struct str){p, zip.n}, "a=;a!it is a zip64 archive;");
    memcpy(p + directory + 20, "\1\0\0\0", 4);
    memcpy(p + directory + 42, "\xf0\xff\xff\x7f", 4);
    assert_told((struct str){p, zip.n},
                "a=;a!it is corrupt;!its central directory does not list all entries;");
}

static void members_of_a_gzip_are_one_part(void **state)
{
    (void)state;
    struct out o;
    out_memory(&o);
    out_str(&o, gzip(S("one ")));
    out_str(&o, gzip(S("two")));
    struct str both = str_copy(&a, out_view(&o));
    out_free(&o);
    assert_told(both, "unpacked=one two;");
    assert_told(str_head(both, both.n - 4),
                "unpacked=one two;unpacked!it is truncated;");
}

/* 64 MB of zeros in 64 KB: shown as far as it is allowed to go. */
static void a_bomb_is_cut(void **state)
{
    (void)state;
    ptrdiff_t n = 1 << 26;
    char *zeros = calloc(1, (size_t)n);
    struct str bomb = gzip((struct str){zeros, n});
    free(zeros);
    char want[128];
    snprintf(want, sizeof want,
             "unpacked=%td bytes;unpacked!it expands to many times its size;",
             UNPACK_TIMES * bomb.n + UNPACK_BYTES_ANYWAY);
    assert_told(bomb, want);
}

static struct str png_of(struct str kind, struct str body, uint32_t n)
{
    struct out o;
    out_memory(&o);
    out_bytes(&o, "\x89PNG\r\n\x1a\n", 8);
    for (int k = 3; k >= 0; k--)
        out_char(&o, (char)(n >> (8 * k)));
    out_str(&o, kind);
    out_str(&o, body);
    put_little(&o, 0, 4);
    struct str png = str_copy(&a, out_view(&o));
    out_free(&o);
    return png;
}

static void packed_texts_of_a_png_are_parts(void **state)
{
    (void)state;
    struct out o;
    out_memory(&o);
    out_bytes(&o, "Comment\0\0", 9);
    out_str(&o, packed(S("a name in a comment"), 15));
    struct str body = str_copy(&a, out_view(&o));
    assert_told(png_of(S("zTXt"), body, (uint32_t)body.n), "zTXt=a name in a comment;");
    assert_told(png_of(S("zTXt"), body, 1u << 30), "!it is truncated;");
    assert_told(png_of(S("zTXt"), S("Comment\0\0not packed"), 19),
                "zTXt!it is corrupt;");
    o.n = 0;
    out_bytes(&o, "Comment\0\1\0en\0Kommentar\0", 23);
    out_str(&o, packed(S("international"), 15));
    body = str_copy(&a, out_view(&o));
    out_free(&o);
    assert_told(png_of(S("iTXt"), body, (uint32_t)body.n), "iTXt=international;");
    assert_told(png_of(S("iTXt"), S("Comment\0\0\0\0\0plain text"), 22), "");
}

static void what_is_packed_is_known_by_its_first_bytes(void **state)
{
    (void)state;
    static const char *const unknown[] = {"\xfd\x37zXZ", "BZh9", "7z\xbc\xaf\x27",
                                          "%PDF-1.7"};
    for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++) {
        assert_true(unpack_is_packed(str_of(unknown[k])));
        assert_told(str_of(unknown[k]), "!its compression method is not supported;");
    }
    assert_true(unpack_is_packed(gzip(S("x"))));
    assert_false(unpack_is_packed(S("<!doctype html>")));
    assert_told(S("<!doctype html>"), "");
    assert_told(S(""), "");
    assert_told(S("x^text that begins as zlib does"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_of_a_zip_are_parts),
        cmocka_unit_test(only_what_is_wanted_is_unpacked),
        cmocka_unit_test(what_a_zip_hides_is_said),
        cmocka_unit_test(entries_that_cannot_be_read_have_a_reason),
        cmocka_unit_test(sizes_are_not_believed),
        cmocka_unit_test(members_of_a_gzip_are_one_part),
        cmocka_unit_test(a_bomb_is_cut),
        cmocka_unit_test(packed_texts_of_a_png_are_parts),
        cmocka_unit_test(what_is_packed_is_known_by_its_first_bytes),
    };
    return cmocka_run_group_tests(tests, reserve, NULL);
}
