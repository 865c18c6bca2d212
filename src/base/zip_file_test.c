#include "zip_file.c"

#include <minizip/unzip.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static char dir[] = "/tmp/zip_file_test.XXXXXX", path[64];

static int make_dir(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/a.zip", mkdtemp(dir) ? dir : "");
    return 0;
}

static int remove_dir(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(dir);
}

static void write_two(int64_t date_s)
{
    struct zip_file z;
    struct err e = {0};
    assert_true(zip_open(&z, path, date_s, &e));
    assert_true(zip_add(&z, "kit/replay.py", S("print('x')\n"), &e));
    assert_true(zip_add(&z, "empty", S(""), &e));
    assert_true(zip_close(&z, &e));
}

static ptrdiff_t read_all(char *buf, ptrdiff_t room)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(buf, 1, (size_t)room, f);
    fclose(f);
    return (ptrdiff_t)n;
}

static void test_same_bytes(void **state)
{
    (void)state;
    char first[1000], again[1000];
    write_two(SOURCE_DATE_NONE_S);
    ptrdiff_t n = read_all(first, sizeof first);
    sleep(1);
    write_two(SOURCE_DATE_NONE_S);
    assert_int_equal(read_all(again, sizeof again), n);
    assert_memory_equal(first, again, (size_t)n);
    /* DOS time 0, DOS date 1980-01-01: (0 << 9) | (1 << 5) | 1. */
    assert_memory_equal(first + 10, "\0\0\x21\0", 4);
}

static void test_reads_back(void **state)
{
    (void)state;
    write_two(1700000000); /* 2023-11-14 22:13:20 UTC */
    unzFile u = unzOpen64(path);
    assert_non_null(u);
    unz_file_info64 info;
    char name[64], text[64];
    assert_int_equal(unzGoToFirstFile(u), UNZ_OK);
    assert_int_equal(unzGetCurrentFileInfo64(u, &info, name, sizeof name, 0, 0, 0, 0),
                     0);
    assert_string_equal(name, "kit/replay.py");
    assert_int_equal(info.tmu_date.tm_year, 2023);
    assert_int_equal(info.tmu_date.tm_mon, 10);
    assert_int_equal(info.tmu_date.tm_hour, 22);
    assert_int_equal(info.tmu_date.tm_sec, 20);
    assert_int_equal(info.external_fa >> 16, 0100644);
    assert_int_equal(info.size_file_extra, 0);
    assert_int_equal(unzOpenCurrentFile(u), UNZ_OK);
    assert_int_equal(unzReadCurrentFile(u, text, sizeof text), 11);
    assert_memory_equal(text, "print('x')\n", 11);
    assert_int_equal(unzCloseCurrentFile(u), UNZ_OK); /* the checksum agrees */
    assert_int_equal(unzGoToNextFile(u), UNZ_OK);
    assert_int_equal(unzGoToNextFile(u), UNZ_END_OF_LIST_OF_FILE);
    unzClose(u);
}

static void test_unzip_accepts_it(void **state)
{
    (void)state;
    write_two(SOURCE_DATE_NONE_S);
    char command[128];
    snprintf(command, sizeof command, "unzip -tqq %s", path);
    assert_int_equal(system(command), 0);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const good[] = {"a", "A-b_c.9/x.py", ".hidden", "a/b/c", "..a"};
    static const char *const bad[] = {"",         "/a",   "a/",    "a//b", "..",
                                      "../a",     "a/..", "a/./b", "a\\b", "a b",
                                      "\xC3\xA9", "a:b",  ".",     "a\n"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(zip_name_is_good(str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(zip_name_is_good(str_of(bad[i])));
    assert_false(zip_name_is_good(S("a\0b")));
    struct zip_file z;
    struct err e = {0};
    assert_true(zip_open(&z, path, SOURCE_DATE_NONE_S, &e));
    assert_false(zip_add(&z, "../x", S("x"), &e));
    assert_int_equal(e.kind, ERR_INTERNAL);
    zip_discard(&z);
    assert_int_equal(access(path, F_OK), -1);
}

static void test_full_disk(void **state)
{
    (void)state;
    static char noise[1 << 18];
    uint32_t x = 1;
    for (size_t i = 0; i < sizeof noise; i++) /* does not compress */
        noise[i] = (char)((x = x * 1664525 + 1013904223) >> 24);
    struct zip_file z;
    struct err e = {0};
    assert_true(zip_open(&z, "/dev/full", SOURCE_DATE_NONE_S, &e));
    bool good = zip_add(&z, "a", (struct str){noise, sizeof noise}, &e);
    good = zip_close(&z, &e) && good;
    assert_false(good);
    assert_int_equal(e.kind, ERR_OUTPUT);
    assert_string_equal(e.what, "cannot be written: No space left on device");
}

static void test_no_folder(void **state)
{
    (void)state;
    struct zip_file z;
    struct err e = {0};
    assert_false(zip_open(&z, "/nonexistent/a.zip", SOURCE_DATE_NONE_S, &e));
    assert_string_equal(e.what, "cannot be written: No such file or directory");
}

static void test_source_date(void **state)
{
    (void)state;
    setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
    assert_int_equal(source_date_s(), 1700000000);
    static const char *const none[] = {"", "x", "0", "-5", "99999999999999", "1.5"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        setenv("SOURCE_DATE_EPOCH", none[i], 1);
        assert_int_equal(source_date_s(), SOURCE_DATE_NONE_S);
    }
    unsetenv("SOURCE_DATE_EPOCH");
    assert_int_equal(source_date_s(), SOURCE_DATE_NONE_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes),       cmocka_unit_test(test_reads_back),
        cmocka_unit_test(test_unzip_accepts_it), cmocka_unit_test(test_names),
        cmocka_unit_test(test_full_disk),        cmocka_unit_test(test_no_folder),
        cmocka_unit_test(test_source_date),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
